"""Is an explanation true to its metric? Delete words from the most to the least supporting and watch the score fall.

Plausibility (``plausibility.py``) asks people; faithfulness asks the metric itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError
from monge.explanation.local import LocalExplanation, WordGame
from monge.explanation.result import Explanation
from monge.metrics.protocols import Metric
from monge.scores.direction import require_direction
from monge.text import Segment

Floats = NDArray[np.float64]
RANDOM_ORDERS = 10


@dataclass(frozen=True)
class DeletionCurve:
    """How the score falls while words are deleted in the order of an explanation.

    ``values`` are n + 1 scores, from the whole text to no word, scaled so that the whole text is 1 and no word is 0.
    ``area`` is the area below them: the smaller, the more faithful. ``random_area`` is the mean area of random orders;
    ``opposite_area`` that of the reversed order. All are NaN where the whole text is no better than no text.
    """

    values: tuple[float, ...]
    area: float
    random_area: float
    opposite_area: float

    @property
    def gain(self) -> float:
        """By how much the area is below that of random orders; 0 or less means that the explanation does not help."""
        return self.random_area - self.area

    def record(self) -> dict[str, object]:
        """Return plain JSON values; None where there is no value."""
        numbers = {"area": self.area, "random_area": self.random_area, "opposite_area": self.opposite_area}
        return {"values": [_plain(v) for v in self.values]} | {name: _plain(value) for name, value in numbers.items()}

    def describe(self) -> str:
        """Return one sentence."""
        if math.isnan(self.area):
            return "Deletion curve: none, because the whole text scores no better than an empty one."
        verdict = "faithful" if self.gain > 0 else "not faithful: a random order is as good"
        return (
            f"Deletion curve: area {self.area:.2f} when supporting words go first, {self.random_area:.2f} in random "
            f"order, {self.opposite_area:.2f} when they go last ({verdict})."
        )


def delete_words(
    metric: Metric, segment: Segment, explanation: LocalExplanation | Explanation, *, seed: int = 12345
) -> DeletionCurve:
    """Check an explanation of *segment* by deleting its words (Petsiuk et al. 2018; Samek et al. 2017).

    Words of the hypothesis (or of the side that a local explanation is about) are deleted from the one that supports
    the score most to the one that harms it most, and the same is done in random orders and in reverse.

    Raises InputError if the metric has no score for one of the shortened texts.
    """
    side = explanation.side if isinstance(explanation, LocalExplanation) else "hypothesis"
    game = WordGame(segment, side)
    support = -np.array(word_suspicion(explanation, game.spans))
    count = len(support)
    own = np.argsort(-support, kind="stable")
    rng = np.random.default_rng(seed)
    orders = [own, own[::-1], *(rng.permutation(count) for _ in range(RANDOM_ORDERS))]
    variants = [game.keep(mask) for order in orders for mask in _shrinking(order, count)]
    unique = list(dict.fromkeys(variants))
    known = {v: score.value for v, score in zip(unique, metric.score(unique), strict=True)}
    game.check(metric, list(known.values()))
    sign = 1.0 if require_direction(metric.spec.name, metric.spec.higher_is_better) else -1.0
    values = sign * np.array([known[v] for v in variants]).reshape(len(orders), count + 1)
    top, bottom = values[0, 0], values[0, -1]
    if top <= bottom:
        return DeletionCurve((math.nan,) * (count + 1), math.nan, math.nan, math.nan)
    curves = (values - bottom) / (top - bottom)
    areas = (curves[:, 1:] + curves[:, :-1]).mean(axis=1) / 2
    return DeletionCurve(tuple(curves[0].tolist()), float(areas[0]), float(areas[2:].mean()), float(areas[1]))


def word_suspicion(explanation: LocalExplanation | Explanation, spans: Sequence[tuple[int, int]]) -> list[float]:
    """Return how much each span of the text harms the score: the sum over the explained words that overlap it."""
    if isinstance(explanation, LocalExplanation):
        words = [(w.start, w.end) for w in explanation.words]
        values = explanation.suspicion().tolist()
    else:
        sign = -1.0 if explanation.higher_is_better else 1.0
        words = [(w.start, w.end) for w in explanation.hypothesis_words()]
        values = [sign * w.contribution for w in explanation.hypothesis_words()]
    if not words:
        raise InputError("the explanation holds no word")
    return [
        math.fsum(v for (start, end), v in zip(words, values, strict=True) if start < b and a < end) for a, b in spans
    ]


def _shrinking(order: NDArray[np.int64], count: int) -> list[NDArray[np.bool_]]:
    mask = np.ones(count, dtype=np.bool_)
    masks = [mask.copy()]
    for word in order:
        mask[word] = False
        masks.append(mask.copy())
    return masks


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
