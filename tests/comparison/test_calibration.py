"""Do intervals cover, and tests err, as often as they say? By simulation, to within two percent."""

import numpy as np
import pytest
from scipy import stats

from monge.comparison import CompareSettings, compare_systems, fit_bradley_terry
from monge.comparison.certainty import win_interval
from monge.comparison.pairs import PairedScores
from monge.comparison.resampling import (
    bootstrap_counts,
    percentile_interval,
    resample_means,
    resample_medians,
    resample_points,
)
from monge.comparison.significance import TESTS, PairBlock, correct_holm
from monge.scores import ScoreTable

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("n", [30, 100, 400])
@pytest.mark.parametrize("tied", [0.0, 0.1, 0.5, 0.8])
@pytest.mark.parametrize("lead", [0.0, 0.08, 0.18])
def test_win_interval_covers(n: int, tied: float, lead: float) -> None:
    win, loss = (1 - tied) / 2 + lead / 2, (1 - tied) / 2 - lead / 2
    drawn = np.random.default_rng(n).multinomial(n, [win, tied, loss], size=40_000)
    low, high = win_interval(drawn[:, 0], drawn[:, 1], np.full(len(drawn), n))
    truth = win + tied / 2
    assert np.mean((low <= truth) & (truth <= high)) == pytest.approx(0.95, abs=0.02)


def covered(statistic, sample: np.ndarray, truth: float) -> float:
    """Share of datasets (rows) whose bootstrap interval holds the truth; each dataset has draws of its own."""
    hits = []
    for k in range(0, len(sample), 50):
        (counts,) = bootstrap_counts(sample.shape[1], 1000, np.random.default_rng(k))
        low, high = percentile_interval(statistic(sample[k : k + 50], counts), alpha=0.05, instances=sample.shape[1])
        hits.append((low <= truth) & (truth <= high))
    return float(np.mean(np.concatenate(hits)))


@pytest.mark.parametrize("n", [20, 100])
def test_the_interval_of_a_mean_covers(n: int) -> None:
    sample = np.random.default_rng(n).normal(size=(3000, n))
    assert covered(resample_means, sample, 0.0) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("n", [21, 101])
def test_the_interval_of_a_median_covers(n: int) -> None:
    sample = np.random.default_rng(n).normal(size=(3000, n))
    assert covered(resample_medians, sample, 0.0) == pytest.approx(0.95, abs=0.02)


def test_the_interval_of_a_mean_of_skewed_scores_covers_on_enough_instances() -> None:
    sample = np.random.default_rng(0).exponential(size=(3000, 200))
    assert covered(resample_means, sample, 1.0) == pytest.approx(0.95, abs=0.02)


def test_the_interval_of_bradley_terry_covers() -> None:
    """Three systems whose scores follow the model exactly: Gumbel noise around log strengths (Luce, Yellott)."""
    rng = np.random.default_rng(0)
    truth = np.array([0.5, 0.3, 0.2])
    hits = []
    for k in range(800):
        values = np.log(truth)[:, None] + rng.gumbel(size=(3, 120))
        paired = PairedScores(tuple("ABC"), tuple(map(str, range(120))), values)
        (counts,) = bootstrap_counts(120, 400, np.random.default_rng(k))
        drawn = fit_bradley_terry(resample_points(paired, counts)).strengths
        low, high = percentile_interval(drawn, alpha=0.05, instances=120)
        hits.append((low <= truth) & (truth <= high))
    assert np.mean(hits) == pytest.approx(0.95, abs=0.02)


def null_scores(n: int, heavy: bool, datasets: int = 100, seed: int = 0) -> PairedScores:
    """Pairs (2k, 2k + 1) of equally good systems that share the difficulty of instances."""
    rng = np.random.default_rng([n, heavy, seed])
    noise = rng.standard_t(3, size=(2 * datasets, n)) if heavy else rng.normal(size=(2 * datasets, n))
    values = np.repeat(rng.normal(size=(datasets, n)), 2, axis=0) + noise
    return PairedScores(tuple(map(str, range(2 * datasets))), tuple(map(str, range(n))), values)


@pytest.mark.parametrize("heavy", [False, True], ids=["normal", "heavy tails"])
@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_false_positives_stay_at_the_stated_level(test, n: int, heavy: bool) -> None:
    p = []
    for seed in range(30):  # a block shares its draws, so take many blocks with draws of their own
        scores = null_scores(n, heavy, seed=seed)
        first, second = np.arange(0, 200, 2), np.arange(1, 200, 2)
        block = PairBlock(scores, first, second, scores.values[first] - scores.values[second], 1000, seed)
        p.append(test.compute(block)[1])
    rate = np.mean(np.concatenate(p) <= 0.05)
    assert rate <= 0.07
    if test.name not in ("sign", "mood"):  # exact or unpaired tests are allowed to be cautious
        assert rate >= 0.03


def test_holm_keeps_the_chance_of_any_false_claim() -> None:
    rng = np.random.default_rng(0)
    any_claim = []
    for _ in range(1000):
        values = rng.normal(size=(5, 40))
        i, j = np.triu_indices(5, 1)
        p = stats.ttest_rel(values[i], values[j], axis=1).pvalue
        any_claim.append((correct_holm(p) <= 0.05).any())
    assert np.mean(any_claim) <= 0.07


def test_a_whole_comparison_under_the_null_rarely_names_a_winner() -> None:
    rng = np.random.default_rng(1)
    settings = CompareSettings(draws=100, orders=1)
    named = 0
    for _ in range(200):
        table = ScoreTable(tuple("ABC"), tuple(map(str, range(50))), rng.normal(size=(3, 50)) + rng.normal(size=50))
        named += any(pair.winner is not None for pair in compare_systems(table, settings=settings).pairs)
    assert named / 200 <= 0.07
