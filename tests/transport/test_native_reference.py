"""The native solvers against the readable ones on 10,000 random problems, degenerate ones among them."""

import numpy as np
import pytest

from monge.transport import reference, solve, solve_exact, solve_one_sided, solve_unbalanced

from .certificates import relaxed_violation
from .problems import random_problem

INF = np.inf


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_exact(block):
    rng = np.random.default_rng(block)
    for _ in range(1000):
        problem = random_problem(rng, INF, INF)
        ours, theirs = solve_exact(problem), reference.solve_exact(problem)
        assert ours.converged
        assert ours.marginal_error <= 1e-12
        assert abs(ours.transport_cost - theirs.transport_cost) <= 1e-9


def test_one_sided():
    rng = np.random.default_rng(10)
    for k in range(2000):
        problem = random_problem(rng, *((INF, 0.0) if k % 2 else (0.0, INF)))
        np.testing.assert_array_equal(solve_one_sided(problem).coupling, reference.solve_one_sided(problem).coupling)


@pytest.mark.slow
@pytest.mark.parametrize("regulariser", ["entropy", "kl"])
@pytest.mark.parametrize("rho", [(0.23, 0.31), (0.05, 1.0), (INF, 0.3), (0.3, INF), (INF, INF)])
def test_regularised(regulariser, rho):
    rng = np.random.default_rng(20)
    for _ in range(200):
        problem = random_problem(rng, *rho, largest=6)
        epsilon = float(rng.choice([0.1, 0.3, 1.0]))
        ours = solve(problem, epsilon=epsilon, regulariser=regulariser)
        theirs = reference.solve_regularised(problem, epsilon, regulariser)
        assert ours.converged
        assert theirs.converged
        assert np.abs(ours.coupling - theirs.coupling).max() <= 1e-9 * max(1.0, theirs.coupling.sum())


@pytest.mark.parametrize("rho", [(0.23, 0.31), (0.009, 0.95), (1.0, 1.0), (5.0, 0.2)])
def test_unregularised_meets_the_optimality_conditions(rho):
    # the reference's iteration is too slow for thousands of problems; optimality can be checked without it
    rng = np.random.default_rng(30)
    for _ in range(500):
        problem = random_problem(rng, *rho)
        plan = solve_unbalanced(problem, epsilon=0.0)
        assert plan.converged
        assert relaxed_violation(plan) <= 1e-9 + 1e-15 * max(rho) / plan.coupling.sum(1)[problem.a > 0].min()
