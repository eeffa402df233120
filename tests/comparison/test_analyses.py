"""Diagnostics, tests beside tests, test-set size, other pairings, runs and budgets: by hand or known by theory."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from monge.comparison import compare_systems
from monge.comparison.budget import Budget, read_budget
from monge.comparison.pairings import pair_scores_anew
from monge.comparison.pairs import PairedScores
from monge.comparison.profile import outlier_share, profile_scores
from monge.comparison.runs import compare_runs, group_runs, order_almost, violation_ratio
from monge.comparison.size import disagree_by_size
from monge.comparison.tests_overlap import overlap_tests
from monge.errors import InputError, OptionError
from monge.scores import ScoreTable


def make_scores(systems: int = 4, size: int = 200, seed: int = 0) -> PairedScores:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=size) + 0.1 * np.arange(systems)[:, None] + 0.5 * rng.standard_t(3, (systems, size))
    return PairedScores(tuple("ABCDEFGH"[:systems]), tuple(map(str, range(size))), values)


def test_the_profile_by_hand() -> None:
    values = np.array([[1.0, 2, 3, 4], [2.0, 1, 4, 50], [0.0, 0, 0, np.nan]])
    found = profile_scores(PairedScores(("a", "b", "c"), tuple("1234"), values))
    assert found.system_outliers["b"] == 0.25
    assert found.outliers == pytest.approx(1 / 11)
    assert found.rank_spread == pytest.approx({"a": np.std([2, 1, 2]), "b": np.std([1, 2, 1]), "c": 0.0})
    assert found.between_systems == pytest.approx(np.mean([np.std([1, 2, 0]), np.std([2, 1, 0]), np.std([3, 4, 0])]))
    assert found.between_instances == pytest.approx(np.std([1, 1, 7 / 3]))
    assert found.kendall[0, 1] == pytest.approx(kendalltau(values[0], values[1]).statistic)
    assert np.isnan(found.kendall[0, 2])
    assert found.record()["kendall"][0][2] is None


def test_outliers_of_a_normal_distribution() -> None:
    assert outlier_share(np.random.default_rng(0).normal(size=200_000)) == pytest.approx(0.00698, abs=0.0006)


def test_tests_beside_tests() -> None:
    table = ScoreTable(("a", "b", "c"), tuple(map(str, range(200))), make_scores(3).values)
    pairs = compare_systems(table).pairs
    found = overlap_tests(pairs)
    assert found.pairs == 3
    names = list(found.tests)
    significant = {n: {k for k, p in enumerate(pairs) if p.p_values[n] <= 0.05} for n in names}
    for i, first in enumerate(names):
        assert found.shares[i, i] == pytest.approx(len(significant[first]) / 3)
        for j, second in enumerate(names):
            if i != j and significant[first]:
                expected = len(significant[first] & significant[second]) / len(significant[first])
                assert found.shares[i, j] == pytest.approx(expected)


def test_mechanisms_agree_more_on_larger_sets() -> None:
    found = disagree_by_size(make_scores(6, 2000), sizes=(10, 100, 5000), repeats=20)
    assert found.sizes == (10, 100, 2000)
    for shares in found.shares.values():
        assert shares[0] > shares[2]
    assert set(found.shares) == {("mean", "median"), ("mean", "bt"), ("median", "bt")}
    with pytest.raises(OptionError, match="too few"):
        disagree_by_size(make_scores(2, 2))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.9, 1.0])
def test_a_pairing_keeps_the_marginals(share: float) -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(0.2, 1, 100), rng.normal(0, 1, 100)
    found = pair_scores_anew(first, second, share=share)
    assert sorted(found.first) == sorted(first)
    assert sorted(found.second) == sorted(second)
    assert found.share == pytest.approx(np.mean(found.first > found.second))
    assert found.least <= found.share <= found.most
    assert abs(found.share - np.clip(share, found.least, found.most)) <= 0.01
    assert found.most > 0.9
    assert found.least < 0.2


def test_pairings_refuse_what_cannot_be_paired() -> None:
    with pytest.raises(InputError, match="equally many"):
        pair_scores_anew([1.0], [1.0, 2.0], share=0.5)
    with pytest.raises(OptionError, match="share"):
        pair_scores_anew([1.0], [1.0], share=2)


def test_violation_by_hand() -> None:
    assert violation_ratio(np.array([2.0, 3.0]), np.array([1.0, 2.0])) == 0.0
    assert violation_ratio(np.array([1.0, 2.0]), np.array([2.0, 3.0])) == 1.0
    assert violation_ratio(np.array([1.0, 2.0]), np.array([1.0, 2.0])) == 0.5
    # quantiles 0, 0 | 3, 3 against 1, 1.5 | 1.5, 2 on quarters: gaps −1, −1.5, 1.5, 1
    assert violation_ratio(np.array([0.0, 3.0]), np.array([1.0, 1.5, 1.5, 2.0])) == pytest.approx(0.5)


def test_violations_of_both_directions_add_up() -> None:
    rng = np.random.default_rng(1)
    x, y = np.sort(rng.normal(0.3, 1, 9)), np.sort(rng.normal(0, 1, 7))
    assert violation_ratio(x, y) + violation_ratio(y, x) == pytest.approx(1)


def test_normal_scores_with_a_larger_mean_are_almost_better() -> None:
    """F = N(.3, 1), G = N(0, 1): dominance, so ε → 0; with unequal deviations ε is given by an integral."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(0.3, 1, 4000), rng.normal(0, 1, 4000)
    assert order_almost(x, y, draws=50).violation < 0.01
    wide = rng.normal(0.3, 2, 20000)
    levels = (np.arange(200_000) + 0.5) / 200_000
    from scipy.stats import norm

    gap = norm.ppf(levels, 0.3, 2) - norm.ppf(levels, 0, 1)
    expected = (gap[gap < 0] ** 2).sum() / (gap**2).sum()
    assert order_almost(wide, rng.normal(0, 1, 20000), draws=0).violation == pytest.approx(expected, abs=0.02)


