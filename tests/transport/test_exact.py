"""Balanced transport: POT, worked examples, hard and large cases."""

import numpy as np
import ot
import pytest

from monge.errors import InputError, OptionError
from monge.transport import TransportPlan, TransportProblem, cost_matrix, reference, solve_exact

from .problems import random_problem


def check(plan: TransportPlan, *, atol: float = 1e-12) -> None:
    assert plan.converged
    assert (plan.coupling >= 0).all()
    assert plan.marginal_error <= atol


def test_worked_example_of_we_wpi():
    # Echizen'ya et al. 2019, tables 1 and 2: WORK 5.366 with Euclidean distances and 2.4 mass
    cost = cost_matrix(np.array([[1, 5], [5, 5], [1, 1], [5, 1]]), np.array([[2, 3], [4, 3], [3, 2]]), "euclidean")
    plan = solve_exact(TransportProblem(cost, np.full(4, 0.6), np.full(3, 0.8)))
    check(plan)
    assert plan.transport_cost == pytest.approx(5.366, abs=1e-3)  # they round the distances first
    assert plan.transport_cost == pytest.approx(2.4 * np.sqrt(5), abs=1e-12)
    assert plan.coupling.sum() == pytest.approx(2.4, abs=1e-12)


def area_between(x: np.ndarray, a: np.ndarray, y: np.ndarray, b: np.ndarray) -> float:
    """∫|F − G| of masses a at sorted positions x and b at sorted positions y."""
    positions = np.sort(np.concatenate([x, y]))
    below = [
        np.concatenate([[0.0], np.cumsum(mass)])[np.searchsorted(where, positions[:-1], side="right")]
        for where, mass in ((x, a), (y, b))
    ]
    return float(np.sum(np.abs(below[0] - below[1]) * np.diff(positions)))


def test_one_dimension_is_the_area_between_distribution_functions():
    rng = np.random.default_rng(1)
    for _ in range(50):
        x, y = np.sort(rng.random(rng.integers(1, 30))), np.sort(rng.random(rng.integers(1, 30)))
        a, b = rng.random(x.size), rng.random(y.size)
        a, b = a / a.sum(), b / b.sum()
        plan = solve_exact(TransportProblem(np.abs(x[:, None] - y[None, :]), a, b))
        assert plan.transport_cost == pytest.approx(area_between(x, a, y, b), abs=1e-12)


@pytest.mark.parametrize("seed", range(300))
def test_agrees_with_pot(seed):
    problem = random_problem(np.random.default_rng(seed), np.inf, np.inf, largest=25)
    plan = solve_exact(problem)
    check(plan)
    b = problem.b * (problem.a.sum() / problem.b.sum())
    assert plan.transport_cost == pytest.approx(ot.emd2(problem.a, b, problem.cost), abs=1e-11)


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (2, 3)])
def test_small_shapes(shape):
    rng = np.random.default_rng(0)
    a, b = (mass / mass.sum() for mass in (rng.random(shape[0]), rng.random(shape[1])))
    problem = TransportProblem(rng.random(shape), a, b)
    plan = solve_exact(problem)
    check(plan)
    assert plan.transport_cost == pytest.approx(reference.solve_exact(problem).transport_cost, abs=1e-12)
    if 1 in shape:
        np.testing.assert_allclose(plan.coupling, np.outer(a, b), atol=1e-15)


def test_equal_points_cost_nothing():
    points = np.repeat(np.random.default_rng(0).normal(size=(3, 5)), 4, axis=0)
    plan = solve_exact(
        TransportProblem(cost_matrix(points, points, "euclidean"), np.full(12, 1 / 12), np.full(12, 1 / 12))
    )
    check(plan)
    assert plan.transport_cost == 0.0


def test_all_costs_tied():
    rng = np.random.default_rng(0)
    a, b = rng.random(40), rng.random(60)
    plan = solve_exact(TransportProblem(np.full((40, 60), 0.5), a / a.sum(), b / b.sum()))
    check(plan)
    assert plan.transport_cost == pytest.approx(0.5, abs=1e-15)


def test_totals_that_differ_by_rounding():
    rng = np.random.default_rng(0)
    a, b = rng.random(9), rng.random(7)
    a, b = a / a.sum(), b / b.sum() * (1 + 1e-12)
    plan = solve_exact(TransportProblem(rng.random((9, 7)), a, b))
    check(plan, atol=2e-12)


def test_masses_of_very_different_size():
    a = np.array([1.0, 1e-18, 1e-9, 0.5])
    b = np.array([1e-12, 1.5 + 1e-9])
    problem = TransportProblem(np.arange(8.0).reshape(4, 2), a, b * (a.sum() / b.sum()))
    check(solve_exact(problem), atol=1e-15)


@pytest.mark.parametrize("size", [1e-285, 1e140])
def test_masses_that_are_all_tiny_or_huge(size):
    rng = np.random.default_rng(8)
    a, b = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(5))
    cost = rng.random((6, 5))
    plan = solve_exact(TransportProblem(cost, size * a, size * b))
    assert plan.converged
    assert plan.transport_cost / size == pytest.approx(ot.emd2(a, b, cost), rel=1e-12)


def test_no_mass_at_all():
    plan = solve_exact(TransportProblem(np.ones((2, 3)), np.zeros(2), np.zeros(3)))
    assert plan.converged
    assert plan.coupling.sum() == 0


