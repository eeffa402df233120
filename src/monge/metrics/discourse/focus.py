"""DS-Focus: how differently two documents speak of the same things."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from monge.encoders import Encoder
from monge.encoders.base import DEFAULT_ENCODER
from monge.encoders.unit import unit_vectors
from monge.environment import Environment
from monge.errors import OptionError, suggest
from monge.metrics.base import mean_of_known
from monge.metrics.discourse.base import DiscourseMetric, average_references
from monge.metrics.discourse.reader import ReadDocument, ReaderOptions
from monge.metrics.discourse.specs import discourse_spec
from monge.scores import Score

Array = NDArray[np.float64]
Form = Literal["text", "released", "union"]
Average = Literal["precision", "recall", "f"]
FORMS: Mapping[str, float] = {"text": 1.0, "released": 2.0, "union": 2.0}  # and the order of the norm in each
AVERAGES = ("precision", "recall", "f")
NO_COMMON_FOCUS = "hypothesis and reference have no focus in common"
NO_FOCUS = "neither text has a focus"


@dataclass(frozen=True)
class FocusReading:
    """The foci of a text: by name the sum of the vectors of its mentions (d,), and where they are mentioned.

    ``spans`` are character offsets of the mentions; ``lost`` counts mentions that the encoder has no token for.
    """

    vectors: Mapping[str, Array]
    spans: Mapping[str, tuple[tuple[int, int], ...]]
    lost: int = 0


@dataclass(frozen=True)
class FocusDifference:
    """What one focus adds to the distance of a hypothesis from a reference, before the mean over references."""

    name: str
    contribution: float
    hypothesis: tuple[tuple[int, int], ...]
    reference: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class FocusMetric(DiscourseMetric[FocusReading]):
    """(1/N) Σ_u ‖F_u^h − F_u^r‖^order over foci u; F_u is the sum over the mentions of u (Zhao et al. 2023, eq. 1–2).

    ``form`` text and released: u runs over the foci of both texts; union: over the foci of either, F_u = 0 where a text
    does not mention u. N is the number of foci of the hypothesis (average precision), of the reference (recall), or
    the mean of both quotients (f).
    """

    form: Form
    order: float
    average: Average
    pieces: str = ""

    @property
    def settings(self) -> Mapping[str, str]:
        named = {"form": self.form, "order": repr(self.order), "average": self.average, "references": "mean"}
        return named | ({"pieces": self.pieces} if self.pieces else {})

    def reduce(self, document: ReadDocument) -> FocusReading:
        spans = {
            name: tuple((int(a), int(b)) for a, b in document.annotated.spans[list(mentions)])
            for name, mentions in document.foci.items()
        }
        if document.encoded is None:
            return FocusReading({name: np.array([float(len(own))]) for name, own in spans.items()}, spans)
        vectors, lost = self._sum_mentions(document, spans)
        return FocusReading(vectors, spans, lost)

    def _sum_mentions(
        self, document: ReadDocument, spans: Mapping[str, Sequence[tuple[int, int]]]
    ) -> tuple[dict[str, Array], int]:
        """Return F_u by focus; every mention is a unit vector: that of its word's last piece, or the mean of all."""
        encoded = document.encoded
        assert encoded is not None
        tokens = unit_vectors(self.reader.join_layers(encoded))
        starts = np.where(encoded.special, np.iinfo(np.int64).max, encoded.spans[:, 0])
        ends = np.where(encoded.special, -1, encoded.spans[:, 1])
        sums, lost = {}, 0
        for name, own in spans.items():
            total = np.zeros(tokens.shape[1])
            for start, end in own:
                pieces = np.flatnonzero((starts < end) & (ends > start))
                if not len(pieces):
                    lost += 1
                elif self.pieces == "mean":
                    total += unit_vectors(tokens[pieces].mean(axis=0, keepdims=True))[0]
                else:
                    total += tokens[pieces[-1]]
            sums[name] = total
        return sums, lost

    def score_readings(self, hypothesis: FocusReading, references: Sequence[FocusReading]) -> Score:
        found = [self.compare(hypothesis, reference) for reference in references]
        values = [math.fsum(one.contribution for one in own) if own is not None else math.nan for own in found]
        value, notes = average_references(values, NO_FOCUS if self.form == "union" else NO_COMMON_FOCUS)
        if self.form == "released" and any(own == [] for own in found):
            notes = (*notes, f"{NO_COMMON_FOCUS}: the released form gives it the distance 0")
        lost = hypothesis.lost + sum(reference.lost for reference in references)
        if lost:
            notes = (*notes, f"{lost} mentions of foci have no token of the encoder and were left out")
        counts = {
            "foci": float(len(hypothesis.spans)),
            "common": mean_of_known([float(len(hypothesis.spans.keys() & r.spans.keys())) for r in references]),
        }
        return Score(value, {"distance": value, **counts}, notes=notes)

    def compare(self, hypothesis: FocusReading, reference: FocusReading) -> list[FocusDifference] | None:
        """Return what every focus adds to the distance; None if it is undefined (no focus to compare)."""
        union = dict.fromkeys([*hypothesis.spans, *reference.spans])
        names = [n for n in union if self.form == "union" or (n in hypothesis.spans and n in reference.spans)]
        if not names:
            return [] if self.form == "released" else None
        share = self._share(len(hypothesis.spans), len(reference.spans))
        return [
            FocusDifference(
                name,
                share * float(np.linalg.norm(_difference(name, hypothesis, reference)) ** self.order),
                hypothesis.spans.get(name, ()),
                reference.spans.get(name, ()),
            )
            for name in names
        ]

    def _share(self, hypothesis: int, reference: int) -> float:
        """Return 1/N; a text without foci counts as if it had one, so that saying nothing is far from everything."""
        first, second = 1 / max(hypothesis, 1), 1 / max(reference, 1)
        return {"precision": first, "recall": second, "f": (first + second) / 2}[self.average]


