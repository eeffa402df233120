"""What all discourse metrics share."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from monge.clouds import UNREADABLE_SHARE
from monge.encoders import Encoder
from monge.metrics.base import ALGORITHM, MetricBase, check_needs, mean_of_known, note_empty_texts, score_of_nothing
from monge.metrics.discourse.reader import DocumentReader, ReadDocument
from monge.metrics.protocols import MetricSpec
from monge.scores import Score, Signature
from monge.text import Segment, list_references
from monge.version import __version__

R = TypeVar("R")
CHUNK = 500  # documents whose readings are held at once


@dataclass(frozen=True, eq=False)
class TextReading(Generic[R]):
    """What a metric keeps of a text, what was degraded, and the share of words that the encoder does not know."""

    content: R
    notes: tuple[str, ...]
    unknown: float


@dataclass(frozen=True, eq=False)
class DiscourseMetric(MetricBase, Generic[R]):
    """A metric of documents: every text is read once, and a document is scored from the readings of its texts.

    A subclass gives ``reduce`` (what is kept of a text), ``score_readings`` and, if it has options of its own,
    ``settings``, which go into the signature.
    """

    spec: MetricSpec
    reader: DocumentReader

    @property
    def settings(self) -> Mapping[str, str]:
        """What the signature says besides how documents are read."""
        return {}

    @property
    def signature(self) -> Signature:
        return Signature({"metric": self.spec.name, **self.reader.sign(), **self.settings, "version": __version__})

    @property
    def identity(self) -> str | None:
        read = self.reader.identity()
        return None if read is None else f"{self.signature}|{read}|metrics={ALGORITHM}"

    @property
    def language(self) -> str:
        return self.reader.language

    def encodings(self) -> tuple[tuple[Encoder, tuple[int, ...]], ...]:
        return () if self.reader.encoder is None else ((self.reader.encoder, self.reader.layers),)

    @abstractmethod
    def reduce(self, document: ReadDocument) -> R:
        """Return what is kept of a text."""

    @abstractmethod
    def score_readings(self, hypothesis: R, references: Sequence[R]) -> Score:
        """Return the score of a document from the readings of its texts, without notes on the texts themselves."""

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        check_needs(self.spec, segments)
        scores: list[Score] = []
        for start in range(0, len(segments), CHUNK):
            scores += self._score_chunk(segments[start : start + CHUNK])
        return scores

    def read_texts(self, segments: Sequence[Segment]) -> dict[str, TextReading[R]]:
        """Return the reading of every text that the metric looks at."""
        texts = [text for segment in segments for text in (segment.hypothesis, *self.compared(segment))]
        return self.reader.read(texts, lambda read: TextReading(self.reduce(read), read.notes, read.unknown))

    def compared(self, segment: Segment) -> tuple[str, ...]:
        """Return the references that have text, if the metric needs any."""
        return list_references(segment) if "references" in self.spec.needs else ()

    def _score_chunk(self, segments: Sequence[Segment]) -> list[Score]:
        readings = self.read_texts(segments)
        return [self._score_of_nothing(segment) or self.score_segment(segment, readings) for segment in segments]

    def _score_of_nothing(self, segment: Segment) -> Score | None:
        return score_of_nothing(segment) if self.compared(segment) else None

    def score_segment(self, segment: Segment, readings: Mapping[str, TextReading[R]]) -> Score:
        """Return the score of one document, with the notes of its texts."""
        own = readings[segment.hypothesis]
        others = [readings[text] for text in self.compared(segment)]
        notes = list(note_empty_texts(segment) if others else _note_empty(segment))
        notes += [f"hypothesis: {note}" for note in own.notes]
        notes += [f"reference {k}: {note}" for k, other in enumerate(others, start=1) for note in other.notes]
        unknown = max(reading.unknown for reading in (own, *others))
        if all(reading.unknown > UNREADABLE_SHARE for reading in (own, *others)):
            return Score(math.nan, notes=(*notes, "the encoder can read neither text"), unknown=unknown)
        score = self.score_readings(own.content, [other.content for other in others])
        return Score(score.value, score.parts, notes=(*notes, *score.notes), unknown=unknown)


def _note_empty(segment: Segment) -> tuple[str, ...]:
    return () if segment.hypothesis.strip() else ("empty hypothesis",)


def average_references(values: Sequence[float], why: str) -> tuple[float, tuple[str, ...]]:
    """Return the mean of the finite values, and notes on references that are left out because of *why*."""
    left_out = [str(k) for k, value in enumerate(values, start=1) if not math.isfinite(value)]
    if not left_out:
        return mean_of_known(values), ()
    if len(left_out) == len(values):
        return math.nan, (why,)
    return mean_of_known(values), (f"{why}: reference {', '.join(left_out)} left out",)
