"""Cutting texts into batches of nearly equal length, and running the batches on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextvars import ContextVar
from threading import Event

reader_left: ContextVar[Event | None] = ContextVar("reader_left", default=None)
"""Set when nobody waits any more for what this thread computes: the batches not yet begun are then skipped."""


def cut_batches(lengths: Sequence[int], *, budget: int) -> list[list[int]]:
    """Group items by length so that a batch, padded to its longest item, holds at most *budget* tokens.

    Longest first: the expensive batches start early, and too large a need of memory shows at once. An item longer than
    the budget is a batch of its own.

    >>> cut_batches([3, 9, 4, 2, 9], budget=18)
    [[1, 4], [2, 0, 3]]
    """
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    batches: list[list[int]] = []
    for i in order:
        if batches and lengths[batches[-1][0]] * (len(batches[-1]) + 1) <= budget:
            batches[-1].append(i)
        else:
            batches.append([i])
    return batches


def available_cores() -> int:
    """Return how many cores this process may use; ``OMP_NUM_THREADS`` lowers it."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    wish = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, int(wish)) if wish.isdigit() and int(wish) > 0 else cores


def run_batches(work: Callable[[list[int]], None], batches: Sequence[list[int]], *, workers: int) -> None:
    """Call *work* once per batch, on up to *workers* threads; the first error stops the rest and is raised.

    Where ``reader_left`` is set, no further batch is begun and CancelledError is raised.
    """
    left = reader_left.get()

    def begin(batch: list[int]) -> None:
        if left is not None and left.is_set():
            raise CancelledError
        work(batch)

    if workers == 1 or len(batches) < 2:
        for batch in batches:
            begin(batch)
        return
    with ThreadPoolExecutor(min(workers, len(batches))) as pool:
        try:
            for _ in pool.map(begin, batches):
                pass
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
