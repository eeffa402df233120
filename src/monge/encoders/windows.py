"""Texts longer than an encoder's window: overlapping windows and how their tokens are stitched."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Window:
    """Tokens ``start:stop`` are encoded together; the vectors of ``keep_start:keep_stop`` are kept."""

    start: int
    stop: int
    keep_start: int
    keep_stop: int


def plan_windows(count: int, size: int) -> tuple[Window, ...]:
    """Cover *count* tokens with evenly spread windows of *size* tokens that overlap by a quarter or more.

    Each token is kept from the window in which it is most central, so that every token sees at least an eighth of
    a window on both sides (but for the ends of the text).

    >>> [(w.start, w.stop, w.keep_start, w.keep_stop) for w in plan_windows(20, 8)]
    [(0, 8, 0, 7), (6, 14, 7, 13), (12, 20, 13, 20)]
    """
    if count <= size:
        return (Window(0, count, 0, count),)
    step = size - size // 4 if size > 1 else 1
    number = 1 + -(-(count - size) // step)
    starts = [round(k * (count - size) / (number - 1)) for k in range(number)]
    cuts = [0, *((a + size + b) // 2 for a, b in pairwise(starts)), count]
    return tuple(Window(a, a + size, cuts[k], cuts[k + 1]) for k, a in enumerate(starts))
