"""One thread that scores for all requests: those that wait are encoded together, and none blocks the others.

Each round takes a slice of every waiting job that uses the same metric, so concurrent requests share encoder batches,
and a large job advances slice by slice while small ones pass it. Corpus statistics that a metric needs before its first
slice (idf) are computed in a second thread when the job is large.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from monge.engine.chunks import Chunk
from monge.engine.journal import Journal
from monge.errors import MongeError
from monge.metrics.base import bind_shared, bind_to
from monge.metrics.protocols import Aligning, Composite, Metric
from monge.scores import Score
from monge.service.settings import RefusalError, overloaded
from monge.text import Segment

SLICE = 4_000  # characters of one job in a round
ROUND = 48_000  # characters of all jobs in a round
IDLE = 0.05  # seconds until jobs are looked at again when none can go on


@dataclass
class Progress:
    """How many segments of a task are scored; other threads may read it at any time."""

    done: int = 0


@dataclass(frozen=True, eq=False)
class Task:
    """Segments to be scored by a metric, which is bound to them when it needs corpus statistics.

    ``shared`` holds the segments of all systems when several are compared: some statistics must be the same for all.
    ``notes`` say what was chosen for the request, such as an encoder that knows the language.
    """

    metric: Metric
    segments: Sequence[Segment]
    alignments: bool = False
    shared: SharedCorpus | None = None
    pace: int = SLICE  # characters in a round, but at least one segment
    progress: Progress = field(default_factory=Progress)
    notes: tuple[str, ...] = ()

    def bind(self, alive: Callable[[], bool]) -> Metric:
        """Return the metric with its corpus statistics; stop when *alive* returns False."""
        metric = self.metric if self.shared is None else self.shared.bind(self.metric, alive)
        return bind_to(metric, _Guarded(self.segments, alive))

    @property
    def small(self) -> bool:
        """Whether the metric is bound, or can be in a moment."""
        corpus = self.segments if self.shared is None else self.shared.segments
        return self.metric.bound or sum(map(_characters, corpus)) <= SLICE


class SharedCorpus:
    """Segments of all systems; a metric is bound to them once for all tasks."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = segments
        self._bound: dict[int, Metric] = {}

    def bind(self, metric: Metric, alive: Callable[[], bool]) -> Metric:
        """Return the metric with the statistics that systems share."""
        if id(metric) not in self._bound:
            self._bound[id(metric)] = bind_shared(metric, _Guarded(self.segments, alive))
        return self._bound[id(metric)]


class _Guarded(Sequence[Segment]):
    """Segments that refuse to be read once nobody waits for the result."""

    def __init__(self, segments: Sequence[Segment], alive: Callable[[], bool]) -> None:
        self._segments = segments
        self._alive = alive

    def __len__(self) -> int:
        return len(self._segments)

    def __getitem__(self, index: Any) -> Any:
        if not self._alive():
            raise overloaded("the request took too long and was dropped")
        return self._segments[index]


@dataclass(frozen=True, eq=False)
class TaskResult:
    """The segments of a task, their scores, and the metric with its corpus statistics."""

    metric: Metric
    segments: Sequence[Segment]
    scores: tuple[Score, ...]
    notes: tuple[str, ...] = ()


Planned: TypeAlias = Task | RefusalError  # a metric that cannot be had is refused before there is a task
Outcome: TypeAlias = TaskResult | Exception


@dataclass(eq=False)
class _Job:
    task: Task
    future: Future[TaskResult]
    deadline: float
    binding: Future[Metric] | None = None
    metric: Metric | None = None
    scores: list[Score] = field(default_factory=list)

    @property
    def alive(self) -> bool:
        """Whether somebody still waits for it."""
        return not self.future.done() and time.monotonic() <= self.deadline

    def next_slice(self) -> Sequence[Segment]:
        """Return the next segments: at least one, at most a slice of characters."""
        start = len(self.scores)
        end, size = start, 0
        while end < len(self.task.segments) and (end == start or size < self.task.pace):
            size += _characters(self.task.segments[end])
            end += 1
        return self.task.segments[start:end]

    @property
    def key(self) -> tuple[int, bool]:
        """Jobs with the same key can be scored in one call."""
        return id(self.metric), self.task.alignments


