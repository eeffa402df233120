"""The synthetic study: who is hurt by what, as figure 3 shows."""

import numpy as np
import pytest

from monge.comparison.simulation import (
    PANELS,
    RECIPES,
    Grid,
    Setup,
    run_simulations,
    sample_as_described,
    sample_as_released,
)
from monge.errors import OptionError


@pytest.fixture(scope="module")
def study():
    return run_simulations(Grid(systems=(3, 10), instances=(30, 100), repeats=25))


def average(study, **fixed: float) -> np.ndarray:
    return np.nanmean(study.select(**fixed).taus, axis=0)


def test_without_trouble_all_mechanisms_do_well(study) -> None:
    mean, median, bt = average(study, outliers=0.0, types=1)
    assert min(mean, median, bt) > 0.75
    assert max(mean, median, bt) - min(mean, median, bt) < 0.08


def test_outliers_hurt_the_mean_alone(study) -> None:
    mean, median, bt = average(study, outliers=0.025, types=1)
    assert mean < 0.6
    assert min(median, bt) > 0.75


def test_types_hurt_the_median_alone(study) -> None:
    mean, median, bt = average(study, outliers=0.0, types=10)
    assert median < min(mean, bt) - 0.1


def test_bradley_terry_is_best_over_all(study) -> None:
    mean, median, bt = average(study)
    assert bt > max(mean, median) + 0.1


def test_the_study_repeats_to_the_digit() -> None:
    grid = Grid((1, 3), (0.01,), (4,), (20,), 3)
    for recipe in RECIPES.values():
        one, again = (run_simulations(grid, recipe=recipe, seed=5) for _ in range(2))
        assert np.array_equal(one.taus, again.taus, equal_nan=True)
    assert not np.array_equal(run_simulations(grid, seed=6).taus, run_simulations(grid, seed=5).taus, equal_nan=True)


def test_the_default_grid_is_the_papers() -> None:
    assert len(Grid().setups()) == 2880
    assert len(PANELS) == 8


def test_the_described_recipe_deals_outliers_out_among_systems() -> None:
    setup = Setup(6, 200, 1, 1.0)
    strengths, scores = sample_as_described(setup, np.random.default_rng(0))
    assert scores.shape == (6, 200)
    assert abs(np.corrcoef(strengths, scores.mean(axis=1))[0, 1]) < 0.95  # every instance is an outlier


def test_the_released_recipe_adds_contrary_instances() -> None:
    strengths, scores = sample_as_released(Setup(5, 100, 2, 0.02), np.random.default_rng(0))
    assert strengths.sum() == pytest.approx(10)
    assert scores.shape == (5, 102)
    assert (scores[:, 100:] <= 100).all()
    assert (scores[:, 100:] >= 0).all()


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ((1, 10, 1, 0.0), "at least 2 systems and at most 1,000, not 1$"),
        ((10**12, 10, 1, 0.0), "at least 2 systems and at most 1,000, not 1,000,000,000,000"),
        ((2, 0, 1, 0.0), "at least 1 instances and at most 10,000, not 0"),
        ((2, 10**12, 1, 0.0), "at least 1 instances and at most 10,000, not 1,000,000,000,000"),
        ((2, 10, 0, 0.0), "at least 1 types and at most 10,000, not 0"),
        ((2, 10, 10**12, 0.0), "at least 1 types and at most 10,000, not 1,000,000,000,000"),
        ((2, 10, 1, 1.5), "share of outliers must lie between 0 and 1, not 1.5"),
    ],
)
def test_impossible_setups_are_refused(setup: tuple, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Setup(*setup)


def test_more_simulations_than_anyone_can_run_are_refused() -> None:
    with pytest.raises(OptionError, match="288,000,000,000 simulations are too many: at most 1,000,000"):
        Grid(repeats=10**9)
    with pytest.raises(OptionError, match="at least one value of everything and one repeat"):
        Grid(repeats=0)


def test_averages_come_with_intervals(study) -> None:
    for _, by, fixed in PANELS:
        for _, mean, low, high in study.select(**fixed).average(by):
            assert (low <= mean + 1e-12).all()
            assert (mean <= high + 1e-12).all()
