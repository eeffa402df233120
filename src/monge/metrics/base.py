"""What most metrics share: needs, the mean, and scoring of plain lists."""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Self

from monge.clouds import MARKED_SHARE
from monge.errors import InputError
from monge.metrics.languages import describe_mismatch, sample_sources, sample_texts
from monge.metrics.protocols import NEEDS, Metric, MetricSpec, SummableParts
from monge.scores import Score, Signature
from monge.text import Segment, make_segments, word_spans

ALGORITHM = 3  # raise it when a metric's results change on purpose: stored scores are keyed by it

NOTHING_TO_COMPARE = "no score: both texts are empty"


class MetricBase(ABC):
    """Base of metrics: give it ``spec``, ``signature`` and ``score``; the rest follows.

    A metric with corpus statistics overrides ``bound`` and ``bind``, one with a corpus score of its own ``aggregate``.
    Scores are stored only if ``identity`` is given.
    """

    spec: MetricSpec

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "score" in vars(cls):
            cls.score = _refuse_texts(cls.score)  # type: ignore[method-assign]

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """What can change a number of this metric."""

    @property
    def identity(self) -> str | None:
        """Everything that can change a score, with full digests; None: unknown, so nothing is stored."""
        return None

    @property
    def language(self) -> str:
        """The code of the language that the texts were declared to be in; empty if none was."""
        return ""

    @property
    def bound(self) -> bool:
        """True: nothing has to be computed from a corpus."""
        return True

    @property
    def binding_notes(self) -> tuple[str, ...]:
        """What could not be computed from the corpus, and what was done instead; nothing by default."""
        return ()

    def bind(self, corpus: Sequence[Segment]) -> Self:
        """Return this metric, which needs no corpus."""
        return self

    def bind_shared(self, corpus: Sequence[Segment]) -> Self:
        """Return this metric with what all compared systems must share; nothing by default."""
        return self

    @abstractmethod
    def score(self, segments: Sequence[Segment]) -> list[Score]:
        """Return one Score per segment, in order."""

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        """Return the mean of the scores that are numbers; NaN when there is none."""
        return mean_of_known([score.value for score in scores])

    def count_words(self, text: str) -> int:
        """Return the number of words of *text*, as the metric itself splits it."""
        return len(word_spans(text))

    def compute(
        self,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]] | None = None,
        sources: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Score plain lists, binding corpus statistics to them if needed; the result holds plain types only.

        ``score`` is the score of the whole set (a corpus score where the metric has one), ``scores`` those of the
        segments, ``notes`` what was degraded: by segment number, and under ``score`` what concerns them all. Where
        the score is the mean over segments, ``mean`` holds it too; a corpus score (BLEU) is not a mean.
        """
        segments = make_segments(predictions, references, sources)
        metric = bind_to(self, segments)
        return summarise_scores(metric, segments, metric.score(segments))


def _refuse_texts(score: Callable[..., list[Score]]) -> Callable[..., list[Score]]:
    """Return the method ``score`` of a metric, which then answers lists of texts with what to call instead."""

    @functools.wraps(score)
    def checked(metric: Metric, segments: Any = None, *others: Any, **named: Any) -> list[Score]:
        if segments is None or others or any(map(_holds_texts, (segments, *named.values()))):
            raise InputError(
                f"the method score of {metric.spec.name} takes one list of Segments; to score lists of texts, call "
                "its method compute(predictions, references), or monge.score(hypotheses, references, metric=…)"
            )
        return score(metric, segments, **named)

    return checked


def _holds_texts(segments: object) -> bool:
    """Whether the first of several values is not a Segment; the rest is not read, so that it costs nothing."""
    return isinstance(segments, Collection) and not isinstance(next(iter(segments), None), Segment | None)


def summarise_scores(metric: Metric, segments: Sequence[Segment], scores: Sequence[Score]) -> dict[str, Any]:
    """Return the scores that a bound metric gave *segments* as plain values; ``MetricBase.compute`` describes them."""
    notes = collect_notes(segments, scores)
    declared = getattr(metric, "language", "")  # of another package's metric, the language may be unknown
    mismatch = describe_mismatch([metric], sample_texts(segments), sources=sample_sources(segments), declared=declared)
    general = (*metric.binding_notes, *([mismatch] if mismatch else []))
    if general:
        notes["score"] = [*general, *notes.get("score", [])]
    score = float(metric.aggregate(segments, scores))
    averages = getattr(type(metric), "aggregate", None) is MetricBase.aggregate
    return {
        "score": score,
        **({"mean": score} if averages else {}),
        "scores": [float(score.value) for score in scores],
        "signature": str(sign_scores(metric, segments)),
        "higher_is_better": metric.spec.higher_is_better,
        "notes": notes,
    }


def aggregate_parts(metric: Metric, segments: Sequence[Segment], scores: Sequence[Score]) -> dict[str, float]:
    """Return the parts of the score of a set: the metric's own (BLEU's precisions), or the means over segments.

    >>> from monge.metrics import load_metric
    >>> segments = [Segment("a b c d", ("a b c d",))]
    >>> metric = load_metric("bleu")
    >>> aggregate_parts(metric, segments, metric.score(segments))["brevity_penalty"]
    1.0
    """
    if isinstance(metric, SummableParts):
        return metric.parts_of_sums(metric.sum_statistics(segments)) if segments else {}
    return mean_parts(scores)


def mean_parts(scores: Iterable[Score]) -> dict[str, float]:
    """Return the mean of every part over the scores that have it; fewer than two parts are the score itself."""
    values: dict[str, list[float]] = {}
    for score in scores:
        for name, value in score.parts.items() if len(score.parts) > 1 else ():
            values.setdefault(name, []).append(value)
    return {name: mean_of_known(own) for name, own in values.items()}


def bind_to(metric: Metric, corpus: Sequence[Segment]) -> Metric:
    """Return the metric with its corpus statistics; one that has them already is returned as it is."""
    return metric if metric.bound else metric.bind(corpus)


def bind_shared(metric: Metric, corpus: Sequence[Segment]) -> Metric:
    """Return the metric with what all compared systems must share, unless it is bound already."""
    return metric if metric.bound else metric.bind_shared(corpus)


def sign_scores(metric: Metric, segments: Iterable[Segment]) -> Signature:
    """Return the signature of the scores that *metric* gives *segments*: its own, and how many references they have.

    The number is called ``nrefs``, as in sacrebleu, and is ``var`` where it differs between segments. It belongs to the
    texts that are scored, so a metric alone does not show it; nor is it shown if the metric needs no references.

    >>> from monge.metrics import load_metric
    >>> str(sign_scores(load_metric("chrf"), [Segment("a", ("b", "c"))])).partition("|case")[0]
    'metric:chrf|nrefs:2'
    """
    fields = dict(metric.signature.fields)
    if "references" not in metric.spec.needs:
        return Signature(fields)
    counts = {len(segment.references) for segment in segments}
    number = {} if not counts else {"nrefs": "var" if len(counts) > 1 else str(counts.pop())}
    return Signature({"metric": fields.pop("metric", metric.spec.name), **number, **fields})


def check_needs(spec: MetricSpec, segments: Sequence[Segment]) -> None:
    """Raise InputError naming the first segment that lacks what the metric needs."""
    for _ in iter_checked(spec, segments):
        pass


def iter_checked(spec: MetricSpec, segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield the segments; raise InputError at the first that lacks what the metric needs."""
    for place, segment in enumerate(segments, start=1):
        for need in spec.needs:
            if not NEEDS[need](segment):
                owner = f" of system {segment.system!r}" if segment.system else ""
                missing = need.removesuffix("s")
                raise InputError(f"segment {segment.id or place}{owner} has no {missing}, which {spec.name} needs")
        yield segment


