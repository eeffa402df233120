"""sacrebleu's TER, number for number, with the distances of all shifts of a round computed together.

Translation edit rate (Snover et al. 2006) tries up to 1,000 shifts of blocks, and for each the edit distance of the
shifted text within a beam around the diagonal. sacrebleu computes these distances cell by cell; here a row of the
tables of all shifts is one operation on arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics import lib_ter
from sacrebleu.metrics.ter import TER

Words = Sequence[str]
Shift = tuple[int, int, int, list[str]]  # length, start, place, the shifted text

_INFINITE = 1 << 40
_CELLS = 1 << 21  # of the tables of shifts that are computed together


class QuickTer(TER):
    """sacrebleu's TER with the quicker search."""

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[float]:
        words = hypothesis.split()
        references = ref_kwargs["ref_words"]
        found = [(count_ter_edits(words, reference), len(reference)) for reference in references]
        return [min(edits for edits, _ in found), sum(length for _, length in found) / len(references)]


def count_ter_edits(hypothesis: Words, reference: Words) -> int:
    """Return the edits of a text: shifts of blocks, as long as they help, then edits of words.

    >>> count_ter_edits("on the mat sat a cat".split(), "a cat sat on the mat".split())
    2
    """
    if not reference:
        return len(hypothesis)
    text, tried, shifts = list(hypothesis), 0, 0
    while True:
        table = [row[0].tolist() for row in _iter_rows([text], reference)]
        distance: int = table[-1][-1]
        candidates, tried = _list_shifts(text, reference, _trace(table, text, reference), tried)
        if tried >= lib_ter._MAX_SHIFT_CANDIDATES:  # the shifts of this round are not used then
            return shifts + distance
        gained, shifted = _choose_shift(candidates, reference, distance)
        if gained <= 0:
            return shifts + distance
        text, shifts = shifted, shifts + 1


def _list_shifts(text: list[str], reference: Words, trace: str, tried: int) -> tuple[list[Shift], int]:
    """Return the shifts that sacrebleu's ``_shift`` tries, in its order, and how many were tried in all rounds."""
    align, wrong_reference, wrong = lib_ter.trace_to_alignment(trace)
    found: list[Shift] = []
    for start, target, length in _find_pairs(text, reference):
        if not any(wrong[start : start + length]) or not any(wrong_reference[target : target + length]):
            continue
        if start <= align[target] < start + length:
            continue
        previous = -1
        for offset in range(-1, length):
            if target + offset == -1:
                place = 0
            elif target + offset in align:
                place = align[target + offset] + 1
            else:
                break
            if place != previous:
                found.append((length, start, place, lib_ter._perform_shift(text, start, length, place)))
                tried += 1
            previous = place
        if tried >= lib_ter._MAX_SHIFT_CANDIDATES:
            break
    return found, tried


def _find_pairs(text: Words, reference: Words) -> Iterator[tuple[int, int, int]]:
    """Yield blocks that both texts have, as sacrebleu's ``_find_shifted_pairs`` does: two starts and a length."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(reference):
        places.setdefault(word, []).append(place)
    for start, word in enumerate(text):
        for target in places.get(word, ()):
            if abs(target - start) > lib_ter._MAX_SHIFT_DIST:
                continue
            most = min(lib_ter._MAX_SHIFT_SIZE, len(text) - start, len(reference) - target)
            for length in range(1, most + 1):
                if text[start + length - 1] != reference[target + length - 1]:
                    break
                yield start, target, length


def _trace(rows: Sequence[Sequence[int]], text: Words, reference: Words) -> str:
    """Return the edits that turn *reference* into a text, on the best way through its table.

    Of ways that are equally good: a word kept or replaced first, then one that only the text has.
    """
    i, j, found = len(text), len(reference), []
    while i > 0 or j > 0:
        kept = i > 0 and j > 0 and text[i - 1] == reference[j - 1]
        if i > 0 and j > 0 and rows[i][j] == rows[i - 1][j - 1] + (not kept):
            found.append(lib_ter._OP_NOP if kept else lib_ter._OP_SUB)
            i, j = i - 1, j - 1
        elif i > 0 and rows[i][j] == rows[i - 1][j] + 1:
            found.append(lib_ter._OP_INS)
            i -= 1
        else:
            found.append(lib_ter._OP_DEL)
            j -= 1
    return "".join(reversed(found))


def _choose_shift(candidates: Sequence[Shift], reference: Words, distance: int) -> tuple[int, list[str]]:
    """Return what the best shift gains, and the text after it; longer blocks and earlier ones first."""
    if not candidates:
        return 0, []
    distances = beam_distances([shifted for *_, shifted in candidates], reference)
    best = max(
        (distance - own, length, -start, -place, shifted)
        for own, (length, start, place, shifted) in zip(distances, candidates, strict=True)
    )
    return best[0], best[-1]


def beam_distances(texts: Sequence[Words], reference: Words) -> list[int]:
    """Return the edit distance of texts of one length to *reference*, within sacrebleu's beam around the diagonal.

    A row of a table is d[i, j] = min(d[i−1, j−1] + (words differ), d[i−1, j] + 1, d[i, j−1] + 1), of which the last is
    j + min over k ≤ j of (the rest at k) − k: a running minimum.

    >>> beam_distances([["a", "cat"], ["cat", "a"]], ["a", "cat", "sat"])
    [1, 2]
    """
    size = max(1, _CELLS // (len(reference) + 1))
    return [own for i in range(0, len(texts), size) for own in _distances(texts[i : i + size], reference)]


def _distances(texts: Sequence[Words], reference: Words) -> list[int]:
    *_, last = _iter_rows(texts, reference)
    found: list[int] = last[:, -1].tolist()
    return found


def _iter_rows(texts: Sequence[Words], reference: Words) -> Iterator[NDArray[np.int64]]:
    """Yield row after row of the tables of all *texts*: (texts, words of the reference and one)."""
    count, width = len(texts[0]), len(reference)
    number = {word: i for i, word in enumerate(dict.fromkeys(reference))}
    rows = [[number.get(word, -1) for word in text] for text in texts]
    words = np.array(rows, dtype=np.int64).reshape(len(texts), count)
    wanted = np.array([number[word] for word in reference], dtype=np.int64)
    ratio = width / count if count else 1.0
    beam = math.ceil(ratio / 2 + lib_ter._BEAM_WIDTH) if ratio / 2 > lib_ter._BEAM_WIDTH else lib_ter._BEAM_WIDTH
    row = np.tile(np.arange(width + 1), (len(texts), 1))
    yield row
    for i in range(1, count + 1):
        middle = math.floor(i * ratio)
        low, high = max(0, middle - beam), width + 1 if i == count else min(width + 1, middle + beam)
        first = max(low, 1)
        least = np.empty((len(texts), high - low), dtype=np.int64)
        least[:, 0] = row[:, 0] + 1  # overwritten unless the beam begins at the left edge
        differ = words[:, i - 1, None] != wanted[first - 1 : high - 1]
        np.minimum(row[:, first - 1 : high - 1] + differ, row[:, first:high] + 1, out=least[:, first - low :])
        places = np.arange(low, high)
        least = np.minimum.accumulate(least - places, axis=1) + places
        row = np.full((len(texts), width + 1), _INFINITE, dtype=np.int64)
        row[:, low:high] = np.minimum(least, _INFINITE)
        yield row
