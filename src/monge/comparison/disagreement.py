"""How far two mechanisms order the same systems differently."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau


@dataclass(frozen=True)
class Disagreement:
    """The measures of table 1 of Peyrard et al. (2021).

    ``pairs`` is the share of pairs ordered differently, (1 − τ_b)/2 with Kendall's τ_b, NaN when a mechanism ties all
    systems; ``winner`` and ``top3`` say whether the best system, or the best three as a set, differ (of equal systems
    the one listed first counts, as in the authors' code).
    """

    pairs: float
    winner: bool
    top3: bool


def measure_disagreement(first: NDArray[np.float64], second: NDArray[np.float64]) -> Disagreement:
    """Compare two mechanisms' values (S,) of the same systems, higher being better.

    >>> measure_disagreement(np.array([3.0, 2.0, 1.0]), np.array([2.0, 3.0, 1.0]))
    Disagreement(pairs=0.3333333333333333, winner=True, top3=False)
    """
    tau = float(kendalltau(first, second).statistic)
    return Disagreement((1 - tau) / 2, _differ(first, second, 1), _differ(first, second, 3))


def _differ(first: NDArray[np.float64], second: NDArray[np.float64], size: int) -> bool:
    best, other = (set(np.argsort(-values, kind="stable")[:size].tolist()) for values in (first, second))
    return best != other
