"""The statistics by name, each evaluated at a level and on a resample."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from monge.errors import OptionError, suggest
from monge.meta.correlation import Array, pearson, spearman
from monge.meta.judged_metric import JudgedMetric
from monge.meta.levels import WHOLE, Draw, GroupedOutputs, Sample, SystemMeans
from monge.meta.pairs import (
    calibrate_ties,
    count_judged_pairs,
    guess_order,
    guess_ties,
    kendall,
    pairwise_accuracy,
    tau_like,
)
from monge.meta.soft import guess_superiority, soft_pairwise_accuracy
from monge.meta.swaps import swap_outcomes, swap_pearson, swap_scores

Compute = Callable[[Array, Array, Array], Array]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Values (one per resample), how many groups they average, how many groups have no value, and why."""

    values: Array
    groups: int = 1
    skipped: int = 0
    reason: str = ""


class Statistic(Protocol):
    """A named statistic; ``prepare`` returns it with what it takes from the data once (a tie threshold)."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def pools_pairs(self) -> bool:
        """Whether the pairs of all groups are counted together, rather than the groups' values averaged."""
        ...

    def prepare(self, judged: JudgedMetric) -> Statistic: ...
    def evaluate(self, judged: JudgedMetric, draw: Draw) -> Evaluation: ...
    def chance(self, judged: JudgedMetric) -> float:
        """Return the value of a metric without any knowledge on these judgments."""
        ...

    def swap(self, first: JudgedMetric, second: JudgedMetric, *, count: int, seed: int) -> Array:
        """Return differences under the null that the two metrics are exchangeable."""
        ...


