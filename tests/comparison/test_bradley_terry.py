"""Bradley–Terry against independent solvers and closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from monge.comparison import fit_bradley_terry
from monge.comparison.bradley_terry import VIRTUAL_WINS
from monge.errors import InputError


def minorise_maximise(wins: np.ndarray) -> np.ndarray:
    """The iteration of Appendix E, run until it no longer moves: an independent road to the same maximum."""
    strengths = np.full(len(wins), 1 / len(wins))
    for _ in range(200_000):
        shares = (wins + wins.T) / (strengths[:, None] + strengths[None])
        np.fill_diagonal(shares, 0)
        new = wins.sum(axis=1) / shares.sum(axis=1)
        new /= new.sum()
        if np.sum((new - strengths) ** 2) < 1e-26:
            return new
        strengths = new
    raise AssertionError("the reference iteration did not converge")


def win_matrix(size: int, seed: int, least: int = 1) -> np.ndarray:
    wins = np.random.default_rng(seed).integers(least, 30, size=(size, size)).astype(float)
    np.fill_diagonal(wins, 0)
    return wins


@pytest.mark.parametrize("size", [2, 3, 7, 20])
def test_agrees_with_minorise_maximise(size: int) -> None:
    wins = win_matrix(size, seed=size)
    assert fit_bradley_terry(wins).strengths == pytest.approx(minorise_maximise(wins), abs=1e-9)


def test_agrees_with_a_general_optimiser() -> None:
    wins = win_matrix(6, seed=1)

    def loss(logs: np.ndarray) -> float:
        return float(np.sum(wins * np.log1p(np.exp(logs[None] - logs[:, None]))))

    logs = minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-9}).x
    expected = np.exp(logs) / np.exp(logs).sum()
    assert fit_bradley_terry(wins).strengths == pytest.approx(expected, abs=1e-6)


def test_the_gradient_vanishes_at_the_maximum() -> None:
    wins = win_matrix(30, seed=2)
    strengths = fit_bradley_terry(wins).strengths
    expected = (wins + wins.T) * strengths[:, None] / (strengths[:, None] + strengths[None])
    np.fill_diagonal(expected, 0)
    assert np.abs(wins.sum(axis=1) - expected.sum(axis=1)).max() < 1e-9


def test_two_systems_have_the_closed_form() -> None:
    fit = fit_bradley_terry(np.array([[0, 7.5], [2.5, 0]]))
    assert fit.strengths.tolist() == pytest.approx([0.75, 0.25], abs=1e-12)
    assert fit.probability(0, 1) == pytest.approx(0.75)
    assert not fit.regularised


@given(st.integers(0, 10_000), st.integers(2, 8))
@settings(max_examples=40, deadline=None)
def test_renaming_systems_renames_strengths(seed: int, size: int) -> None:
    wins = win_matrix(size, seed)
    order = np.random.default_rng(seed).permutation(size)
    assert fit_bradley_terry(wins[np.ix_(order, order)]).strengths == pytest.approx(
        fit_bradley_terry(wins).strengths[order]
    )


def test_a_stack_is_the_same_as_one_by_one() -> None:
    stack = np.stack([win_matrix(5, seed) for seed in range(10)])
    stack[3, 0] = 0.0  # one of them has no maximum
    together = fit_bradley_terry(stack)
    for k, wins in enumerate(stack):
        alone = fit_bradley_terry(wins)
        assert together.strengths[k] == pytest.approx(alone.strengths, abs=1e-12)
        assert together.regularised[k] == alone.regularised == (k == 3)


def test_a_system_that_never_wins_is_regularised_by_the_stated_amount() -> None:
    wins = np.array([[0, 10, 6], [0, 0, 0], [4, 10, 0]], dtype=float)
    fit = fit_bradley_terry(wins)
    assert fit.regularised
    padded = wins + VIRTUAL_WINS * (1 - np.eye(3))
    assert fit.strengths == pytest.approx(minorise_maximise(padded), abs=1e-9)
    assert 0 < fit.strengths[1] < fit.strengths[2] < fit.strengths[0]


def test_two_groups_that_never_meet_both_ways_are_regularised() -> None:
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 5
    wins[:2, 2:] = 5  # the first two always beat the last two
    assert fit_bradley_terry(wins).regularised
    wins[2, 0] = 1
    assert not fit_bradley_terry(wins).regularised


def test_lopsided_counts_converge() -> None:
    wins = np.array([[0, 99_999, 1], [1, 0, 99_999], [99_999, 1, 0]], dtype=float)
    assert fit_bradley_terry(wins).strengths == pytest.approx([1 / 3] * 3, abs=1e-9)
    chain = np.array([[0, 99_999, 50_000], [1, 0, 99_999], [50_000, 1, 0]], dtype=float)
    fit = fit_bradley_terry(chain)
    assert fit.converged
    assert fit.strengths == pytest.approx(minorise_maximise(chain), abs=1e-9)


@pytest.mark.parametrize(
    "wins", [np.zeros((2, 3)), np.zeros((1, 1)), np.array([[0, -1], [1, 0]]), np.array([[0, np.nan], [1, 0]])]
)
def test_bad_matrices_are_refused(wins: np.ndarray) -> None:
    with pytest.raises(InputError, match="win matrix"):
        fit_bradley_terry(wins)


def test_intervals_have_width_even_if_one_system_wins_everything() -> None:
    """Jeffreys' interval of 6 wins in 6 is [0.67, 1.00] (Brown, Cai and DasGupta 2001, table of the Beta quantiles)."""
    from monge.comparison import compare_systems
    from monge.scores import ScoreTable

    table = ScoreTable(("A", "B"), tuple("123456"), [[1.0] * 6, [0.0] * 6])  # type: ignore[arg-type]
    ranking = compare_systems(table).ranking("bt")
    assert ranking.low[0] == pytest.approx(0.67, abs=0.04)
    assert ranking.high[0] > 0.99
    assert ranking.low[0] <= ranking.values[0] <= ranking.high[0]
