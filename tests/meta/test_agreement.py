"""Levels, resampling, missing values and the reasons for NaN."""

import numpy as np
import pytest
from scipy import stats

from monge.errors import InputError, OptionError
from monge.meta.agreement import Resampling, average_agreement, measure_agreement
from monge.meta.judged import pair_scores
from monge.meta.statistics import STATISTICS, find_statistic
from monge.scores import ScoreTable

rng = np.random.default_rng(7)
SYSTEMS, SEGMENTS = ("a", "b", "c", "d"), tuple(str(i) for i in range(12))
HUMAN = rng.normal(size=(4, 12)) + np.arange(4)[:, None]
METRIC = HUMAN + rng.normal(size=(4, 12))


def table(values, *, higher=True):
    return ScoreTable(SYSTEMS[: len(values)], SEGMENTS[: len(values[0])], np.asarray(values), "x", higher)


def judged(human=HUMAN, documents=None, **metrics):
    metrics = metrics or {"m": METRIC}
    return pair_scores(table(human), {n: table(v) for n, v in metrics.items()}, name="t", documents=documents)


def value(statistic, level, scores=None):
    return measure_agreement(scores or judged(), find_statistic(statistic), level=level)["m"]


def test_segment_level_pools_all_outputs():
    assert value("pearson", "segment").value == pytest.approx(stats.pearsonr(HUMAN.ravel(), METRIC.ravel()).statistic)


def test_item_level_averages_over_segments():
    expected = np.mean([stats.kendalltau(HUMAN[:, n], METRIC[:, n]).statistic for n in range(12)])
    assert value("kendall", "item").value == pytest.approx(expected)


def test_by_system_averages_over_systems():
    expected = np.mean([stats.spearmanr(HUMAN[s], METRIC[s]).statistic for s in range(4)])
    assert value("spearman", "by-system").value == pytest.approx(expected)


def test_system_level_correlates_means():
    assert value("pearson", "system").value == pytest.approx(stats.pearsonr(HUMAN.mean(1), METRIC.mean(1)).statistic)


def test_summary_level_pools_the_outputs_of_a_document():
    documents = {str(i): f"d{i // 3}" for i in range(12)}
    expected = np.mean(
        [stats.pearsonr(HUMAN[:, i : i + 3].ravel(), METRIC[:, i : i + 3].ravel()).statistic for i in (0, 3, 6, 9)]
    )
    assert value("pearson", "summary", judged(documents=documents)).value == pytest.approx(expected)
    assert value("pearson", "summary").value == pytest.approx(value("pearson", "item").value)


def test_tau_like_pools_the_pairs_of_all_segments():
    human = np.array([[90.0, 50.0], [10.0, 20.0], [50.0, 49.0]])
    metric = np.array([[3.0, 1.0], [1.0, 1.0], [2.0, 5.0]])
    # segment 1: three pairs, all right; segment 2: (50,20) tied, (20,49) right -> 4 right, 1 wrong
    assert value("tau-like", "item", judged(human, m=metric)).value == pytest.approx((4 - 1) / 5)


def test_missing_scores_are_left_out_everywhere_and_counted():
    holes = METRIC.copy()
    holes[1, 3] = np.nan
    human = HUMAN.copy()
    human[0, 0] = np.nan
    scores = judged(human, m=holes, other=METRIC)
    result = value("pearson", "segment", scores)
    keep = np.isfinite(holes) & np.isfinite(human)
    assert result.value == pytest.approx(stats.pearsonr(human[keep], holes[keep]).statistic)
    assert (result.used, result.unused) == (46, 1)
    assert scores.notes == ("m has no score for 1 of 47 judged outputs, left out for all",)
    expected = np.mean([stats.pearsonr(human[k, n], holes[k, n])[0] for n in range(12) if (k := keep[:, n]).any()])
    assert value("pearson", "item", scores).value == pytest.approx(expected)


def test_direction_is_turned():
    scores = pair_scores(table(HUMAN), {"m": table(-METRIC, higher=False)})
    assert value("pearson", "segment", scores).value == pytest.approx(value("pearson", "segment").value)


def test_names_are_aligned_whatever_their_order():
    order = [2, 0, 3, 1]
    columns = rng.permutation(12)
    shuffled = ScoreTable(
        tuple(SYSTEMS[i] for i in order), tuple(SEGMENTS[i] for i in columns), METRIC[np.ix_(order, columns)]
    )
    scores = pair_scores(table(HUMAN), {"m": shuffled})
    np.testing.assert_array_equal(scores.metrics["m"], METRIC)


def test_no_overlap_is_an_error_that_shows_both_sides():
    other = ScoreTable(("z",), ("99",), np.array([[1.0]]))
    with pytest.raises(InputError, match=r"m and the judgments have no output in common.*'z'.*'99'.*'a'.*'0'"):
        pair_scores(table(HUMAN), {"m": other})