def mean_of_known(values: Sequence[float]) -> float:
    """Return the mean of the finite values, whatever their order; NaN when there is none.

    >>> mean_of_known([1.0, float("nan"), 3.0])
    2.0
    """
    known = [value for value in values if math.isfinite(value)]
    return math.fsum(known) / len(known) if known else math.nan


def collect_notes(segments: Sequence[Segment], scores: Sequence[Score]) -> dict[str, list[str]]:
    """Return the notes by segment id; ``score`` holds what concerns many: missing scores, unknown words."""
    notes = {
        segment.id or str(place): list(score.notes)
        for place, (segment, score) in enumerate(zip(segments, scores, strict=True), start=1)
        if score.notes
    }
    missing = sum(not math.isfinite(score.value) for score in scores)
    if missing:
        notes["score"] = [f"{missing} of {len(scores)} scores are missing and left out of the mean"]
    unknown = sum(score.unknown for score in scores) / max(len(scores), 1)
    if unknown > MARKED_SHARE:
        notes.setdefault("score", []).append(f"{round(100 * unknown)} % of the words are unknown to the encoder")
    return notes


def score_of_nothing(segment: Segment) -> Score | None:
    """Return the score of an empty text against empty references, which every metric leaves out; else None.

    There is nothing to compare, so the score is NaN with a note: neither perfect nor the worst, and not in the mean.
    """
    if segment.hypothesis.strip() or any(reference.strip() for reference in segment.references):
        return None
    return Score(math.nan, notes=(*note_empty_texts(segment), NOTHING_TO_COMPARE))


def note_empty_texts(segment: Segment) -> tuple[str, ...]:
    """Return a note for an empty hypothesis and one for empty references (white space counts as empty)."""
    notes = []
    if not segment.hypothesis.strip():
        notes.append("empty hypothesis")
    empty = [str(i) for i, reference in enumerate(segment.references, start=1) if not reference.strip()]
    if empty:
        notes.append("empty reference" + (f" {', '.join(empty)}" if len(segment.references) > 1 else ""))
    return tuple(notes)
