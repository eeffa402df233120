"""Readable solvers in numpy and scipy: slow, obvious, and what the native ones are tested against."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from monge.transport.problem import Array, TransportPlan, TransportProblem


def cost_by_definition(
    points_a: NDArray[np.floating],
    points_b: NDArray[np.floating],
    cost: str,
    *,
    positions: tuple[Array, Array] | None = None,
) -> Array:
    """Cost matrix (n, m) of points (n, d) and (m, d), written down as in the papers."""
    a = np.asarray(points_a, dtype=np.float64)
    b = np.asarray(points_b, dtype=np.float64)
    if cost in ("euclidean", "sqeuclidean"):
        squared = np.stack([((row - b) ** 2).sum(1) for row in a])
        return squared if cost == "sqeuclidean" else np.sqrt(squared)
    norms = np.outer(np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1))
    cosine = np.divide(a @ b.T, norms, out=np.zeros_like(norms), where=norms > 0)
    if cost == "cosine":
        return np.maximum(1.0 - cosine, 0.0)
    return _position_cost(cosine, *(positions or (np.arange(1, k + 1) / k for k in cosine.shape)))


def _position_cost(cosine: Array, left: Array, right: Array) -> Array:
    """Distances of WE_WPI (Echizen'ya et al. 2019, eqs. 7, 8, 12) from cosines (n, m) and relative positions."""
    n, m = cosine.shape
    position = np.abs(left[:, None] - right[None, :])
    align = cosine * (1.0 - position)
    best = np.zeros((n, m), dtype=bool)
    best[np.arange(n), align.argmax(1)] = True
    corresponds = best & (align >= align.max(0, keepdims=True))
    return np.maximum(np.where(corresponds, 1.0 - cosine * np.exp(-position), 1.0), 0.0)


def solve_exact(problem: TransportProblem) -> TransportPlan:
    """Balanced transport as the linear program it is, ``converged`` when no round trip improves the plan.

    HiGHS meets constraints within an absolute 1e-7, so masses are made to add up to 1e6 for it, and the largest cost
    to at most 1e6.
    """
    from scipy.optimize import linprog

    n, m = problem.cost.shape
    total = problem.a.sum()
    if total == 0:
        return TransportPlan(problem, np.zeros((n, m)), 0, True)
    a, b = 1e6 * (problem.a / total), 1e6 * (problem.b / problem.b.sum())
    cost = problem.cost / max(1.0, np.abs(problem.cost).max() / 1e6)
    equations = np.vstack([np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))])
    result = linprog(cost.ravel(), A_eq=equations[:-1], b_eq=np.concatenate([a, b])[:-1], method="highs-ds")
    if result.x is None:
        return TransportPlan(problem, np.zeros((n, m)), int(result.nit), False)
    coupling = np.maximum(result.x, 0.0).reshape(n, m) / 1e6
    paid = float(np.sum(np.abs(problem.cost) * coupling))
    optimal = bool(result.success) and round_trip_gain(problem.cost, coupling) <= 1e-9 * paid
    return TransportPlan(problem, coupling * total, int(result.nit), optimal)


def round_trip_gain(cost: Array, coupling: Array) -> float:
    """What a round trip through the cells of a balanced plan saves in each of its steps: 0 for an optimal plan.

    Shortest paths (Bellman and Ford) in a graph with two kinds of edges: from every row to every column, of length c;
    and from a column back to each row that sends it mass, of length −c. Computed in whole multiples of 2⁻¹⁰⁷⁴, as
    doubles are, so nothing is lost beside large costs. Flows below 1e-13 of the mass do not count.

    >>> cost = np.array([[0.0, 1e20], [1e20, 0.5]])
    >>> round_trip_gain(cost, np.eye(2)), round_trip_gain(cost, 1 - np.eye(2))
    (0.0, 1e+20)
    """
    whole = np.array([[int(Fraction(value) * 2**1074) for value in row] for row in cost.tolist()], dtype=object)
    never = 4 * sum(cost.shape) * int(np.abs(whole).max()) + 1
    back = np.where(coupling > 1e-13 * coupling.sum(), -whole, never)
    rows = np.zeros(len(cost), dtype=object)
    gain = 0
    for _ in range(sum(cost.shape)):
        columns = (rows[:, None] + whole).min(0)
        shorter = np.minimum(rows, (columns[None, :] + back).min(1))
        gain, rows = int((rows - shorter).max()), shorter
        if gain == 0:
            break
    return float(Fraction(gain, 2**1074))


