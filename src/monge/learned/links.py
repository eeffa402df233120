"""Which words of parallel texts are taken to translate each other, one to one."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from monge.crosslingual.vectors import VectorSpace
from monge.crosslingual.words import align_words
from monge.errors import InputError
from monge.text import read_lines, word_spans

Links = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class LinkedTexts:
    """Texts of two languages and, for every pair, the numbers of words that translate each other."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Links, ...]

    def __post_init__(self) -> None:
        if not len(self.source) == len(self.target) == len(self.links):
            sizes = f"{len(self.source)} sources, {len(self.target)} targets and {len(self.links)} lines of links"
            raise InputError(f"{sizes} are not parallel")

    @property
    def digest(self) -> str:
        """The SHA-256 of texts and links."""
        parts = ("\0".join(self.source), "\0".join(self.target), repr(self.links))
        return hashlib.sha256("\1".join(parts).encode()).hexdigest()

    def part(self, rows: Iterable[int]) -> LinkedTexts:
        """Return the pairs with these numbers."""
        chosen = list(rows)
        columns = [tuple(column[i] for i in chosen) for column in (self.source, self.target)]
        return LinkedTexts(columns[0], columns[1], tuple(self.links[i] for i in chosen))

    def add(self, other: LinkedTexts) -> LinkedTexts:
        """Return the pairs of both, of several languages say."""
        return LinkedTexts(self.source + other.source, self.target + other.target, self.links + other.links)


def keep_single_links(links: Iterable[tuple[int, int]]) -> Links:
    """Return the links whose two words have no other link.

    >>> keep_single_links([(0, 0), (1, 1), (1, 2), (3, 3)])
    ((0, 0), (3, 3))
    """
    known = sorted(set(links))
    left, right = (Counter(link[side] for link in known) for side in (0, 1))
    return tuple((i, j) for i, j in known if left[i] == right[j] == 1)


def link_by_vectors(source: Sequence[str], target: Sequence[str], space: VectorSpace) -> LinkedTexts:
    """Return the texts with links between words that are each other's nearest by cosine."""
    found = []
    for one, two in zip(space.read(source), space.read(target), strict=True):
        own = align_words(one.words, two.words) if len(one.words) and len(two.words) else []
        found.append(keep_single_links((one.numbers[i], two.numbers[j]) for i, j in own))
    return LinkedTexts(tuple(source), tuple(target), tuple(found))


def read_links(path: str | os.PathLike[str], source: Sequence[str], target: Sequence[str]) -> LinkedTexts:
    """Read links ``0-0 1-2 …``, one line per pair, as word aligners write them; words are those between blanks.

    They become links between the words of :func:`monge.text.word_spans`: the first that a blank-separated word has.
    Raises InputError for a line that is not one, or names a word that the texts do not have.
    """
    found = []
    lines = read_lines(path)
    if not len(lines) == len(source) == len(target):
        raise InputError(f"{path} has {len(lines)} lines for {len(source)} sources and {len(target)} targets")
    for number, (line, one, two) in enumerate(zip(lines, source, target, strict=True), start=1):
        try:
            pairs = [(int(i), int(j)) for i, j in (link.split("-") for link in line.split())]
            sides = _first_words(one), _first_words(two)
            found.append(keep_single_links((int(sides[0][i]), int(sides[1][j])) for i, j in pairs if min(i, j) >= 0))
        except (ValueError, IndexError):
            raise InputError(f"{path}, line {number}: not links as 0-0 1-2 between the words of both texts") from None
    return LinkedTexts(tuple(source), tuple(target), tuple(found))


def _first_words(text: str) -> list[int]:
    """Return the number of the first word of ``word_spans`` in every word between blanks."""
    starts = np.array([start for start, _ in word_spans(text)])
    places, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        places.append(int(np.searchsorted(starts, place)))
        place += len(word)
    return places
