"""Solvers of one transport problem (Chen et al. 2020, Def. 4, is the family they cover)."""

from __future__ import annotations

import numpy as np

from monge.errors import InputError, OptionError
from monge.transport import _native
from monge.transport.problem import TransportPlan, TransportProblem
from monge.transport.ragged import RegulariserName, check_regularisation


def solve_exact(problem: TransportProblem) -> TransportPlan:
    r"""Earth mover's distance: min <C,P> with P1 = a, Pᵀ1 = b, by the transportation simplex.

    Starts from the greedy plan that serves the cheapest cell first and keeps strongly feasible trees (Cunningham
    1976), which cannot cycle; masses are whole numbers of 2⁻⁶⁰ of the total, so flows carry no rounding. Totals
    that differ by rounding are made equal (b is rescaled). ``iterations`` counts pivots.

    >>> problem = TransportProblem(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    >>> solve_exact(problem).transport_cost
    0.25
    """
    if not (np.isinf(problem.rho_a) and np.isinf(problem.rho_b)):
        raise OptionError(f"exact transport keeps both marginals, but rho is ({problem.rho_a}, {problem.rho_b})")
    return _solve(problem)


def solve_one_sided(problem: TransportProblem) -> TransportPlan:
    r"""One marginal holds, the other is free: every point goes to its cheapest partner, the first of equals.

    With C = 1 − cos and rho_b = 0 the cost is one minus generalised precision, with rho_a = 0 one minus generalised
    recall (Chen et al. 2020, Theorem 1). Points without mass are partners all the same.

    >>> cost = np.array([[0.3, 0.1], [0.2, 0.4]])
    >>> problem = TransportProblem(cost, np.array([0.5, 0.5]), np.array([1.0, 0.0]), rho_b=0.0)
    >>> solve_one_sided(problem).coupling.tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    if sorted((problem.rho_a, problem.rho_b)) != [0.0, np.inf]:
        raise OptionError(f"one-sided transport needs rho 0 and inf, not ({problem.rho_a}, {problem.rho_b})")
    return _solve(problem)


def solve_unbalanced(
    problem: TransportProblem,
    *,
    epsilon: float = 0.009,
    regulariser: RegulariserName = "entropy",
    tolerance: float = 1e-10,
    max_iterations: int | None = None,
) -> TransportPlan:
    r"""min <C,P> + rho_a KL(P1 | a) + rho_b KL(Pᵀ1 | b) + epsilon·R(P): marginals that give way at a price.

    R is ΣP(log P − 1) (``"entropy"``, Chen et al. 2020) or KL(P | abᵀ) (``"kl"``). Either rho may also be 0 or inf.
    With epsilon > 0 the dual is solved by Newton's method (``iterations`` counts its steps): ``converged`` says that
    the optimality conditions hold within ``tolerance`` of the transported mass. With epsilon = 0 the plan is exact,
    by a convex simplex on forests (``iterations`` counts pivots), and ``converged`` says that primal and dual agree.
    ``max_iterations`` None is a bound that no sane problem meets.

    One reference word is Theorem 2 of that paper: p_i = exp(−c_i/rho_a − (rho_b/rho_a) log Σp) a_i.

    >>> problem = TransportProblem(np.array([[0.1], [0.9]]), np.array([0.5, 0.5]), np.array([1.0]), 0.23, 0.31)
    >>> solve_unbalanced(problem, epsilon=0.0).coupling.round(4).tolist()
    [[0.6078], [0.0188]]
    """
    check_regularisation(epsilon, regulariser)
    if not 0 < tolerance < 1:
        raise OptionError(f"tolerance must be between 0 and 1, not {tolerance}")
    if max_iterations is not None and max_iterations < 1:
        raise OptionError(f"max_iterations must be at least 1, not {max_iterations}")
    return _solve(
        problem,
        epsilon=epsilon,
        regulariser=regulariser,
        tolerance=tolerance,
        max_iterations=max_iterations or 0,
    )


def solve(
    problem: TransportProblem, *, epsilon: float = 0.0, regulariser: RegulariserName = "entropy"
) -> TransportPlan:
    """The solution by the solver that the marginal penalties call for.

    Without regularisation: both rho inf is :func:`solve_exact`, inf and 0 :func:`solve_one_sided`, both 0 the empty
    plan, anything else :func:`solve_unbalanced`. With epsilon > 0 every pair of rho is solved with the regulariser.

    >>> problem = TransportProblem(np.array([[1.0]]), np.array([1.0]), np.array([1.0]), rho_a=0.0, rho_b=0.0)
    >>> solve(problem).coupling.sum()
    np.float64(0.0)
    """
    check_regularisation(epsilon, regulariser)
    return _solve(problem, epsilon=epsilon, regulariser=regulariser)


def _solve(
    problem: TransportProblem,
    *,
    epsilon: float = 0.0,
    regulariser: RegulariserName = "entropy",
    tolerance: float = 1e-10,
    max_iterations: int = 0,
) -> TransportPlan:
    for rho, mass, other_rho, other in (
        (problem.rho_a, problem.a, problem.rho_b, problem.b),
        (problem.rho_b, problem.b, problem.rho_a, problem.a),
    ):
        binding = other_rho > 0 or (epsilon > 0 and regulariser == "kl")
        if np.isinf(rho) and mass.sum() > 0 and binding and other.sum() == 0:
            raise InputError("one side's mass must be moved in full, but the other side has no mass to meet it")
    coupling, iterations, converged = _native.solve_problem(
        problem.cost,
        problem.a,
        problem.b,
        float(problem.rho_a),
        float(problem.rho_b),
        float(epsilon),
        regulariser == "kl",
        tolerance,
        max_iterations,
    )
    return TransportPlan(problem, coupling, iterations, converged)
