"""Random swaps of two metrics: the differences of agreement that chance alone produces."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from monge.meta.correlation import Array
from monge.meta.judged_metric import JudgedMetric
from monge.meta.levels import WHOLE
from monge.meta.pairs import pair_outcomes

_BUDGET = 2_000_000  # numbers held at once while metrics are swapped
_MOST_KEPT = 50_000_000  # bytes of swaps kept for the next pair of metrics


def swap_scores(
    first: JudgedMetric, second: JudgedMetric, evaluate: Callable[[JudgedMetric], Array], *, count: int, seed: int
) -> Array:
    """Return *count* differences of agreement after the two metrics swapped scores at random (PERM-BOTH).

    Every output swaps with probability ½, independently. Both metrics are standardised first, so that they are
    exchangeable under the null (Deutsch, Dror & Roth 2021). Where a metric has system totals, whole systems swap.
    """
    by_total = first.metric_totals is not None or second.metric_totals is not None
    a, b = (_standardise(c, by_total=by_total) for c in (first, second))
    present = np.ones(a.shape, dtype=bool) if by_total else first.arrangement.present
    differences = []
    step = max(1, _BUDGET // max(1, a.size))
    swaps = (many[i : i + step] for many in _swaps(int(present.sum()), count, seed) for i in range(0, len(many), step))
    for chosen in swaps:
        swap = np.zeros((len(chosen), *a.shape), dtype=bool)
        swap[:, present] = chosen
        sides = (np.where(swap, b, a), np.where(swap, a, b))
        swapped = [replace(first, metric_totals=s) if by_total else replace(first, metric=s) for s in sides]
        values = [evaluate(side) for side in swapped]
        differences.append(values[0] - values[1])
    return np.concatenate(differences) if differences else np.empty(0)


def swap_pearson(first: JudgedMetric, second: JudgedMetric, *, count: int, seed: int) -> Array:
    """Return what ``swap_scores`` returns for Pearson's r over all outputs, from three sums per swap.

    With m = (a+b)/2, d = (a−b)/2 and random signs e the metrics become m ± e·d, so their covariance with the judgments,
    mean and square follow from Σe·h·d, Σe·d and Σe·m·d.
    """
    present = first.arrangement.present
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
    """Return which outputs are swapped, as arrays (step, outputs) of bounded size; small ones are kept for reuse."""
    return _kept_swaps(outputs, count, seed) if count * outputs <= _MOST_KEPT else _draw_swaps(outputs, count, seed)


def _draw_swaps(outputs: int, count: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    generator = np.random.default_rng(seed)
    step = max(1, min(count, _BUDGET // max(1, outputs)))
    for start in range(0, count, step):
        yield generator.integers(0, 2, (min(step, count - start), outputs), dtype=np.int8).astype(bool)


@functools.lru_cache(maxsize=1)
def _kept_swaps(outputs: int, count: int, seed: int) -> tuple[NDArray[np.bool_], ...]:
    return tuple(_draw_swaps(outputs, count, seed))  # every pair of metrics of a task uses the same swaps


def swap_outcomes(
    first: JudgedMetric, second: JudgedMetric, epsilons: tuple[float, float], *, count: int, seed: int
) -> Array:
    """Return *count* differences of tie-calibrated accuracy after swapping the metrics' verdicts on pairs at random.

    Verdicts, not scores, are swapped because each metric has its own tie threshold (mt-metrics-eval's pairs test).
    """
    verdicts = []
    for judged, epsilon in zip((first, second), epsilons, strict=True):
        human, metric = judged.samples(WHOLE)
        verdicts.append(pair_outcomes(human.values, metric.values, human.weights, epsilon=epsilon))
    gaps = verdicts[0] - verdicts[1]
    gaps = gaps[gaps != 0]
    generator = np.random.default_rng(seed)
    step = max(1, min(count, 10 * _BUDGET // max(1, gaps.size)))
    sums = []
    for start in range(0, count, step):
        signs = generator.integers(0, 2, (min(step, count - start), gaps.size), dtype=np.int8)
        sums.append((signs * 2 - 1) @ gaps)
    return np.concatenate(sums) if sums else np.empty(0)


def _standardise(judged: JudgedMetric, *, by_total: bool) -> Array:
    if by_total:
        sample = judged.arrangement.arrange(judged.metric, WHOLE, totals=judged.metric_totals)
        values, present = sample.values[0], sample.weights[0] > 0
    else:
        values, present = judged.metric, judged.arrangement.present
    inside = values[present]
    spread = inside.std()
    if not spread > 0:
        return np.zeros_like(values)
    return np.asarray(np.where(present, (values - inside.mean()) / spread, 0.0))
