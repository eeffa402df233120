"""Tests of whether one metric agrees better than another (Williams, permutation, bootstrap), and rankings."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from monge.meta.agreement import Agreement
from monge.meta.correlation import Array, pearson
from monge.meta.judged import JudgedScores, choose_seeds
from monge.meta.judged_metric import select_metric
from monge.meta.levels import WHOLE, make_arrangement
from monge.meta.statistics import Statistic

Correction = Callable[[Array], Array]
PairValues = dict[tuple[str, str], float]

_ROUNDING = 1e-12  # two values of agreement closer than this are one value, computed in two ways


@dataclass(frozen=True)
class WilliamsTest:
    """The statistic t, its degrees of freedom and the two-sided p-value."""

    t: float
    df: int
    p: float


def williams(r12: float, r13: float, r23: float, n: int) -> WilliamsTest:
    """Test whether two correlations with the same variable 1 differ (Williams 1959, Steiger 1980).

    t = (r12 − r13) √[(n−1)(1+r23)] / √[2K(n−1)/(n−3) + r̄²(1−r23)³],  K = 1 − r12² − r13² − r23² + 2 r12 r13 r23,
    r̄ = (r12 + r13)/2, with n − 3 degrees of freedom; Graham & Baldwin (2014) brought it to metrics. NaN for n ≤ 3.
    Correlations that differ by rounding only, as those of a metric and its percentages, are equal (p = 1).

    >>> round(williams(0.5, 0.4, 0.1, 103).t, 4)
    0.8913
    """
    if n <= 3 or not np.isfinite([r12, r13, r23]).all():
        return WilliamsTest(float("nan"), n - 3, float("nan"))
    if abs(r12 - r13) <= _ROUNDING:
        return WilliamsTest(0.0, n - 3, 1.0)
    determinant = max(0.0, 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)
    spread = 2 * determinant * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * max(0.0, 1 - r23) ** 3
    with np.errstate(divide="ignore"):
        t = float((r12 - r13) * np.sqrt((n - 1) * max(0.0, 1 + r23)) / np.sqrt(np.float64(spread)))
    return WilliamsTest(t, n - 3, float(2 * stats.t.sf(abs(t), n - 3)))


def williams_pairs(scores: JudgedScores) -> PairValues:
    """Return Williams' p-value of every pair of metrics, for Pearson's r over all used outputs."""
    columns = {name: table[scores.used] for name, table in scores.metrics.items()}
    ones = np.ones(int(scores.used.sum()))
    human = scores.human[scores.used]
    r = {name: float(pearson(human, column, ones)) for name, column in columns.items()}
    return {
        (a, b): williams(r[a], r[b], float(pearson(columns[a], columns[b], ones)), ones.size).p
        for a, b in itertools.combinations(columns, 2)
    }


def count_needed_draws(pairs: int, alpha: float) -> int:
    """Return how many permutations make it possible that one of *pairs* is significant at level *alpha*.

    The smallest p-value of n permutations is 1/(1 + n); Holm's correction multiplies it by the number of pairs.

    >>> count_needed_draws(55, 0.05)
    1100
    """
    return math.ceil(pairs / alpha)


def permutation_pairs(
    tasks: Sequence[JudgedScores],
    statistic: Statistic,
    *,
    level: str,
    count: int = 1000,
    needed: int = 0,
    alpha: float = 0.05,
    seed: int = 0,
) -> PairValues:
    """Return the permutation p-value of every pair of metrics; differences are averaged over *tasks*.

    p = (1 + #{|d*| ≥ |d|}) / (1 + count), two-sided; NaN where a difference is undefined. Where *needed* is more than
    *count*, a pair whose p-value is at most *alpha* is tested again with that many permutations. The others cannot
    become significant by any correction, so this costs no more than it must and the level of the test is kept.
    """
    pairs = list(itertools.combinations(tasks[0].metrics, 2))
    found = _permute(tasks, statistic, pairs, level=level, count=count, seed=seed)
    close = [pair for pair, p in found.items() if p <= alpha]
    if needed > count and close:
        found |= _permute(tasks, statistic, close, level=level, count=needed, seed=seed)
    return found


def _permute(
    tasks: Sequence[JudgedScores],
    statistic: Statistic,
    pairs: Sequence[tuple[str, str]],
    *,
    level: str,
    count: int,
    seed: int,
) -> PairValues:
    observed, nulls = np.zeros(len(pairs)), np.zeros((len(pairs), count))
    for scores, own in zip(tasks, choose_seeds(tasks, seed), strict=True):
        arrangement = make_arrangement(level, scores)
        sides = {name: select_metric(scores, name, arrangement) for name in dict.fromkeys(itertools.chain(*pairs))}
        values = {name: float(statistic.prepare(s).evaluate(s, WHOLE).values) for name, s in sides.items()}
        for i, (a, b) in enumerate(pairs):
            observed[i] += (values[a] - values[b]) / len(tasks)
            nulls[i] += statistic.swap(sides[a], sides[b], count=count, seed=own) / len(tasks)
    return {pair: _two_sided(nulls[i], float(observed[i])) for i, pair in enumerate(pairs)}


def bootstrap_pairs(agreements: Mapping[str, Agreement]) -> PairValues:
    """Return p = 2·min(P(d* ≤ 0), P(d* ≥ 0)) of every pair from the resamples that the agreements share."""
    result = {}
    for a, b in itertools.combinations(agreements, 2):
        first, second = agreements[a].draws, agreements[b].draws
        gaps = first - second if first.size == second.size else np.empty(0)
        gaps = gaps[np.isfinite(gaps)]
        tail = min(np.count_nonzero(gaps <= _ROUNDING), np.count_nonzero(gaps >= -_ROUNDING))
        result[a, b] = float(min(1.0, 2 * (1 + tail) / (1 + gaps.size))) if gaps.size else float("nan")
    return result


@dataclass(frozen=True, eq=False)
class MetricRanking:
    """Metrics from best to worst, the p-values of every pair (raw and corrected), who beats whom, and clusters from 1.

    ``beats[i, j]``: the agreement of i is significantly higher than that of j. A metric that is beaten by
    a member of the current cluster starts the next cluster.
    """

    metrics: tuple[str, ...]
    agreements: tuple[Agreement, ...]
    p: Array
    corrected: Array
    beats: NDArray[np.bool_]
    clusters: tuple[int, ...]


def rank_metrics(
    agreements: Mapping[str, Agreement], p: Mapping[tuple[str, str], float], *, correct: Correction, alpha: float = 0.05
) -> MetricRanking:
    """Order metrics by value (NaN last) and decide every pair at level *alpha* after *correct* (Holm, FDR …)."""
    ordered = sorted(agreements.values(), key=lambda a: (not np.isfinite(a.value), -a.value))
    names = [a.metric for a in ordered]
    size = len(names)
    raw = np.full((size, size), np.nan)
    corrected = raw.copy()
    upper = np.triu_indices(size, 1)
    raw[upper] = [p.get((names[i], names[j]), p.get((names[j], names[i]), np.nan)) for i, j in zip(*upper, strict=True)]
    known = np.isfinite(raw)
    if known.any():
        corrected[known] = correct(raw[known])
    beats = known & (np.where(known, corrected, 1.0) <= alpha)
    for table in (raw, corrected):
        table.T[upper] = table[upper]
    return MetricRanking(tuple(names), tuple(ordered), raw, corrected, beats, cluster(beats))


def cluster(beats: NDArray[np.bool_]) -> tuple[int, ...]:
    """Number the clusters of metrics sorted from best to worst, as the WMT metrics task ranks them.

    >>> cluster(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    (1, 1, 2)
    """
    numbers: list[int] = []
    start, current = 0, 1
    for i in range(len(beats)):
        if beats[start:i, i].any():
            start, current = i, current + 1
        numbers.append(current)
    return tuple(numbers)


def _two_sided(null: Array, observed: float) -> float:
    finite = null[np.isfinite(null)]
    if not np.isfinite(observed) or not finite.size:
        return float("nan")
    return float((1 + np.count_nonzero(np.abs(finite) >= abs(observed) - _ROUNDING)) / (1 + finite.size))
