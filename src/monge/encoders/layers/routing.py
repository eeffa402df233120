"""KDE routing: the layers of a token vote for their common vector until they agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from monge.errors import OptionError, suggest

Array = NDArray[np.float64]
MAX_ITERATIONS = 1000


def epanechnikov(x: Array) -> tuple[Array, Array]:
    """Return k(x) = 1 − x on [0, 1), 0 beyond, and −k'(x)."""
    inside = x < 1
    return np.where(inside, 1 - x, 0.0), inside.astype(np.float64)


def gaussian(x: Array) -> tuple[Array, Array]:
    """Return k(x) = exp(−x/2) and −k'(x)."""
    k = np.exp(-x / 2)
    return k, k / 2


KERNELS: dict[str, Callable[[Array], tuple[Array, Array]]] = {"epanechnikov": epanechnikov, "gaussian": gaussian}


@dataclass(frozen=True)
class Routing:
    """Kernel, step size, stopping threshold, and whether the softmax leaks (the capsule variant)."""

    kernel: str = "epanechnikov"
    alpha: float = 1.0
    epsilon: float = 1e-4
    leaky: bool = False

    def __post_init__(self) -> None:
        if self.kernel not in KERNELS:
            raise OptionError(
                f"no routing kernel {self.kernel!r}{suggest(self.kernel, KERNELS)}; there are {', '.join(KERNELS)}"
            )
        if not (0 < self.alpha < np.inf and 0 < self.epsilon < np.inf):
            raise OptionError(f"routing needs alpha and epsilon above 0, not {self.alpha:g} and {self.epsilon:g}")

    @classmethod
    def parse(cls, arguments: str) -> Routing:
        """Read ``kernel[:alpha=A][:epsilon=E][:leaky]``: no commas, which end an option of a metric.

        >>> Routing.parse("gaussian:alpha=0.5")
        Routing(kernel='gaussian', alpha=0.5, epsilon=0.0001, leaky=False)
        """
        kernel, *rest = (part.strip() for part in arguments.split(":"))
        settings = cls(kernel or cls.kernel)
        for part in rest:
            key, _, value = part.partition("=")
            if part == "leaky":
                settings = replace(settings, leaky=True)
            elif key == "alpha":
                settings = replace(settings, alpha=_number(key, value))
            elif key == "epsilon":
                settings = replace(settings, epsilon=_number(key, value))
            else:
                raise OptionError(f"no routing setting {part!r}; there are alpha=, epsilon= and leaky")
        return settings


def _number(key: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise OptionError(f"routing setting {key} must be a number, not {value!r}") from None


def route_layers(states: Array, settings: Routing) -> Array:
    """Aggregate the layers (L, n, d) of one text into (n, d) by routing (Zhao et al. 2019, appendix A.2).

    With z_ij the vector of token j in layer i, Algorithm 1 repeats until the loss log Σ γ_ij k_ij of the text moves by
    less than ε::

        γ_j ← softmax over layers(γ_j);  v_j ← Σ_i γ_ij k'(x_ij) z_ij / Σ_i γ_ij k'(x_ij);  γ_ij ← γ_ij + α k(x_ij)

    What the paper leaves open is settled as in mean shift (Comaniciu and Meer 2002), which it builds on: x_ij =
    ‖v_j − z_ij‖² / h_j² with h_j the largest distance between two layers of token j, so that all layers lie within the
    kernel; v_j starts at the mean; and the denominator holds γ, without which v_j shrinks by the number of layers.

    >>> route_layers(np.array([[[0.0]], [[0.0]], [[3.0]]]), Routing()).round(2).tolist()  # the mean is 1
    [[0.5]]
    """
    kernel = KERNELS[settings.kernel]
    width = _diameters(states)
    state: Array = np.asarray(states.mean(axis=0))
    logits = np.zeros(states.shape[:2])
    if not states.size or not width.any():
        return state
    previous = np.nan
    for _ in range(MAX_ITERATIONS):
        gamma = _softmax(logits, leaky=settings.leaky)
        weights = gamma * kernel(_scaled(states, state, width))[1]
        total = weights.sum(axis=0)
        # no layer within the kernel: the token keeps its vector
        state = np.where(
            total[:, None] > 0, np.einsum("ij,ijd->jd", weights, states) / np.where(total > 0, total, 1)[:, None], state
        )
        closeness = kernel(_scaled(states, state, width))[0]
        logits = gamma + settings.alpha * closeness
        loss = float(np.log((logits * closeness).sum()))
        if abs(loss - previous) < settings.epsilon:
            return state
        previous = loss
    raise OptionError(f"routing with alpha {settings.alpha:g} and epsilon {settings.epsilon:g} never settled")


def _softmax(logits: Array, *, leaky: bool) -> Array:
    """Softmax over layers; the leaky one has one more logit, 0, whose share is lost (Zhao et al. 2018)."""
    top = np.maximum(logits.max(axis=0), 0.0) if leaky else logits.max(axis=0)
    powers = np.exp(logits - top)
    return np.asarray(powers / (powers.sum(axis=0) + (np.exp(-top) if leaky else 0.0)))


def _diameters(states: Array) -> Array:
    """Return h² (n,): the largest squared distance between two layers of each token."""
    widest = np.zeros(states.shape[1])
    for first, second in combinations(states, 2):
        np.maximum(widest, ((first - second) ** 2).sum(axis=1), out=widest)
    return widest


def _scaled(states: Array, state: Array, width: Array) -> Array:
    squares: Array = ((states - state) ** 2).sum(axis=2)
    return np.divide(squares, width, out=np.zeros_like(squares), where=width > 0)
