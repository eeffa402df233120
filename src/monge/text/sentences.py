"""Sentence boundaries, found by a few rules."""

from __future__ import annotations

import re

_CLOSERS = "\"'”’»›)]}」』）】"
# An end mark with its closing quotes, then space or the end; marks of Chinese and Japanese need no space.
_END = re.compile(
    rf"(?P<mark>[.!?…‽؟۔।॥]+[{re.escape(_CLOSERS)}]*)(?=\s|$)|[。！？｡]+[{re.escape(_CLOSERS)}]*|\n\s*\n|\n(?=\s*[-•*]\s)"
)
_ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof st sr jr gen gov sen rep rev hon col capt lt sgt maj cmdr vs etc e.g i.e cf al fig figs eq no nos
    vol pp ed eds inc ltd co corp dept univ approx est jan feb mar apr jun jul aug sep sept oct nov dec
    bzw z.b d.h u.a usw ca nr str bspw evtl ggf vgl hr fr mme mlle m p.ex sig dott sra
    """.split()  # noqa: SIM905 - a word list reads best as words
)
_LAST_WORD = re.compile(r"[\w.]+$")
_LOOK_BACK = 64  # characters, for the word before a full stop: looking through all of the text takes quadratic time
_FOLLOWING = re.compile(r"\s*(?P<start>[\"'“‘«(]*(?P<letter>.?))", re.DOTALL)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of every sentence of *text*, without the space around it.

    A sentence ends at ``. ! ? …`` (with closing quotes) before space, unless a lower-case letter follows, at ``。！？``
    anywhere, at a blank line and before a list item. A single full stop does not end one after a known abbreviation,
    a single letter (``J. Smith``) or a number that opens its line (``1. First``).

    >>> sentence_spans("Hi. Bye.")
    [(0, 3), (4, 8)]
    """
    spans = []
    start = 0
    for match in _END.finditer(text):
        if match["mark"] is not None and not _ends_sentence(text, match):
            continue
        spans.append((start, match.end()))
        start = match.end()
    spans.append((start, len(text)))
    trimmed = ((begin + len(text[begin:end]) - len(text[begin:end].lstrip()), end) for begin, end in spans)
    return [(begin, begin + len(text[begin:end].rstrip())) for begin, end in trimmed if text[begin:end].strip()]


def split_sentences(text: str) -> list[str]:
    """Return the sentences of *text*; see sentence_spans for the rules.

    >>> split_sentences('Dr. Smith came. "Really?" he asked. 本当です。はい')
    ['Dr. Smith came.', '"Really?" he asked.', '本当です。', 'はい']
    """
    return [text[start:end] for start, end in sentence_spans(text)]


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    following = _FOLLOWING.match(text, match.end())
    if following is None or not following["start"]:
        return True
    if following["letter"].islower():
        return False  # "Really?" he asked.
    if match["mark"] != ".":
        return True
    last = _LAST_WORD.search(text, max(0, match.start() - _LOOK_BACK), match.start())
    if last is None:
        return True
    word = last[0].lower()
    is_initial = len(word) == 1 and word.isalpha() and last[0] != "I"
    return not (word in _ABBREVIATIONS or is_initial or _opens_line(text, last))


def _opens_line(text: str, last: re.Match[str]) -> bool:
    """Whether the number before the full stop opens its line (``1. First``): a list item, not a sentence."""
    return last[0].isdigit() and (last.start() == 0 or text[last.start() - 1] == "\n")
