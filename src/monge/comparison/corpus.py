"""Comparing by a score of the whole corpus that is not the mean of segment scores, such as BLEU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

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
    statistics: CorpusSums, *, draws: int = 1_000, trials: int = 10_000, seed: int = 12345, alpha: float = 0.05
) -> CorpusComparison:
    """Test corpus scores by paired bootstrap and approximate randomisation, recomputing the score in every draw.

    p = (1 + #{|draw| ≥ |observed|}) / (1 + draws), the bootstrap's draws shifted by their mean (Koehn 2004; Riezler and
    Maxwell 2005). sacrebleu resamples the same statistics, and as often: *draws* times for the bootstrap, *trials*
    times for the randomisation.

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
    randomised = _randomise(statistics, observed, trials, seed)
    for (i, j), p_randomisation in zip(_pairs(statistics), randomised.tolist(), strict=True):
        differences = drawn[:, i] - drawn[:, j]
        bounds = percentile_interval(differences[:, None], alpha=alpha, instances=values.shape[1])
        p_values = _test(observed[[i, j]], differences, p_randomisation)
        named = statistics.systems[i], statistics.systems[j]
        pairs.append(
            CorpusPair(*named, float(observed[i] - observed[j]), float(bounds[0][0]), float(bounds[1][0]), *p_values)
        )
    return CorpusComparison(statistics.systems, observed, low, high, tuple(pairs), statistics.higher_is_better)


def _test(observed: Floats, resampled: Floats, p_randomisation: float) -> tuple[float, float, float]:
    """Return the p-values of two observed scores: bootstrap, randomisation, and sacrebleu's bootstrap."""
    difference = float(observed[0] - observed[1])
    varies = np.ptp(resampled) > 1e-12 * np.abs(observed).max()  # draws of one instance do not, and show nothing
    p_bootstrap = _p_value(np.abs(resampled - resampled.mean()), difference) if varies else p_randomisation
    sizes = np.abs(resampled)
    return p_bootstrap, p_randomisation, _p_value(sizes - sizes.mean(), difference)


def _score_all(statistics: CorpusSums, sums: Floats) -> Floats:
    return np.array([[statistics.score(row) for row in draw] for draw in sums])


def _randomise(statistics: CorpusSums, observed: Floats, trials: int, seed: int) -> Floats:
    """Return the p-value of every pair by exchanging the two systems' statistics on random instances.

    With signs ± that are negative where systems a and b exchange an instance, the sum of a becomes
    ½ (Σ (a + b) + Σ ± (a − b)). All pairs share the trials.
    """
    values = statistics.values
    pairs = _pairs(statistics)
    flat = values.transpose(1, 0, 2).reshape(values.shape[1], -1)
    totals = values.sum(axis=1)
    exceeding = np.zeros(len(pairs), dtype=np.int64)
    for signs in random_signs(len(flat), trials, np.random.default_rng([seed, 2])):
        signed = (signs.astype(np.float64) @ flat).reshape(-1, *totals.shape)
        for k, (i, j) in enumerate(pairs):
            total = totals[i] + totals[j]
            swapped = 0.5 * (total + signed[:, i] - signed[:, j])
            differences = np.array([statistics.score(row) - statistics.score(total - row) for row in swapped])
            exceeding[k] += _count_exceeding(np.abs(differences), float(observed[i] - observed[j]))
    return np.asarray((1 + exceeding) / (1 + trials))


def _pairs(statistics: CorpusSums) -> list[tuple[int, int]]:
    return list(combinations(range(len(statistics.systems)), 2))


def _count_exceeding(draws: Floats, observed: float) -> int:
    return int(np.count_nonzero(draws >= abs(observed) - 1e-9 * max(1.0, abs(observed))))


def _p_value(draws: Floats, observed: float) -> float:
    return (1 + _count_exceeding(draws, observed)) / (1 + len(draws))