def test_no_judgment_and_no_metric_are_errors():
    with pytest.raises(InputError, match="no human judgment"):
        pair_scores(table(np.full((2, 3), np.nan)), {"m": table(METRIC)})
    with pytest.raises(InputError, match="no metric"):
        pair_scores(table(HUMAN), {})


@pytest.mark.parametrize(
    ("human", "metric", "reason"),
    [
        ([[1.0, 2.0]], [[1.0, 2.0]], "fewer than 3 items"),
        ([[1.0, 1.0, 1.0]], [[1.0, 2.0, 3.0]], "judgments all equal"),
        ([[1.0, 2.0, 3.0]], [[5.0, 5.0, 5.0]], "scores all equal"),
    ],
)
def test_nan_has_its_reason(human, metric, reason):
    result = value("pearson", "segment", judged(human, m=metric))
    assert np.isnan(result.value)
    assert np.isnan(result.low)
    assert result.reason == reason


def test_skipped_groups_are_counted_with_reasons():
    human = HUMAN.copy()
    human[:, 0] = 1.0
    human[:2, 1] = np.nan
    result = value("pearson", "item", judged(human, m=METRIC))
    assert (result.groups, result.skipped) == (12, 2)
    assert result.reason == "1 with fewer than 3 items, 1 with judgments all equal"


def test_bootstrap_interval_is_near_the_analytic_one():
    x = rng.normal(size=400)
    y = 0.6 * x + 0.8 * rng.normal(size=400)
    human = ScoreTable(("s",), tuple(map(str, range(400))), x[None])
    metric = ScoreTable(("s",), tuple(map(str, range(400))), y[None])
    scores = pair_scores(human, {"m": metric})
    result = measure_agreement(scores, find_statistic("pearson"), resampling=Resampling(count=2000))["m"]
    low, high = np.tanh(np.arctanh(result.value) + np.array([-1.96, 1.96]) / np.sqrt(397))
    assert result.low == pytest.approx(low, abs=0.025)
    assert result.high == pytest.approx(high, abs=0.025)


@pytest.mark.parametrize("statistic", [s.name for s in STATISTICS])
@pytest.mark.parametrize("level", ["segment", "item", "by-system", "summary", "system"])
@pytest.mark.parametrize("over", ["segments", "systems", "both"])
def test_every_statistic_resamples_at_every_level(statistic, level, over):
    if statistic == "soft-accuracy" and level != "system":
        with pytest.raises(OptionError, match="system level"):
            value(statistic, level)
        return
    found = find_statistic(statistic, threshold=0.5 if statistic == "tau-like" else None)
    plan = Resampling(over, count=30, seed=1)
    results = measure_agreement(judged(m=METRIC, same=METRIC), found, level=level, resampling=plan)
    draws = results["m"].draws
    assert draws.shape == (30,)
    assert np.isfinite(draws).sum() >= 20
    np.testing.assert_array_equal(draws, results["same"].draws)
    assert results["m"].low <= results["m"].high


def test_a_resample_of_systems_equals_the_table_written_out():
    """The weights of a draw must do what repeating rows and columns does."""
    from monge.meta.judged_metric import select_metric
    from monge.meta.levels import Draw, make_arrangement

    scores = judged()
    rows, columns = np.array([0, 0, 1, 3]), np.array([0, 1, 1, 2, 5, 7, 7, 7, 8, 9, 10, 11])
    draw = Draw(
        np.bincount(rows, minlength=4)[None].astype(float), np.bincount(columns, minlength=12)[None].astype(float)
    )
    human, metric = HUMAN[np.ix_(rows, columns)], METRIC[np.ix_(rows, columns)]
    expected = {
        "segment": stats.pearsonr(human.ravel(), metric.ravel()).statistic,
        "item": np.mean([stats.pearsonr(human[:, n], metric[:, n]).statistic for n in range(12)]),
        "by-system": np.mean([stats.pearsonr(human[s], metric[s]).statistic for s in range(4)]),
        "system": stats.pearsonr(human.mean(1), metric.mean(1)).statistic,
    }
    for level, wanted in expected.items():
        sides = select_metric(scores, "m", make_arrangement(level, scores))
        assert float(find_statistic("pearson").evaluate(sides, draw).values[0]) == pytest.approx(wanted), level


def test_a_resample_of_soft_accuracy_equals_the_table_written_out():
    """What was drawn twice stands there twice: a segment with a swap of its own, a system in twice the pairs."""
    from monge.meta.judged_metric import select_metric
    from monge.meta.levels import Draw, make_arrangement
    from monge.meta.soft import soft_pairwise_accuracy, superiority

    scores = judged(HUMAN[:3], m=METRIC[:3])
    sides = select_metric(scores, "m", make_arrangement("system", scores))
    statistic = find_statistic("soft-accuracy")
    columns = [0, 0, 0, 0, 1, 1, 1, 5, 7, 8, 8, 11]
    drawn = np.bincount(columns, minlength=12)[None].astype(float)
    human, metric = HUMAN[:3, columns], METRIC[:3, columns]
    found = statistic.evaluate(sides, Draw(None, drawn)).values[0]
    assert found == soft_pairwise_accuracy(human, metric, np.ones((3, 12)))
    pairs = np.abs(superiority(human, np.ones((3, 12))) - superiority(metric, np.ones((3, 12))))
    found = statistic.evaluate(sides, Draw(np.array([[2.0, 1.0, 0.0]]), drawn)).values[0]
    assert found == pytest.approx(1 - pairs[0, 1])
    found = statistic.evaluate(sides, Draw(np.array([[2.0, 1.0, 1.0]]), drawn)).values[0]
    assert found == pytest.approx(1 - (2 * pairs[0, 1] + 2 * pairs[0, 2] + pairs[1, 2]) / 5)


