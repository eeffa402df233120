"""Resampled statistics against resampling the slow way."""

import numpy as np
import pytest
from scipy import stats

from monge.comparison.pairs import PairedScores, count_pairs
from monge.comparison.resampling import (
    bootstrap_counts,
    percentile_interval,
    random_signs,
    resample_means,
    resample_medians,
    resample_points,
)

RNG = np.random.default_rng(11)


def scores_with(missing: bool, instances: int = 60) -> np.ndarray:
    values = np.round(RNG.normal(size=(4, instances)), 1)
    if missing:
        values[RNG.uniform(size=values.shape) < 0.2] = np.nan
    return values


def drawn_rows(values: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    return [np.repeat(values, row.astype(int), axis=1) for row in counts]


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("instances", [3, 60, 61])
def test_means_and_medians_are_those_of_the_drawn_scores(missing: bool, instances: int) -> None:
    values = scores_with(missing and instances > 3, instances)
    (counts,) = bootstrap_counts(instances, 40, np.random.default_rng(0))
    for resample, statistic in ((resample_means, np.nanmean), (resample_medians, np.nanmedian)):
        expected = [statistic(drawn, axis=1) for drawn in drawn_rows(values, counts)]
        assert resample(values, counts) == pytest.approx(np.array(expected))


def test_a_median_outside_the_window_is_still_found() -> None:
    counts = np.zeros((2, 1000), dtype=np.float32)
    counts[0, 3], counts[1, 990] = 1000, 1000  # draws that no bootstrap would make
    assert resample_medians(np.arange(1000.0)[None], counts).tolist() == [[3.0], [990.0]]


@pytest.mark.parametrize("missing", [False, True])
def test_points_are_the_win_counts_of_the_drawn_scores(missing: bool) -> None:
    values = scores_with(missing)
    paired = PairedScores(tuple("ABCD"), tuple(map(str, range(60))), values)
    (counts,) = bootstrap_counts(60, 10, np.random.default_rng(0))
    for drawn, points in zip(drawn_rows(values, counts), resample_points(paired, counts), strict=True):
        again = PairedScores(paired.systems, tuple(map(str, range(drawn.shape[1]))), drawn)
        assert points == pytest.approx(count_pairs(again).points)


def test_blocks_do_not_change_the_draws() -> None:
    whole = np.concatenate(list(bootstrap_counts(5000, 2000, np.random.default_rng(1))))
    assert whole.shape == (2000, 5000)
    assert (whole.sum(axis=1) == 5000).all()
    assert whole.mean() == pytest.approx(1.0)
    assert whole.var() == pytest.approx(1.0, abs=0.01)  # multinomial


def test_signs_are_fair() -> None:
    signs = np.concatenate(list(random_signs(1000, 1000, np.random.default_rng(1))))
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean()) < 0.005


def test_the_interval_of_a_mean_is_students_in_large_bootstraps() -> None:
    sample = np.random.default_rng(5).normal(size=(1, 15))
    (counts,) = bootstrap_counts(15, 100_000, np.random.default_rng(0))
    low, high = percentile_interval(resample_means(sample, counts), alpha=0.05, instances=15)
    expected = stats.t.interval(0.95, 14, sample.mean(), sample.std(ddof=1) / np.sqrt(15))
    assert (low[0], high[0]) == pytest.approx(expected, abs=0.04)


def test_one_instance_bounds_nothing() -> None:
    low, high = percentile_interval(np.ones((10, 2)), alpha=0.05, instances=1)
    assert (low == -np.inf).all()
    assert (high == np.inf).all()