def test_negative_costs_are_costs():
    rng = np.random.default_rng(2)
    cost = rng.normal(size=(6, 5))
    a, b = np.full(6, 1 / 6), np.full(5, 0.2)
    assert solve_exact(TransportProblem(cost, a, b)).transport_cost == pytest.approx(ot.emd2(a, b, cost), abs=1e-12)


def test_far_point_does_not_blur_the_rest():
    # one cost of 1e9 beside costs near 1: the plan of the others must still be optimal to their own precision
    rng = np.random.default_rng(3)
    cost = rng.random((20, 20))
    cost[0, 1:] = 1e9
    plan = solve_exact(TransportProblem(cost, np.full(20, 0.05), np.full(20, 0.05)))
    check(plan)
    assert plan.coupling[0, 0] == pytest.approx(0.05, abs=1e-15)
    rest = ot.emd2(np.full(19, 0.05), np.full(19, 0.05), cost[1:, 1:].copy())
    assert plan.transport_cost == pytest.approx(rest + 0.05 * cost[0, 0], abs=1e-12)


def plant(rng: np.random.Generator, n: int, m: int, gaps: np.ndarray) -> tuple[TransportProblem, float]:
    """A problem with a known optimum: c_ij = u_i + v_j on the cells of some plan and above it elsewhere."""
    a, b = rng.random(n), rng.random(m)
    a, b = a / a.sum(), b / b.sum()
    u, v = rng.random(n), rng.random(m)
    rows, columns = rng.permutation(n), rng.permutation(m)  # staircase plan in a random order
    ends = np.sort(np.concatenate([np.cumsum(a[rows]), np.cumsum(b[columns])]))[:-1] - 1e-15
    i = rows[np.minimum(np.searchsorted(np.cumsum(a[rows]), ends), n - 1)]
    j = columns[np.minimum(np.searchsorted(np.cumsum(b[columns]), ends), m - 1)]
    slack = rng.choice(gaps, size=(n, m))
    slack[i, j] = 0.0
    return TransportProblem(u[:, None] + v[None, :] + slack, a, b), float(a @ u + b @ v)


@pytest.mark.parametrize("gaps", [np.linspace(0.001, 1, 997), np.array([0.0, 1.0]), np.array([1e-6])])
@pytest.mark.parametrize("shape", [(60, 40), (300, 500)])
def test_finds_a_planted_optimum(gaps, shape):
    problem, best = plant(np.random.default_rng(6), *shape, gaps)
    plan = solve_exact(problem)
    check(plan)
    assert plan.transport_cost == pytest.approx(best, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["planted", "line", "uniform line"])
def test_five_thousand_by_five_thousand(kind):
    rng = np.random.default_rng(4)
    size = 5000
    if kind == "planted":
        problem, best = plant(rng, size, size, np.linspace(0.001, 1, 997))
    else:
        x, y = np.sort(rng.random(size)), np.sort(rng.random(size) + 0.1)
        masses = np.full(size, 1 / size)
        a, b = (masses, masses) if kind == "uniform line" else (rng.random(size), rng.random(size))
        a, b = a / a.sum(), b / b.sum()
        problem, best = TransportProblem(np.abs(x[:, None] - y[None, :]), a, b), area_between(x, a, y, b)
    plan = solve_exact(problem)
    check(plan)
    assert plan.transport_cost == pytest.approx(best, abs=1e-11)


def test_the_certificate_sees_a_plan_that_is_not_optimal():
    problem = TransportProblem(np.array([[0.0, 1.0], [1.0, 0.0]]), np.full(2, 0.5), np.full(2, 0.5))
    assert reference.round_trip_gain(problem.cost, solve_exact(problem).coupling) == 0
    assert reference.round_trip_gain(problem.cost, np.full((2, 2), 0.25)) > 0.5


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_bad_costs_and_masses_never_reach_the_solver(bad):
    with pytest.raises(InputError, match="NaN or infinite"):
        TransportProblem(np.array([[bad]]), np.ones(1), np.ones(1))
    with pytest.raises(InputError, match="NaN or infinite"):
        TransportProblem(np.ones((1, 1)), np.array([bad]), np.ones(1))


def test_negative_mass_and_unequal_totals_are_refused():
    with pytest.raises(InputError, match="not be negative"):
        TransportProblem(np.ones((1, 2)), np.ones(1), np.array([2.0, -1.0]))
    with pytest.raises(InputError, match="equal masses"):
        TransportProblem(np.ones((1, 2)), np.ones(1), np.array([0.5, 0.6]))
    with pytest.raises(InputError, match=r"a cost of .* too large"):
        TransportProblem(np.full((1, 1), 1e200), np.ones(1), np.ones(1))
    with pytest.raises(InputError, match=r"a mass of .* too large"):
        TransportProblem(np.ones((1, 1)), np.full(1, 1e308), np.full(1, 1e308))


def test_other_penalties_are_refused():
    with pytest.raises(OptionError, match="keeps both marginals"):
        solve_exact(TransportProblem(np.ones((1, 1)), np.ones(1), np.ones(1), rho_a=1.0))


def test_masses_are_one_row_of_numbers():
    with pytest.raises(InputError, match=r"cost \(2, 1\) does not fit masses \(2, 1\)"):
        TransportProblem(np.zeros((2, 1)), np.full((2, 1), 0.5), np.ones(1))
