"""Correlations between metrics and judgments, against numpy and scipy."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from monge.errors import InputError
from monge.meta import find_statistic, pair_scores
from monge.meta.intercorrelation import correlate_all
from monge.meta.judged import JudgedScores
from monge.report.correlate.heatmap import correlation_table, draw_correlation_matrix
from monge.report.plots import figure_bytes
from monge.scores import ScoreTable

SYSTEMS, SEGMENTS = ("a", "b", "c", "d"), tuple(map(str, range(12)))


def make_task(seed: int = 0, *, name: str = "set", **more: object) -> JudgedScores:
    from dataclasses import replace

    rng = np.random.default_rng(seed)
    human = rng.normal(size=(4, 12))
    near, far = human + 0.3 * rng.normal(size=(4, 12)), human + 2 * rng.normal(size=(4, 12))
    tables = {
        "far": ScoreTable(SYSTEMS, SEGMENTS, far),
        "distance": ScoreTable(SYSTEMS, SEGMENTS, -near, higher_is_better=False),
    }
    return replace(pair_scores(ScoreTable(SYSTEMS, SEGMENTS, human), tables, name=name), **more)


def test_pooled_pearson_is_that_of_numpy_with_judgments_first_and_the_best_metric_next():
    task = make_task()
    found = correlate_all([task], statistic=find_statistic("pearson"), level="segment")
    assert found.names == ("human", "distance", "far")
    expected = np.corrcoef([task.human.ravel(), task.metrics["distance"].ravel(), task.metrics["far"].ravel()])
    assert found.values == pytest.approx(expected, abs=1e-12)


def test_kendall_between_systems_is_that_of_scipy_and_replaces_accuracies():
    task = make_task(3)
    found = correlate_all([task], statistic=find_statistic("accuracy"), level="system")
    assert found.statistic.name == "kendall"
    means = {"human": task.human.mean(1)} | {m: t.mean(1) for m, t in task.metrics.items()}
    for i, first in enumerate(found.names):
        for j, second in enumerate(found.names):
            assert found.values[i, j] == pytest.approx(kendalltau(means[first], means[second]).statistic)


def test_aspects_of_the_same_outputs_are_rows_of_their_own():
    first = make_task(1, name="coherence", origin="o", aspect="coherence")
    second = make_task(2, name="fluency", origin="o", aspect="fluency")
    found = correlate_all([first, second], statistic=find_statistic("pearson"), level="segment")
    assert found.names[:2] == ("human coherence", "human fluency")
    assert found.humans == 2
    expected = np.corrcoef(first.human.ravel(), second.human.ravel())[0, 1]
    assert found.values[0, 1] == pytest.approx(expected)
    metric = [np.corrcoef(t.metrics["far"].ravel(), t.metrics["distance"].ravel())[0, 1] for t in (first, second)]
    i, j = found.names.index("far"), found.names.index("distance")
    assert found.values[i, j] == pytest.approx(np.mean(metric))


def test_tasks_without_a_common_set_of_metrics_are_refused():
    with pytest.raises(InputError, match="no task"):
        correlate_all([], statistic=find_statistic("pearson"), level="segment")


def test_table_and_figure_in_both_themes_leave_the_figure_as_it_was():
    found = correlate_all([make_task()], statistic=find_statistic("pearson"), level="segment")
    header, rows = correlation_table(found)
    assert header == ["", "human", "distance", "far"]
    assert [row[0] for row in rows] == header[1:]
    figure = draw_correlation_matrix(found)
    light = figure_bytes(figure)
    dark = figure_bytes(figure, theme="dark")
    assert b"#16181b" in dark
    assert b"#16181b" not in light
    assert b"#16181b" not in figure_bytes(figure)
