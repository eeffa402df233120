"""Any metric on the scale where unrelated texts score 0 and a copy scores 1."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from monge.encoders.held import EncoderReading
from monge.metrics.base import MetricBase
from monge.metrics.baseline import Baseline, need_baseline
from monge.metrics.protocols import (
    Aligning,
    Composite,
    Counting,
    Encoding,
    Metric,
    MetricSpec,
    Resamplable,
    Summable,
    SummableParts,
    refuse_scale,
)
from monge.scores import LinearForm, Score, Signature
from monge.storage.identity import stated_identity
from monge.text import Segment

_DIGITS = 4


@runtime_checkable
class Rescalable(Protocol):
    """A metric that rescales its scores and their parts itself."""

    def with_baseline(self, baseline: Baseline) -> Metric:
        """Return the metric on the scale of *baseline*."""
        ...


def rescale_metric(metric: Metric, baseline: Baseline | None = None) -> Metric:
    """Return *metric* with scores (x − u) / (c − u), where u is what unrelated texts score and c what a copy scores.

    Higher is better, also for distances. Without *baseline*, the one that comes with monge for these settings is used,
    or else one is measured. What the metric can do besides scoring, the rescaled one can do too. A metric that is
    rescaled already is returned as it is. Raises OptionError for a metric that does not score copies best.
    """
    if not metric.spec.has_scale:
        raise refuse_scale(metric.spec)
    if getattr(metric, "baseline", None) is not None:
        return metric
    chosen = need_baseline(metric) if baseline is None else baseline
    if isinstance(metric, Rescalable):
        return metric.with_baseline(chosen)
    abilities = tuple(own for protocol, own in _ABILITIES if isinstance(metric, protocol))
    averages = getattr(type(metric), "aggregate", None) is MetricBase.aggregate
    made: Metric = _class_with(abilities if averages else (*abilities, _OwnAggregate))(metric, chosen)
    return made


class RescaledMetric(MetricBase):
    """A metric whose values are rescaled; the part ``raw`` of a score is what the metric itself gave."""

    def __init__(self, metric: Any, baseline: Baseline) -> None:
        self.metric = metric
        self.baseline = baseline
        self.spec = _rescale_spec(metric.spec, baseline)

    @property
    def signature(self) -> Signature:
        return Signature({**self.metric.signature.fields, "baseline": self.baseline.hash})

    @property
    def identity(self) -> str | None:
        own = stated_identity(self.metric)
        return None if own is None else f"{own}|baseline={self.baseline.digest}"

    @property
    def language(self) -> str:
        return str(getattr(self.metric, "language", ""))

    @property
    def bound(self) -> bool:
        return bool(self.metric.bound)

    @property
    def binding_notes(self) -> tuple[str, ...]:
        notes: tuple[str, ...] = self.metric.binding_notes
        return notes

    def bind(self, corpus: Sequence[Segment]) -> Self:
        return type(self)(self.metric.bind(corpus), self.baseline)

    def bind_shared(self, corpus: Sequence[Segment]) -> Self:
        return type(self)(self.metric.bind_shared(corpus), self.baseline)

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        return self._rescale(self.metric.score(segments))

    def count_words(self, text: str) -> int:
        return int(self.metric.count_words(text))

    def _rescale(self, scores: Iterable[Score]) -> list[Score]:
        return [dataclasses.replace(s, value=self._place(s.value), parts={**s.parts, "raw": s.value}) for s in scores]

    def _place(self, value: float) -> float:
        return self.baseline.scale.place(value)


class _OwnAggregate(RescaledMetric):
    """The score of the set is not the mean."""

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        raw = [dataclasses.replace(score, value=score.parts["raw"]) for score in scores]
        return self._place(self.metric.aggregate(segments, raw))


class _Summing(RescaledMetric):
    def sum_statistics(self, segments: Sequence[Segment]) -> list[float]:
        sums: list[float] = self.metric.sum_statistics(segments)
        return sums

    def score_of_sums(self, sums: Sequence[float]) -> float:
        return self._place(self.metric.score_of_sums(sums))


class _SummingParts(_Summing):
    def parts_of_sums(self, sums: Sequence[float]) -> dict[str, float]:
        return {**self.metric.parts_of_sums(sums), "raw": self.metric.score_of_sums(sums)}


class _Resampling(RescaledMetric):
    def resample(self, segments: Sequence[Segment], draws: Iterable[NDArray[np.int64]]) -> list[float]:
        return [self._place(value) for value in self.metric.resample(segments, draws)]


class _Aligning(RescaledMetric):
    def score_with_alignments(self, segments: Sequence[Segment]) -> list[Score]:
        return self._rescale(self.metric.score_with_alignments(segments))

    def linear_form(self, score: Score) -> LinearForm:
        parts = {name: value for name, value in score.parts.items() if name != "raw"}
        form = self.metric.linear_form(dataclasses.replace(score, value=score.parts["raw"], parts=parts))
        span = self.baseline.scale.copy - self.baseline.scale.unrelated
        rates = tuple(rate / span for rate in form.rates)
        return LinearForm(self._place(form.base), rates, {name: term / span for name, term in form.terms.items()})


class _Combining(RescaledMetric):
    @property
    def parts(self) -> tuple[Metric, ...]:
        parts: tuple[Metric, ...] = self.metric.parts
        return parts

    def combine(self, part_scores: Sequence[Sequence[Score]]) -> list[Score]:
        return self._rescale(self.metric.combine(part_scores))


class _Encoding(RescaledMetric):
    def encodings(self) -> tuple[EncoderReading, ...]:
        found: tuple[EncoderReading, ...] = self.metric.encodings()
        return found


class _Counting(RescaledMetric):
    @property
    def statistics(self) -> Any:
        return self.metric.statistics

    @property
    def shares_statistics(self) -> bool:
        return bool(self.metric.shares_statistics)

    def with_statistics(self, statistics: Any) -> Self:
        return type(self)(self.metric.with_statistics(statistics), self.baseline)

    def count(self, segments: Sequence[Segment]) -> Any:
        return self.metric.count(segments)

    def bind_counted(self, corpus: Sequence[Segment], counts: Sequence[Any]) -> Self:
        return type(self)(self.metric.bind_counted(corpus, counts), self.baseline)

    def bind_shared_counted(self, corpus: Sequence[Segment], counts: Sequence[Any]) -> Self:
        return type(self)(self.metric.bind_shared_counted(corpus, counts), self.baseline)


_ABILITIES: tuple[tuple[Any, type[RescaledMetric]], ...] = (
    (SummableParts, _SummingParts),
    (Summable, _Summing),
    (Resamplable, _Resampling),
    (Aligning, _Aligning),
    (Composite, _Combining),
    (Encoding, _Encoding),
    (Counting, _Counting),
)


@cache
def _class_with(abilities: tuple[type[RescaledMetric], ...]) -> type[RescaledMetric]:
    """Return the class that has these abilities and no others, since callers ask for protocols."""
    return type("RescaledMetric", (*abilities, RescaledMetric), {})


def _rescale_spec(spec: MetricSpec, baseline: Baseline) -> MetricSpec:
    low, high = sorted(map(baseline.scale.place, spec.bounds))
    return dataclasses.replace(spec, bounds=(low, high), higher_is_better=True, digits=_DIGITS)
