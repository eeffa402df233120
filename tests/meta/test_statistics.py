"""Correlations and pair statistics: hand-worked vectors, scipy, and resamples written out."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from monge.meta.correlation import midranks, pearson, spearman
from monge.meta.pairs import (
    calibrate_ties,
    count_judged_pairs,
    guess_order,
    guess_ties,
    kendall,
    pair_outcomes,
    pairwise_accuracy,
    tau_like,
)
from monge.meta.soft import guess_superiority, soft_pairwise_accuracy, superiority

SCIPY = {pearson: stats.pearsonr, spearman: stats.spearmanr, kendall: stats.kendalltau}


def scipy_value(ours, x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SCIPY[ours](x, y).statistic


@pytest.mark.parametrize("statistic", SCIPY)
@pytest.mark.parametrize("size", [3, 17, 200, 700])
def test_values_agree_with_scipy_on_tied_data(statistic, size):
    rng = np.random.default_rng(size)
    x = np.round(rng.normal(size=size), 1)
    y = np.round(x + rng.normal(size=size), 1)
    assert float(statistic(x, y, np.ones(size))) == pytest.approx(scipy_value(statistic, x, y), abs=1e-12)


@pytest.mark.parametrize("statistic", SCIPY)
@pytest.mark.parametrize("size", [5, 40, 600])
def test_weights_are_resamples_written_out(statistic, size):
    rng = np.random.default_rng(1)
    x = np.round(rng.normal(size=size), 1)
    y = np.round(x + rng.normal(size=size), 1)
    counts = rng.multinomial(size, np.ones(size) / size, size=20).astype(float)
    expected = [scipy_value(statistic, np.repeat(x, c.astype(int)), np.repeat(y, c.astype(int))) for c in counts]
    np.testing.assert_allclose(statistic(x, y, counts), expected, atol=1e-12)


@pytest.mark.parametrize("statistic", SCIPY)
def test_many_short_samples_at_once(statistic):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 30, 6))
    weights = (rng.random((30, 6)) < 0.8).astype(float)
    expected = [scipy_value(statistic, a[w > 0], b[w > 0]) for a, b, w in zip(x, y, weights, strict=True)]
    np.testing.assert_allclose(statistic(x, y, weights), expected, atol=1e-12)


@pytest.mark.parametrize("statistic", SCIPY)
@pytest.mark.parametrize("constant", [[0.1, 0.1, 0.1], [1e9 + 0.1] * 3])
def test_constant_input_is_nan_never_zero(statistic, constant):
    assert np.isnan(statistic(np.array(constant), np.array([1.0, 2.0, 3.0]), np.ones(3)))
    assert np.isnan(statistic(np.array([1.0, 2.0, 3.0]), np.array(constant), np.ones(3)))


def test_pearson_by_hand():
    # deviations (-1.5, -.5, .5, 1.5) and (-1, -2, 2, 1): 5 / sqrt(5 * 10)
    value = pearson(np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 5, 4]), np.ones(4))
    assert float(value) == pytest.approx(5 / np.sqrt(50))


def test_kendall_by_hand():
    # pairs of x = 1 2 2 3, y = 1 3 2 2: concordant 3 (12, 13, 14), discordant 1 (24); tied in x 23, tied in y 34
    value = kendall(np.array([1.0, 2, 2, 3]), np.array([1.0, 3, 2, 2]), np.ones(4))
    assert float(value) == pytest.approx((3 - 1) / np.sqrt(5 * 5))


def test_midranks_of_a_weighted_sample():
    # 5 5 7 7 7 9: mean ranks 1.5, 4, 6
    assert midranks(np.array([9.0, 5.0, 7.0]), np.array([1.0, 2.0, 3.0])).tolist() == [6.0, 1.5, 4.0]


def test_tau_like_by_hand():
    human = np.array([90.0, 60.0, 64.0, 30.0])
    metric = np.array([0.9, 0.9, 0.5, 0.6])
    # judged apart by 25 or more: (90,60) tied -> discordant, (90,64) right, (90,30) right, (60,30) right, (64,30) wrong
    assert float(tau_like(human, metric, np.ones(4))) == pytest.approx((3 - 2) / 5)
    assert float(count_judged_pairs(human, metric, np.ones(4))) == 5


def test_tau_like_threshold_is_inclusive_and_empty_is_nan():
    human, metric = np.array([50.0, 25.0]), np.array([1.0, 0.0])
    assert float(tau_like(human, metric, np.ones(2))) == 1.0
    assert np.isnan(tau_like(human, metric, np.ones(2), threshold=25.1))


def test_pairwise_accuracy_by_hand():
    human = np.array([1.0, 2.0, 2.0, 3.0])
    metric = np.array([1.0, 2.0, 2.2, 2.1])
    # without ties: wrong on the human tie (2,2) and on (2,3) by metric 2.2 > 2.1: 4 of 6
    assert float(pairwise_accuracy(human, metric, np.ones(4))) == pytest.approx(4 / 6)
    # epsilon .2 ties (2,2.2) right, (2,2.1) and (2.2,2.1) wrong: 4 of 6
    assert float(pairwise_accuracy(human, metric, np.ones(4), epsilon=0.2000001)) == pytest.approx(4 / 6)


def test_guesses_get_half_of_what_people_told_apart_or_all_their_ties():
    rng = np.random.default_rng(4)
    human = rng.integers(0, 3, (2000, 6)).astype(float)  # a third of the pairs tied
    metric = rng.normal(size=human.shape)
    weights = np.ones_like(human)
    blind = pairwise_accuracy(human, metric, weights).mean()
    assert guess_order(human, metric, weights).mean() == pytest.approx(blind, abs=0.01)
    tied = pairwise_accuracy(human, np.zeros_like(human), weights).mean()
    assert guess_ties(human, metric, weights).mean() == pytest.approx(tied)


def test_guessing_soft_accuracy_is_what_random_p_values_get():
    rng = np.random.default_rng(5)
    human = rng.normal(size=(5, 40)) + 0.2 * np.arange(5)[:, None]
    present = np.ones_like(human)
    p = superiority(human, present)[np.triu_indices(5, 1)]
    random = 1 - np.abs(p - rng.random((20_000, p.size))).mean()
    assert guess_superiority(human, present) == pytest.approx(random, abs=0.005)


def test_tie_calibration_matches_mt_metrics_eval():
    # the vectors of mt-metrics-eval's own stats_test.testKendallWithTiesOpt, whose result is 0.7
    chosen = calibrate_ties(np.array([[1.0, 2, 2, 3, 4]]), np.array([[2.0, 1, 1.5, 5, 3]]), np.ones((1, 5)))
    assert chosen.accuracy == pytest.approx(0.7)
    assert chosen.epsilon == pytest.approx(0.5)


@given(seed=st.integers(0, 10_000), groups=st.integers(1, 4), size=st.integers(2, 7))
@settings(max_examples=60, deadline=None)
def test_calibrated_threshold_is_the_best_of_all(seed, groups, size):
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 3, (groups, size)).astype(float)
    metric = np.round(human + rng.normal(size=(groups, size)), 1)
    present = (rng.random((groups, size)) < 0.9).astype(float)
    present[:, :2] = 1

    def average(epsilon):
        return float(np.nanmean(pairwise_accuracy(human, metric, present, epsilon=epsilon)))

    chosen = calibrate_ties(human, metric, present)
    gaps = np.round(np.abs(metric[:, :, None] - metric[:, None, :]).ravel(), 1) + 1e-9
    assert average(chosen.epsilon) == pytest.approx(chosen.accuracy)
    assert chosen.accuracy == pytest.approx(max(average(e) for e in [0.0, *gaps]))
    assert pair_outcomes(human, metric, present, epsilon=chosen.epsilon).sum() == pytest.approx(chosen.accuracy)


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_decimal_scores_are_calibrated_as_the_whole_numbers_they_stand_for(digits):
    """0.3 - 0.1 and 0.2 - 0.0 differ in the last bit: no threshold may fall between them."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        human = rng.integers(0, 3, (4, 12)).astype(float)
        whole = rng.integers(0, 40, (4, 12)).astype(float) + 10 * human
        weights = np.ones_like(human)
        decimal = whole / 10**digits
        chosen, expected = (calibrate_ties(human, y, weights) for y in (decimal, whole))
        assert chosen.accuracy == expected.accuracy
        assert chosen.epsilon * 10**digits == pytest.approx(expected.epsilon)
        used = pairwise_accuracy(human, decimal, weights, epsilon=chosen.epsilon).mean()
        assert used == pytest.approx(expected.accuracy)


