"""Several metrics as one: the weighted mean of their standardised scores."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Self, TypeGuard

import numpy as np
from numpy.typing import NDArray

from monge.encoders import Encoder
from monge.encoders.held import EncoderReading
from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.metrics.base import ALGORITHM, MetricBase, bind_shared, bind_to, check_needs
from monge.metrics.protocols import Counting, CountingMetric, Encoding, Metric, MetricSpec, Unit
from monge.metrics.specs import spec_named
from monge.metrics.variants import MetricVariant, parse_variant
from monge.scores import Score, Signature
from monge.scores.direction import require_direction
from monge.storage.identity import stated_identity
from monge.text import Segment
from monge.version import __version__

_TERM = re.compile(r"(?:(?P<weight>[\d.]+(?:e-?\d+)?)\*)?(?P<metric>.+)")


@dataclass(frozen=True, eq=False)
class Member:
    """A metric of an ensemble: its weight, and the mean and spread its scores are standardised by."""

    metric: Metric
    variant: MetricVariant
    weight: float
    mean: float
    spread: float

    def standardise(self, values: Sequence[float]) -> NDArray[np.float64]:
        """Return (score − mean) / spread, turned so that higher is better."""
        sign = 1.0 if require_direction(self.variant.label, self.metric.spec.higher_is_better) else -1.0
        return np.asarray(sign * (np.asarray(values, dtype=np.float64) - self.mean) / self.spread)


@dataclass(frozen=True, eq=False)
class EnsembleMetric(MetricBase):
    """Σ w_k z_k / Σ w_k with z_k = (m_k − μ_k) / σ_k, turned so that higher is better (Zhao 2022, ch. 12).

    The constants μ_k and σ_k are fixed when the ensemble is made and shown in its signature, so that a score depends
    on neither the other segments nor the other systems.
    """

    spec: MetricSpec
    members: tuple[Member, ...]
    calibration: str  # where the constants come from; empty: the scores are added up as they are

    @property
    def parts(self) -> tuple[Metric, ...]:
        """The metrics that the ensemble is made of."""
        return tuple(member.metric for member in self.members)

    @property
    def identity(self) -> str | None:
        identities = [stated_identity(part) for part in self.parts]
        return None if None in identities else "|".join(map(str, [self.signature, f"metrics={ALGORITHM}", *identities]))

    def encodings(self) -> tuple[EncoderReading, ...]:
        return tuple(pair for part in self.parts if isinstance(part, Encoding) for pair in part.encodings())

    @property
    def bound(self) -> bool:
        return all(part.bound for part in self.parts)

    @property
    def binding_notes(self) -> tuple[str, ...]:
        return tuple(f"{part.spec.name}: {note}" for part in self.parts for note in part.binding_notes)

    def bind(self, corpus: Sequence[Segment]) -> Self:
        """Return the ensemble with its members' corpus statistics (idf) computed from *corpus*; constants stay."""
        return self._with_parts([bind_to(part, corpus) for part in self.parts])

    def bind_shared(self, corpus: Sequence[Segment]) -> Self:
        """Return the ensemble with what its members must share between systems."""
        return self._with_parts([part.bind_shared(corpus) for part in self.parts])

    @property
    def statistics(self) -> tuple[Any, ...]:
        """What ``bind`` computed for every member; None for one that needs nothing."""
        return tuple(part.statistics if isinstance(part, Counting) else None for part in self.parts)

    @property
    def shares_statistics(self) -> bool:
        """Whether a member has statistics that all compared systems must share."""
        return any(part.shares_statistics for part in self.parts if _needs_counts(part))

    def with_statistics(self, statistics: Sequence[Any]) -> Self:
        """Return the ensemble with the statistics of a bound one."""
        return self._with_parts(
            [
                part.with_statistics(own) if isinstance(part, Counting) else part
                for part, own in zip(self.parts, statistics, strict=True)
            ]
        )

    def count(self, segments: Sequence[Segment]) -> tuple[Any, ...]:
        """Return the counts of a part of the corpus, by member."""
        return tuple(part.count(segments) if _needs_counts(part) else None for part in self.parts)

    def bind_counted(self, corpus: Sequence[Segment], counts: Sequence[Any]) -> Self:
        return self._with_parts(
            [
                part.bind_counted(corpus, [own[i] for own in counts]) if _needs_counts(part) else bind_to(part, corpus)
                for i, part in enumerate(self.parts)
            ]
        )

    def bind_shared_counted(self, corpus: Sequence[Segment], counts: Sequence[Any]) -> Self:
        return self._with_parts(
            [
                part.bind_shared_counted(corpus, [own[i] for own in counts])
                if _needs_counts(part)
                else bind_shared(part, corpus)
                for i, part in enumerate(self.parts)
            ]
        )

    def _with_parts(self, parts: Sequence[Metric]) -> Self:
        pairs = zip(self.members, parts, strict=True)
        return dataclasses.replace(self, members=tuple(dataclasses.replace(m, metric=part) for m, part in pairs))

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        check_needs(self.spec, segments)
        return self.combine([part.score(segments) for part in self.parts]) if segments else []

    def combine(self, part_scores: Sequence[Sequence[Score]]) -> list[Score]:
        """Return the ensemble's scores from those of its members."""
        columns = [[score.value for score in own] for own in part_scores]
        standard = [member.standardise(own) for member, own in zip(self.members, columns, strict=True)]
        values = (self._weigh(part_scores) * np.array(standard)).sum(axis=0)
        return [
            Score(
                float(values[i]),
                {member.variant.label: own[i].value for member, own in zip(self.members, part_scores, strict=True)},
                notes=tuple(dict.fromkeys(note for own in part_scores for note in own[i].notes)),
                unknown=max(own[i].unknown for own in part_scores),
            )
            for i in range(len(values))
        ]

    def _weigh(self, part_scores: Sequence[Sequence[Score]]) -> NDArray[np.float64]:
        """Return the weights (members, scores), or (members, 1) where they are the same for all scores."""
        weights = np.array([member.weight for member in self.members])
        return weights[:, None] / (weights.sum() if self.calibration else 1.0)

    @property
    def signature(self) -> Signature:
        fields = {"metric": self.spec.name, "version": __version__, "calibration": self.calibration or "none(sum)"}
        for number, member in enumerate(self.members, start=1):
            fields[f"{number}.weight"] = repr(member.weight)
            if self.calibration:
                fields[f"{number}.scale"] = f"({member.mean:.6g},{member.spread:.6g})"
            own = member.metric.signature.fields
            fields |= {f"{number}.{key}": value for key, value in own.items() if key != "version"}
        return Signature(fields)


