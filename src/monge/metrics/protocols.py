"""What a metric is, and what it may be able to do besides scoring."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from monge.encoders.held import EncoderReading
from monge.errors import OptionError, suggest
from monge.lm.base import LanguageModel
from monge.scores import LinearForm, Score, Signature, WordShares
from monge.text import Segment

# name of what a segment may have → whether it has it
NEEDS: Mapping[str, Callable[[Segment], bool]] = {
    "references": lambda segment: bool(segment.references),
    "source": lambda segment: segment.source is not None,
    "document": lambda segment: bool(segment.document),
}
SIDES = ("references", "source")
UNITS = ("segment", "document")
GROWTHS = ("linear", "quadratic", "cubic")

Growth = Literal["linear", "quadratic", "cubic"]
Unit = Literal["segment", "document"]


@dataclass(frozen=True)
class MetricSpec:
    """What is known of a metric without loading it.

    Parameters
    ----------
    target
        ``module:factory``, imported on first use; the factory takes the options as keywords (and ``environment``, if
        it has a parameter of that name) and returns a Metric.
    family
        Groups the listing.
    needs
        What a segment must have: names of ``NEEDS``.
    against
        The sides that a hypothesis can be compared with: ``references``, ``source`` or both.
    bounds, higher_is_better, symmetric
        The range and direction of the score, and whether exchanging hypothesis and reference leaves it unchanged. A
        descriptive feature has no direction (None): it is neither good nor bad by itself.
    explains
        Whether a score can be taken apart exactly (the metric is ``Aligning`` or ``WordSharing``).
    digits
        Decimals that tables show.
    growth
        How the time for one text grows with its length.
    unit
        What one score belongs to: a segment, or a whole document.
    requires
        The module of another package without which the metric is not offered.
    extra
        The extra of monge without which the metric, as it is by default, cannot score: ``pip install 'monge[EXTRA]'``.
    copy_is_best
        Whether no text scores better than a copy of what it is compared with. It is False for metrics that compare
        with nothing (fluency) or ask for a translation: their scores cannot be rescaled. A sum of metrics has a scale
        if one of them has.
    """

    name: str
    target: str
    summary: str
    family: str
    needs: tuple[str, ...] = ("references",)
    against: tuple[str, ...] = ("references",)
    bounds: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool | None = True
    symmetric: bool = False
    citation: str = ""
    explains: bool = False
    digits: int = 4
    growth: Growth = "linear"
    unit: Unit = "segment"
    requires: str = ""
    extra: str = ""
    copy_is_best: bool = True

    def __post_init__(self) -> None:
        for field, values, known in (
            ("needs", self.needs, tuple(NEEDS)),
            ("against", self.against, SIDES),
            ("growth", (self.growth,), GROWTHS),
            ("unit", (self.unit,), UNITS),
        ):
            for value in values:
                if value not in known:
                    listed = ", ".join(known)
                    raise OptionError(
                        f"metric {self.name!r}: {field} {value!r}{suggest(value, known)} is not one of {listed}"
                    )

    @property
    def has_scale(self) -> bool:
        """Whether what unrelated texts and copies score are the ends of a scale."""
        return self.higher_is_better is not None and self.copy_is_best


def refuse_scale(spec: MetricSpec) -> OptionError:
    """Return the error for a metric that has no scale from unrelated texts to copies."""
    if spec.higher_is_better is None:
        return OptionError(f"{spec.name} cannot be rescaled: neither high nor low values of it are better")
    return OptionError(
        f"{spec.name} cannot be rescaled: 0 would be what unrelated texts score and 1 what a copy scores, "
        "but this metric does not score copies best"
    )


@runtime_checkable
class Metric(Protocol):
    """Scores segments; immutable, so that ``bind`` returns a new one.

    ``bound`` is False while corpus statistics (idf) are missing; ``score`` then raises UnboundMetricError.
    """

    @property
    def spec(self) -> MetricSpec: ...
    @property
    def signature(self) -> Signature: ...
    @property
    def identity(self) -> str | None:
        """Everything that can change a score, with full digests; None if that is unknown, so nothing is stored."""
        ...

    @property
    def bound(self) -> bool: ...
    @property
    def binding_notes(self) -> tuple[str, ...]:
        """What could not be computed from the corpus, and what was done instead."""
        ...

    def bind(self, corpus: Sequence[Segment]) -> Self:
        """Return this metric with corpus statistics computed from *corpus* (itself when it needs none)."""
        ...

    def bind_shared(self, corpus: Sequence[Segment]) -> Self:
        """Return this metric with the statistics that all compared systems must share, from all their segments."""
        ...

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        """Return one Score per segment, in order."""
        ...

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        """Return the score of the whole set: the mean, or the metric's own corpus score (BLEU)."""
        ...

    def count_words(self, text: str) -> int:
        """Return the number of words of *text*, as the metric itself splits it."""
        ...

    def compute(
        self,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]] | None = None,
        sources: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Score plain lists, binding corpus statistics to them if needed; returns plain Python values."""
        ...


@runtime_checkable
class Summable(Protocol):
    """A metric whose corpus score is made of sums, so that a set may be scored in parts (BLEU, chrF, TER)."""

    def sum_statistics(self, segments: Sequence[Segment]) -> list[float]:
        """Return the sums over *segments*; the sums over parts of a set add up to those over the set."""
        ...

    def score_of_sums(self, sums: Sequence[float]) -> float:
        """Return the corpus score of summed statistics."""
        ...


@runtime_checkable
class SummableParts(Summable, Protocol):
    """A summable metric whose corpus score has parts of its own (BLEU: precisions and brevity penalty)."""

    def parts_of_sums(self, sums: Sequence[float]) -> dict[str, float]:
        """Return the parts of the corpus score of summed statistics, by name."""
        ...


@runtime_checkable
class Resamplable(Protocol):
    """A metric whose corpus score is not the mean of its segment scores, and that can resample it."""

    def resample(self, segments: Sequence[Segment], draws: Iterable[NDArray[np.int64]]) -> list[float]:
        """Return the corpus score of each draw; a draw holds segment numbers, with repetition."""
        ...


@runtime_checkable
class Aligning(Protocol):
    """A metric whose score is a linear function of transport costs, so that it can be taken apart exactly."""

    def score_with_alignments(self, segments: Sequence[Segment]) -> list[Score]:
        """Return one Score per segment, each with the alignments it was made of."""
        ...

    def linear_form(self, score: Score) -> LinearForm:
        """Return how *score*, which carries its alignments, is made of their transport costs."""
        ...


@runtime_checkable
class WordSharing(Protocol):
    """A metric whose score is a sum over the words of the hypothesis, so that it can be taken apart exactly."""

    def share_words(self, segment: Segment) -> WordShares:
        """Return what every word of the hypothesis adds to the score."""
        ...


@runtime_checkable
class Predicting(Protocol):
    """A metric that asks language models how probable texts are."""

    def language_models(self) -> tuple[LanguageModel, ...]:
        """Return the language models this metric uses."""
        ...


@runtime_checkable
class Remapped(Protocol):
    """A metric whose vectors may be re-mapped from one language to another."""

    @property
    def remap_languages(self) -> tuple[str, str]:
        """The codes of the languages of sources and translations that a re-mapping was fitted on; empty if unknown."""
        ...


@runtime_checkable
class Composite(Protocol):
    """A metric made of the scores of other metrics, so that these can be computed and stored on their own."""

    @property
    def parts(self) -> tuple[Metric, ...]: ...

    def combine(self, part_scores: Sequence[Sequence[Score]]) -> list[Score]:
        """Return one Score per segment from the scores of each part."""
        ...


@runtime_checkable
class Encoding(Protocol):
    """A metric that reads token vectors."""

    def encodings(self) -> tuple[EncoderReading, ...]:
        """Return the encoders this metric uses, each with the layers it reads and what it makes of them alone."""
        ...


@runtime_checkable
class Counting(Protocol):
    """A metric whose corpus statistics are made of counts: parts of a corpus may be counted apart, in any process.

    ``statistics`` holds what ``bind`` computed, as values that can be sent to another process, which puts them into
    the metric that it loaded itself.
    """

    @property
    def statistics(self) -> Any: ...
    @property
    def shares_statistics(self) -> bool:
        """Whether there are statistics that all compared systems must share."""
        ...

    def with_statistics(self, statistics: Any) -> Self:
        """Return this metric, freshly loaded, with the statistics of a bound one."""
        ...

    def count(self, segments: Sequence[Segment]) -> Any:
        """Return the counts of a part of the corpus."""
        ...

    def bind_counted(self, corpus: Sequence[Segment], counts: Sequence[Any]) -> Self:
        """Return what ``bind(corpus)`` does, from the counts of all its parts in order."""
        ...

    def bind_shared_counted(self, corpus: Sequence[Segment], counts: Sequence[Any]) -> Self:
        """Return what ``bind_shared(corpus)`` does, from the counts of all its parts in order."""
        ...


class CountingMetric(Metric, Counting, Protocol):
    """A metric that can be bound from counts."""
