"""Intervals and sizes against statsmodels and against simulation."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

from monge.comparison.certainty import (
    decided_needed,
    detectable_mean,
    detectable_share,
    instances_needed,
    smallest_decisive,
    win_interval,
)
from monge.comparison.significance import sign_p_value


@pytest.mark.parametrize(("wins", "n"), [(0, 5), (5, 5), (7, 20), (620, 1000)])
def test_without_ties_it_is_wilsons_interval(wins: int, n: int) -> None:
    low, high = win_interval(np.array(wins), np.array(0), np.array(n))
    assert (float(low), float(high)) == pytest.approx(proportion_confint(wins, n, method="wilson"), abs=1e-12)


def test_ties_narrow_the_interval_but_never_to_nothing() -> None:
    n = np.array(100)
    bare = np.subtract(*win_interval(np.array(50), np.array(0), n)[::-1])
    tied = np.subtract(*win_interval(np.array(10), np.array(80), n)[::-1])
    only = np.subtract(*win_interval(np.array(0), np.array(100), n)[::-1])
    assert 0.01 < only < tied < bare


def test_swapping_the_systems_mirrors_the_interval() -> None:
    low, high = win_interval(np.array(45), np.array(20), np.array(80))
    mirrored = win_interval(np.array(15), np.array(20), np.array(80))
    assert [float(x) for x in mirrored] == pytest.approx([1 - float(high), 1 - float(low)])


def test_no_instances_tell_nothing() -> None:
    assert [float(x) for x in win_interval(np.array(0), np.array(0), np.array(0))] == [0.0, 1.0]


@pytest.mark.parametrize("share", [0.55, 0.6, 0.7])
def test_the_recommended_number_has_the_power_asked_for(share: float) -> None:
    n = int(np.ceil(decided_needed(np.array(share), alpha=0.05, power=0.8)))
    wins = np.random.default_rng(0).binomial(n, share, size=40_000)
    found = np.mean(sign_p_value(wins, n - wins) <= 0.05)
    assert found == pytest.approx(0.8, abs=0.03)


def test_detectable_share_and_needed_number_are_inverse() -> None:
    n = decided_needed(np.array([0.53, 0.6, 0.8]), alpha=0.01, power=0.9)
    assert detectable_share(n, alpha=0.01, power=0.9) == pytest.approx([0.53, 0.6, 0.8], abs=1e-3)


def test_sizes_for_the_mean_are_statsmodels() -> None:
    power = TTestPower()
    for effect in (0.1, 0.2, 0.5, 1.0):
        needed = instances_needed(np.array(effect), alpha=0.05, power=0.8)
        assert float(needed) == pytest.approx(power.solve_power(effect, None, 0.05, 0.8), abs=0.2)
    detectable = detectable_mean(np.array(2.0), np.array(50), alpha=0.05, power=0.8)
    assert float(detectable) / 2 == pytest.approx(power.solve_power(None, 50, 0.05, 0.8), rel=0.01)


def test_equal_systems_need_endless_instances() -> None:
    assert np.isinf(decided_needed(np.array(0.5), alpha=0.05, power=0.8))
    assert np.isinf(instances_needed(np.array(0.0), alpha=0.05, power=0.8))


@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.01, 0.05 / 45])
def test_fewer_instances_cannot_decide(alpha: float) -> None:
    n = smallest_decisive(alpha)
    assert stats.binomtest(n, n).pvalue <= alpha < stats.binomtest(n - 1, n - 1).pvalue
