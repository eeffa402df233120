"""Scores as plain records, counts of their notes, and intervals."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from monge.metrics.protocols import Metric, Resamplable
from monge.scores import Score
from monge.text import Segment


def segment_record(segment: Segment, score: Score) -> dict[str, object]:
    """Return one segment's score as plain JSON values; parts, notes and unknown words only where there are any."""
    record: dict[str, object] = {"id": segment.id, "score": json_number(score.value)}
    if len(score.parts) > 1:
        record["parts"] = {name: json_number(value) for name, value in score.parts.items()}
    if score.reference_index is not None and len(segment.references) > 1:
        record["reference"] = score.reference_index
    if score.unknown:
        record["unknown"] = score.unknown
    if score.notes:
        record["notes"] = list(score.notes)
    return record


def bootstrap_interval(
    metric: Metric,
    segments: Sequence[Segment],
    scores: Sequence[Score],
    *,
    draws: int = 1000,
    seed: int = 12345,
    level: float = 0.95,
) -> tuple[float, float]:
    """Return the percentile interval of the score of the set over resampled segments.

    A metric whose corpus score is not a mean (BLEU) resamples it itself. Draws are made one by one, because all of them
    together would not fit in memory. NaN where fewer than two segments have a score: one says nothing about the spread.
    """
    if np.isfinite([score.value for score in scores]).sum() < 2:
        return math.nan, math.nan
    if not isinstance(metric, Resamplable):
        return _mean_interval([score.value for score in scores], draws=draws, seed=seed, level=level)
    values = metric.resample(segments, _draw(len(scores), draws, seed))
    low, high = np.nanpercentile(values, [50 * (1 - level), 50 * (1 + level)])
    return float(low), float(high)


def bootstrap_mean(values: Sequence[float], *, draws: int = 1000, seed: int = 12345) -> float:
    """Return half the width of the 95 % percentile interval of the mean over resampled values; missing ones are NaN."""
    low, high = _mean_interval(values, draws=draws, seed=seed, level=0.95)
    return (high - low) / 2


def _mean_interval(values: Sequence[float], *, draws: int, seed: int, level: float) -> tuple[float, float]:
    known = np.array(values)
    if np.isfinite(known).sum() < 2:
        return math.nan, math.nan
    means = [_mean(known[draw]) for draw in _draw(len(known), draws, seed)]
    low, high = np.nanpercentile(means, [50 * (1 - level), 50 * (1 + level)])
    return float(low), float(high)


def _draw(count: int, draws: int, seed: int) -> Iterator[NDArray[np.int64]]:
    generator = np.random.default_rng(seed)
    return (generator.integers(0, count, size=count) for _ in range(draws))


def bootstrap_half_width(
    metric: Metric, segments: Sequence[Segment], scores: Sequence[Score], *, draws: int = 1000, seed: int = 12345
) -> float:
    """Return half the width of the 95 % percentile interval of the score over resampled segments."""
    low, high = bootstrap_interval(metric, segments, scores, draws=draws, seed=seed)
    return (high - low) / 2


def _mean(values: NDArray[np.float64]) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else math.nan


def count_notes(scores: Iterable[Score]) -> Counter[str]:
    """Return how many scores have each kind of note; see NoteTally."""
    tally = NoteTally()
    tally.add(scores)
    return tally.count()


class NoteTally:
    """Counts notes by kind: words of single texts are dropped, and of numbers that differ the largest is kept.

    >>> tally = NoteTally()
    >>> tally.add([Score(0.5, notes=(f"hypothesis: encoded in {n} windows",)) for n in (2, 4)])
    >>> tally.count()
    Counter({'hypothesis: encoded in up to 4 windows': 2})
    """

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, ...]] = Counter()
        self._numbers: dict[tuple[str, ...], list[set[float]]] = {}

    def add(self, scores: Iterable[Score]) -> None:
        """Count the notes of further scores; several notes of one kind count once in a score."""
        for score in scores:
            found = [_split(note) for note in score.notes]
            self._counts.update({kind for kind, _ in found})
            for kind, numbers in found:
                own = self._numbers.setdefault(kind, [set() for _ in numbers])
                for seen, number in zip(own, numbers, strict=True):
                    seen.add(number)
                    if len(seen) > 2:  # whether there are several, and the largest, is all that is asked
                        seen.remove(min(seen))

    def count(self) -> Counter[str]:
        """Return how many scores have each kind of note, in the order of their first appearance."""
        counted: Counter[str] = Counter()
        for kind, numbers in self._numbers.items():
            shown = ["up to " * (len(seen) > 1) + f"{max(seen):.15g}" for seen in numbers]
            counted[kind[0] + "".join(map(str.__add__, shown, kind[1:]))] = self._counts[kind]
        return counted


def _split(note: str) -> tuple[tuple[str, ...], list[float]]:
    """Return what notes of one kind share, the words around its numbers, and the numbers of this note."""
    side, _, rest = note.partition(": ")
    if not rest:
        return (note,), []
    head = re.sub(r"cut at \d+ of \d+ tokens", "cut to the encoder's window", rest.split(":")[0])
    first, *others = re.split(r"(\d+(?:\.\d+)?)", re.sub(r"\d+ of \d+ ", "", head))
    return (f"{side}: {first}", *others[1::2]), [float(number) for number in others[::2]]


def json_number(value: float) -> float | None:
    """Return a number as a JSON value: NaN becomes None (null)."""
    return None if math.isnan(value) else float(value)
