"""Two systems on the same instances: differences, wins, losses and ties of every pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError, OptionError
from monge.scores import ScoreTable
from monge.scores.direction import require_direction

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BLOCK = 1 << 22  # numbers held at once while walking over pairs
_LARGEST = 1e100  # squares of larger scores overflow
_ROUNDING = 4 * np.finfo(np.float64).eps  # numbers added up in another order differ by this share of their size


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Scores with higher always better, and the pairs of systems (first < second) to compare.

    ``values`` is (S, N) with NaN for missing; a difference of at most ``tie_margin`` is a tie.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    values: Floats
    tie_margin: float = 0.0

    def __post_init__(self) -> None:
        if len(self.systems) < 2:
            only = f"only {self.systems[0]!r} is given" if self.systems else "none is given"
            raise InputError(f"a comparison needs at least two systems; {only}")
        if not np.isfinite(self.tie_margin) or self.tie_margin < 0:
            raise OptionError(f"the tie margin must be a number of at least 0, not {self.tie_margin}")
        empty = np.isnan(self.values).all(axis=1)
        if empty.any():
            raise InputError(f"system {self.systems[int(np.argmax(empty))]!r} has no score at all")
        large = np.argwhere(np.abs(self.values) > _LARGEST)
        if len(large):
            s, n = large[0]
            raise InputError(
                f"a score of {abs(self.values[s, n]):g} in size (system {self.systems[s]!r}, instance "
                f"{self.segments[n]!r}) is too large to compare: at most {_LARGEST:g}"
            )

    @classmethod
    def from_table(cls, table: ScoreTable, *, tie_margin: float = 0.0) -> PairedScores:
        """Negate a table where lower is better; scores of an instance that differ only by rounding are made equal.

        A difference of the margin itself is a tie, however it was rounded (0.8 − 0.7 is a little more than 0.1).

        >>> table = ScoreTable(("A", "B"), ("1",), [[3.0], [1.0]], higher_is_better=False)
        >>> PairedScores.from_table(table).values.tolist()
        [[-3.0], [-1.0]]
        """
        higher = require_direction(table.name or "this score", table.higher_is_better)
        values = table.values if higher else -table.values
        return cls(table.systems, table.segments, _without_rounding(values), tie_margin * (1 + 1e-9))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every pair of system indices, first < second."""
        return [(int(i), int(j)) for i, j in zip(*np.triu_indices(len(self.systems), 1), strict=True)]

    def differences(self, first: int, second: int) -> Floats:
        """Return first − second on the instances that both were scored on."""
        difference = self.values[first] - self.values[second]
        return np.asarray(difference[~np.isnan(difference)])

    def never_vary(self, first: Ints, second: Ints, differences: Floats) -> NDArray[np.bool_]:
        """Return whether a pair's differences (p, N) are the same on all its instances, apart from rounding."""
        spread = np.fmax.reduce(differences, axis=1) - np.fmin.reduce(differences, axis=1)
        largest = np.fmax.reduce(np.abs(self.values), axis=1)
        return np.asarray(spread <= _ROUNDING * (largest[first] + largest[second]))

    def outcomes(self, differences: Floats) -> Floats:
        """Return 1 for a win, 0.5 for a tie, 0 for a loss, NaN where a score is missing."""
        result = np.where(np.abs(differences) <= self.tie_margin, 0.5, (differences > 0).astype(np.float64))
        return np.where(np.isnan(differences), np.nan, result)

    def blocks(self) -> Iterator[tuple[Ints, Ints, Floats]]:
        """Yield (first, second, differences (p, N)) over all pairs, in blocks of bounded size."""
        first, second = np.triu_indices(len(self.systems), 1)
        step = max(1, _BLOCK // max(1, len(self.segments)))
        for start in range(0, len(first), step):
            i, j = first[start : start + step], second[start : start + step]
            yield i, j, self.values[i] - self.values[j]


@dataclass(frozen=True, eq=False)
class PairCounts:
    """How often each system beat (or tied with) each other one; entry [i, j] is of i against j. All are (S, S)."""

    wins: Ints
    ties: Ints

    @property
    def instances(self) -> Ints:
        """Instances on which both systems have a score."""
        return self.wins + self.wins.T + self.ties

    @property
    def points(self) -> Floats:
        """Wins with ties counted half to each side."""
        return self.wins + 0.5 * self.ties

    @property
    def majority(self) -> NDArray[np.bool_]:
        """Whether i beats j more often than j beats i."""
        return self.wins > self.wins.T


def count_pairs(scores: PairedScores) -> PairCounts:
    """Count wins and ties of every pair on the instances that both systems were scored on.

    >>> table = ScoreTable(("A", "B"), ("1", "2", "3"), [[1, 2, 3], [2, 3, 3]])
    >>> counts = count_pairs(PairedScores.from_table(table))
    >>> counts.wins.tolist(), counts.ties.tolist()
    ([[0, 0], [2, 0]], [[0, 1], [1, 0]])
    """
    size = len(scores.systems)
    wins = np.zeros((size, size), dtype=np.int64)
    ties = np.zeros((size, size), dtype=np.int64)
    for first, second, differences in scores.blocks():
        wins[first, second] = (differences > scores.tie_margin).sum(axis=1)
        wins[second, first] = (differences < -scores.tie_margin).sum(axis=1)
        ties[first, second] = ties[second, first] = (np.abs(differences) <= scores.tie_margin).sum(axis=1)
    return PairCounts(wins, ties)


def _without_rounding(values: Floats) -> Floats:
    """Return *values* (S, N) where scores of one instance that differ by rounding only are the same number.

    >>> _without_rounding(np.array([[0.1 + 0.2], [0.3], [0.4]])).tolist()
    [[0.3], [0.3], [0.4]]
    """
    order = np.argsort(values, axis=0)
    ordered = np.take_along_axis(values, order, axis=0)
    gaps, sizes = np.diff(ordered, axis=0), np.abs(ordered)
    near = (gaps > 0) & (gaps <= _ROUNDING * (sizes[1:] + sizes[:-1]))
    if not near.any():
        return values
    for row in range(1, len(ordered)):
        ordered[row] = np.where(near[row - 1] | (gaps[row - 1] == 0), ordered[row - 1], ordered[row])
    result = np.empty_like(values)
    np.put_along_axis(result, order, ordered, axis=0)
    return result
