"""What holds for every problem."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from monge.transport import (
    TransportPlan,
    TransportProblem,
    cost_matrix,
    solve,
    solve_exact,
    solve_unbalanced,
)

from .problems import problems

INF = np.inf
RELAXED = st.sampled_from([(0.23, 0.31), (0.009, 0.95), (2.0, 0.5), (INF, 0.3), (0.3, INF), (INF, 0.0), (0.3, 0.0)])
POINTS = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=n, max_size=n)
)


def relax(problem: TransportProblem, rho_a: float, rho_b: float) -> TransportProblem:
    return TransportProblem(problem.cost, problem.a, problem.b, rho_a, rho_b)


def swap(problem: TransportProblem) -> TransportProblem:
    return TransportProblem(problem.cost.T, problem.b, problem.a, problem.rho_b, problem.rho_a)


def permute(problem: TransportProblem, seed: int) -> TransportProblem:
    rng = np.random.default_rng(seed)
    rows, columns = (rng.permutation(size) for size in problem.cost.shape)
    cost = problem.cost[np.ix_(rows, columns)]
    return TransportProblem(cost, problem.a[rows], problem.b[columns], problem.rho_a, problem.rho_b)


def distance(x: list[list[int]], y: list[list[int]], cost: str = "euclidean") -> float:
    costs = cost_matrix(np.array(x, dtype=float), np.array(y, dtype=float), cost)
    return solve_exact(TransportProblem(costs, np.full(len(x), 1 / len(x)), np.full(len(y), 1 / len(y)))).transport_cost


def check(plan: TransportPlan) -> None:
    assert plan.converged
    assert np.isfinite(plan.coupling).all()
    assert (plan.coupling >= 0).all()
    assert plan.marginal_error <= 1e-9
    if plan.problem.rho_a > 0:
        assert plan.coupling[plan.problem.a == 0].sum() == 0
    if plan.problem.rho_b > 0:
        assert plan.coupling[:, plan.problem.b == 0].sum() == 0


@given(problems())
def test_exact_plans_are_plans(problem):
    plan = solve_exact(problem)
    check(plan)
    assert plan.transport_cost >= 0
    assert (plan.coupling > 0).sum() <= sum(problem.cost.shape) - 1  # a vertex of the polytope


@given(problems(), RELAXED, st.sampled_from([0.0, 0.009, 0.2]), st.sampled_from(["entropy", "kl"]))
def test_relaxed_plans_are_plans(problem, rho, epsilon, regulariser):
    check(solve(relax(problem, *rho), epsilon=epsilon, regulariser=regulariser))


@given(problems(), RELAXED, st.sampled_from([0.0, 0.05]))
def test_swapping_the_sides_transposes_the_problem(problem, rho, epsilon):
    problem = relax(problem, *rho)
    one, other = solve(problem, epsilon=epsilon), solve(swap(problem), epsilon=epsilon)
    assert np.isclose(one.objective, other.objective, atol=1e-9)
    assert np.isclose(one.coupling.sum(), other.coupling.sum(), atol=1e-8)
    if epsilon > 0:
        np.testing.assert_allclose(one.coupling, other.coupling.T, atol=1e-8)


@given(problems())
def test_swapping_the_sides_keeps_the_distance(problem):
    assert np.isclose(solve_exact(problem).transport_cost, solve_exact(swap(problem)).transport_cost, atol=1e-12)


@given(problems(), RELAXED, st.integers(0, 99), st.sampled_from([0.0, 0.05]))
def test_the_order_of_points_is_irrelevant(problem, rho, seed, epsilon):
    for relaxed in (relax(problem, *rho), problem):
        one, other = solve(relaxed, epsilon=epsilon), solve(permute(relaxed, seed), epsilon=epsilon)
        assert np.isclose(one.objective, other.objective, atol=1e-8)


@given(POINTS, st.sampled_from(["euclidean", "sqeuclidean"]))
def test_the_distance_to_oneself_is_nothing(points, cost):
    assert distance(points, points, cost) == 0.0
    assert distance(points, points[::-1], cost) == 0.0


@given(POINTS, POINTS, POINTS)
def test_triangle_inequality(x, y, z):
    assert distance(x, z) <= distance(x, y) + distance(y, z) + 1e-12


@given(problems(), st.floats(0.01, 5), st.floats(0.01, 5))
def test_relaxing_a_marginal_never_raises_the_objective(problem, rho_a, rho_b):
    tight = solve_exact(problem).objective
    half = solve(relax(problem, INF, rho_b)).objective
    loose = solve(relax(problem, rho_a, rho_b)).objective
    looser = solve(relax(problem, rho_a / 2, rho_b / 2)).objective
    free = solve(relax(problem, INF, 0.0)).objective
    assert looser - 1e-9 <= loose <= half + 1e-9
    assert half <= tight + 1e-9
    assert free <= half + 1e-9


@given(problems(), st.sampled_from([(INF, INF), (0.23, 0.31), (INF, 0.3)]), st.floats(0.005, 1))
def test_exact_is_at_most_regularised(problem, rho, epsilon):
    problem = relax(problem, *rho)
    for regulariser in ("entropy", "kl"):
        regularised = solve(problem, epsilon=epsilon, regulariser=regulariser)
        assert solve(problem).objective <= regularised.objective + 1e-9


@given(problems(), st.floats(0.01, 3), st.floats(0.1, 10))
def test_scaling_costs_and_penalties_keeps_the_plan(problem, rho, factor):
    scaled = TransportProblem(factor * problem.cost, problem.a, problem.b, factor * rho, factor * rho)
    one = solve_unbalanced(relax(problem, rho, rho), epsilon=0.0)
    other = solve_unbalanced(scaled, epsilon=0.0)
    assert np.isclose(factor * one.objective, other.objective, rtol=1e-9, atol=1e-9)


@given(problems(), st.floats(0.1, 10))
def test_scaling_masses_scales_the_plan(problem, factor):
    scaled = TransportProblem(problem.cost, factor * problem.a, factor * problem.b)
    assert np.isclose(solve_exact(scaled).transport_cost, factor * solve_exact(problem).transport_cost, atol=1e-12)


@settings(max_examples=50)
@given(problems(), st.integers(0, 5), st.integers(0, 5))
def test_splitting_a_point_changes_nothing(problem, row, column):
    row, column = row % problem.a.size, column % problem.b.size
    cost = np.vstack([problem.cost, problem.cost[row]])
    cost = np.hstack([cost, cost[:, [column]]])
    a, b = np.append(problem.a, problem.a[row] / 2), np.append(problem.b, problem.b[column] / 2)
    a[row] /= 2
    b[column] /= 2
    for rho in ((INF, INF), (0.3, 0.4)):
        whole, split = solve(relax(problem, *rho)), solve(TransportProblem(cost, a, b, *rho))
        assert np.isclose(whole.objective, split.objective, atol=1e-9)