class Worker:
    """Scores tasks in a thread of its own; at most *waiting* jobs may be in it at any time."""

    def __init__(self, waiting: int) -> None:
        self._waiting = waiting
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._stopping = False
        self.rounds = 0
        self.segments = 0
        self._thread: threading.Thread | None = None
        self._binder: ThreadPoolExecutor | None = None

    def start(self) -> None:
        """Start the thread, also again after a stop."""
        self._stopping = False
        self._binder = ThreadPoolExecutor(1, thread_name_prefix="monge-bind")
        self._thread = threading.Thread(target=self._run, name="monge-worker", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the worker takes jobs."""
        return self._thread is not None and self._thread.is_alive() and not self._stopping

    @property
    def depth(self) -> int:
        """Jobs that are waiting or under way."""
        return len(self._jobs)

    def submit(self, task: Task, seconds: float) -> Future[TaskResult]:
        """Queue a task that is dropped after *seconds*; a full queue refuses it at once."""
        future: Future[TaskResult] = Future()
        with self._changed:
            if self._stopping:
                raise overloaded("the service is shutting down")
            if len(self._jobs) >= self._waiting:
                raise overloaded(f"{self._waiting} tasks are waiting already; try again in a moment")
            self._jobs.append(_Job(task, future, time.monotonic() + seconds))
            self._changed.notify()
        return future

    def stop(self, seconds: float = 10.0) -> None:
        """Take no more jobs, finish those under way for *seconds*, refuse the rest."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(seconds)
        with self._changed:
            for job in self._jobs:
                self._answer(job, overloaded("the service is shutting down"))
            self._jobs.clear()
        if self._binder is not None:
            self._binder.shutdown(wait=False, cancel_futures=True)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._jobs and not self._stopping:
                    self._changed.wait()
                if not self._jobs:
                    return
                waiting = list(self._jobs)
            self._work(waiting)

    def _work(self, waiting: Sequence[_Job]) -> None:
        """Advance one group of jobs by a slice each, then move them to the end of the queue."""
        ready = [job for job in waiting if self._prepare(job)]
        group: list[_Job] = []
        size = 0
        for job in ready:
            if job.key == ready[0].key and (not group or size < ROUND):
                group.append(job)
                size += sum(_characters(segment) for segment in job.next_slice())
        if group:
            self._score(group)
        with self._changed:
            left = [job for job in self._jobs if not job.future.done()]  # none are left when a stop has timed out
            self._jobs = deque(sorted(left, key=group.__contains__))
            if self._jobs and not ready:
                self._changed.wait(IDLE)

    def _prepare(self, job: _Job) -> bool:
        """Bind the metric if that is not done, and drop jobs that nobody waits for; return whether it can go on."""
        if job.future.done():
            return False
        if time.monotonic() > job.deadline:
            self._answer(job, overloaded("the request took too long and was dropped"))
            return False
        if job.metric is None:
            try:
                job.metric = self._bind(job)
            except Exception as error:
                self._answer(job, error)
                return False
        return job.metric is not None

    def _bind(self, job: _Job) -> Metric | None:
        """Return the metric bound for a job, or None while the other thread is at it."""
        if job.binding is None:
            if job.task.small:
                return job.task.bind(lambda: True)
            assert self._binder is not None
            job.binding = self._binder.submit(job.task.bind, lambda: job.alive)
        return job.binding.result() if job.binding.done() else None

    def _score(self, group: Sequence[_Job]) -> None:
        slices = [job.next_slice() for job in group]
        try:
            scores = _score_all(group, slices)
        except Exception as error:
            if len(group) == 1:
                self._answer(group[0], error)
                return
            for job in group:  # find the one that fails
                self._score([job])
            return
        for job, piece in zip(group, slices, strict=True):
            job.scores += scores[: len(piece)]
            scores = scores[len(piece) :]
            self.segments += len(piece)
            job.task.progress.done = len(job.scores)
            if len(job.scores) >= len(job.task.segments):
                assert job.metric is not None
                self._answer(job, TaskResult(job.metric, job.task.segments, tuple(job.scores), job.task.notes))
        self.rounds += 1

    def _answer(self, job: _Job, outcome: TaskResult | Exception) -> None:
        """Set the result; under the lock, because a stop may refuse the same job at this moment."""
        with self._changed:
            if job.future.done() or not job.future.set_running_or_notify_cancel():
                return
            if isinstance(outcome, Exception):
                job.future.set_exception(outcome)
            else:
                job.future.set_result(outcome)


def _score_all(group: Sequence[_Job], slices: Sequence[Sequence[Segment]]) -> list[Score]:
    if not group:
        return []
    metric = group[0].metric
    assert metric is not None
    segments = [segment for piece in slices for segment in piece]
    if group[0].task.alignments and isinstance(metric, Aligning):
        scores = metric.score_with_alignments(segments)
    elif isinstance(metric, Composite):  # its parts then read one encoding of the texts
        packed, _ = Journal(None).score(metric, segments, b"")
        scores = Chunk.unpack(packed).scores
    else:
        scores = metric.score(segments)
    if len(scores) != len(segments):  # or requests would get the scores of others, or none for ever
        raise MongeError(f"{metric.spec.name} returned {len(scores)} scores for {len(segments)} segments")
    return scores


def _characters(segment: Segment) -> int:
    return len(segment.hypothesis) + sum(map(len, segment.references)) + len(segment.source or "") + 1
