"""Texts that are longer than what a training reads of them: nothing is cut without a note."""

from __future__ import annotations

from monge.wording import count_noun


def describe_cut(texts: int, words: int) -> str:
    """Return a note on texts of which only the first words are read.

    >>> print(describe_cut(1, 100), describe_cut(20, 100), sep="\\n")
    1 text is longer than 100 words; only its first 100 words are read
    20 texts are longer than 100 words; only their first 100 words are read
    """
    verb, whose = ("is", "its") if texts == 1 else ("are", "their")
    return f"{count_noun(texts, 'text')} {verb} longer than {words} words; only {whose} first {words} words are read"
