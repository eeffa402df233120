"""Comparing by a score of the whole corpus that is not the mean of segment scores, such as BLEU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.comparison.resampling import bootstrap_counts, percentile_interval, random_signs
from monge.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CorpusSums:
    """Sufficient statistics ``values`` (S, N, K) of a corpus score, and ``score``, which maps their sum (K,) to it.

    For BLEU, K holds the matched and total n-grams and the two lengths; sacrebleu resamples the same numbers.
    """

    systems: tuple[str, ...]
    values: Floats
    score: Callable[[Floats], float]
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        if self.values.ndim != 3 or len(self.systems) != len(self.values) or 0 in self.values.shape:
            raise InputError(f"statistics of {len(self.systems)} systems cannot have the shape {self.values.shape}")


@dataclass(frozen=True)
class CorpusPair:
    """Difference of two corpus scores (first − second, in the score's own direction) and its p-values.

    ``p_bootstrap`` and ``p_randomisation`` are two-sided. ``p_sacrebleu`` is the number that sacrebleu prints for its
    paired bootstrap: it counts draws on one side only, so it is about half of ``p_bootstrap``.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float
    p_sacrebleu: float


@dataclass(frozen=True, eq=False)
class CorpusComparison:
    """Corpus scores (S,) with bootstrap intervals, and every pair."""

    systems: tuple[str, ...]
    scores: Floats
    low: Floats
    high: Floats
    pairs: tuple[CorpusPair, ...]
    higher_is_better: bool = True

    def pair(self, first: str, second: str) -> CorpusPair:
        """Return the pair of these systems, whichever was named first."""
        return next(p for p in self.pairs if {p.first, p.second} == {first, second})


def compare_corpora(
    statistics: CorpusSums, *, draws: int = 1000, seed: int = 12345, alpha: float = 0.05
) -> CorpusComparison:
    """Test corpus scores by paired bootstrap and approximate randomisation, recomputing the score in every draw.

    p = (1 + #{|draw| ≥ |observed|}) / (1 + draws), the bootstrap's draws shifted by their mean (Koehn 2004; Riezler and
    Maxwell 2005). sacrebleu resamples the same statistics.

    >>> ratio = lambda sums: float(sums[0] / sums[1])
    >>> values = np.array([[[1, 2], [2, 2]], [[1, 2], [1, 2]]], dtype=float)
    >>> compare_corpora(CorpusSums(("A", "B"), values, ratio)).scores.tolist()
    [0.75, 0.5]
    """
    values = statistics.values
    observed = np.array([statistics.score(row) for row in values.sum(axis=1)])
    flat = values.transpose(1, 0, 2).reshape(values.shape[1], -1)
    drawn = np.concatenate(
        [
            _score_all(statistics, (counts.astype(np.float64) @ flat).reshape(-1, len(values), values.shape[2]))
            for counts in bootstrap_counts(values.shape[1], draws, np.random.default_rng([seed, 1]))
        ]
    )
    low, high = percentile_interval(drawn, alpha=alpha, instances=values.shape[1])
    pairs = []
    for i, j in zip(*np.triu_indices(len(values), 1), strict=True):
        differences = drawn[:, i] - drawn[:, j]
        bounds = percentile_interval(differences[:, None], alpha=alpha, instances=values.shape[1])
        exchanged = _exchanged(statistics, int(i), int(j), draws, seed)
        p_values = _test(observed[[i, j]], differences, exchanged)
        named = statistics.systems[i], statistics.systems[j]
        pairs.append(
            CorpusPair(*named, float(observed[i] - observed[j]), float(bounds[0][0]), float(bounds[1][0]), *p_values)
        )
    return CorpusComparison(statistics.systems, observed, low, high, tuple(pairs), statistics.higher_is_better)


def _test(observed: Floats, resampled: Floats, exchanged: Floats) -> tuple[float, float, float]:
    """Return the p-values of two observed scores: bootstrap, randomisation, and sacrebleu's bootstrap."""
    difference = float(observed[0] - observed[1])
    varies = np.ptp(resampled) > 1e-12 * np.abs(observed).max()  # draws of one instance do not, and show nothing
    shifted = resampled - resampled.mean() if varies else exchanged
    sizes = np.abs(resampled)
    return (
        _p_value(np.abs(shifted), difference),
        _p_value(np.abs(exchanged), difference),
        _p_value(sizes - sizes.mean(), difference),
    )


def _score_all(statistics: CorpusSums, sums: Floats) -> Floats:
    return np.array([[statistics.score(row) for row in draw] for draw in sums])


def _exchanged(statistics: CorpusSums, first: int, second: int, draws: int, seed: int) -> Floats:
    """Return the score differences after exchanging the two systems' statistics on random instances."""
    one, other = statistics.values[first], statistics.values[second]
    total, gap = one.sum(axis=0) + other.sum(axis=0), one - other
    result = []
    for signs in random_signs(len(one), draws, np.random.default_rng([seed, 2])):
        swapped = 0.5 * (total + signs.astype(np.float64) @ gap)
        result += [statistics.score(row) - statistics.score(total - row) for row in swapped]
    return np.array(result)


def _p_value(draws: Floats, observed: float) -> float:
    slack = 1e-9 * max(1.0, abs(observed))
    return float((1 + np.count_nonzero(draws >= abs(observed) - slack)) / (1 + len(draws)))