def test_runs_are_grouped_and_ordered() -> None:
    rng = np.random.default_rng(0)
    names = tuple(f"{system}/{run}" for system in ("big", "small") for run in range(5))
    level = np.repeat([1.0, 0.0], 5)[:, None] + 0.1 * rng.normal(size=(10, 1))
    table = ScoreTable(names, tuple("123"), level + np.zeros((10, 3)))
    groups = group_runs(table, "/")
    assert groups == {"big": list(names[:5]), "small": list(names[5:])}
    found = compare_runs(table, groups)
    assert found.better() == [("big", "small")]
    assert found.order("small", "big").violation == 1.0
    lower = compare_runs(ScoreTable(names, tuple("123"), level + np.zeros((10, 3)), higher_is_better=False), groups)
    assert lower.better() == [("small", "big")]
    assert lower.record()["runs"]["big"][0] == pytest.approx(level[0, 0])
    with pytest.raises(OptionError, match="several runs"):
        group_runs(table, "#")


def test_the_bound_covers_the_truth() -> None:
    """Two equal distributions have no order: the bound is below the threshold hardly ever."""
    rng = np.random.default_rng(4)
    found = [order_almost(rng.normal(size=10), rng.normal(size=10), draws=100, seed=k).bound for k in range(60)]
    assert np.mean(np.array(found) < 0.2) < 0.08


def test_budgets(tmp_path: Path) -> None:
    path = tmp_path / "budget.tsv"
    path.write_text("system\tseconds\tFLOPs\na\t10\t1e12\nb\t20\t\nc\t5\t9e11\n", encoding="utf-8")
    budget = read_budget(path)
    assert budget.costs["seconds"] == {"a": 10.0, "b": 20.0, "c": 5.0}
    assert budget.efficient("seconds", {"a": 0.4, "b": 0.9, "c": 0.5}) == ["c", "b"]
    assert budget.efficient("FLOPs", {"a": 0.6, "b": 0.9, "c": 0.5}) == ["c", "a"]
    assert isinstance(budget, Budget)
    (tmp_path / "bad.tsv").write_text("system\na\n", encoding="utf-8")
    with pytest.raises(InputError, match="column of costs"):
        read_budget(tmp_path / "bad.tsv")
