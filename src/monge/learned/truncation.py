"""Texts that are longer than what a training reads of them: nothing is cut without a note."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from monge.wording import count_noun

_AT_ONCE = 4096


def count_cut(tokenizer: Any, texts: Sequence[str] | Sequence[tuple[str, str]]) -> int:
    """Return how many texts, or pairs of texts, a tokenizer that truncates does not read to their end."""
    parts = (texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE))
    return sum(bool(encoding.overflowing) for part in parts for encoding in tokenizer.encode_batch(list(part)))


def describe_cut(texts: int, length: int, *, noun: str = "text", unit: str = "word") -> str:
    """Return a note on texts that are read up to a number of words or tokens.

    >>> print(describe_cut(1, 100), describe_cut(20, 128, noun="pair", unit="token"), sep="\\n")
    1 text is longer than 100 words; the rest is not read
    20 pairs are longer than 128 tokens; the rest is not read
    """
    verb = "is" if texts == 1 else "are"
    return f"{count_noun(texts, noun)} {verb} longer than {count_noun(length, unit)}; the rest is not read"
