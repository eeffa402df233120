"""One score from the pairs of a segment: which reference decides, and what has to be said about it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from monge.metrics.base import NOTHING_TO_COMPARE
from monge.metrics.transport.pairs import CloudPairs


def find_best(values: NDArray[np.float64], *, higher: bool) -> int:
    """Return the number of the best value; a missing one is chosen only where there is no other.

    >>> find_best(np.array([math.nan, 0.2, 0.5]), higher=False)
    1
    """
    known = np.where(np.isnan(values), -np.inf if higher else np.inf, values)
    return int(np.argmax(known) if higher else np.argmin(known))


def best_value(values: NDArray[np.float64], *, higher: bool) -> float:
    """Return the best value that is known, NaN if none is.

    >>> best_value(np.array([math.nan, 0.2, 0.5]), higher=True)
    0.5
    """
    known = values[~np.isnan(values)]
    if not known.size:
        return math.nan
    return float(known.max() if higher else known.min())


def note_missing_pairs(
    problems: CloudPairs, failed: NDArray[np.bool_], owned: slice, used: Sequence[int]
) -> tuple[str, ...]:
    """Return why pairs of a segment have no score or are left out: those that decide (*used*), or others it *owns*."""
    blank = problems.blank
    reasons = {
        NOTHING_TO_COMPARE.removeprefix("no score: "): blank,
        "the encoder can read neither text": ~problems.comparable & ~blank,
        "empty text": ~problems.stated & ~blank,
        "transport did not converge": failed,
    }
    return tuple(note for why, missing in reasons.items() for note in _note_missing(missing, owned, used, why))


def _note_missing(missing: NDArray[np.bool_], owned: slice, used: Sequence[int], why: str) -> tuple[str, ...]:
    if missing[list(used)].any():
        return (f"no score: {why}",)
    count = int(missing[owned].sum())
    return (f"{count} of {owned.stop - owned.start} references left out: {why}",) if count else ()


def note_unseen(problems: CloudPairs, used: Sequence[int]) -> tuple[str, ...]:
    """Return a note for pairs that score as a copy: they may differ in words that the encoder does not know."""
    unknown = problems.unknown[list(used)].any()
    if unknown and any(one != other for one, other in map(problems.texts, used)):
        return ("scored as a copy, but the texts differ in words unknown to the encoder",)
    return ()
