"""Solvers of one transport problem."""

from __future__ import annotations

import numpy as np

from monge.errors import InputError, OptionError
from monge.transport import reference
from monge.transport.problem import TransportPlan, TransportProblem
from monge.transport.ragged import RegulariserName, check_regularisation


def solve_exact(problem: TransportProblem) -> TransportPlan:
    """Earth mover's distance: both marginals hold."""
    if not (np.isinf(problem.rho_a) and np.isinf(problem.rho_b)):
        raise OptionError(f"exact transport keeps both marginals, but rho is ({problem.rho_a}, {problem.rho_b})")
    return reference.solve_exact(problem)


def solve_one_sided(problem: TransportProblem) -> TransportPlan:
    """One marginal holds, the other is free: every point goes to its cheapest partner, the first of equals."""
    if sorted((problem.rho_a, problem.rho_b)) != [0.0, np.inf]:
        raise OptionError(f"one-sided transport needs rho 0 and inf, not ({problem.rho_a}, {problem.rho_b})")
    return reference.solve_one_sided(problem)


def solve_unbalanced(
    problem: TransportProblem,
    *,
    epsilon: float = 0.009,
    regulariser: RegulariserName = "entropy",
    tolerance: float = 1e-10,
    max_iterations: int = 1000,
) -> TransportPlan:
    """Marginals that may be left at a price."""
    check_regularisation(epsilon, regulariser)
    _check_feasible(problem)
    if epsilon > 0:
        return reference.solve_regularised(problem, epsilon, regulariser, tolerance=tolerance)
    return reference.solve_unregularised(problem)


def solve(
    problem: TransportProblem, *, epsilon: float = 0.0, regulariser: RegulariserName = "entropy"
) -> TransportPlan:
    """The solver that fits the marginal penalties."""
    check_regularisation(epsilon, regulariser)
    if epsilon == 0:
        rho = sorted((problem.rho_a, problem.rho_b))
        if rho == [np.inf, np.inf]:
            return solve_exact(problem)
        if rho == [0.0, np.inf]:
            return solve_one_sided(problem)
        if rho == [0.0, 0.0]:
            return TransportPlan(problem, np.zeros_like(problem.cost), 0, True)
    return solve_unbalanced(problem, epsilon=epsilon, regulariser=regulariser)


def _check_feasible(problem: TransportProblem) -> None:
    """A side that must be met needs a partner that may carry mass."""
    for rho, mass, other_rho, other in (
        (problem.rho_a, problem.a, problem.rho_b, problem.b),
        (problem.rho_b, problem.b, problem.rho_a, problem.a),
    ):
        if np.isinf(rho) and mass.sum() > 0 and other_rho > 0 and other.sum() == 0:
            raise InputError("one side must be met but the other has no mass")
