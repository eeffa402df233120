"""Where two texts differ, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from monge.text import word_spans


@dataclass(frozen=True)
class MarkedText:
    """A piece of a text; ``own`` if the other text does not have it at this place."""

    text: str
    own: bool


def mark_differences(first: str, second: str) -> tuple[list[MarkedText], list[MarkedText]]:
    """Return both texts in pieces that are common to both or not; the pieces of a text joined are the text.

    >>> first, _ = mark_differences("a red boat sails", "a blue boat sails")
    >>> [(piece.text, piece.own) for piece in first]
    [('a ', False), ('red', True), (' boat sails', False)]
    """
    texts = (first, second)
    spans = [word_spans(text) for text in texts]
    words = [[text[start:end] for start, end in own] for text, own in zip(texts, spans, strict=True)]
    changes = [op for op in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes() if op[0] != "equal"]
    runs = [(i, j) for _, i, j, _, _ in changes], [(i, j) for _, _, _, i, j in changes]
    return _cut(first, spans[0], runs[0]), _cut(second, spans[1], runs[1])


def _cut(text: str, spans: Sequence[tuple[int, int]], runs: Sequence[tuple[int, int]]) -> list[MarkedText]:
    """Return the text in pieces, the words of each run as one."""
    pieces, reached = [], 0
    for start, stop in runs:
        if start == stop:
            continue
        begin, end = spans[start][0], spans[stop - 1][1]
        pieces += [MarkedText(text[reached:begin], False), MarkedText(text[begin:end], True)]
        reached = end
    return [piece for piece in [*pieces, MarkedText(text[reached:], False)] if piece.text]
