"""A metric that waits until it is let, and a request that needs no encoder."""

import threading
import time
from collections.abc import Callable, Sequence

from monge.metrics import load_metric
from monge.scores import Score
from monge.text import Segment

PATIENCE = 60.0  # seconds that a busy machine may take for anything
BODY = {"metrics": [{"name": "chrf"}], "segments": [{"hypothesis": "secret words", "references": ["b"]}]}


class HeldMetric:
    """chrF that scores when it is let, and records how many segments each call had."""

    def __init__(self, *, free: bool = False) -> None:
        self._metric = load_metric("chrf")
        self._free = free
        self._permits = threading.Semaphore(0)
        self.calls: list[int] = []
        self.spec, self.signature, self.bound = self._metric.spec, self._metric.signature, True
        self.binding_notes: tuple[str, ...] = ()

    def let(self, calls: int = 1000) -> None:
        """Let some more calls go on."""
        self._permits.release(calls)

    def bind(self, corpus: Sequence[Segment]) -> "HeldMetric":
        return self

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        return scores[0].value

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        self.calls.append(len(segments))
        assert self._free or self._permits.acquire(timeout=PATIENCE)
        if any(segment.hypothesis == "break" for segment in segments):
            raise ValueError("broken")
        return self._metric.score(segments)


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


def segments(count: int, text: str = "some words") -> list[Segment]:
    return [Segment(f"{text} {i}", (f"{text} {i}",)) for i in range(count)]