def test_soft_accuracy_leaves_out_systems_that_share_no_segment():
    human = HUMAN[:3].copy()
    human[2] = np.nan
    alone = value("soft-accuracy", "system", judged(human, m=METRIC[:3]))
    assert alone.value == value("soft-accuracy", "system", judged(HUMAN[:2], m=METRIC[:2])).value
    human[1, :6], human[0, 6:] = np.nan, np.nan
    nothing = value("soft-accuracy", "system", judged(human, m=METRIC[:3]))
    assert np.isnan(nothing.value)
    assert nothing.reason == "no two systems share a segment"


@pytest.mark.parametrize("totals", [None, {"a": 1.0, "b": 4.0, "c": 2.0, "d": 3.0}])
def test_a_system_of_which_nothing_was_drawn_is_not_in_the_resample(totals):
    """A system judged once is often left out; it must not come back as the point (0, 0)."""
    from monge.meta.judged_metric import select_metric
    from monge.meta.levels import Draw, make_arrangement

    human = HUMAN + 10.0
    human[3, 1:] = np.nan
    named = {} if totals is None else {"metric_totals": {"m": totals}}
    scores = pair_scores(table(human), {"m": table(METRIC)}, **named)
    sides = select_metric(scores, "m", make_arrangement("system", scores))
    drawn = np.ones((2, 12))
    drawn[1, 0] = 0.0
    for over in (None, np.ones((2, 4))):
        found = find_statistic("pearson").evaluate(sides, Draw(over, drawn)).values
        for draw, (rows, first) in enumerate(((4, 0), (3, 1))):
            metric = [np.nanmean(np.where(np.isfinite(human), METRIC, np.nan)[s, first:]) for s in range(rows)]
            metric = metric if totals is None else list(totals.values())[:rows]
            people = [np.nanmean(human[s, first:]) for s in range(rows)]
            assert found[draw] == pytest.approx(stats.pearsonr(people, metric).statistic), draw


def test_one_system_cannot_be_resampled():
    with pytest.raises(OptionError, match="only one"):
        measure_agreement(judged(HUMAN[:1], m=METRIC[:1]), find_statistic("pearson"), resampling=Resampling("systems"))


def test_average_needs_every_task():
    good = value("pearson", "segment")
    bad = value("pearson", "segment", judged([[1.0, 2.0]], m=[[1.0, 2.0]]))
    assert average_agreement([good, good]).value == pytest.approx(good.value)
    failed = average_agreement([good, bad])
    assert np.isnan(failed.value)
    assert failed.reason == "t: fewer than 3 items"
    assert failed.used == good.used + bad.used


def test_system_totals_replace_means():
    totals = {"a": 1.0, "b": 4.0, "c": 2.0, "d": 3.0}
    scores = pair_scores(table(HUMAN), {"m": table(METRIC)}, metric_totals={"m": totals})
    expected = stats.pearsonr(HUMAN.mean(1), [1.0, 4.0, 2.0, 3.0]).statistic
    assert value("pearson", "system", scores).value == pytest.approx(expected)
    only_totals = pair_scores(table(np.full((4, 12), np.nan)), {"m": table(METRIC)}, human_totals=totals)
    expected = stats.pearsonr([1.0, 4.0, 2.0, 3.0], METRIC.mean(1)).statistic
    assert value("pearson", "system", only_totals).value == pytest.approx(expected)


def test_unknown_names_offer_the_nearest():
    with pytest.raises(OptionError, match="did you mean 'kendall'"):
        find_statistic("kendal")
    with pytest.raises(OptionError, match="did you mean 'system'"):
        measure_agreement(judged(), find_statistic("pearson"), level="systm")


def test_scores_of_whole_systems_have_no_interval_over_segments():
    totals = {"a": 1.0, "b": 4.0, "c": 2.0, "d": 3.0}
    judged = {"a": 1.0, "b": 3.0, "c": 2.0, "d": 5.0}
    human = table(np.full((4, 12), np.nan))
    scores = pair_scores(human, {"m": table(METRIC)}, human_totals=judged, metric_totals={"m": totals})
    plan = Resampling(count=50, over="segments")
    found = measure_agreement(scores, find_statistic("pearson"), level="system", resampling=plan)["m"]
    assert np.isfinite(found.value)
    assert np.isnan([found.low, found.high]).all()
