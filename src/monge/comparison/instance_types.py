"""Whether all types of instances agree on which of two systems is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from monge.comparison.pairs import PairedScores
from monge.comparison.significance import sign_p_value

MIN_DECIDED = 5  # types with fewer decided instances are not compared


@dataclass(frozen=True)
class TypeCounts:
    """Wins of the first and of the second system on the instances of one type."""

    type: str
    wins: int
    losses: int

    @property
    def share(self) -> float:
        """Share of the first system among decided instances."""
        return self.wins / (self.wins + self.losses)


@dataclass(frozen=True)
class TypeSplit:
    """One pair of systems, type by type, and the p-value of an equal share of wins in all types (χ² test)."""

    first: str
    second: str
    counts: tuple[TypeCounts, ...]
    p_value: float

    @property
    def disagrees(self) -> bool:
        """Whether some types prefer the first system and others the second."""
        return any(c.share > 0.5 for c in self.counts) and any(c.share < 0.5 for c in self.counts)


def split_by_type(scores: PairedScores, types: Sequence[str], first: int, second: int) -> TypeSplit:
    """Count wins and losses of one pair for every type with at least five decided instances.

    >>> from monge.scores import ScoreTable
    >>> table = ScoreTable(("A", "B"), tuple("abcdefghij"), [[1] * 5 + [0] * 5, [0] * 5 + [1] * 5])
    >>> split = split_by_type(PairedScores.from_table(table), ["easy"] * 5 + ["hard"] * 5, 0, 1)
    >>> [(c.type, c.wins, c.losses) for c in split.counts], split.disagrees
    ([('easy', 5, 0), ('hard', 0, 5)], True)
    """
    difference = scores.values[first] - scores.values[second]
    labels = np.array(types)
    counted = []
    for name in dict.fromkeys(types):
        chosen = difference[labels == name]
        wins, losses = int((chosen > scores.tie_margin).sum()), int((chosen < -scores.tie_margin).sum())
        if wins + losses >= MIN_DECIDED:
            counted.append(TypeCounts(name, wins, losses))
    return TypeSplit(scores.systems[first], scores.systems[second], tuple(counted), _heterogeneity(counted))


def split_by_difficulty(scores: PairedScores, first: int, second: int, *, alpha: float) -> TypeSplit | None:
    """Split the instances at the median of all systems' mean score.

    Returns the split only if both halves are decided and disagree (a sign test at α/2 in each half), else None.
    """
    complete = np.asarray(~np.isnan(scores.values).any(axis=0))
    if np.count_nonzero(complete) < 4 * MIN_DECIDED:
        return None
    level = scores.values[:, complete].mean(axis=0)
    types = np.where(level > np.median(level), "easy", "hard")
    kept = PairedScores(
        scores.systems,
        tuple(name for name, keep in zip(scores.segments, complete, strict=True) if keep),
        scores.values[:, complete],
        scores.tie_margin,
    )
    split = split_by_type(kept, [str(name) for name in types], first, second)
    p = [float(sign_p_value(np.array(c.wins), np.array(c.losses))) for c in split.counts]
    return split if split.disagrees and len(p) == 2 and max(p) <= alpha / 2 else None


def _heterogeneity(counts: Sequence[TypeCounts]) -> float:
    table: NDArray[np.int64] = np.array([[c.wins, c.losses] for c in counts], dtype=np.int64).reshape(-1, 2)
    if len(table) < 2 or (table.sum(axis=0) == 0).any():
        return 1.0
    return float(stats.chi2_contingency(table, correction=False).pvalue)
