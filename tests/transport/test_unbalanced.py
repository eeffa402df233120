"""Marginals that give way: Theorem 2, POT with both regularisers, small epsilon, epsilon 0, honesty."""

from dataclasses import replace

import numpy as np
import ot
import pytest
from scipy.optimize import brentq
from scipy.special import logsumexp

from monge.errors import InputError, OptionError
from monge.transport import TransportProblem, cost_matrix, reference, solve, solve_unbalanced

from .certificates import relaxed_gap, relaxed_violation
from .problems import random_problem

INF = np.inf
LAZY = [(0.23, 0.31), (0.018, 0.97), (0.009, 0.95)]  # the paper's penalties: English, Chinese, other targets
MIXED = [(1.0, 1.0), (INF, 0.3), (0.3, INF), (0.3, 0.0), (0.0, 0.3), (INF, 0.0), (0.0, INF), (INF, INF), (0.0, 0.0)]


def text_problem(seed: int, rho_a: float, rho_b: float, n: int = 25, m: int = 25) -> TransportProblem:
    """Costs as of contextual vectors: 1 − cos, every row with a near partner."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 64))
    others = 0.8 * points[rng.integers(0, n, m)] + 0.6 * rng.normal(size=(m, 64))
    a, b = rng.random(n), rng.random(m)
    return TransportProblem(cost_matrix(points, others, "cosine"), a / a.sum(), b / b.sum(), rho_a, rho_b)


@pytest.mark.parametrize(("rho_c", "rho_r"), [*LAZY, (1.0, 0.5)])
def test_theorem_2_one_reference_word(rho_c, rho_r):
    # Chen et al. 2020, eqs. 12–13: p_i = exp(−c_i/λc − (λr/λc) A) w_i with A = log Σp
    rng = np.random.default_rng(5)
    cost, w = rng.random(9), rng.random(9)
    w /= w.sum()

    def gap(total: float) -> float:
        return float(logsumexp(-cost / rho_c - rho_r / rho_c * total + np.log(w)) - total)

    total = brentq(gap, -50, 50, xtol=1e-15)
    expected = np.exp(-cost / rho_c - rho_r / rho_c * total) * w
    plan = solve_unbalanced(TransportProblem(cost[:, None], w, np.ones(1), rho_c, rho_r), epsilon=0.0)
    assert plan.converged
    np.testing.assert_allclose(plan.coupling[:, 0], expected, rtol=1e-10)


@pytest.mark.filterwarnings("ignore:If reg_type = entropy")
@pytest.mark.parametrize("regulariser", ["entropy", "kl"])
@pytest.mark.parametrize(("rho_a", "rho_b"), [(0.23, 0.31), (1.0, 1.0)])
@pytest.mark.parametrize("epsilon", [0.05, 0.009])
def test_agrees_with_pot(regulariser, rho_a, rho_b, epsilon):
    # POT's plain "sinkhorn" (the stabilised variant is broken), with the regulariser named: 0.9.5 changed the default
    problem = text_problem(0, rho_a, rho_b)
    theirs = ot.unbalanced.sinkhorn_unbalanced(
        problem.a,
        problem.b,
        problem.cost,
        epsilon,
        (rho_a, rho_b),
        reg_type=regulariser,
        stopThr=1e-15,
        numItermax=20000,
    )
    ours = solve_unbalanced(problem, epsilon=epsilon, regulariser=regulariser)
    assert ours.converged
    np.testing.assert_allclose(ours.coupling, theirs, atol=1e-9)


@pytest.mark.parametrize("regulariser", ["entropy", "kl"])
@pytest.mark.parametrize("rho", [*LAZY, *MIXED])
@pytest.mark.parametrize("epsilon", [0.5, 0.05])
def test_every_pair_of_penalties_agrees_with_scaling(regulariser, rho, epsilon):
    for seed in range(4):
        problem = random_problem(np.random.default_rng(seed), *rho)
        ours = solve(problem, epsilon=epsilon, regulariser=regulariser)
        theirs = reference.solve_regularised(problem, epsilon, regulariser)
        assert ours.converged
        assert theirs.converged
        np.testing.assert_allclose(ours.coupling, theirs.coupling, atol=1e-8 * max(1.0, theirs.coupling.sum()))


@pytest.mark.parametrize("rho", [*LAZY, (INF, 0.3), (INF, INF)])
@pytest.mark.parametrize("epsilon", [1e-3, 1e-4])
def test_small_epsilon_is_stable_and_near_the_exact_solution(rho, epsilon):
    problem = text_problem(1, *rho)
    plan = solve(problem, epsilon=epsilon)
    exact = solve(problem)
    assert plan.converged
    assert np.isfinite(plan.coupling).all()
    assert plan.objective >= exact.objective - 1e-9
    # entropy of a plan with mass ≤ 1 on nm cells is at most log(nm) + 1 in size
    assert plan.objective <= exact.objective + epsilon * (np.log(625) + 1)


@pytest.mark.parametrize("rho", [*LAZY, (1.0, 1.0), (10.0, 0.1)])
def test_exact_plan_meets_the_optimality_conditions(rho):
    for seed in range(40):
        problem = random_problem(np.random.default_rng(seed), *rho, largest=20)
        plan = solve_unbalanced(problem, epsilon=0.0)
        assert plan.converged
        assert relaxed_violation(plan) <= 1e-9 * max(1.0, problem.cost.max())


@pytest.mark.parametrize("rho", [(0.23, 0.31), (INF, 0.3), (0.3, INF)])
def test_exact_plan_agrees_with_the_proximal_reference(rho):
    for seed in range(6):
        problem = random_problem(np.random.default_rng(seed), *rho, largest=5)
        ours, theirs = solve_unbalanced(problem, epsilon=0.0), reference.solve_unregularised(problem)
        assert ours.converged
        assert ours.objective == pytest.approx(theirs.objective, abs=1e-7)
        assert ours.objective <= theirs.objective + 1e-12
        assert ours.marginal_error <= 1e-12


def test_strong_penalties_approach_balanced_transport():
    problem = text_problem(2, INF, INF, n=12, m=9)
    loose = TransportProblem(problem.cost, problem.a, problem.b, 1e4, 1e4)
    plan = solve_unbalanced(loose, epsilon=0.0)
    assert plan.converged
    assert plan.transport_cost == pytest.approx(solve(problem).transport_cost, abs=1e-3)


def test_large_problem():
    problem = text_problem(3, 0.23, 0.31, n=700, m=600)
    for epsilon in (0.009, 0.0):
        plan = solve_unbalanced(problem, epsilon=epsilon)
        assert plan.converged
    assert relaxed_violation(plan) <= 1e-9


def test_too_few_iterations_are_reported():
    for epsilon in (0.009, 0.0):
        plan = solve_unbalanced(text_problem(4, 0.23, 0.31), epsilon=epsilon, max_iterations=1)
        assert not plan.converged


def test_points_without_mass_carry_no_flow():
    problem = text_problem(5, 0.23, 0.31, n=4, m=4)
    a = problem.a * [1, 0, 1, 1]
    for epsilon in (0.0, 0.009):
        plan = solve(TransportProblem(problem.cost, a, problem.b, 0.23, 0.31), epsilon=epsilon)
        assert plan.converged
        assert plan.coupling[1].sum() == 0
        assert plan.coupling.sum() > 0


def test_costs_far_beyond_the_penalties_move_nothing_without_overflow():
    problem = TransportProblem(np.full((3, 3), 1e4), np.full(3, 1 / 3), np.full(3, 1 / 3), 0.01, 0.01)
    for epsilon in (0.0, 0.009):
        plan = solve(problem, epsilon=epsilon)
        assert np.isfinite(plan.coupling).all()
        assert plan.coupling.sum() < 1e-100


def dear_problem(seed: int, rho: tuple[float, float], ratio: float, largest: int = 40) -> TransportProblem:
    """Costs up to *ratio* times the smaller penalty: plain, tied, squared, of very different size, or all dear."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, largest + 1, 2)
    points = rng.normal(size=(n, 16))
    others = 0.9 * points[rng.integers(0, n, m)] + rng.choice([0.0, 0.1, 0.6]) * rng.normal(size=(m, 16))
    cost = (
        rng.random((n, m)),
        rng.integers(0, 4, (n, m)) + 1.0,
        cost_matrix(points, others, "sqeuclidean"),
        np.exp(3 * rng.normal(size=(n, m))),
        10 + rng.random((n, m)),
    )[seed % 5]
    a, b = rng.random(n) + 1e-3, rng.random(m) + 1e-3
    return TransportProblem(cost / cost.max() * ratio * min(rho), a / a.sum(), b / b.sum(), *rho)


