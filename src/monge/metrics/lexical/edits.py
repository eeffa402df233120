"""Edits between two sequences of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Tokens = Sequence[str]


def count_moves(hypothesis: Tokens, reference: Tokens) -> int:
    """Return the edits if the order of words is ignored: max(|h|, |r|) − shared words.

    >>> count_moves(["b", "a", "c"], ["a", "b"])
    1
    """
    shared = (Counter(hypothesis) & Counter(reference)).total()
    return max(len(hypothesis), len(reference)) - shared


def count_edits(hypothesis: Tokens, reference: Tokens) -> int:
    """Return the fewest insertions, deletions and substitutions of words (Levenshtein).

    A column of the table of distances is held as two integers of one bit per reference word, where the next row is one
    more (*up*) or one less (*down*), so that a word of the hypothesis costs a few operations on integers instead of one
    step per reference word (Myers 1999, A Fast Bit-Vector Algorithm for Approximate String Matching, in the form of
    Hyyrö 2003).

    >>> count_edits(["the", "cat", "sat"], ["a", "cat", "sat", "down"])
    2
    """
    if not reference:
        return len(hypothesis)
    places: dict[str, int] = {}
    for number, word in enumerate(reference):
        places[word] = places.get(word, 0) | 1 << number
    every = (1 << len(reference)) - 1
    last = 1 << (len(reference) - 1)
    up, down, edits = every, 0, len(reference)
    for word in hypothesis:
        same = places.get(word, 0)
        diagonal = (((same & up) + up) ^ up) | same | down
        right = down | (every & ~(diagonal | up))
        left = up & diagonal
        edits += (right & last > 0) - (left & last > 0)
        right = right << 1 | 1
        up = (left << 1 | ~(diagonal | right)) & every
        down = right & diagonal & every
    return edits
