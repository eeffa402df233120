"""What paired scores look like before any test: outliers, spreads, and how alike the systems are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from monge.comparison.pairs import PairedScores

Floats = NDArray[np.float64]
FENCE = 1.5  # interquartile ranges beyond the quartiles (Tukey)


@dataclass(frozen=True, eq=False)
class ScoreProfile:
    """The diagnostics of Pairformance (Peyrard et al. 2021).

    ``outliers`` is the share of all scores outside Tukey's fences of all scores, ``system_outliers`` that of each
    system by its own fences. ``between_systems`` is the mean over instances of the standard deviation between systems,
    ``between_instances`` the standard deviation of the instances' means: where the second is much larger, scores say
    more about instances than about systems, and pairing helps. ``rank_spread`` is the standard deviation of a system's
    rank over instances, ``kendall`` (S, S) Kendall's τ between the scores of every two systems.
    """

    systems: tuple[str, ...]
    outliers: float
    system_outliers: Mapping[str, float]
    between_systems: float
    between_instances: float
    rank_spread: Mapping[str, float]
    kendall: Floats

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "outliers": self.outliers,
            "system_outliers": dict(self.system_outliers),
            "between_systems": self.between_systems,
            "between_instances": self.between_instances,
            "rank_spread": dict(self.rank_spread),
            "kendall": [[float(v) if np.isfinite(v) else None for v in row] for row in self.kendall],
        }


def profile_scores(scores: PairedScores) -> ScoreProfile:
    """Describe the scores; missing ones are left out of every number.

    >>> scores = PairedScores(("A", "B"), tuple("1234"), np.array([[1.0, 2, 3, 4], [2, 3, 4, 9]]))
    >>> found = profile_scores(scores)
    >>> found.rank_spread["A"], round(float(found.kendall[0, 1]), 3)
    (0.0, 1.0)
    """
    values = scores.values
    whole = ~np.isnan(values).any(axis=0)
    common = values[:, whole]
    ranks = np.array([stats.rankdata(-column) for column in common.T]).reshape(-1, len(values))
    size = len(values)
    kendall = np.eye(size)
    for i, j in scores.pairs:
        both = ~np.isnan(values[i]) & ~np.isnan(values[j])
        kendall[i, j] = kendall[j, i] = stats.kendalltau(values[i, both], values[j, both]).statistic
    spread = ranks.std(axis=0) if len(ranks) else np.full(size, np.nan)
    return ScoreProfile(
        scores.systems,
        outlier_share(values[~np.isnan(values)]),
        {name: outlier_share(row[~np.isnan(row)]) for name, row in zip(scores.systems, values, strict=True)},
        float(common.std(axis=0).mean()) if common.size else float("nan"),
        float(common.mean(axis=0).std()) if common.size else float("nan"),
        dict(zip(scores.systems, spread.tolist(), strict=True)),
        kendall,
    )


def outlier_share(values: Floats) -> float:
    """Return the share of values outside [q1 − 1.5·IQR, q3 + 1.5·IQR].

    >>> outlier_share(np.array([1.0, 2, 3, 4, 100]))
    0.2
    """
    low, high = np.percentile(values, [25, 75])
    margin = FENCE * (high - low)
    return float(np.mean((values < low - margin) | (values > high + margin)))
