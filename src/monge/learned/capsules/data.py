"""Texts with labels, and questions with answers: reading them and turning words into rows of a table."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError
from monge.text import read_lines, word_spans

PADDING, UNKNOWN = 0, 1


@dataclass(frozen=True)
class LabelledTexts:
    """Texts, and the labels of each."""

    texts: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def digest(self) -> str:
        """The SHA-256 of texts and labels."""
        rows = ("\0".join((text, *own)) for text, own in zip(self.texts, self.labels, strict=True))
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()

    def part(self, rows: Iterable[int]) -> LabelledTexts:
        """Return the texts with these numbers."""
        chosen = list(rows)
        return LabelledTexts(tuple(self.texts[i] for i in chosen), tuple(self.labels[i] for i in chosen))

    def table(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return which text has which of the labels *names* (n, labels); others are ignored."""
        numbers = {name: i for i, name in enumerate(names)}
        found = np.zeros((len(self), len(names)), dtype=np.bool_)
        for row, own in zip(found, self.labels, strict=True):
            row[[numbers[label] for label in own if label in numbers]] = True
        return found


def read_labelled(path: str | os.PathLike[str]) -> LabelledTexts:
    """Read lines ``text TAB label label …``; raises InputError with the number of the first line that is not one."""
    texts, labels = [], []
    for number, line in enumerate(read_lines(path), start=1):
        text, tab, rest = line.partition("\t")
        if not tab or not text.strip() or not rest.split():
            raise InputError(f"{path}, line {number}: not a text, a tab and labels with blanks between them")
        texts.append(text)
        labels.append(tuple(dict.fromkeys(rest.split())))
    if not texts:
        raise InputError(f"{path}: no texts")
    return LabelledTexts(tuple(texts), tuple(labels))


@dataclass(frozen=True)
class Answers:
    """Questions with candidate answers: one row per pair, and whether the answer is right."""

    questions: tuple[str, ...]
    answers: tuple[str, ...]
    right: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.questions)

    @property
    def digest(self) -> str:
        """The SHA-256 of all pairs."""
        rows = zip(self.questions, self.answers, map(str, self.right), strict=True)
        return hashlib.sha256("\n".join(map("\0".join, rows)).encode()).hexdigest()

    def part(self, rows: Iterable[int]) -> Answers:
        """Return the pairs with these numbers."""
        chosen = list(rows)
        questions, answers = (tuple(column[i] for i in chosen) for column in (self.questions, self.answers))
        return Answers(questions, answers, tuple(self.right[i] for i in chosen))

    def group(self, scores: Sequence[float]) -> list[tuple[list[float], list[bool]]]:
        """Return the scores and labels of the answers of every question."""
        found: dict[str, tuple[list[float], list[bool]]] = {}
        for question, score, right in zip(self.questions, scores, self.right, strict=True):
            own = found.setdefault(question, ([], []))
            own[0].append(float(score))
            own[1].append(right)
        return list(found.values())


def read_answers(path: str | os.PathLike[str]) -> Answers:
    """Read lines ``question TAB answer TAB 0|1``; raises InputError with the number of the first that is not one."""
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 3 or cells[2].strip() not in ("0", "1") or not (cells[0].strip() and cells[1].strip()):
            raise InputError(f"{path}, line {number}: not a question, an answer and 0 or 1, with tabs between them")
        rows.append((cells[0], cells[1], cells[2].strip() == "1"))
    if not rows:
        raise InputError(f"{path}: no pairs")
    questions, answers, right = zip(*rows, strict=True)
    return Answers(questions, answers, right)


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [text[start:end].lower() for start, end in word_spans(text)]


def make_vocabulary(texts: Iterable[str], most: int) -> tuple[str, ...]:
    """Return the *most* frequent words, the most frequent first; equals in the order of the alphabet."""
    counts = Counter(word for text in texts for word in split_words(text))
    return tuple(sorted(counts, key=lambda word: (-counts[word], word))[:most])


def number_words(texts: Sequence[str], vocabulary: Sequence[str], length: int) -> NDArray[np.int64]:
    """Return rows of word numbers (n, length): 0 is padding, 1 a word that is not in the vocabulary.

    >>> number_words(["a b", "c a b a"], ["a", "b"], 3).tolist()
    [[2, 3, 0], [1, 2, 3]]
    """
    numbers = {word: i for i, word in enumerate(vocabulary, start=2)}
    found = np.full((len(texts), length), PADDING, dtype=np.int64)
    for row, text in zip(found, texts, strict=True):
        words = [numbers.get(word, UNKNOWN) for word in split_words(text)[:length]]
        row[: len(words)] = words
    return found
