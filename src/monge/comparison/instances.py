"""The instances on which two systems differ most, in each direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from monge.comparison.compare import Comparison


@dataclass(frozen=True)
class InstanceDifference:
    """One instance: its place in the table, its id, both scores, and ``advantage``, positive if the first is better."""

    place: int
    id: str
    first: float
    second: float
    advantage: float


@dataclass(frozen=True)
class PairDifferences:
    """Two systems: the instances that speak most for the first, and most for the second, the clearest first."""

    first: str
    second: str
    for_first: tuple[InstanceDifference, ...]
    for_second: tuple[InstanceDifference, ...]


def find_differences(comparison: Comparison, first: str, second: str, *, count: int = 3) -> PairDifferences:
    """Return the *count* instances with the largest differences in each direction; ties are in neither.

    >>> from monge.comparison.compare import compare_systems
    >>> from monge.scores import ScoreTable
    >>> table = ScoreTable(("A", "B"), ("x", "y", "z"), [[1, 5, 2], [2, 1, 2]])
    >>> found = find_differences(compare_systems(table), "A", "B", count=2)
    >>> [one.id for one in found.for_first], [one.id for one in found.for_second]
    (['y'], ['x'])
    """
    comparison.pair(first, second)  # an unknown system is an error
    i, j = (comparison.table.systems.index(name) for name in (first, second))
    advantages = comparison.scores.values[i] - comparison.scores.values[j]

    def choose(direction: float) -> tuple[InstanceDifference, ...]:
        gains = np.nan_to_num(direction * advantages, nan=0.0)
        best = np.argsort(-gains, kind="stable")[:count]
        values = comparison.table.values
        return tuple(
            InstanceDifference(
                int(n), comparison.table.segments[n], float(values[i, n]), float(values[j, n]), float(advantages[n])
            )
            for n in best.tolist()
            if gains[n] > comparison.scores.tie_margin
        )

    return PairDifferences(first, second, choose(1.0), choose(-1.0))
