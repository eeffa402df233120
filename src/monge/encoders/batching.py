"""Cutting texts into batches of nearly equal length, and running the batches on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor


def cut_batches(lengths: Sequence[int], *, budget: int) -> list[list[int]]:
    """Group items by length so that a batch, padded to its longest item, holds at most *budget* tokens.

    Longest first: the dear batches start early, and a too large memory need shows at once. An item longer than the
    budget is a batch of its own.

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
    """Call *work* once a batch, on up to *workers* threads; the first error stops the rest and is raised."""
    if workers == 1 or len(batches) < 2:
        for batch in batches:
            work(batch)
        return
    with ThreadPoolExecutor(min(workers, len(batches))) as pool:
        try:
            for _ in pool.map(work, batches):
                pass
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
