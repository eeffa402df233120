"""Where the chunks of a job run: in this process, in local processes, or on a Dask cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from monge.engine.journal import Journal
from monge.engine.recipes import Work
from monge.engine.spool import SegmentSpool
from monge.engine.tasks import Portion, Scored, score_safely
from monge.environment import Environment
from monge.errors import OptionError, suggest
from monge.metrics.base import bind_shared, bind_to
from monge.metrics.protocols import Metric

CHUNK_SEGMENTS = 1000  # scored at once: enough to fill the encoder's batches
CHUNK_BYTES = 400_000  # of text, so that long texts make short chunks
EXECUTORS = ("inline", "processes", "dask")


@dataclass(frozen=True, eq=False)
class ScoredChunk:
    """The scores that every metric gave segments *start* to *stop* (exclusive)."""

    start: int
    stop: int
    scored: tuple[Scored, ...]


class Executor(Protocol):
    """Binds metrics to a corpus and scores the segments of a system chunk by chunk, in order.

    A metric whose unit is the document gets one segment per document, so no chunk divides a document. What is computed
    does not depend on the executor, on the number of workers or on which of them fail.
    """

    def bind(self, work: Work, corpus: SegmentSpool, *, shared: bool = False) -> Metric:
        """Return the metric with the statistics of *corpus*, or only with those that all systems *share*."""
        ...

    def run(self, works: Sequence[Work], segments: SegmentSpool, journal: Journal) -> Iterator[ScoredChunk]:
        """Score *segments* with all metrics."""
        ...

    def close(self) -> None:
        """End the processes that were started."""
        ...


class InlineExecutor:
    """Scores chunks in this process, one after the other; *size* is the most segments of a chunk (default: 1,000)."""

    def __init__(self, size: int | None = None) -> None:
        self._size = size

    def bind(self, work: Work, corpus: SegmentSpool, *, shared: bool = False) -> Metric:
        return bind_shared(work.metric, corpus) if shared else bind_to(work.metric, corpus)

    def run(self, works: Sequence[Work], segments: SegmentSpool, journal: Journal) -> Iterator[ScoredChunk]:
        metrics = [work.metric for work in works]
        for start, stop in list_chunks(segments, self._size):
            portion = Portion(segments.system, tuple(segments.records.read(start, stop)))
            yield ScoredChunk(start, stop, tuple(score_safely(metrics, portion, journal)))

    def close(self) -> None:
        pass


def list_chunks(segments: SegmentSpool, size: int | None = None) -> Iterable[tuple[int, int]]:
    """Yield (start, stop) of the chunks of a system, of at most *size* segments (default: 1,000)."""
    return segments.records.chunks(records=size or CHUNK_SEGMENTS, size=CHUNK_BYTES)


def report_lost(chunk: ScoredChunk, works: Sequence[Work], segments: SegmentSpool) -> None:
    """Name on stderr every segment of a chunk that could not be scored."""
    for work, scored in zip(works, chunk.scored, strict=True):
        for number, reason in scored.lost:
            segment = segments[chunk.start + number]
            owner = f" of {segments.system}" if segments.system else ""
            name = segment.id or chunk.start + number + 1
            print(f"monge: {work.label}: segment {name}{owner} has no score: {reason}", file=sys.stderr)


def is_stored(metric: Metric, segments: SegmentSpool, journal: Journal) -> bool:
    """Whether the journal holds the scores of all segments by a bound metric."""
    chunks = (segments.records.read_joined(start, stop) for start, stop in list_chunks(segments))
    return all(journal.find(metric, records) is not None for records in chunks)


@dataclass(frozen=True)
class ExecutorChoice:
    """Which executor, the address of a Dask scheduler, and how many workers are started (None: one per core).

    ``batch`` is the most segments that are scored at once (None: 1,000). Raises OptionError for a combination that
    makes no sense.
    """

    name: str = "inline"
    scheduler: str | None = None
    workers: int | None = None
    batch: int | None = None

    def __post_init__(self) -> None:
        if self.batch is not None and self.batch < 1:
            raise OptionError(f"batch_size={self.batch!r}: must be at least 1")
        if self.name not in EXECUTORS:
            listed = ", ".join(EXECUTORS)
            raise OptionError(f"no executor {self.name!r}{suggest(self.name, EXECUTORS)}; there are {listed}")
        if self.scheduler and self.name != "dask":
            raise OptionError(f"--scheduler {self.scheduler} is for --executor dask, not {self.name}")
        if self.workers is not None and (self.name == "inline" or self.scheduler):
            why = "a cluster has its own workers" if self.scheduler else "inline has none"
            raise OptionError(f"--workers {self.workers}: {why}")
        if self.workers is not None and self.workers < 1:
            raise OptionError(f"--workers {self.workers}: must be 1 or more")

    @contextmanager
    def open(self, environment: Environment) -> Iterator[Executor]:
        """Start the executor for the length of the block."""
        executor = self._start(environment)
        try:
            yield executor
        finally:
            executor.close()

    def _start(self, environment: Environment) -> Executor:
        if self.name == "inline":
            return InlineExecutor(self.batch)
        from monge.engine.pooled import PooledExecutor

        if self.name == "processes":
            from monge.engine.processes import ProcessPool

            return PooledExecutor(ProcessPool(self.workers), environment, self.batch)
        from monge.engine.dask_pool import DaskPool

        return PooledExecutor(DaskPool(self.scheduler, self.workers), environment, self.batch)


INLINE = ExecutorChoice()


def choose_executor(name: str | ExecutorChoice) -> ExecutorChoice:
    """Return the executor that *name* means: one of EXECUTORS, or the address of a Dask scheduler.

    >>> choose_executor("tcp://10.0.0.1:8786").name
    'dask'
    """
    if isinstance(name, ExecutorChoice):
        return name
    return ExecutorChoice("dask", scheduler=name) if "://" in name else ExecutorChoice(name)
