"""What a metric is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

from monge.scores import Score, Signature
from monge.text import Segment


@dataclass(frozen=True)
class MetricSpec:
    """What can be known of a metric without loading it.

    ``target`` is ``module:factory``, imported on first use; the factory takes the options as keywords and returns a
    Metric. ``needs`` lists what a segment must have ("references", "source"). ``bounds`` are those of the score,
    ``symmetric`` whether swapping hypothesis and reference leaves it unchanged. ``family`` groups the listing.
    """

    name: str
    target: str
    summary: str
    family: str
    needs: tuple[str, ...] = ("references",)
    bounds: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool = True
    symmetric: bool = False
    citation: str = ""


@runtime_checkable
class Metric(Protocol):
    """Scores segments; immutable, so ``fit`` returns a new one.

    ``fitted`` is False while corpus statistics (idf) are still missing; ``score`` then raises NotFittedError.
    """

    @property
    def spec(self) -> MetricSpec: ...
    @property
    def signature(self) -> Signature: ...
    @property
    def fitted(self) -> bool: ...

    def fit(self, corpus: Sequence[Segment]) -> Self:
        """Return this metric with its corpus statistics taken from *corpus* (itself when it needs none)."""
        ...

    def fit_shared(self, corpus: Sequence[Segment]) -> Self:
        """Return this metric with what must be the same for all systems compared, taken from all their segments."""
        ...

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        """Return one Score a segment, in order."""
        ...

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        """Return the score of the whole set: the mean, or the metric's own corpus score (BLEU)."""
        ...

    def compute(
        self,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]] | None = None,
        sources: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Score plain lists; fits on them when not fitted. Returns ``mean``, ``scores``, ``signature`` …"""
        ...


@runtime_checkable
class SummableMetric(Protocol):
    """A metric whose corpus score is made of sums, so that a set may be scored in parts (BLEU, chrF, TER)."""

    def sum_statistics(self, segments: Sequence[Segment]) -> list[float]:
        """Return the sums over *segments*; those of parts of a set add up to those of the set."""
        ...

    def score_of_sums(self, sums: Sequence[float]) -> float:
        """Return the corpus score of summed statistics."""
        ...
