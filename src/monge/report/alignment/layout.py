"""What a picture of an alignment shows: items on two lines, and ribbons between them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from monge.explanation import ExplainedPair, ExplainedText, Flow
from monge.explanation.result import Array
from monge.report.printable import make_printable, shorten
from monge.text import word_spans

LONGEST_LABEL = 28
VISIBLE_SHARE = 0.03  # of a word's mass: smaller flows are left out of pictures (not of the numbers)


@dataclass(frozen=True)
class Item:
    """A label in one of the texts; ``word`` is its number in the explanation, None where the metric left it out."""

    label: str
    word: int | None


@dataclass(frozen=True, eq=False)
class PairLayout:
    """The items of both texts, the flows to draw (plans averaged), and the cost that counts as far."""

    hypothesis: tuple[Item, ...]
    reference: tuple[Item, ...]
    flows: tuple[Flow, ...]
    cost: Array
    far: float


def lay_out_pair(pair: ExplainedPair) -> PairLayout:
    """Return what to draw of a pair; several plans (precision, recall) are averaged."""
    mass = np.mean([plan.mass for plan in pair.plans], axis=0)
    contributions = np.sum([plan.contributions for plan in pair.plans], axis=0)
    cost = np.mean([plan.cost for plan in pair.plans], axis=0)
    spent = np.mean([plan.mass * plan.cost for plan in pair.plans], axis=0)
    visible = _visible_flows(mass)
    flows = tuple(
        Flow(i, j, float(mass[i, j]), float(spent[i, j] / mass[i, j]), float(contributions[i, j])) for i, j in visible
    )
    rows = list_items(pair.hypothesis, {i for i, _ in visible})
    columns = list_items(pair.reference, {j for _, j in visible})
    return PairLayout(tuple(rows), tuple(columns), flows, cost, pair.far)


def _visible_flows(mass: Array) -> list[tuple[int, int]]:
    rows, columns = mass.sum(1, keepdims=True), mass.sum(0, keepdims=True)
    floor = VISIBLE_SHARE * np.minimum(rows, columns)
    return [(i, j) for i, j in np.argwhere((mass > floor) & (mass > 1e-9)).tolist()]


def list_items(side: ExplainedText, active: set[int]) -> list[Item]:
    """Return the words in reading order, filtered words included; special tokens only if they are active."""
    placed: list[tuple[int, int, Item]] = []
    for number, word in enumerate(side.words):
        if word.end > word.start or number in active:
            label = shorten(make_printable(word.text), LONGEST_LABEL if len(side.words) > 1 else 60) or "(empty)"
            placed.append((word.start, word.end, Item(label, number)))
    if _overlap([(start, end) for start, end, _ in placed]):  # n-grams: every word belongs to one
        return [item for _, _, item in placed]
    taken = bytearray(len(side.text))
    for start, end, _ in placed:
        taken[start:end] = b"\x01" * (end - start)
    for start, end in word_spans(side.text):
        if not any(taken[start:end]):
            placed.append((start, end, Item(shorten(make_printable(side.text[start:end]), LONGEST_LABEL), None)))
    return [item for _, _, item in sorted(placed, key=lambda entry: entry[:2])]


def _overlap(spans: Sequence[tuple[int, int]]) -> bool:
    ordered = sorted(spans)
    return any(first[1] > second[0] for first, second in pairwise(ordered))


def reads_leftwards(text: str) -> bool:
    """Return whether most letters of a text belong to a script that is written from right to left.

    >>> reads_leftwards("ship"), reads_leftwards("سفينة 12")
    (False, True)
    """
    kinds = [unicodedata.bidirectional(char) for char in text]
    return sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L")


def label_width(text: str, size: float) -> float:
    """Return the approximate width of *text* in a sans-serif font of *size* pixels."""
    return size * sum(_char_width(char) for char in text)


def _char_width(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    if char in "ijl.,:;'|!I ":
        return 0.3
    if char in "ftr()[]-/":
        return 0.38
    if char in "mwMW@%":
        return 0.88
    return 0.69 if char.isupper() else 0.57
