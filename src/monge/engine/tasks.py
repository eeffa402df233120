"""What runs in a worker: scoring or counting the segments of a chunk. A segment that cannot be scored is set aside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from monge.engine.chunks import Chunk
from monge.engine.journal import Journal
from monge.engine.recipes import load_recipe
from monge.engine.spool import parse_record
from monge.errors import MongeError
from monge.metrics.protocols import Counting, Metric
from monge.scores import Score

MOST_LOST = 20  # segments of a chunk without a score; more of them mean that the metric itself is broken


class Lost(NamedTuple):
    """A segment that could not be scored, by its number in the chunk, and why."""

    number: int
    reason: str


class Scored(NamedTuple):
    """The packed scores of a chunk by one metric, whether they were stored before, and segments without a score."""

    packed: bytes
    reused: bool
    lost: tuple[Lost, ...] = ()


class Portion(NamedTuple):
    """Segments of one system as records of a spool."""

    system: str
    records: tuple[bytes, ...]

    def divide(self) -> tuple[Portion, Portion]:
        """Return both halves."""
        middle = len(self.records) // 2
        return Portion(self.system, self.records[:middle]), Portion(self.system, self.records[middle:])


def score_portion(recipes: Sequence[bytes], portion: Portion, journal: Journal) -> list[Scored]:
    """Score a portion with the metrics of packed recipes, in a worker."""
    return score_safely([load_recipe(recipe) for recipe in recipes], portion, journal)


def count_portion(recipes: Sequence[bytes], portion: Portion, journal: Journal) -> list[Any]:
    """Return the counts that the metrics need of a portion, in a worker."""
    metrics = [load_recipe(recipe) for recipe in recipes]
    segments = [parse_record(record, portion.system) for record in portion.records]
    return [metric.count(segments) if isinstance(metric, Counting) else None for metric in metrics]


def score_safely(metrics: Sequence[Metric], portion: Portion, journal: Journal) -> list[Scored]:
    """Score a portion with every metric; where that fails, divide it until the segment at fault is alone.

    That one gets no score (NaN) and a note. Errors that a user must correct (MongeError) are raised. A division also
    helps when the memory was too small for the whole portion.
    """
    segments = [parse_record(record, portion.system) for record in portion.records]
    try:
        done = journal.score_together(metrics, segments, b"".join(portion.records))
        return [Scored(packed, reused) for packed, reused in done]
    except MongeError:
        raise
    except Exception as error:
        if len(portion.records) > 1:
            halves = [score_safely(metrics, half, journal) for half in portion.divide()]
            joined = [join_scored(parts) for parts in zip(*halves, strict=True)]
            if any(len(one.lost) > MOST_LOST for one in joined):
                raise
            return joined
        if len(metrics) > 1:
            return [score_safely([metric], portion, journal)[0] for metric in metrics]
        return [lose_segment(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)]


def join_scored(parts: Sequence[Scored]) -> Scored:
    """Return the scores of a chunk from those of its parts in order."""
    if len(parts) == 1:
        return parts[0]
    chunks = [Chunk.unpack(part.packed) for part in parts]
    lost, start = [], 0
    for part, chunk in zip(parts, chunks, strict=True):
        lost += [Lost(start + number, reason) for number, reason in part.lost]
        start += len(chunk.scores)
    return Scored(Chunk.join(chunks).pack(), all(part.reused for part in parts), tuple(lost))


def lose_segment(reason: str) -> Scored:
    """Return the scores of one segment that cannot be scored."""
    score = Score(math.nan, notes=(f"no score: {reason}",))
    return Scored(Chunk([score], None).pack(), False, (Lost(0, reason),))
