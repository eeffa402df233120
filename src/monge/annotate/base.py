"""What an annotator is, and what it returns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError

ALGORITHM = 2  # raise it when an annotator of monge returns something else for the same text
NOUNS = ("NOUN", "PROPN")  # universal part-of-speech tags

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>|<!--.*?-->|&(?:[A-Za-z]{2,8}|#\d{1,7}|#x[0-9A-Fa-f]{1,6});", re.DOTALL)
MARKUP_NOTE = "markup was ignored"


@dataclass(frozen=True, eq=False)
class AnnotatedText:
    """A text as words.

    ``words``, ``lemmas`` and ``tags`` (universal parts of speech: NOUN, PROPN, VERB …) have one entry per word;
    ``spans`` (n, 2) are character offsets into ``text``; ``sentences`` (n,) is the number of each word's sentence,
    from 0 and never decreasing. ``notes`` say what was degraded.

    >>> one = AnnotatedText("Boats sail.", ("Boats", "sail", "."), ("boat", "sail", "."), ("NOUN", "VERB", "PUNCT"),
    ...                     np.array([[0, 5], [6, 10], [10, 11]]), np.array([0, 0, 0]))
    >>> one.sentence_count
    1
    """

    text: str
    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    spans: NDArray[np.int64]
    sentences: NDArray[np.int64]
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        n = len(self.words)
        if len(self.lemmas) != n or len(self.tags) != n:
            raise InputError(f"an annotator gave {n} words, {len(self.lemmas)} lemmas and {len(self.tags)} tags")
        if self.spans.shape != (n, 2) or self.sentences.shape != (n,):
            raise InputError(f"an annotator gave spans of shape {self.spans.shape} for {n} words")
        if n and (self.sentences[0] != 0 or np.any((steps := np.diff(self.sentences)) < 0) or np.any(steps > 1)):
            raise InputError("an annotator must number sentences 0, 1, 2 … in the order of the words")

    @property
    def sentence_count(self) -> int:
        """The number of sentences."""
        return int(self.sentences[-1]) + 1 if len(self.words) else 0


@runtime_checkable
class Annotator(Protocol):
    """Anything that splits texts into sentences and words and gives every word a lemma and a part of speech.

    ``signature`` names the model and its version. Annotations are stored only if ``identity`` is given too: text that
    changes whenever an annotation could.
    """

    @property
    def signature(self) -> str: ...

    def annotate(self, texts: Sequence[str]) -> list[AnnotatedText]:
        """Return one AnnotatedText per text, in order."""
        ...


def blank_markup(text: str) -> str:
    """Return *text* with tags, comments and character references of HTML or XML replaced by blanks of the same length.

    >>> blank_markup("a <b>boat</b> &amp; crew")
    'a    boat           crew'
    """
    if "<" not in text and "&" not in text:
        return text
    return _TAG.sub(lambda match: " " * len(match[0]), text)


def lower_in_place(text: str) -> str:
    """Return *text* in lower case with every character at its place (some have no single lower-case character).

    >>> lower_in_place("Çİ")
    'çİ'
    """
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := char.lower()) == 1 else char for char in text)


def line_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of every line that has more than white space; a line break always ends a sentence.

    >>> line_spans("one\\n\\n two")
    [(0, 3), (5, 9)]
    """
    spans, start = [], 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            spans.append((start, start + len(line.rstrip("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"))))
        start += len(line)
    return spans
