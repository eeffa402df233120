"""An executor over a pool of workers: chunks in order, statistics by map and reduce, chunks that kill their worker."""

from __future__ import annotations

import hashlib
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from monge.engine.executors import InlineExecutor, ScoredChunk, list_chunks
from monge.engine.journal import Journal
from monge.engine.recipes import Work, make_recipe
from monge.engine.spool import SegmentSpool
from monge.engine.tasks import Portion, Scored, count_portion, join_scored, lose_segment, score_portion
from monge.environment import Environment
from monge.metrics.protocols import Counting, Metric

Task = Callable[[Sequence[bytes], Portion, Journal], Any]
DIED = "the worker died while scoring it"


@dataclass(frozen=True, eq=False)
class Call:
    """A task for a worker: a function of packed recipes, a portion and the journal.

    ``place`` says where the result belongs. ``key`` is a digest of everything that decides the result.
    """

    function: Task
    recipes: tuple[bytes, ...]
    portion: Portion
    journal: Journal
    place: Any = None

    @property
    def key(self) -> str:
        digest = hashlib.sha256(f"{self.function.__name__}\0{self.portion.system}\0".encode())
        for part in (*self.recipes, b"", *self.portion.records):
            digest.update(hashlib.sha256(part).digest())
        return f"monge-{self.function.__name__}-{digest.hexdigest()}"


@dataclass(frozen=True)
class WorkerDied:
    """Outcome of a call that ended its worker every time it was tried."""


class Pool(Protocol):
    """Workers in other processes.

    ``local`` says whether they see the files of this machine.
    """

    local: bool

    def capacity(self) -> int:
        """Return how many calls should be under way."""
        ...

    def submit(self, call: Call) -> None:
        """Begin a call."""
        ...

    def take(self) -> tuple[Call, Any]:
        """Wait for a call to end; return it with its result or WorkerDied. Raises what the call raised."""
        ...

    def drop(self) -> None:
        """Forget the calls under way."""
        ...

    def close(self) -> None: ...


@dataclass(eq=False)
class _Assembly:
    """A chunk whose scores are coming in: by metric, the parts in order of their start."""

    start: int
    stop: int
    parts: list[dict[int, Scored]]
    missing: int = 0

    def finish(self) -> ScoredChunk:
        joined = (join_scored([own[start] for start in sorted(own)]) for own in self.parts)
        return ScoredChunk(self.start, self.stop, tuple(joined))


@dataclass(frozen=True)
class _Place:
    """Where the result of a call belongs: chunk, first segment within it, metrics."""

    chunk: int
    start: int
    metrics: tuple[int, ...]


