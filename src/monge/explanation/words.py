"""From the points of a cloud back to the words of its text."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.clouds.cloud import PointCloud
from monge.text import word_spans


@dataclass(frozen=True, eq=False)
class WordGroups:
    """The words (or n-grams) of a cloud: their names and spans, and ``owner`` (n,), the word of each point."""

    names: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    owner: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def membership(self) -> NDArray[np.float64]:
        """The matrix (n, words) that is 1 where a point belongs to a word; it sums points into words."""
        matrix = np.zeros((len(self.owner), len(self.names)))
        matrix[np.arange(len(self.owner)), self.owner] = 1.0
        return matrix


def group_words(cloud: PointCloud) -> WordGroups:
    """Merge neighbouring points inside one word of the text; special tokens and n-grams are kept unchanged.

    A special token has no characters: its span is empty and lies at the end of the word before it.

    >>> points = np.zeros((3, 2), dtype=np.float32)
    >>> spans = np.array([[0, 4], [4, 7], [8, 11]])
    >>> cloud = PointCloud(points, np.full(3, 1 / 3), ("play", "##ing", "now"), spans, "playing now")
    >>> group_words(cloud).names, group_words(cloud).owner.tolist()
    (('playing', 'now'), [0, 0, 1])
    """
    words = word_spans(cloud.text)
    starts = [start for start, _ in words]
    names: list[str] = []
    spans: list[tuple[int, int]] = []
    owner: list[int] = []
    previous: int | None = None
    reached = 0
    for token, (start, end) in zip(cloud.tokens, cloud.spans.tolist(), strict=True):
        start, end = _trim(cloud.text, start, end)
        word = _word_around(words, starts, start, end)
        if word is None or word != previous:
            start, end = (start, end) if word is None else words[word]  # a first subword stands for its word
            start, end = (start, end) if end > start else (reached, reached)
            reached = max(reached, end)
            names.append(cloud.text[start:end] if end > start else token)
            spans.append((start, end))
        owner.append(len(names) - 1)
        previous = word
    return WordGroups(tuple(names), tuple(spans), np.array(owner, dtype=np.int64))


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out white space that a tokenizer counted as part of a token."""
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    return (start, end) if lead == len(piece) else (start + lead, start + len(piece.rstrip()))


def _word_around(words: list[tuple[int, int]], starts: list[int], start: int, end: int) -> int | None:
    """Return the number of the word that contains the span; None if the span is empty or crosses words."""
    place = bisect_right(starts, start) - 1
    return place if end > start and place >= 0 and end <= words[place][1] else None
