"""How much of a text an encoder does not know."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np

from monge.text import word_spans


def unknown_share(text: str, unknown: Sequence[tuple[int, int]]) -> float:
    """Return the share of the words of *text* that overlap one of the *unknown* spans (sorted, disjoint).

    Words are those of ``word_spans``, so that encoders with different tokens can be compared. Punctuation does not
    count, or a full stop would make a text readable; a text of nothing else is judged by its punctuation.

    >>> unknown_share("A xyzzy.", [(2, 7)]), unknown_share("A xyzzy.", [])
    (0.5, 0.0)
    """
    if not unknown:
        return 0.0
    spans = word_spans(text)
    counted = np.array([span for span in spans if _has_content(text[slice(*span)])] or spans).reshape(-1, 2)
    if not len(counted):
        return 0.0
    starts, ends = np.array(unknown).T
    nearest = np.searchsorted(ends, counted[:, 0], side="right")  # the first span that ends after the word begins
    overlaps = np.append(starts, len(text))[nearest] < counted[:, 1]
    return float(overlaps.mean())


def _has_content(word: str) -> bool:
    return any(unicodedata.category(char)[0] != "P" for char in word)
