"""Which words of two texts translate each other, and how well an aligner finds them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.encoders.unit import unit_vectors
from monge.errors import InputError

Links = frozenset[tuple[int, int]]


def cosines(left: NDArray[np.floating], right: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the cosine (n, m) of every row of *left* with every row of *right*; 0 for a zero vector."""
    return np.asarray(unit_vectors(left) @ unit_vectors(right).T, dtype=np.float64)


def align_words(source: NDArray[np.floating], target: NDArray[np.floating]) -> list[tuple[int, int]]:
    """Return the pairs of words (i, j) that are each other's nearest by cosine (Jalili Sabet et al. 2020, Argmax).

    *source* (n, d) and *target* (m, d) are vectors of words in context.

    >>> align_words(np.eye(3), np.eye(3)[[2, 0]])
    [(0, 1), (2, 0)]
    """
    if not len(source) or not len(target):
        return []
    similarity = cosines(source, target)
    forward, backward = similarity.argmax(axis=1), similarity.argmax(axis=0)
    return [(i, int(j)) for i, j in enumerate(forward) if backward[j] == i]


@dataclass(frozen=True)
class AlignmentQuality:
    """Precision, recall and alignment error rate of links against sure and possible ones (Och and Ney 2003)."""

    precision: float
    recall: float
    error_rate: float
    links: int

    @property
    def f(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def alignment_error_rate(
    found: Sequence[Collection[tuple[int, int]]],
    sure: Sequence[Collection[tuple[int, int]]],
    possible: Sequence[Collection[tuple[int, int]]] | None = None,
) -> AlignmentQuality:
    """Return AER = 1 − (|A∩S| + |A∩P|) / (|A| + |S|) over all texts; *possible* links include the sure ones.

    >>> alignment_error_rate([{(0, 0), (1, 1)}], [{(0, 0)}], [{(0, 0), (1, 1), (2, 2)}]).error_rate
    0.0
    """
    hits_sure = hits_possible = links = wanted = 0
    for place, (own, certain) in enumerate(zip(found, sure, strict=True)):
        allowed = set(certain) if possible is None else set(certain) | set(possible[place])
        hits_sure += len(set(own) & set(certain))
        hits_possible += len(set(own) & allowed)
        links += len(set(own))
        wanted += len(set(certain))
    if not wanted:
        raise InputError("there is no sure link to compare with")
    precision = hits_possible / links if links else 0.0
    return AlignmentQuality(precision, hits_sure / wanted, 1 - (hits_sure + hits_possible) / (links + wanted), links)


def read_gold(lines: Iterable[str], *, name: str) -> list[tuple[Links, Links]]:
    """Read links ``1-2 3p4``, numbered from 1, one text per line: sure (``-``) and all allowed ones (``p`` too)."""
    gold = []
    for number, line in enumerate(lines, start=1):
        sure, possible = set(), set()
        for part in line.split():
            mark = "-" if "-" in part else "p"
            left, found, right = part.partition(mark)
            if not found or not left.isdigit() or not right.isdigit() or "0" in (left, right):
                raise InputError(f"{name}, line {number}: {part!r} is not a link such as 1-2, or 1p2 if only possible")
            link = (int(left) - 1, int(right) - 1)
            possible.add(link)
            if mark == "-":
                sure.add(link)
        gold.append((frozenset(sure), frozenset(possible)))
    return gold
