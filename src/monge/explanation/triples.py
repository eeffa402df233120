"""Triples A, B, C: B says the same as A in other words, C says something else in the words of A."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError
from monge.explanation.factors import lexical_overlap
from monge.explanation.stress import Rate, count_wins
from monge.metrics.base import bind_to
from monge.metrics.protocols import Metric
from monge.text import Segment, iter_lines

Triple = tuple[str, str, str]  # a text, its paraphrase, a text that shares words with it but not its meaning
_LABELS = {"1": "paraphrase", "0": "other"}


@dataclass(frozen=True, eq=False)
class TripleScores:
    """One metric's scores m(A, B) and m(A, C), each (n,), and how often it prefers the paraphrase B."""

    metric: str
    higher_is_better: bool
    paraphrases: NDArray[np.float64]
    others: NDArray[np.float64]
    rate: Rate


@dataclass(frozen=True)
class Overlap:
    """Mean share of words that B and C have in common with A (BLEU-1), and the number of triples."""

    paraphrases: float
    others: float
    triples: int

    def describe(self) -> str:
        """Return one sentence."""
        shares = f"B {self.paraphrases:.2f}, C {self.others:.2f}"
        return f"{self.triples:,} triples; words shared with A: {shares}"


def read_triples(path: str | Path) -> list[Triple]:
    """Read triples, from lines of A, B, C or, as published by Kaster et al. (2021), of label, A, text (gzip too).

    In the second form label 1 marks a paraphrase of A and 0 another text; a text A with one of each gives a triple.
    Raises InputError if a line has another number of cells or no triple is found.
    """
    rows: list[list[str]] = []
    for number, line in enumerate(iter_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 3:
            raise InputError(f"{path}, line {number}: three texts are expected (A, B, C), not {len(cells)}")
        rows.append(cells)
    if rows and all(cells[0] in _LABELS for cells in rows):
        triples = _join_labelled(rows)
    else:
        triples = [(a, b, c) for a, b, c in rows]
    if not triples:
        raise InputError(f"{path} holds no triple")
    return triples


def _join_labelled(rows: Sequence[Sequence[str]]) -> list[Triple]:
    groups: dict[str, dict[str, str]] = {}
    for label, text, other in rows:
        groups.setdefault(text, {}).setdefault(label, other)
    return [(text, own["1"], own["0"]) for text, own in groups.items() if len(own) == len(_LABELS)]


def measure_overlap(triples: Sequence[Triple]) -> Overlap:
    """Return how many words paraphrases and others share with A.

    >>> measure_overlap([("a b c d", "a x y z", "b a c d")])
    Overlap(paraphrases=0.25, others=1.0, triples=1)
    """
    near = [lexical_overlap(b, a) for a, b, _ in triples]
    far = [lexical_overlap(c, a) for a, _, c in triples]
    count = max(len(triples), 1)
    return Overlap(math.fsum(near) / count, math.fsum(far) / count, len(triples))


def keep_least_shared(triples: Sequence[Triple], count: int) -> list[Triple]:
    """Return the *count* triples whose paraphrases share the fewest words with A, the hardest ones, in their order."""
    overlap = [lexical_overlap(b, a) for a, b, _ in triples]
    chosen = sorted(np.argsort(overlap, kind="stable")[:count].tolist())
    return [triples[i] for i in chosen]


def score_triples(metric: Metric, triples: Sequence[Triple], *, label: str = "") -> TripleScores:
    """Score every paraphrase and every other text against A (Kaster et al. 2021, figure 3)."""
    near = [Segment(b, (a,), a) for a, b, _ in triples]
    far = [Segment(c, (a,), a) for a, _, c in triples]
    bound = bind_to(metric, near)
    values = np.array([score.value for score in bound.score([*near, *far])])
    mine, theirs = values[: len(near)], values[len(near) :]
    rate = count_wins(bound, mine.tolist(), theirs.tolist())
    return TripleScores(label or bound.spec.name, bound.spec.higher_is_better, mine, theirs, rate)
