"""Influence against leaving instances out the slow way."""

import numpy as np
import pytest
from scipy import stats

from monge.comparison.bradley_terry import fit_bradley_terry
from monge.comparison.influence import decisive_instances, extremes_to_drop, instances_behind_mean, wins_to_drop
from monge.comparison.pairs import PairedScores, count_pairs


def paired(values: np.ndarray) -> PairedScores:
    return PairedScores(tuple(map(str, range(len(values)))), tuple(map(str, range(values.shape[1]))), values)


@pytest.mark.parametrize(("wins", "losses"), [(9, 1), (60, 30), (30, 60), (8, 0)])
def test_dropping_that_many_wins_undoes_the_sign_test(wins: int, losses: int) -> None:
    dropped = wins_to_drop(wins, losses, alpha=0.05)
    most, least = max(wins, losses), min(wins, losses)
    assert stats.binomtest(most - dropped, most - dropped + least).pvalue > 0.05
    assert stats.binomtest(most - dropped + 1, most - dropped + 1 + least).pvalue <= 0.05


def test_nothing_needs_dropping_when_nothing_is_significant() -> None:
    assert wins_to_drop(5, 5, alpha=0.05) == 0
    assert extremes_to_drop(np.array([1.0, -1.0, 0.5, -0.4]), alpha=0.05) == 0


def test_dropping_the_extremes_undoes_the_t_test() -> None:
    d = np.random.default_rng(0).normal(0.35, 1.0, size=60)
    dropped = extremes_to_drop(d, alpha=0.05)
    ascending = np.sort(d)
    assert dropped > 0
    assert stats.ttest_1samp(ascending[: len(d) - dropped], 0).pvalue > 0.05
    for fewer in range(dropped):
        assert stats.ttest_1samp(ascending[: len(d) - fewer], 0).pvalue <= 0.05
    assert extremes_to_drop(-d, alpha=0.05) == dropped


def test_the_instances_behind_a_mean_are_the_fewest() -> None:
    d = np.array([-1.0, -1.0, 3.0, -1.0, 4.0, -1.0, np.nan])
    behind = instances_behind_mean(d)
    assert sorted(behind.tolist()) == [4]
    assert np.nansum(np.delete(d, behind)) <= 0


@pytest.mark.parametrize("missing", [False, True])
def test_decisive_instances_are_those_of_leaving_each_out(missing: bool) -> None:
    found = {"mean": 0, "bt": 0}
    for seed in range(40):
        values = np.round(np.random.default_rng(seed).normal(size=(4, 11)), 1)
        if missing:
            values[2, 4] = np.nan
        scores = paired(values)
        decisive = decisive_instances(scores, count_pairs(scores))
        for mechanism, estimate in (
            ("mean", lambda v: np.nanmean(v, axis=1)),
            ("bt", lambda v: fit_bradley_terry(count_pairs(paired(v)).points).strengths),
        ):
            best = set(np.flatnonzero(np.isclose(estimate(values), estimate(values).max(), atol=1e-9)))
            changed = []
            for k in range(11):
                without = estimate(np.delete(values, k, axis=1))
                if not best & set(np.flatnonzero(np.isclose(without, without.max(), atol=1e-9))):
                    changed.append(k)
            assert decisive[mechanism] == changed
            found[mechanism] += len(changed)
    assert min(found.values()) > 10  # the comparison above was not empty