@pytest.mark.parametrize("ratio", [50, 400, 1000, 1e5])
@pytest.mark.parametrize("rho", [*LAZY, (0.01, 0.01), (5.0, 5.0)])
def test_costs_beyond_the_penalties(rho, ratio):
    for seed in range(20):
        problem = dear_problem(seed, rho, ratio)
        plan = solve_unbalanced(problem, epsilon=0.0)
        assert plan.converged
        if problem.cost.min() / sum(rho) < 400:  # else nothing moves that a double can hold
            assert relaxed_gap(plan) <= 1e-11 + 1e-14 * ratio
        for epsilon in (0.1, 0.009, 1e-3):
            assert solve_unbalanced(problem, epsilon=epsilon).converged
            assert solve_unbalanced(problem, epsilon=epsilon, regulariser="kl").converged


@pytest.mark.parametrize("regulariser", ["entropy", "kl"])
@pytest.mark.parametrize("ratio", [400, 2000])
def test_costs_beyond_the_penalties_agree_with_scaling(regulariser, ratio):
    for seed in range(10):
        problem = dear_problem(seed, (0.01, 0.02), ratio, largest=8)
        ours = solve_unbalanced(problem, epsilon=0.1, regulariser=regulariser)
        theirs = reference.solve_regularised(problem, 0.1, regulariser)
        assert ours.converged
        assert theirs.converged
        np.testing.assert_allclose(ours.coupling, theirs.coupling, rtol=1e-7, atol=1e-9 * theirs.coupling.max())