@dataclass(eq=False)
class PooledExecutor:
    """Sends chunks to the workers of a pool.

    A chunk that ends its worker again and again (memory, a fault in a library) is divided until the segment at fault
    is alone; that one gets no score. A metric that only this process can make (an encoder object, a metric of another
    package with statistics of its own) is computed here.
    """

    pool: Pool
    environment: Environment
    batch: int | None = None
    _reported: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._inline = InlineExecutor(self.batch)

    def bind(self, work: Work, corpus: SegmentSpool, *, shared: bool = False) -> Metric:
        metric = work.metric
        packed = None if metric.bound else self._pack(work)
        if packed is None or not isinstance(metric, Counting):
            return self._inline.bind(work, corpus, shared=shared)
        if shared and not metric.shares_statistics:
            return metric
        counts: dict[int, Any] = {}
        calls = (
            Call(count_portion, (packed,), portion, Journal(None), start)
            for start, portion in _portions(corpus, self.batch)
        )
        for call, outcome in self._drive(calls):
            if isinstance(outcome, WorkerDied):
                return self._inline.bind(work, corpus, shared=shared)
            counts[call.place] = outcome[0]
        ordered = [counts[start] for start in sorted(counts)]
        return metric.bind_shared_counted(corpus, ordered) if shared else metric.bind_counted(corpus, ordered)

    def run(self, works: Sequence[Work], segments: SegmentSpool, journal: Journal) -> Iterator[ScoredChunk]:
        recipes = [self._pack(work) for work in works]
        if any(recipe is None for recipe in recipes):
            yield from self._run_both(works, recipes, segments, journal)
            return
        packed = [recipe for recipe in recipes if recipe is not None]
        remote = journal if self.pool.local else journal.shared()
        waiting: dict[int, _Assembly] = {}
        following = 0
        for call, outcome in self._drive(self._calls(works, packed, segments, journal, remote, waiting)):
            self._collect(waiting[call.place.chunk], call, outcome)
            while following in waiting and not waiting[following].missing:
                chunk = waiting.pop(following).finish()
                self._keep(works, chunk, segments, journal)
                yield chunk
                following += 1
        while following in waiting:  # those that were stored before
            yield waiting.pop(following).finish()
            following += 1

    def close(self) -> None:
        self.pool.close()

    # -- inside --------------------------------------------------------------------------------------------------

    def _calls(
        self,
        works: Sequence[Work],
        recipes: Sequence[bytes],
        segments: SegmentSpool,
        journal: Journal,
        remote: Journal,
        waiting: dict[int, _Assembly],
    ) -> Iterator[Call]:
        """Yield a call for every chunk, for the metrics whose scores of it are not stored."""
        for number, (start, portion) in enumerate(_portions(segments, self.batch)):
            content = b"".join(portion.records)
            assembly = _Assembly(start, start + len(portion.records), [{} for _ in works])
            absent = []
            for i, work in enumerate(works):
                stored = journal.find(work.metric, content)
                if stored is None:
                    absent.append(i)
                else:
                    assembly.parts[i][0] = Scored(stored, True)
            waiting[number] = assembly
            if absent:
                assembly.missing = 1
                own = tuple(recipes[i] for i in absent)
                yield Call(score_portion, own, portion, remote, _Place(number, 0, tuple(absent)))

    def _drive(self, calls: Iterator[Call]) -> Iterator[tuple[Call, Any]]:
        """Yield every call with its outcome, as they end; calls whose worker died are divided first."""
        again: deque[Call] = deque()
        running = 0
        try:
            while True:
                while running < self.pool.capacity():
                    call = again.popleft() if again else next(calls, None)
                    if call is None:
                        break
                    self.pool.submit(call)
                    running += 1
                if not running:
                    return
                call, outcome = self.pool.take()
                running -= 1
                smaller = _divide(call) if isinstance(outcome, WorkerDied) else []
                again.extend(smaller)
                yield call, smaller or outcome
        finally:
            self.pool.drop()

    def _collect(self, assembly: _Assembly, call: Call, outcome: Any) -> None:
        assembly.missing -= 1
        if isinstance(outcome, WorkerDied):
            outcome = [lose_segment(DIED)]
        if isinstance(outcome[0], Call):  # it goes on in smaller calls
            assembly.missing += len(outcome)
            return
        for i, scored in zip(call.place.metrics, outcome, strict=True):
            assembly.parts[i][call.place.start] = scored

    def _keep(self, works: Sequence[Work], chunk: ScoredChunk, segments: SegmentSpool, journal: Journal) -> None:
        """Keep what workers could not keep for us; a chunk that is kept already stays as it is."""
        fresh = [(w, s) for w, s in zip(works, chunk.scored, strict=True) if not s.reused and not s.lost]
        if fresh:
            content = segments.records.read_joined(chunk.start, chunk.stop)
            for work, scored in fresh:
                journal.keep(work.metric, content, scored.packed)

    def _pack(self, work: Work) -> bytes | None:
        recipe = make_recipe(work, self.environment, local=self.pool.local)
        if recipe is None and work.label not in self._reported:
            self._reported.add(work.label)
            print(f"monge: {work.label} can only be computed in this process, not by workers", file=sys.stderr)
        return None if recipe is None else recipe.pack()

    def _run_both(
        self, works: Sequence[Work], recipes: Sequence[bytes | None], segments: SegmentSpool, journal: Journal
    ) -> Iterator[ScoredChunk]:
        """Run what can travel on the pool and the rest here."""
        there = [work for work, recipe in zip(works, recipes, strict=True) if recipe is not None]
        here = [work for work, recipe in zip(works, recipes, strict=True) if recipe is None]
        ours = self._inline.run(here, segments, journal)
        theirs = self.run(there, segments, journal) if there else None
        for own in ours:
            other = next(theirs).scored if theirs is not None else ()
            mine, yours = iter(own.scored), iter(other)
            scored = tuple(next(mine) if recipe is None else next(yours) for recipe in recipes)
            yield ScoredChunk(own.start, own.stop, scored)


def _portions(segments: SegmentSpool, batch: int | None) -> Iterator[tuple[int, Portion]]:
    for start, stop in list_chunks(segments, batch):
        yield start, Portion(segments.system, tuple(segments.records.read(start, stop)))


def _divide(call: Call) -> list[Call]:
    """Return smaller calls that do the same: half of the segments each, or one metric each; none if that is not
    possible or the call does not score."""
    place = call.place
    if not isinstance(place, _Place):
        return []
    if len(call.portion.records) > 1:
        left, right = call.portion.divide()
        starts = (place.start, place.start + len(left.records))
        return [
            Call(call.function, call.recipes, half, call.journal, _Place(place.chunk, start, place.metrics))
            for start, half in zip(starts, (left, right), strict=True)
        ]
    if len(place.metrics) > 1:
        return [
            Call(call.function, (recipe,), call.portion, call.journal, _Place(place.chunk, place.start, (i,)))
            for i, recipe in zip(place.metrics, call.recipes, strict=True)
        ]
    return []