@dataclass(frozen=True)
class GroupStatistic:
    """A statistic of samples, averaged over groups (weighted by ``size`` when that pools the groups' pairs).

    Groups with fewer than ``least`` items, or where either side is constant, have no value and count as skipped.
    ``guesses`` compute what a metric without any knowledge gets, one per way of guessing; a correlation needs none,
    because guessing gets 0.
    """

    name: str
    title: str
    compute: Compute
    least: int = 3
    size: Compute | None = None
    guesses: tuple[Compute, ...] = ()

    @property
    def pools_pairs(self) -> bool:
        return self.size is not None

    def prepare(self, judged: JudgedMetric) -> Statistic:
        return self

    def evaluate(self, judged: JudgedMetric, draw: Draw) -> Evaluation:
        human, metric = judged.samples(draw)
        weights = human.weights
        values = self.compute(human.values, metric.values, weights)
        values = np.where((weights > 0).sum(axis=-1) >= (self.least if draw is WHOLE else 2), values, np.nan)
        shares = np.broadcast_to(human.groups, np.broadcast_shapes(human.groups.shape, values.shape))
        if self.size is not None:
            shares = shares * self.size(human.values, metric.values, weights)
        present = np.isfinite(values)
        mass = np.where(present, shares, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = (mass * np.where(present, values, 0.0)).sum(-1) / mass.sum(-1)
        skipped = int((~present).sum()) if values.ndim == 1 else 0
        reason = _why_skipped(human, metric, self.least) if skipped else ""
        return Evaluation(np.asarray(mean), values.shape[-1], skipped, reason)

    def chance(self, judged: JudgedMetric) -> float:
        blind = (replace(self, compute=guess).evaluate(judged, WHOLE).values for guess in self.guesses)
        return max(map(float, blind), default=0.0)

    def swap(self, first: JudgedMetric, second: JudgedMetric, *, count: int, seed: int) -> Array:
        own = first.arrangement
        if self.compute is pearson and isinstance(own, GroupedOutputs) and own.axis == "pooled":
            return swap_pearson(first, second, count=count, seed=seed)
        return swap_scores(first, second, lambda c: self.evaluate(c, WHOLE).values, count=count, seed=seed)


@dataclass(frozen=True)
class TieCalibratedAccuracy:
    """Pairwise accuracy whose tie threshold is chosen on the data, once, before any resampling."""

    name: str
    title: str

    @property
    def pools_pairs(self) -> bool:
        return False

    def prepare(self, judged: JudgedMetric) -> GroupStatistic:
        compute = functools.partial(pairwise_accuracy, epsilon=self._calibrate(judged))
        return GroupStatistic(self.name, self.title, compute, least=2, guesses=(guess_order, guess_ties))

    def evaluate(self, judged: JudgedMetric, draw: Draw) -> Evaluation:
        return self.prepare(judged).evaluate(judged, draw)

    def chance(self, judged: JudgedMetric) -> float:
        return self.prepare(judged).chance(judged)

    def swap(self, first: JudgedMetric, second: JudgedMetric, *, count: int, seed: int) -> Array:
        epsilons = (self._calibrate(first), self._calibrate(second))
        return swap_outcomes(first, second, epsilons, count=count, seed=seed)

    def _calibrate(self, judged: JudgedMetric) -> float:
        human, metric = judged.samples(WHOLE)
        return calibrate_ties(human.values, metric.values, human.weights).epsilon


@dataclass(frozen=True)
class SoftAccuracy:
    """Soft pairwise accuracy; it reads whole tables, so it exists at system level only."""

    name: str
    title: str

    @property
    def pools_pairs(self) -> bool:
        return False

    def prepare(self, judged: JudgedMetric) -> SoftAccuracy:
        if not isinstance(judged.arrangement, SystemMeans):
            raise OptionError("soft pairwise accuracy compares systems: use it at system level")
        if judged.human_totals is not None:
            raise OptionError(
                "soft pairwise accuracy needs judgments of segments, but these data judge whole systems only"
            )
        return self

    def evaluate(self, judged: JudgedMetric, draw: Draw) -> Evaluation:
        human, metric, present = self._tables(judged)
        if draw is WHOLE:
            value = soft_pairwise_accuracy(human, metric, present)
            failed = np.isnan(value)
            return Evaluation(np.asarray(value), 1, int(failed), "no two systems share a segment" if failed else "")
        segments = np.arange(human.shape[1])
        count = len(draw.systems if draw.systems is not None else np.asarray(draw.segments))
        values = np.empty(count)
        for b in range(count):
            columns = segments if draw.segments is None else np.repeat(segments, draw.segments[b].astype(np.int64))
            written = (side[:, columns] for side in (human, metric, present))
            values[b] = soft_pairwise_accuracy(*written, counts=None if draw.systems is None else draw.systems[b])
        return Evaluation(values)

    def chance(self, judged: JudgedMetric) -> float:
        human, _, present = self._tables(judged)
        return guess_superiority(human, present)

    def _tables(self, judged: JudgedMetric) -> tuple[Array, Array, Array]:
        present = judged.arrangement.present.astype(np.float64)
        return np.where(present > 0, judged.human, 0.0), np.where(present > 0, judged.metric, 0.0), present

    def swap(self, first: JudgedMetric, second: JudgedMetric, *, count: int, seed: int) -> Array:
        raise OptionError("soft pairwise accuracy is tested by bootstrap, not by permutation")


STATISTICS: tuple[Statistic, ...] = (
    GroupStatistic("pearson", "Pearson r", pearson),
    GroupStatistic("spearman", "Spearman ρ", spearman),
    GroupStatistic("kendall", "Kendall τ-b", kendall),
    GroupStatistic("tau-like", "WMT τ-like (|Δ| ≥ 25)", tau_like, least=2, size=count_judged_pairs),
    GroupStatistic("accuracy", "pairwise accuracy", pairwise_accuracy, least=2, guesses=(guess_order,)),
    TieCalibratedAccuracy("tie-accuracy", "pairwise accuracy, ties calibrated"),
    SoftAccuracy("soft-accuracy", "soft pairwise accuracy"),
)


def find_statistic(name: str, *, threshold: float | None = None) -> Statistic:
    """Return the statistic called *name*; *threshold* is the judgment difference from which tau-like counts a pair."""
    known = {statistic.name: statistic for statistic in STATISTICS}
    if name not in known:
        raise OptionError(f"no statistic {name!r}{suggest(name, known)}; statistics are {', '.join(known)}")
    if threshold is None:
        return known[name]
    if name != "tau-like":
        raise OptionError(f"a judgment threshold belongs to tau-like, not to {name}")
    if not 0 <= threshold < math.inf:
        raise OptionError(f"the judgment threshold must be a number of at least 0, not {threshold}")
    compute = functools.partial(tau_like, threshold=threshold)
    size = functools.partial(count_judged_pairs, threshold=threshold)
    return GroupStatistic(name, f"WMT τ-like (|Δ| ≥ {threshold:g})", compute, least=2, size=size)


def _why_skipped(human: Sample, metric: Sample, least: int) -> str:
    """Return why groups have no value: too small, judgments all equal, scores all equal."""
    counts = (human.weights > 0).sum(axis=-1)
    small = counts < least
    flat_human, flat_metric = (_constant(s.values, human.weights) & ~small for s in (human, metric))
    found = [
        (int(small.sum()), f"fewer than {least} items"),
        (int(flat_human.sum()), "judgments all equal"),
        (int((flat_metric & ~flat_human).sum()), "scores all equal"),
    ]
    reasons = [(n, why) for n, why in found if n]
    if len(counts) == 1:
        return reasons[0][1] if reasons else "no pair far enough apart"
    return ", ".join(f"{n} with {why}" for n, why in reasons) or "no pair far enough apart"


def _constant(values: Array, weights: Array) -> Array:
    high = np.where(weights > 0, values, -np.inf).max(axis=-1)
    low = np.where(weights > 0, values, np.inf).min(axis=-1)
    return np.asarray(high <= low)
