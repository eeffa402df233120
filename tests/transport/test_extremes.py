"""Forbidden-like costs and masses near the end of doubles: a plan is right, or it is not called converged."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monge.errors import InputError
from monge.transport import (
    RaggedClouds,
    TransportPlan,
    TransportProblem,
    TransportSetting,
    cost_matrix,
    reference,
    solve,
    solve_exact,
    solve_one_sided,
    solve_pairs,
    solve_unbalanced,
)

from .problems import random_masses

INF = np.inf
FORBIDDING = st.sampled_from([1e12, 1e13, 1e16, 1e20, 1e50, 1e100, 1e149])
SEEDS = st.integers(0, 2**32 - 1)
SOFT = [
    (0.23, 0.31),
    (0.009, 0.95),
    (5.0, 5.0),
    (100.0, 100.0),
    (INF, 0.3),
    (0.3, INF),
    (INF, 0.0),
    (0.3, 0.0),
    (0.0, 0.3),
]
FEW = settings(max_examples=60, deadline=None)


def forbid(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Cells that are not for use: at random, all but two blocks, or a whole row among others."""
    kind = rng.integers(3)
    forbidden = rng.random((n, m)) < 0.4
    if kind == 1:
        forbidden = (np.arange(n) < n // 2)[:, None] ^ (np.arange(m) < m // 2)[None, :]
    if kind == 2:
        forbidden[rng.integers(n)] = True
    return forbidden


def two_problems(
    seed: int, large: float, small: float, rho: tuple[float, float] = (INF, INF), scale: float = 1.0
) -> tuple[TransportProblem, TransportProblem]:
    """The same problem with forbidden cells at *large* (masses times *scale*) and at *small*, which forbids enough."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 8, 2)
    a, b, cost, forbidden = random_masses(rng, n), random_masses(rng, m), rng.random((n, m)), forbid(rng, n, m)
    return (
        TransportProblem(np.where(forbidden, large, cost), scale * a, scale * b, *rho),
        TransportProblem(np.where(forbidden, small, cost), a, b, *rho),
    )


def is_certified(plan: TransportPlan, accuracy: float = 1e-9) -> bool:
    """Whether no round trip saves more than *accuracy* of what the plan pays, in exact arithmetic."""
    paid = np.sum(np.abs(plan.problem.cost) * plan.coupling) / max(plan.coupling.sum(), 1e-300)
    return reference.round_trip_gain(plan.problem.cost, plan.coupling) <= accuracy * paid


@FEW
@given(SEEDS, FORBIDDING)
def test_exact_plans_do_not_lose_small_costs_beside_forbidden_ones(seed, large):
    # A plan that uses more forbidden mass than it must is improved by a round trip of fewer than 14 cells, so the plans
    # of 100 and of anything above are the same.
    problem, tame = two_problems(seed, large, 100.0)
    plan, theirs = solve_exact(problem), reference.solve_exact(tame)
    assert plan.converged
    assert theirs.converged
    assert plan.marginal_error <= 1e-13
    assert is_certified(plan)
    assert np.sum(tame.cost * plan.coupling) == pytest.approx(theirs.transport_cost, rel=1e-10, abs=1e-10)


@FEW
@given(SEEDS, st.integers(3, 140))
def test_exact_plans_of_costs_of_any_size_are_optimal_or_not_converged(seed, digits):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 8, 2)
    cost = 10.0 ** rng.uniform(-3, digits, (n, m)) * rng.choice([-1.0, 1.0], (n, m), p=[0.2, 0.8])
    plan = solve_exact(TransportProblem(cost, random_masses(rng, n), random_masses(rng, m)))
    assert not plan.converged or is_certified(plan)


@pytest.mark.parametrize("large", [1e12, 1e20, 1e100])
def test_rounding_of_masses_is_not_paid_for_with_forbidden_cells(large):
    # 0.1 + 0.2 is 0.30000000000000004: nobody means that 4e-17 must cross to the other block
    cost = np.array([[0.5, large], [0.25, large], [large, 1.0]])
    plan = solve_exact(TransportProblem(cost, np.array([0.1, 0.2, 0.7]), np.array([0.3, 0.7])))
    assert plan.converged
    assert plan.transport_cost == pytest.approx(0.05 + 0.05 + 0.7, rel=1e-14)


@FEW
@given(SEEDS, FORBIDDING, st.sampled_from([(INF, 0.0), (0.0, INF)]), st.sampled_from([1.0, 1e-310, 1e120]))
def test_one_sided_plans(seed, large, rho, scale):
    problem, _ = two_problems(seed, large, 100.0, rho, scale)
    plan = solve_one_sided(problem)
    assert plan.converged
    np.testing.assert_array_equal(plan.coupling, reference.solve_one_sided(problem).coupling)


@settings(max_examples=200, deadline=None)
@given(SEEDS, FORBIDDING, st.sampled_from(SOFT), st.sampled_from([1.0, 1e-250, 1e120]))
def test_unbalanced_plans_do_not_lose_small_costs_beside_forbidden_ones(seed, large, rho, scale):
    problem, tame = two_problems(seed, large, 1e5, rho, scale)
    plan, theirs = solve_unbalanced(problem, epsilon=0.0), solve_unbalanced(tame, epsilon=0.0)
    assert plan.converged
    assert theirs.converged
    ours = TransportPlan(tame, plan.coupling / scale, 0, True)
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-9, abs=1e-9)
    assert ours.marginal_error <= 1e-12


@settings(max_examples=200, deadline=None)
@given(
    SEEDS,
    FORBIDDING,
    st.sampled_from([*SOFT, (INF, INF), (0.0, 0.0)]),
    st.sampled_from([0.009, 0.05, 1.0]),
    st.sampled_from(["entropy", "kl"]),
)
def test_regularised_plans_do_not_lose_small_costs_beside_forbidden_ones(seed, large, rho, epsilon, regulariser):
    problem, tame = two_problems(seed, large, 2e3 * (epsilon + sum(r for r in rho if r < INF)), rho)
    plan = solve(problem, epsilon=epsilon, regulariser=regulariser)
    theirs = solve(tame, epsilon=epsilon, regulariser=regulariser)
    assert plan.converged or rho == (100.0, 100.0)  # large penalties leave few digits to a small epsilon
    if plan.converged and theirs.converged:
        np.testing.assert_allclose(plan.coupling, theirs.coupling, atol=1e-8 * theirs.coupling.sum() + 1e-290)


@pytest.mark.parametrize("regulariser", ["entropy", "kl"])
@pytest.mark.parametrize("rho", [(0.23, 0.31), (1.0, 1.0), (INF, 0.3), (0.3, INF), (INF, INF), (INF, 0.0)])
def test_regularised_plans_agree_with_scaling_beside_forbidden_costs(regulariser, rho):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        forbidden = ~np.eye(5, dtype=bool) & (rng.random((5, 5)) < 0.4)
        some_plan = np.where(forbidden, 0.0, rng.random((5, 5)) + 0.1)
        some_plan /= some_plan.sum()
        cost = np.where(forbidden, 1e12, rng.random((5, 5)))
        problem = TransportProblem(cost, some_plan.sum(1), some_plan.sum(0), *rho)
        ours = solve(problem, epsilon=0.2, regulariser=regulariser)
        theirs = reference.solve_regularised(problem, 0.2, regulariser)
        assert ours.converged
        assert theirs.converged
        np.testing.assert_allclose(ours.coupling, theirs.coupling, atol=1e-9)


@pytest.mark.parametrize("size", [1e-310, 1e-306, 1e-292])
def test_exact_plans_of_next_to_no_mass(size):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        a, b, cost = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(5)), rng.random((6, 5))
        problem = TransportProblem(cost, size * a, size * b)
        expected = solve_exact(TransportProblem(cost, a, b)).coupling
        for plan in (solve_exact(problem), reference.solve_exact(problem)):
            assert plan.converged
            np.testing.assert_allclose(plan.coupling / size, expected, atol=1e-12)


@pytest.mark.parametrize("size", [1e-310, 1e-295, 1e-285])
@pytest.mark.parametrize("regulariser", ["entropy", "kl"])
@pytest.mark.parametrize("rho", [(0.23, 0.31), (INF, 0.3), (0.3, INF), (INF, INF), (0.0, 0.3)])
def test_regularised_plans_of_next_to_no_mass(size, regulariser, rho):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        a, b, cost = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(5)), rng.random((4, 5))
        problem = TransportProblem(cost, size * a, size * b, *rho)
        ours = solve(problem, epsilon=0.3, regulariser=regulariser)
        theirs = reference.solve_regularised(problem, 0.3, regulariser)
        assert ours.converged
        total = max(theirs.coupling.sum(), 1e-322)  # with "kl" the plan may be the square of a mass: nothing
        np.testing.assert_allclose(ours.coupling / total, theirs.coupling / total, atol=1e-9)


@pytest.mark.parametrize("size", [1e-310, 1e-295, 1e-285])
@pytest.mark.parametrize("rho", [(0.23, 0.31), (INF, 0.3), (0.3, INF)])
def test_unbalanced_plans_of_next_to_no_mass(size, rho):
    rng = np.random.default_rng(0)
    a, b, cost = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(5)), rng.random((4, 5))
    plan = solve_unbalanced(TransportProblem(cost, size * a, size * b, *rho), epsilon=0.0)
    expected = solve_unbalanced(TransportProblem(cost, a, b, *rho), epsilon=0.0)
    assert plan.converged
    np.testing.assert_allclose(plan.coupling / size, expected.coupling, atol=1e-12)


def test_sides_of_very_different_mass():
    # one word on either side and equal penalties: p = sqrt(ab) exp(−c/2ρ), eq. 12 of Chen et al. 2020
    problem = TransportProblem(np.array([[0.4]]), np.array([1e-300]), np.array([1.0]), 0.5, 0.5)
    plan = solve_unbalanced(problem, epsilon=0.0)
    assert plan.converged
    assert plan.coupling[0, 0] == pytest.approx(1e-150 * np.exp(-0.4), rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
@pytest.mark.parametrize("rho", [(0.3, 0.3), (0.3, 0.0), (0.0, 0.3)])
def test_a_plan_that_overflows_is_not_converged(rho, epsilon):
    plan = solve(TransportProblem(np.full((2, 2), -1e12), np.full(2, 0.5), np.full(2, 0.5), *rho), epsilon=epsilon)
    assert not plan.converged


def test_batches_with_a_point_far_from_all_others():
    rng = np.random.default_rng(3)
    for dimension in (3, 48):
        points = [rng.normal(size=(n, dimension)).astype(np.float32) for n in (9, 7)]
        for cloud in points:
            cloud[0] += 1e8
        masses = [rng.dirichlet(np.ones(len(cloud))) for cloud in points]
        clouds = RaggedClouds.from_clouds(points, masses)
        for order in (1.0, 2.0):
            setting = TransportSetting("sqeuclidean", order=order)
            found = solve_pairs(clouds, clouds, [(0, 1)], setting, keep_couplings=True)
            assert found.converged.all()
            assert found.couplings is not None
            cost = cost_matrix(points[0], points[1], "sqeuclidean") ** order
            assert is_certified(TransportPlan(TransportProblem(cost, *masses), found.couplings[0], 0, True))


@pytest.mark.parametrize("cost", [1.1e150, 1e200, 1e300])
def test_costs_beyond_the_bound_are_refused_by_value(cost):
    with pytest.raises(InputError, match=r"a cost of 1.*e\+\d+ is too large \(at most 1e\+150\)"):
        TransportProblem(np.array([[0.5, cost]]), np.ones(1), np.array([0.5, 0.5]))


def test_masses_below_the_bound_are_refused_by_value():
    with pytest.raises(InputError, match=r"a total mass of 1e-315 is too small \(at least 1e-311, or 0\)"):
        TransportProblem(np.ones((1, 1)), np.array([1e-315]), np.array([1e-315]))
    with pytest.raises(InputError, match=r"cloud 1: a total mass of 1e-315 is too small"):
        RaggedClouds.from_clouds([np.ones((1, 2)), np.ones((1, 2))], [np.ones(1), np.array([1e-315])])


@FEW
@given(SEEDS, FORBIDDING)
def test_the_reference_is_right_or_not_converged(seed, large):
    problem, _ = two_problems(seed, large, 100.0)
    plan = reference.solve_exact(problem)
    assert not plan.converged or is_certified(plan)


@pytest.mark.parametrize("large", [1e12, 1e50])
def test_the_reference_does_not_call_lost_digits_converged(large):
    # every row must use a forbidden cell, whose potentials then drown the choice between the two columns
    cost = np.array([[large, large], [0.1, 0.9], [0.8, 0.2]])
    masses = np.array([0.5, 0.25, 0.25]), np.array([0.5, 0.5])
    assert not reference.solve_regularised(
        TransportProblem(cost, *masses), 0.05, "entropy", max_iterations=500
    ).converged
    assert not reference.solve_unregularised(TransportProblem(cost, *masses, INF, 0.3), rounds=50).converged
