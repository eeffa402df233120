"""The Bradley–Terry model: latent strengths that best explain who beats whom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from monge.errors import InputError

Floats = NDArray[np.float64]

VIRTUAL_WINS = 0.5  # added in each direction between every two systems, only where the likelihood has no maximum
_TOLERANCE = 1e-10  # on log strengths; the authors stop at Σ(Δλ)² < 1e-9
_MAX_STEPS = 500


@dataclass(frozen=True, eq=False)
class BradleyTerry:
    """Logarithms of strengths (…, S), and whether the strengths had to be regularised (…)."""

    log_strengths: Floats
    regularised: NDArray[np.bool_]
    converged: bool

    @cached_property
    def strengths(self) -> Floats:
        """The strengths (…, S), positive and summing to 1."""
        return np.asarray(softmax(self.log_strengths, axis=-1))

    def probability(self, first: int, second: int) -> float:
        """Return P(first beats second) = λ_first / (λ_first + λ_second)."""
        return float(expit(self.log_strengths[..., first] - self.log_strengths[..., second]))


def fit_bradley_terry(wins: Floats, *, virtual_wins: float = VIRTUAL_WINS, start: Floats | None = None) -> BradleyTerry:
    r"""Return the maximum-likelihood strengths of one win matrix (S, S) or of a stack of them (B, S, S).

    .. math:: L(λ) = Σ_{ij} ω_{ij} (\log λ_i − \log(λ_i + λ_j))

    ``wins[i, j]`` counts how often i beat j; a tie is half a win to each. The paper (Peyrard et al. 2021, Appendix E)
    iterates λ_i ← W_i / Σ_j (ω_ij+ω_ji)/(λ_i+λ_j); here Newton's method on log λ finds the same maximum to 1e-10.
    The maximum exists when every system can be reached from every other by a chain of wins (Ford 1957). Where it
    does not exist, for example when a system never wins, ``virtual_wins`` are added in each direction between every
    two systems and ``regularised`` is True. ``start`` may give log strengths (S,) near the solution, to save steps.

    Raises InputError when *wins* is not a square matrix of counts.

    >>> fit_bradley_terry([[0, 2], [1, 0]]).strengths.round(6).tolist()
    [0.666667, 0.333333]
    """
    matrix = np.array(wins, dtype=np.float64)
    if matrix.ndim not in (2, 3) or matrix.shape[-1] != matrix.shape[-2] or matrix.shape[-1] < 2:
        raise InputError(f"a win matrix must be square with at least two systems, not {matrix.shape}")
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise InputError("a win matrix must hold counts of at least 0")
    stack = matrix[None] if matrix.ndim == 2 else matrix
    diagonal = np.arange(stack.shape[-1])
    stack[:, diagonal, diagonal] = 0.0
    diverges = ~_strongly_connected(stack > 0)
    stack[diverges] += virtual_wins * (1.0 - np.eye(stack.shape[-1]))
    logs, converged = _maximise(stack, start)
    if matrix.ndim == 2:
        return BradleyTerry(logs[0], diverges[0], converged)
    return BradleyTerry(logs, diverges, converged)


def _maximise(wins: Floats, start: Floats | None) -> tuple[Floats, bool]:
    """Newton's method on log strengths (B, S); steps are capped at 1 so that it cannot overshoot."""
    played = wins + wins.swapaxes(1, 2)
    total = wins.sum(axis=2)
    logs = np.log(total + 0.5) - np.log(wins.sum(axis=1) + 0.5)
    if start is not None:
        logs = np.tile(start - start.mean(), (len(wins), 1))
    size = wins.shape[-1]
    diagonal = np.arange(size)
    for _ in range(_MAX_STEPS):
        expected = 1.0 / (1.0 + np.exp(np.clip(logs[:, None, :] - logs[:, :, None], -700, 700)))
        gradient = total - (played * expected).sum(axis=2)
        curvature = played * expected * (1.0 - expected)
        # a common shift leaves the log-likelihood unchanged; 1/S fixes it to 0 and changes nothing else
        hessian = np.full_like(curvature, 1.0 / size) - curvature
        hessian[:, diagonal, diagonal] += curvature.sum(axis=2)
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        logs = logs + step / np.maximum(longest, 1.0)
        if longest.max() < _TOLERANCE:
            return logs, True
    return logs, False


def _strongly_connected(beats: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each graph (B, S, S) whether every node reaches every other, by repeated squaring."""
    size = beats.shape[-1]
    reach = (beats | np.eye(size, dtype=bool)).astype(np.float32)
    for _ in range(max(1, (size - 1).bit_length())):
        reach = (reach @ reach > 0).astype(np.float32)
    return np.asarray(reach.all(axis=(1, 2)))
