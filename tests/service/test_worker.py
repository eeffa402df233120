"""The worker that scores the requests of all clients: in company, in turn, in time."""

import threading
import time
from collections.abc import Sequence

import pytest

from monge.errors import MongeError
from monge.metrics import load_metric
from monge.scores import Score
from monge.service.settings import RefusalError
from monge.service.worker import Task, Worker
from monge.text import Segment

from .held import PATIENCE, HeldMetric, segments, wait_until


def started(waiting: int = 100) -> Worker:
    worker = Worker(waiting)
    worker.start()
    return worker


def test_waiting_requests_are_scored_together() -> None:
    worker, metric = started(), HeldMetric()
    futures = [worker.submit(Task(metric, segments(1, f"job {k}")), PATIENCE) for k in range(20)]
    metric.let()
    assert [future.result(PATIENCE).scores[0].value for future in futures] == [100.0] * 20
    assert len(metric.calls) <= 2  # those that came before the first call, and all others
    worker.stop()


def test_answers_are_not_crossed() -> None:
    worker, metric = started(), HeldMetric()
    tasks = [Task(metric, [Segment("a" * k, ("a" * 10,)) for k in range(1, 1 + n)]) for n in range(1, 30)]
    expected = [[score.value for score in load_metric("chrf").score(task.segments)] for task in tasks]
    futures = [worker.submit(task, PATIENCE) for task in tasks]
    metric.let()
    got = [[score.value for score in future.result(PATIENCE).scores] for future in futures]
    assert got == expected
    worker.stop()


def test_a_large_request_does_not_hold_up_small_ones() -> None:
    worker, metric = started(), HeldMetric()
    large = worker.submit(Task(metric, segments(2000, "long " * 100)), PATIENCE)
    wait_until(lambda: bool(metric.calls))
    small = worker.submit(Task(HeldMetric(free=True), segments(1)), PATIENCE)
    metric.let(1)  # one slice of the large one
    assert small.result(PATIENCE).scores
    assert not large.done()
    large.cancel()
    metric.let()
    worker.stop()


def test_one_broken_request_fails_alone() -> None:
    worker, metric = started(), HeldMetric()
    first = worker.submit(Task(metric, segments(1)), PATIENCE)
    wait_until(lambda: bool(metric.calls))
    bad = worker.submit(Task(metric, [Segment("break", ("x",))]), PATIENCE)
    good = [worker.submit(Task(metric, segments(1)), PATIENCE) for _ in range(3)]
    metric.let()
    assert all(future.result(PATIENCE).scores for future in (first, *good))
    with pytest.raises(ValueError, match="broken"):
        bad.result(PATIENCE)
    assert metric.calls[:2] == [1, 4]  # it was in company
    assert worker.alive
    worker.stop()


class ForgetfulMetric(HeldMetric):
    """A metric that returns no score for the first segment of each call."""

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        return super().score(segments)[1:]


def test_a_metric_that_returns_too_few_scores_fails_at_once() -> None:
    """Its requests would get the scores of others, or wait for the rest until their time is over."""
    worker = started()
    futures = [worker.submit(Task(ForgetfulMetric(free=True), segments(1)), PATIENCE) for _ in range(2)]
    for future in futures:
        with pytest.raises(MongeError, match="chrf returned 0 scores for 1 segments"):
            future.result(PATIENCE / 2)
    worker.stop()


def test_a_full_queue_refuses_at_once() -> None:
    worker, metric = started(waiting=3), HeldMetric()
    for _ in range(3):
        worker.submit(Task(metric, segments(1)), PATIENCE)
    with pytest.raises(RefusalError, match="waiting") as refusal:
        worker.submit(Task(metric, segments(1)), PATIENCE)
    assert refusal.value.status == 503
    metric.let()
    worker.stop()


def test_a_request_that_takes_too_long_is_dropped() -> None:
    worker, metric = started(), HeldMetric()
    future = worker.submit(Task(metric, segments(500, "long " * 200)), 0.05)
    time.sleep(0.1)  # its time is over
    metric.let()
    with pytest.raises(RefusalError, match="too long"):
        future.result(PATIENCE)
    assert len(metric.calls) <= 1
    wait_until(lambda: worker.depth == 0)
    worker.stop()


def test_stopping_finishes_or_refuses() -> None:
    worker, metric = started(), HeldMetric(free=True)
    first = worker.submit(Task(metric, segments(1)), PATIENCE)
    worker.stop(PATIENCE)
    assert first.result(0).scores
    with pytest.raises(RefusalError, match="shutting down"):
        worker.submit(Task(metric, segments(1)), PATIENCE)


def test_a_stop_that_times_out_leaves_no_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    mishaps: list[object] = []
    monkeypatch.setattr(threading, "excepthook", mishaps.append)
    worker, metric = started(), HeldMetric()
    futures = [worker.submit(Task(metric, segments(1)), PATIENCE) for _ in range(2)]
    wait_until(lambda: bool(metric.calls))
    worker.stop(0.01)
    for future in futures:
        with pytest.raises(RefusalError, match="shutting down"):
            future.result(0)
    metric.let()
    wait_until(lambda: not worker._thread.is_alive())
    assert mishaps == []


class LearningMetric(HeldMetric):
    """A metric that has to learn from a corpus first, and reads a segment of it when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.bound = False
        self.read = 0
        self.ended = threading.Event()

    def bind(self, corpus: Sequence[Segment]) -> "LearningMetric":
        try:
            for _ in corpus:
                self.read += 1
                assert self._permits.acquire(timeout=PATIENCE)
            return self
        finally:
            self.ended.set()


def test_learning_from_a_large_request_does_not_hold_up_small_ones() -> None:
    worker, metric = started(), LearningMetric()
    large = worker.submit(Task(metric, segments(1000)), PATIENCE)
    wait_until(lambda: metric.read > 0)
    assert worker.submit(Task(HeldMetric(free=True), segments(1)), PATIENCE).result(PATIENCE).scores
    large.cancel()
    metric.let()
    assert metric.ended.wait(PATIENCE)
    assert metric.read == 1  # nobody waits: it reads no further
    worker.stop()