@pytest.mark.parametrize("cost_per_penalty", [100, 650])
def test_a_plan_of_next_to_nothing_is_still_right(cost_per_penalty):
    # two equal words: p = exp(−c / (λc + λr)), eq. 12 of Chen et al. 2020 with one word on either side
    problem = TransportProblem(np.array([[cost_per_penalty * 0.54]]), np.ones(1), np.ones(1), 0.23, 0.31)
    plan = solve_unbalanced(problem, epsilon=0.0)
    assert plan.converged
    assert plan.coupling[0, 0] == pytest.approx(np.exp(-cost_per_penalty), rel=1e-12)


def test_a_large_problem_in_which_nothing_moves():
    for epsilon in (0.0, 0.009):
        problem = text_problem(6, 0.01, 0.01, n=250, m=260)
        plan = solve_unbalanced(replace(problem, cost=100 + problem.cost), epsilon=epsilon)
        assert plan.converged
        assert plan.coupling.sum() == 0


@pytest.mark.parametrize("rho", [0.009, 0.23, 2.0])
def test_heavily_tied_costs_with_small_penalties(rho):
    # as of position-aware costs: 1 nearly everywhere, so that flows of 1 and of 1e-20 meet in one plan
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, m = rng.integers(2, 40, 2)
        cost = np.where(rng.random((n, m)) < 0.03, rng.random((n, m)), 1.0)
        a, b = rng.random(n), rng.random(m)
        for epsilon in (0.0, 0.02):
            plan = solve(TransportProblem(cost, a / a.sum(), b / b.sum(), rho, rho), epsilon=epsilon)
            assert plan.converged
            assert (plan.coupling >= 0).all()


def test_no_penalty_at_all():
    problem = TransportProblem(np.ones((2, 2)), np.ones(2), np.ones(2), 0.0, 0.0)
    assert solve(problem).coupling.sum() == 0
    np.testing.assert_allclose(solve(problem, epsilon=0.5).coupling, np.exp(-2.0))


def test_a_side_that_cannot_be_met_is_refused():
    with pytest.raises(InputError, match="no mass"):
        solve(TransportProblem(np.ones((1, 1)), np.ones(1), np.zeros(1), INF, 0.3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": np.nan}, "epsilon"),
        ({"regulariser": "entropie"}, "did you mean 'entropy'"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
    ],
)
def test_wrong_options_are_refused(options, message):
    problem = TransportProblem(np.ones((1, 1)), np.ones(1), np.ones(1), 1.0, 1.0)
    with pytest.raises(OptionError, match=message):
        solve_unbalanced(problem, **options)


@pytest.mark.parametrize("rho", [(0.0071, 86.0), (0.30006475631866664, 0.0700684887353704), (5e4, 2e4), (3e7, 8e7)])
@pytest.mark.parametrize("level", [0.0, 0.3])
def test_costs_that_all_tie_are_solved_without_going_round_for_ever(rho, level):
    """Any plan with the right marginals is best, and rounding must not choose between them again and again."""
    for n, m in [(3, 9), (9, 15), (24, 4), (7, 7), (20, 20)]:
        problem = TransportProblem(np.full((n, m), level), np.full(n, 1 / n), np.full(m, 1 / m), *rho)
        plan = solve_unbalanced(problem, epsilon=0.0)
        assert plan.converged
        assert plan.iterations <= 4 * (n + m)
        assert plan.coupling.sum() == pytest.approx(np.exp(-level / sum(rho)), rel=1e-9)