def _needs_counts(metric: Metric) -> TypeGuard[CountingMetric]:
    return not metric.bound and isinstance(metric, Counting)


def load_ensemble(
    *,
    members: str = "bertscore + 0.5*cosine",
    constants: str = "",
    encoder: str | Encoder = "",
    environment: Environment | None = None,
) -> EnsembleMetric:
    """Make an ensemble from text: terms joined by `` + ``, each a metric with options and maybe a weight before ``*``.

    ``constants`` gives mean and spread of every member, ``"0.61/0.08 0.77/0.13"``; without it they are measured on
    pairs of texts that come with monge. ``encoder`` goes to every member that has one.
    """
    shared: dict[str, Any] = {} if isinstance(encoder, str) and not encoder else {"encoder": encoder}
    terms = [_parse_term(term) for term in members.split(" + ")]
    variants = [(weight, parse_variant(text, shared)) for weight, text in terms]
    return make_ensemble("ensemble", variants, constants, environment=environment)


def load_composite(
    *,
    terms: str = "cosine,against=source + 0.1*fluency",
    encoder: str | Encoder = "",
    environment: Environment | None = None,
) -> EnsembleMetric:
    """Make a sum from text: Σ w_k m_k of the scores as they are, those of which lower is better with a minus.

    *terms* are joined by `` + ``, each a metric with options and maybe a weight before ``*``. ``encoder`` goes to every
    term that has one. A single segment needs no constants; but the term with the larger spread decides (Zhao et al.
    2020 add 0.1 times the log-probability of a language model, which varies more than their metric).
    """
    shared: dict[str, Any] = {} if isinstance(encoder, str) and not encoder else {"encoder": encoder}
    variants = [(weight, parse_variant(text, shared)) for weight, text in map(_parse_term, terms.split(" + "))]
    plain = " ".join(["0/1"] * len(variants))
    return dataclasses.replace(make_ensemble("composite", variants, plain, environment=environment), calibration="")


