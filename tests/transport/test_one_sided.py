"""One free side: Theorem 1 of Lazy-EMD (Chen et al. 2020), ties, points without mass."""

import numpy as np
import pytest

from monge.errors import OptionError
from monge.transport import TransportProblem, cost_matrix, reference, solve_one_sided, solve_unbalanced

rng = np.random.default_rng(0)
HYPOTHESIS, REFERENCE = rng.normal(size=(5, 16)), rng.normal(size=(7, 16))
A, B = rng.random(5), rng.random(7)
A, B = A / A.sum(), B / B.sum()
COSINE = (HYPOTHESIS @ REFERENCE.T) / np.outer(np.linalg.norm(HYPOTHESIS, axis=1), np.linalg.norm(REFERENCE, axis=1))


def test_theorem_1_precision_and_recall():
    cost = cost_matrix(HYPOTHESIS, REFERENCE, "cosine")
    precision = solve_one_sided(TransportProblem(cost, A, B, np.inf, 0.0))
    recall = solve_one_sided(TransportProblem(cost, A, B, 0.0, np.inf))
    assert 1 - precision.transport_cost == pytest.approx(np.sum(A * COSINE.max(1)), abs=1e-6)  # float32 points
    assert 1 - recall.transport_cost == pytest.approx(np.sum(B * COSINE.max(0)), abs=1e-6)
    np.testing.assert_allclose(precision.coupling.sum(1), A)
    np.testing.assert_allclose(recall.coupling.sum(0), B)


@pytest.mark.parametrize("rho", [(np.inf, 0.0), (0.0, np.inf)])
def test_ties_go_to_the_lowest_index(rho):
    cost = np.array([[0.5, 0.2, 0.2], [0.2, 0.2, 0.5], [0.2, 0.5, 0.2]])
    problem = TransportProblem(cost, np.full(3, 1 / 3), np.full(3, 1 / 3), *rho)
    np.testing.assert_array_equal(solve_one_sided(problem).coupling, reference.solve_one_sided(problem).coupling)


def test_points_without_mass_are_still_partners():
    cost = np.array([[0.9, 0.1], [0.8, 0.2]])
    plan = solve_one_sided(TransportProblem(cost, np.array([1.0, 0.0]), np.array([1.0, 0.0]), rho_b=0.0))
    np.testing.assert_array_equal(plan.coupling, [[0.0, 1.0], [0.0, 0.0]])


def test_totals_may_differ():
    plan = solve_one_sided(TransportProblem(np.ones((2, 2)), np.array([1.0, 2.0]), np.zeros(2), rho_b=0.0))
    assert plan.coupling.sum() == 3.0


def test_a_penalty_against_a_free_side_shrinks_each_row_by_its_cost():
    # rho_b = 0: min_p c p + rho KL(p | a) for each row on its own, p = a exp(−c/rho)
    cost = rng.random((5, 7))
    plan = solve_unbalanced(TransportProblem(cost, A, B, 0.3, 0.0), epsilon=0.0)
    np.testing.assert_allclose(plan.coupling.sum(1), A * np.exp(-cost.min(1) / 0.3), rtol=1e-13)
    assert (plan.coupling > 0).sum() == 5


@pytest.mark.parametrize("rho", [(np.inf, np.inf), (0.0, 0.0), (1.0, 0.0)])
def test_other_penalties_are_refused(rho):
    with pytest.raises(OptionError, match="0 and inf"):
        solve_one_sided(TransportProblem(np.ones((1, 1)), np.ones(1), np.ones(1), *rho))