def _difference(name: str, hypothesis: FocusReading, reference: FocusReading) -> Array:
    zero = np.zeros(1)
    return hypothesis.vectors.get(name, zero) - reference.vectors.get(name, zero)


def load_ds_focus(
    *,
    encoder: str | Encoder = DEFAULT_ENCODER,
    layers: str = "middle",
    form: str = "union",
    order: float = 0.0,
    average: str = "precision",
    pieces: str = "last",
    focus: str = "noun",
    threshold: float = 0.8,
    vectors: str | Encoder = "glove",
    annotator: str = "",
    language: str = "en",
    environment: Environment | None = None,
) -> FocusMetric:
    """Return DS-Focus; ``order`` 0 is that of the form (1 in ``text``, 2 in the others)."""
    _check("pieces", pieces, ("last", "mean"))
    reader = _reader_options(form, annotator, language, focus, threshold, vectors)
    read = reader.make(encoder=encoder, layers=layers, environment=environment)
    return FocusMetric(discourse_spec("ds_focus"), read, *_focus_settings(form, order, average), pieces)


def load_focus_frequency(
    *,
    form: str = "union",
    order: float = 0.0,
    average: str = "precision",
    focus: str = "noun",
    threshold: float = 0.8,
    vectors: str | Encoder = "glove",
    annotator: str = "",
    language: str = "en",
    environment: Environment | None = None,
) -> FocusMetric:
    """Return DS-Focus without vectors: the difference of how often each focus is mentioned."""
    reader = _reader_options(form, annotator, language, focus, threshold, vectors)
    read = reader.make(environment=environment)
    return FocusMetric(discourse_spec("focus_frequency"), read, *_focus_settings(form, order, average))


def _reader_options(
    form: str, annotator: object, language: str, focus: object, threshold: float, vectors: object
) -> ReaderOptions:
    chosen = "surface" if form == "released" and focus == "noun" else focus
    return ReaderOptions(annotator, language, chosen, threshold, vectors)


def _focus_settings(form: str, order: float, average: str) -> tuple[Form, float, Average]:
    _check("form", form, tuple(FORMS))
    _check("average", average, AVERAGES)
    if not 0 <= order < math.inf:
        raise OptionError(f"order={order!r}: must be a positive number, or 0 for that of the form")
    return form, order or FORMS[form], average  # type: ignore[return-value]  # both were checked


def _check(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise OptionError(f"{name}={value!r}{suggest(value, known)}: must be one of {', '.join(known)}")
