"""Executors run chunks of a job; the one here runs them in this process, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from monge.engine.journal import Journal
from monge.engine.spool import SegmentSpool
from monge.errors import OptionError
from monge.metrics.protocols import Metric

CHUNK_SEGMENTS = 1000  # scored at once: enough to fill the encoder's batches
CHUNK_BYTES = 400_000  # of text, so that long texts make short chunks


@dataclass(frozen=True, eq=False)
class ScoredChunk:
    """The packed scores of segments *start* to *stop* (exclusive), and whether an earlier run stored them."""

    start: int
    stop: int
    packed: bytes
    reused: bool


class Executor(Protocol):
    """Scores the segments of a system chunk by chunk, in order.

    A metric whose unit is the document gets one segment per document, so no chunk divides a document.
    """

    def run(self, metric: Metric, segments: SegmentSpool, journal: Journal) -> Iterator[ScoredChunk]: ...


class InlineExecutor:
    """Scores chunks in this process, one after the other; *size* is the most segments of a chunk (default: 1,000)."""

    def __init__(self, size: int | None = None) -> None:
        if size is not None and size < 1:
            raise OptionError(f"batch_size={size!r}: must be at least 1")
        self._size = CHUNK_SEGMENTS if size is None else size

    def run(self, metric: Metric, segments: SegmentSpool, journal: Journal) -> Iterator[ScoredChunk]:
        for start, stop in segments.records.chunks(records=self._size, size=CHUNK_BYTES):
            packed, reused = journal.score(metric, segments[start:stop], segments.records.read_joined(start, stop))
            yield ScoredChunk(start, stop, packed, reused)


def _chunks(segments: SegmentSpool) -> Iterable[tuple[int, int]]:
    return segments.records.chunks(records=CHUNK_SEGMENTS, size=CHUNK_BYTES)


def is_stored(metric: Metric, segments: SegmentSpool, journal: Journal) -> bool:
    """Whether the journal holds the scores of all segments by a bound metric."""
    chunks = (segments.records.read_joined(start, stop) for start, stop in _chunks(segments))
    return all(journal.find(metric, records) is not None for records in chunks)