def make_ensemble(
    name: str,
    terms: Sequence[tuple[float, MetricVariant]],
    constants: str = "",
    *,
    environment: Environment | None = None,
) -> EnsembleMetric:
    """Load the members, measure or read their constants, and return the ensemble of weighted *terms* under *name*."""
    metrics = [variant.load(environment) for _, variant in terms]
    if constants:
        scales = _parse_constants(constants, len(terms))
        calibration = f"given({' '.join(constants.split())})"
    else:
        pairs = read_calibration_pairs()
        scales = [_measure(metric, pairs, variant.label) for metric, (_, variant) in zip(metrics, terms, strict=True)]
        calibration = f"builtin({len(pairs)})"
    return assemble(name, terms, metrics, scales, calibration)


def assemble(
    name: str,
    terms: Sequence[tuple[float, MetricVariant]],
    metrics: Sequence[Metric],
    scales: Sequence[tuple[float, float]],
    calibration: str,
) -> EnsembleMetric:
    """Return the ensemble of loaded *metrics*, which *terms* describe, standardised by *scales* (mean, spread)."""
    made = tuple(
        Member(metric, variant, weight, *scale)
        for metric, (weight, variant), scale in zip(metrics, terms, scales, strict=True)
    )
    needs = tuple(dict.fromkeys(need for metric in metrics for need in metric.spec.needs))
    units = {metric.spec.unit for metric in metrics}
    unit: Unit = "document" if "document" in units else "segment"  # a metric of segments scores a document as one text
    compares = any(metric.spec.copy_is_best for metric in metrics)
    spec = dataclasses.replace(spec_named(name), needs=needs, unit=unit, copy_is_best=compares)
    return EnsembleMetric(spec, made, calibration)


def read_calibration_pairs() -> list[Segment]:
    """Return the pairs that come with monge: texts from perfect to unrelated, each with a reference."""
    pairs = json.loads(files("monge.metrics").joinpath("calibration_pairs.json").read_text(encoding="utf-8"))
    return [Segment(hypothesis, (reference,), reference, id=str(i)) for i, (hypothesis, reference) in enumerate(pairs)]


def _measure(metric: Metric, pairs: Sequence[Segment], label: str) -> tuple[float, float]:
    values = np.array([score.value for score in bind_to(metric, pairs).score(pairs)])
    if metric.spec.unit == "document":  # texts without nouns have no score
        values = values[np.isfinite(values)]
    if not np.isfinite(values).all() or not values.std() > 0:
        raise InputError(f"{label} does not tell the calibration pairs apart: give constants=MEAN/SPREAD of each")
    return float(values.mean()), float(values.std())


def _parse_term(text: str) -> tuple[float, str]:
    match = _TERM.fullmatch(text.strip())
    if match is None:
        raise OptionError(f"members: {text!r} is not METRIC,option=value or WEIGHT*METRIC")
    try:
        weight = float(match["weight"] or 1)
    except ValueError:
        raise OptionError(f"members: {match['weight']!r} in {text!r} is not a number") from None
    if not 0 < weight < math.inf:
        raise OptionError(f"members: the weight of {match['metric']!r} must be positive and finite")
    return weight, match["metric"]


def _parse_constants(text: str, count: int) -> list[tuple[float, float]]:
    try:
        scales = [(float(mean), float(spread)) for mean, spread in (part.split("/") for part in text.split())]
    except ValueError:
        raise OptionError(f"constants={text!r}: write MEAN/SPREAD for every member, with blanks between") from None
    good = all(math.isfinite(mean) and 0 < spread < math.inf for mean, spread in scales)
    if len(scales) != count or not good:
        raise OptionError(
            f"constants={text!r}: {count} members need {count} pairs MEAN/SPREAD, all finite, spreads positive"
        )
    return scales
