"""How metrics and human judgments correlate with each other, not only each metric with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from monge.errors import InputError
from monge.meta.correlation import Array
from monge.meta.judged import JudgedScores
from monge.meta.judged_metric import JudgedMetric
from monge.meta.levels import WHOLE, make_arrangement
from monge.meta.statistics import Statistic, find_statistic

SYMMETRIC = ("pearson", "spearman", "kendall")  # statistics for which neither side has to be the judgment
_FALLBACK = "kendall"
HUMAN = "human"


@dataclass(frozen=True, eq=False)
class Intercorrelation:
    """Correlations (n, n) between judgments and metrics: the first ``humans`` names are judgments, then metrics.

    Metrics are ordered from best to worst agreement with people. NaN where a correlation cannot be computed.
    """

    names: tuple[str, ...]
    humans: int
    values: Array
    statistic: Statistic
    level: str

    def record(self) -> dict[str, object]:
        """Return plain JSON values; None where there is no correlation."""
        cells = [[float(v) if np.isfinite(v) else None for v in row] for row in self.values]
        return {"statistic": self.statistic.name, "level": self.level, "names": list(self.names), "values": cells}


@dataclass(frozen=True, eq=False)
class _Column:
    """One judgment or metric within a task: its table and, where it has them, its own scores of systems."""

    table: Array
    totals: Array | None


def correlate_all(tasks: Sequence[JudgedScores], *, statistic: Statistic, level: str) -> Intercorrelation:
    """Correlate every metric and every judged aspect with every other, as figure 3 of Zhao et al. (2019) does.

    Parameters
    ----------
    tasks
        The tasks of a study; all tables are oriented so that higher is better. Values are averaged over tasks.
    statistic
        Pearson, Spearman or Kendall; Kendall is used in place of statistics that treat the two sides differently.
    level
        What is compared: segment, item, by-system, summary or system.

    Returns
    -------
    Intercorrelation
        Judgments first (one per aspect), then metrics by their mean agreement with the judgments.

    Raises
    ------
    InputError
        If there is no task, or tasks hold different metrics.
    """
    if not tasks:
        raise InputError("there is no task to correlate metrics on")
    metrics = list(tasks[0].metrics)
    if any(list(task.metrics) != metrics for task in tasks):
        raise InputError("tasks with different metrics have no common table of correlations")
    if statistic.name not in SYMMETRIC:
        statistic = find_statistic(_FALLBACK)
    judged = _label_judgments([task for task in tasks if _is_judged(task)])
    aspects = list(dict.fromkeys(task.aspect for task in judged))
    names = [*aspects, *metrics]
    found: dict[tuple[str, str], list[float]] = {}
    for task in tasks:
        columns = {m: _Column(task.metrics[m], task.metric_totals.get(m)) for m in metrics}
        mine = next((t for t in judged if t.name == task.name), None)
        if mine is not None:
            columns = {mine.aspect: _Column(mine.human, mine.human_totals), **columns}
        _add_pairs(found, task, columns, statistic, level)
    _add_aspects(found, judged, statistic, level)
    values = np.eye(len(names))
    for i, first in enumerate(names):
        for j in range(i + 1, len(names)):
            known = found.get((first, names[j]), [])
            values[i, j] = values[j, i] = np.mean(known) if known else np.nan
    order = _order(values, len(aspects))
    return Intercorrelation(
        tuple(names[i] for i in order), len(aspects), values[np.ix_(order, order)], statistic, level
    )


def _label_judgments(judged: Sequence[JudgedScores]) -> list[JudgedScores]:
    """Return the tasks with their aspects as they are shown: ``human``, or ``human coherence`` among several."""
    several = len({task.aspect for task in judged}) > 1
    return [replace(task, aspect=f"{HUMAN} {task.aspect}" if several else HUMAN) for task in judged]


def _is_judged(task: JudgedScores) -> bool:
    return task.human_totals is not None or bool(np.isfinite(task.human[task.used]).all())


def _add_pairs(
    found: dict[tuple[str, str], list[float]],
    task: JudgedScores,
    columns: dict[str, _Column],
    statistic: Statistic,
    level: str,
) -> None:
    """Append the correlation of every two columns on one task."""
    arrangement = make_arrangement(level, task)
    named = list(columns.items())
    for i, (first, one) in enumerate(named):
        for second, other in named[i + 1 :]:
            pair = JudgedMetric(arrangement, one.table, other.table, one.totals, other.totals)
            found.setdefault((first, second), []).append(float(statistic.evaluate(pair, WHOLE).values))


def _add_aspects(
    found: dict[tuple[str, str], list[float]], judged: Sequence[JudgedScores], statistic: Statistic, level: str
) -> None:
    """Append the correlations between aspects that were judged on the same outputs."""
    for origin in dict.fromkeys(task.origin for task in judged):
        own = {task.aspect: task for task in judged if task.origin == origin}
        tasks = list(own.values())
        for i, first in enumerate(tasks):
            for second in tasks[i + 1 :]:
                if first.used.shape == second.used.shape:
                    both = replace(first, used=first.used & second.used)
                    columns = {t.aspect: _Column(t.human, t.human_totals) for t in (first, second)}
                    _add_pairs(found, both, columns, statistic, level)


def _order(values: Array, humans: int) -> list[int]:
    """Return judgments in their order, then metrics from best to worst agreement; without judgments, as they are."""
    metrics = range(humans, len(values))
    if not humans:
        return list(metrics)
    agreement = np.nan_to_num(values[humans:, :humans].mean(axis=1), nan=-np.inf)
    return [*range(humans), *(humans + int(k) for k in np.argsort(-agreement, kind="stable"))]
