"""A transport problem and its solution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError

Array = NDArray[np.float64]

LARGEST_COST = 1e150  # the native solvers mark unusable cells by larger numbers
SMALLEST_MASS = 1e-311  # a total below has fewer than 40 bits to share out


@dataclass(frozen=True, eq=False)
class TransportProblem:
    r"""min over P ≥ 0 of <C,P> + rho_a KL(P1 | a) + rho_b KL(Pᵀ1 | b).

    Parameters
    ----------
    cost
        C (n, m): any finite numbers up to 1e150 in size. A cost far above the others forbids its cell: no solver loses
        the digits of the others over it, or else its plan is not ``converged``.
    a, b
        Mass of the rows (n,), which are the hypothesis, and of the columns (m,), which are the reference. Each side
        adds up to 0 or to at least 1e-311.
    rho_a, rho_b
        ``inf`` keeps a marginal, ``0`` ignores it, anything between penalises leaving it.

    Raises
    ------
    InputError
        When an array does not fit, holds a value outside these bounds, or when both marginals must hold and their
        totals differ by more than rounding.
    """

    cost: Array
    a: Array
    b: Array
    rho_a: float = np.inf
    rho_b: float = np.inf

    def __post_init__(self) -> None:
        self._check_arrays()
        if not (self.rho_a >= 0 and self.rho_b >= 0):
            raise InputError(f"marginal penalties must be in [0, inf], not ({self.rho_a}, {self.rho_b})")
        balanced = np.isinf(self.rho_a) and np.isinf(self.rho_b)
        if balanced and not np.isclose(self.a.sum(), self.b.sum(), rtol=1e-9, atol=0):
            raise InputError(f"balanced transport needs equal masses, not {self.a.sum()} and {self.b.sum()}")

    def _check_arrays(self) -> None:
        for name in ("cost", "a", "b"):
            value = np.ascontiguousarray(getattr(self, name), dtype=np.float64)
            if not np.isfinite(value).all():
                raise InputError(f"{name} of a transport problem has NaN or infinite values")
            object.__setattr__(self, name, value)
        if self.cost.size == 0 or self.cost.ndim != 2 or self.a.shape + self.b.shape != self.cost.shape:
            raise InputError(f"cost {self.cost.shape} does not fit masses {self.a.shape} and {self.b.shape}")
        if np.abs(self.cost).max() > LARGEST_COST:
            raise InputError(f"a cost of {np.abs(self.cost).max()} is too large (at most {LARGEST_COST})")
        if (self.a < 0).any() or (self.b < 0).any():
            raise InputError("masses of a transport problem must not be negative")
        if max(self.a.max(), self.b.max()) > LARGEST_COST:
            raise InputError(f"a mass of {max(self.a.max(), self.b.max())} is too large (at most {LARGEST_COST})")
        for total in (float(self.a.sum()), float(self.b.sum())):
            if 0 < total < SMALLEST_MASS:
                raise InputError(f"a total mass of {total} is too small (at least {SMALLEST_MASS}, or 0)")


@dataclass(frozen=True, eq=False)
class TransportPlan:
    """A coupling (n, m) that solves *problem*, and how it was found."""

    problem: TransportProblem
    coupling: Array
    iterations: int
    converged: bool

    @property
    def transport_cost(self) -> float:
        """<C,P>, without penalties."""
        return float(np.sum(self.problem.cost * self.coupling))

    @property
    def objective(self) -> float:
        """<C,P> plus the marginal penalties with finite, positive rho."""
        value = self.transport_cost
        for rho, got, want in (
            (self.problem.rho_a, self.coupling.sum(1), self.problem.a),
            (self.problem.rho_b, self.coupling.sum(0), self.problem.b),
        ):
            if 0 < rho < np.inf:
                value += rho * kl_divergence(got, want)
        return value

    @property
    def marginal_error(self) -> float:
        """Largest violation of a marginal that must hold (rho = inf); 0 when there is none."""
        errors = [0.0]
        if np.isinf(self.problem.rho_a):
            errors.append(float(np.abs(self.coupling.sum(1) - self.problem.a).max()))
        if np.isinf(self.problem.rho_b):
            errors.append(float(np.abs(self.coupling.sum(0) - self.problem.b).max()))
        return max(errors)


def kl_divergence(p: Array, q: Array) -> float:
    """Generalised KL divergence Σ p log(p/q) − p + q of masses (n,), with 0 log 0 = 0 and inf where q = 0 < p.

    >>> kl_divergence(np.array([1.0, 0.0]), np.array([1.0, 0.5]))
    0.5
    """
    if (p[q == 0] > 0).any():
        return np.inf
    positive = p > 0
    return float(np.sum(p[positive] * np.log(p[positive] / q[positive])) - p.sum() + q.sum())
