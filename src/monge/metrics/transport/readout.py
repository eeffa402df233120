"""From transport costs to the parts and value of a score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Marginals = tuple[float, float]

PRECISION: Marginals = (math.inf, 0.0)
RECALL: Marginals = (0.0, math.inf)


def lean_alpha(alpha: float, lean: float, hypothesis: Array, reference: Array) -> float | Array:
    """Return the weight of recall where F leans to the side of the shorter text: α m^g / (α m^g + (1−α) n^g).

    *hypothesis* m and *reference* n are the lengths, *lean* is g. The longer text must leave words without a partner,
    so that less is asked of it. With g = 0, and where α is 0 or 1, it is α for every length.

    >>> lean_alpha(0.5, 2, np.array([10.0, 10.0]), np.array([10.0, 20.0]))
    array([0.5, 0.2])
    """
    if lean == 0 or alpha in (0, 1):
        return alpha
    ratio = (np.maximum(reference, 1) / np.maximum(hypothesis, 1)) ** lean
    return np.asarray(alpha / (alpha + (1 - alpha) * ratio))


def combine_f(precision: Array, recall: Array, alpha: float | Array) -> Array:
    """Weighted harmonic mean P·R / (αP + (1−α)R) (van Rijsbergen 1979; Lo 2019).

    P alone with α = 0, R alone with α = 1; α can be a number for each pair. Else 0 where P and R have opposite signs:
    the formula has a pole there, and 0 is its limit where the sign changes.

    >>> combine_f(np.array([0.5, -0.04]), np.array([1.0, 0.05]), 0.5).round(4)
    array([0.6667, 0.    ])
    """
    if isinstance(alpha, int | float) and alpha in (0, 1):
        return np.asarray(recall if alpha else precision)
    denominator = alpha * precision + (1 - alpha) * recall
    product = precision * recall
    return np.divide(product, denominator, out=np.zeros_like(precision), where=~(product <= 0))


@dataclass(frozen=True)
class Readout:
    """Which transport problems are solved (by role), and how their costs become parts; ``value`` names the score."""

    roles: tuple[str, ...]
    value: str
    parts: Callable[[Mapping[str, Array], float | Array], dict[str, Array]]
    higher_is_better: bool


def _f_parts(costs: Mapping[str, Array], alpha: float | Array) -> dict[str, Array]:
    precision, recall = 1 - costs["precision"], 1 - costs["recall"]
    return {"precision": precision, "recall": recall, "f": combine_f(precision, recall, alpha)}


READOUTS: dict[str, Readout] = {
    "f": Readout(("precision", "recall"), "f", _f_parts, True),
    "distance": Readout(("transport",), "distance", lambda c, _: {"distance": c["transport"]}, False),
    "one_minus": Readout(
        ("transport",), "score", lambda c, _: {"distance": c["transport"], "score": 1 - c["transport"]}, True
    ),
    "inverse": Readout(
        ("transport",), "score", lambda c, _: {"distance": c["transport"], "score": 1 / (1 + c["transport"])}, True
    ),
}