def test_soft_accuracy_on_the_vectors_of_mt_metrics_eval():
    # its stats_test expects 0.872 with 1000 draws; all 8 sign patterns give p 0/8 or 1/8 against 3/8: 1 - 0.125 or so
    human = np.array([[1.0, 2, 3], [2.0, 3, 4]])
    metric = np.array([[2.0, 2, 4], [1.0, 3, 5]])
    assert soft_pairwise_accuracy(human, metric, np.ones((2, 3))) == pytest.approx(0.875, abs=0.03)


def test_superiority_approaches_the_exact_p_value():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 8))
    gaps = scores[0] - scores[1]
    signs = np.array(np.meshgrid(*[[-1, 1]] * 8)).reshape(8, -1)
    exact = np.mean(gaps @ signs >= gaps.sum() - 1e-12)
    p = superiority(scores, np.ones((2, 8)))
    assert p[0, 1] == pytest.approx(exact, abs=0.05)
    assert p[0, 1] + p[1, 0] == pytest.approx(1, abs=0.05)


def test_soft_accuracy_is_one_for_the_same_scores_and_low_for_the_reverse():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(4, 50)) + np.arange(4)[:, None]
    present = np.ones_like(scores)
    assert soft_pairwise_accuracy(scores, scores, present) == 1.0
    assert soft_pairwise_accuracy(scores, -scores, present) < 0.05
