"""One metric beside the judgments at one level, and its random swaps with another."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from monge.meta.correlation import Array
from monge.meta.judged import JudgedScores
from monge.meta.pairs import pair_outcomes
from monge.meta.views import WHOLE, Draw, Sample, View

_CELL_BUDGET = 2_000_000  # numbers held at once while metrics are swapped
_KEPT = 50_000_000  # bytes of swaps kept for the next pair of metrics


@dataclass(frozen=True, eq=False)
class Comparison:
    """Tables (systems, segments) of judgments and of one metric; ``metric`` may carry leading axes (swapped copies)."""

    view: View
    human: Array
    metric: Array
    human_totals: Array | None = None
    metric_totals: Array | None = None

    def samples(self, draw: Draw) -> tuple[Sample, Sample]:
        """Return the judgments and the metric's scores as samples."""
        return (
            self.view.arrange(self.human, draw, totals=self.human_totals),
            self.view.arrange(self.metric, draw, totals=self.metric_totals),
        )


def compare_metric(scores: JudgedScores, metric: str, view: View) -> Comparison:
    """Return *metric* of *scores* beside the judgments."""
    totals = scores.metric_totals.get(metric)
    return Comparison(view, scores.human, scores.metrics[metric], scores.human_totals, totals)


def swap_scores(
    first: Comparison, second: Comparison, evaluate: Callable[[Comparison], Array], *, count: int, seed: int
) -> Array:
    """Return *count* differences of agreement after the two metrics swapped scores at random (PERM-BOTH).

    Every output swaps with probability ½, independently. Both metrics are standardised first, so that they are
    exchangeable under the null (Deutsch, Dror & Roth 2021). Where a metric has system totals, whole systems swap.
    """
    by_total = first.metric_totals is not None or second.metric_totals is not None
    a, b = (_standardise(c, by_total=by_total) for c in (first, second))
    present = np.ones(a.shape, dtype=bool) if by_total else first.view.present
    differences = []
    step = max(1, _CELL_BUDGET // max(1, a.size))
    swaps = (many[i : i + step] for many in _swaps(int(present.sum()), count, seed) for i in range(0, len(many), step))
    for chosen in swaps:
        swap = np.zeros((len(chosen), *a.shape), dtype=bool)
        swap[:, present] = chosen
        sides = (np.where(swap, b, a), np.where(swap, a, b))
        swapped = [replace(first, metric_totals=s) if by_total else replace(first, metric=s) for s in sides]
        values = [evaluate(side) for side in swapped]
        differences.append(values[0] - values[1])
    return np.concatenate(differences) if differences else np.empty(0)


def swap_pearson(first: Comparison, second: Comparison, *, count: int, seed: int) -> Array:
    """Return what ``swap_scores`` returns for Pearson's r over all outputs, from three sums a swap.

    With m = (a+b)/2, d = (a−b)/2 and random signs e the metrics become m ± e·d, so their covariance with the judgments,
    mean and square follow from Σe·h·d, Σe·d and Σe·m·d.
    """
    present = first.view.present
    a, b = (_standardise(c, by_total=False)[present] for c in (first, second))
    human = first.human[present] - first.human[present].mean()
    m, d = (a + b) / 2, (a - b) / 2
    columns = np.stack([human * d, d, m * d], axis=1)
    sums = (columns.sum(0) - 2 * (swap.astype(np.float64) @ columns) for swap in _swaps(m.size, count, seed))
    signed = np.concatenate([np.empty((0, 3)), *sums])
    flat, square, spread = m.sum(), (m**2 + d**2).sum(), (human**2).sum()
    values = []
    for e_hd, e_d, e_md in (signed.T, -signed.T):
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = square + 2 * e_md - (flat + e_d) ** 2 / m.size
            values.append(((human * m).sum() + e_hd) / np.sqrt(variance * spread))
    return np.asarray(values[0] - values[1])


def _swaps(outputs: int, count: int, seed: int) -> Iterable[NDArray[np.bool_]]:
    """Return which outputs swap, (step, outputs), a bounded number of swaps at a time; kept when they are few."""
    return _kept_swaps(outputs, count, seed) if count * outputs <= _KEPT else _draw_swaps(outputs, count, seed)


def _draw_swaps(outputs: int, count: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    generator = np.random.default_rng(seed)
    step = max(1, min(count, _CELL_BUDGET // max(1, outputs)))
    for start in range(0, count, step):
        yield generator.integers(0, 2, (min(step, count - start), outputs), dtype=np.int8).astype(bool)


@functools.lru_cache(maxsize=1)
def _kept_swaps(outputs: int, count: int, seed: int) -> tuple[NDArray[np.bool_], ...]:
    return tuple(_draw_swaps(outputs, count, seed))  # all pairs of metrics of a task swap alike


def swap_outcomes(
    first: Comparison, second: Comparison, epsilons: tuple[float, float], *, count: int, seed: int
) -> Array:
    """Return *count* differences of tie-calibrated accuracy after swapping the metrics' verdicts on pairs at random.

    Verdicts, not scores, are swapped because each metric has its own tie threshold (mt-metrics-eval's pairs test).
    """
    verdicts = []
    for comparison, epsilon in zip((first, second), epsilons, strict=True):
        human, metric = comparison.samples(WHOLE)
        verdicts.append(pair_outcomes(human.values, metric.values, human.weights, epsilon=epsilon))
    gaps = verdicts[0] - verdicts[1]
    gaps = gaps[gaps != 0]
    generator = np.random.default_rng(seed)
    step = max(1, min(count, 10 * _CELL_BUDGET // max(1, gaps.size)))
    sums = []
    for start in range(0, count, step):
        signs = generator.integers(0, 2, (min(step, count - start), gaps.size), dtype=np.int8)
        sums.append((signs * 2 - 1) @ gaps)
    return np.concatenate(sums) if sums else np.empty(0)


def _standardise(comparison: Comparison, *, by_total: bool) -> Array:
    if by_total:
        sample = comparison.view.arrange(comparison.metric, WHOLE, totals=comparison.metric_totals)
        values, present = sample.values[0], sample.weights[0] > 0
    else:
        values, present = comparison.metric, comparison.view.present
    inside = values[present]
    spread = inside.std()
    if not spread > 0:
        return np.zeros_like(values)
    return np.asarray(np.where(present, (values - inside.mean()) / spread, 0.0))
