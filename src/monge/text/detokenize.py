"""Undo Moses tokenisation of English-like text."""

from __future__ import annotations

import html
import re

_CLOSING = frozenset(",.?!:;%)]}”…") | {"...", "..", "?!", "!!"}
_OPENING = frozenset("([{“¿¡#$£€")
_APOSTROPHES = "'’"
_CONTRACTION = re.compile(r"(?:s|t|re|ve|m|d|ll|em|cause|n|til)\Z", re.IGNORECASE)


def detokenize(text: str) -> str:
    """Return *text* as people write it: HTML entities resolved, punctuation and contractions joined to their words.

    The rules are those of the Moses detokeniser for English (Koehn et al. 2007). In a text that was never tokenised
    only repeated white space changes.

    >>> detokenize("he said : &quot; i don &apos;t know ( yet ) , sir . &quot;")
    'he said: "i don\\'t know (yet), sir."'
    >>> detokenize("the £ 1.35bn project is n't the players ' 6 @-@ year wait")
    "the £1.35bn project isn't the players' 6-year wait"
    """
    words = html.unescape(text).split()
    pieces: list[str] = []
    glue = True  # whether the next word is joined to the text before it
    open_quotes: set[str] = set()
    for i, word in enumerate(words):
        following = words[i + 1] if i + 1 < len(words) else ""
        left, right = _attachment(word, words[i - 1] if i else "", following, open_quotes)
        pieces.append(("" if glue or left else " ") + _plain(word))
        glue = right
    return "".join(pieces)


def _plain(word: str) -> str:
    return word[1:-1] if len(word) == 3 and word[0] == word[2] == "@" else word


def _attachment(word: str, previous: str, following: str, open_quotes: set[str]) -> tuple[bool, bool]:
    """Return whether *word* joins the word before it and whether it joins the word after it."""
    if _plain(word) != word:
        return True, True
    if word in _CLOSING:
        return True, False
    if word in _OPENING:
        return False, True
    if word.lower() == "n't":
        return True, False
    if len(word) > 1 and word[0] in _APOSTROPHES and _CONTRACTION.match(word[1:]):
        return previous[-1:].isalnum(), False
    if len(word) > 1 and word[0] == "'":  # a quotation that the tokeniser left on its first word
        open_quotes.add("'")
        return False, False
    if word == "’" and previous[-1:].isalnum():
        return True, _CONTRACTION.match(following) is not None
    if word in ('"', "'"):
        return _quote_attachment(word, previous, open_quotes)
    return False, word == "‘"


def _quote_attachment(mark: str, previous: str, open_quotes: set[str]) -> tuple[bool, bool]:
    if mark in open_quotes:
        open_quotes.remove(mark)
        return True, False
    if mark == "'" and previous.endswith("s"):  # a plural's genitive: the players ' wait
        return True, False
    open_quotes.add(mark)
    return False, True