def solve_one_sided(problem: TransportProblem) -> TransportPlan:
    """Each row to its cheapest column (rho_b = 0), or each column from its cheapest row (rho_a = 0)."""
    n, m = problem.cost.shape
    coupling = np.zeros((n, m))
    if np.isinf(problem.rho_a):
        coupling[np.arange(n), problem.cost.argmin(1)] = problem.a
    else:
        coupling[problem.cost.argmin(0), np.arange(m)] = problem.b
    return TransportPlan(problem, coupling, 0, True)


def solve_regularised(
    problem: TransportProblem,
    epsilon: float,
    regulariser: str,
    *,
    tolerance: float = 1e-12,
    max_iterations: int = 200_000,
) -> TransportPlan:
    """Generalised Sinkhorn scaling in the log domain (Chizat et al. 2018) for any rho in [0, inf]."""
    prior = np.zeros_like(problem.cost)
    if regulariser == "kl":
        with np.errstate(divide="ignore"):
            prior = np.log(problem.a)[:, None] + np.log(problem.b)[None, :]
    coupling, iterations, settled, precise = _scale(problem, epsilon, prior, tolerance, max_iterations)
    return TransportPlan(problem, coupling, iterations, settled and precise)


def solve_unregularised(problem: TransportProblem, *, step: float = 0.05, rounds: int = 5_000) -> TransportPlan:
    """Entropic proximal point: P ← argmin objective + step·KL(P | previous P), whose limit is exact."""
    prior = np.zeros_like(problem.cost)
    coupling = np.zeros_like(problem.cost)
    for done in range(1, rounds + 1):
        previous = coupling
        coupling, _, _, precise = _scale(problem, step, prior, 1e-13, 1_000)
        with np.errstate(divide="ignore"):
            prior = np.log(coupling)
        if np.abs(coupling - previous).sum() <= 1e-12 * coupling.sum():
            return TransportPlan(problem, coupling, done, precise)
    return TransportPlan(problem, coupling, rounds, False)


def _scale(
    problem: TransportProblem, epsilon: float, prior: Array, tolerance: float, max_iterations: int
) -> tuple[Array, int, bool, bool]:
    """argmin objective + epsilon·KL(P | exp(prior)); rows and columns that can carry no mass are left out.

    Returns the plan, the iterations, whether they settled, and whether exponents are small enough for flows to be
    precise to 1e-9.
    """
    a, b = problem.a, problem.b
    if np.isinf(problem.rho_a) and np.isinf(problem.rho_b) and b.sum() > 0:
        b = b * (a.sum() / b.sum())
    rows = ((a > 0) | (problem.rho_a == 0)) & np.isfinite(prior).any(1)
    columns = ((b > 0) | (problem.rho_b == 0)) & np.isfinite(prior).any(0)
    coupling = np.zeros_like(problem.cost)
    if not rows.any() or not columns.any():
        return coupling, 0, True, True
    kernel = (prior - problem.cost / epsilon)[np.ix_(rows, columns)]
    u, v = np.zeros(rows.sum()), np.zeros(columns.sum())
    converged, iteration = False, 0
    while not converged and iteration < max_iterations:
        iteration += 1
        last_u, last_v = u, v
        u = _half_step(problem.rho_a, epsilon, a[rows], kernel + v[None, :])
        v = _half_step(problem.rho_b, epsilon, b[columns], (kernel + u[:, None]).T)
        converged = max(np.abs(u - last_u).max(), np.abs(v - last_v).max()) <= tolerance
    flows = np.exp(kernel + u[:, None] + v[None, :])
    exponents = np.abs(kernel) + np.abs(u)[:, None] + np.abs(v)[None, :]
    coupling[np.ix_(rows, columns)] = flows
    precise = exponents[flows > 1e-12 * flows.sum()].max(initial=0.0) <= 5e6
    return coupling, iteration, bool(converged), bool(precise)


def _half_step(rho: float, epsilon: float, mass: Array, scaled: Array) -> Array:
    """Log scaling of one side: rho/(rho + epsilon) · (log mass − logsumexp of the scaled kernel)."""
    if rho == 0:
        return np.zeros_like(mass)
    top = scaled.max(1)
    log_sum = top + np.log(np.exp(scaled - top[:, None]).sum(1))
    power = 1.0 if np.isinf(rho) else rho / (rho + epsilon)
    return np.asarray(power * (np.log(mass) - log_sum))
