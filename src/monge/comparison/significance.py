"""Tests of whether two systems are equally good, each with its own claim about the paired scores.

Every test looks at a block of pairs at once and returns, for each pair, a statistic whose sign names the better system
(positive: the first) and a two-sided p-value. scipy computes what it has; resampling tests share one set of draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from monge.comparison.pairs import PairedScores
from monge.comparison.resampling import bootstrap_counts, random_signs
from monge.errors import OptionError, suggest

Floats = NDArray[np.float64]
Outcome = tuple[Floats, Floats]  # statistic, p-value


@dataclass(frozen=True, eq=False)
class PairBlock:
    """Some pairs ``first[k]``, ``second[k]`` of systems, their differences (p, N), and how resampling tests draw."""

    scores: PairedScores
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    differences: Floats
    draws: int
    seed: int

    @property
    def instances(self) -> NDArray[np.int64]:
        """The number of instances both systems of a pair have (at least 1, to divide by)."""
        return np.asarray(np.maximum((~np.isnan(self.differences)).sum(axis=1), 1))

    def or_sign(self, p_values: Floats) -> Floats:
        """Return *p_values* of a test that needs differences to vary; where they never do, the exact sign test's.

        Formulas would give 0 there, even for two instances, or nothing, for one.
        """
        constant = self.scores.never_vary(self.first, self.second, self.differences)
        wins, losses = (self.differences > 0).sum(axis=1), (self.differences < 0).sum(axis=1)
        return np.where(constant, sign_p_value(wins, losses), p_values)

    def sums(self, weights: NDArray[np.float32]) -> Floats:
        """Return the weighted sum of every pair's differences in every draw: (b, p)."""
        drawn = weights.astype(np.float64)
        if np.isnan(self.scores.values).any():
            return np.asarray(drawn @ np.nan_to_num(self.differences).T)
        each = drawn @ self.scores.values.T  # far fewer systems than pairs
        return np.asarray(each[:, self.first] - each[:, self.second])


def sign_test(block: PairBlock) -> Outcome:
    """Test whether one system wins more instances; ties are left out (exact binomial).

    Its statistic, wins − losses, is positive exactly when Bradley–Terry prefers the first of two systems.
    """
    wins = (block.differences > block.scores.tie_margin).sum(axis=1)
    losses = (block.differences < -block.scores.tie_margin).sum(axis=1)
    return (wins - losses).astype(np.float64), sign_p_value(wins, losses)


def sign_p_value(wins: NDArray[np.int64], losses: NDArray[np.int64]) -> Floats:
    """Return the two-sided exact binomial p-value of wins against losses.

    >>> float(sign_p_value(np.array(8), np.array(1)))
    0.0390625
    """
    return np.asarray(np.minimum(1.0, 2.0 * stats.binom.cdf(np.minimum(wins, losses), wins + losses, 0.5)))


def paired_t_test(block: PairBlock) -> Outcome:
    """Test whether the mean difference is 0 (Student's paired t); p is the sign test's where all differences agree."""
    d = block.differences
    n = (~np.isnan(d)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nansum(d, axis=1) / n
        variance = np.nansum((d - mean[:, None]) ** 2, axis=1) / (n - 1)
        variance[block.scores.never_vary(block.first, block.second, d)] = 0.0
        statistic = np.where(mean == 0, 0.0, mean / np.sqrt(variance / n))
        p = 2.0 * stats.t.sf(np.abs(statistic), n - 1)
    return statistic, block.or_sign(p)


def wilcoxon_test(block: PairBlock) -> Outcome:
    """Test whether differences lie symmetrically around 0 (Wilcoxon's signed ranks; zero differences left out)."""
    rows = [_wilcoxon(d[~np.isnan(d) & (d != 0)]) for d in block.differences]
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def _wilcoxon(differences: Floats) -> tuple[float, float]:
    if len(differences) == 0:
        return 0.0, 1.0
    result = stats.wilcoxon(differences, alternative="two-sided")
    total = len(differences) * (len(differences) + 1) / 2
    ranks = stats.rankdata(np.abs(differences))
    return float(2 * ranks[differences > 0].sum() - total), float(result.pvalue)


def mood_test(block: PairBlock) -> Outcome:
    """Test whether both systems' scores have one median, ignoring the pairing (Mood): shown as the contrast."""
    values = block.scores.values
    rows = [_mood(values[i], values[j]) for i, j in zip(block.first, block.second, strict=True)]
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def _mood(first: Floats, second: Floats) -> tuple[float, float]:
    both = ~np.isnan(first) & ~np.isnan(second)
    one, other = first[both], second[both]
    if len(one) == 0:
        return 0.0, 1.0
    gap = float(np.median(one) - np.median(other))
    above = np.concatenate([one, other]) > np.median(np.concatenate([one, other]))
    if above.all() or not above.any():  # e.g. nearly all scores equal: the test has nothing to count
        return gap, 1.0
    return gap, float(stats.median_test(one, other).pvalue)


def randomisation_test(block: PairBlock) -> Outcome:
    """Test the mean difference by exchanging the two systems' scores on random instances (approximate randomisation).

    p = (1 + #{|mean under exchange| ≥ |mean|}) / (1 + draws) (Noreen 1989; Riezler and Maxwell 2005).
    """
    mean = np.nansum(block.differences, axis=1) / block.instances
    exceeding = np.zeros(len(mean), dtype=np.int64)
    for signs in random_signs(block.differences.shape[1], block.draws, np.random.default_rng([block.seed, 2])):
        exceeding += (np.abs(block.sums(signs)) / block.instances >= np.abs(mean) - _slack(block)).sum(axis=0)
    return mean, np.asarray((1.0 + exceeding) / (1.0 + block.draws))


def bootstrap_test(block: PairBlock) -> Outcome:
    """Test the mean difference by the paired bootstrap, its draws shifted to a mean of 0.

    p = (1 + #{|mean of draw − mean| ≥ |mean|}) / (1 + draws) (Koehn 2004, with the shift of Riezler and Maxwell 2005);
    where all differences agree, so that draws never vary, it is the sign test's.
    """
    mean = np.nansum(block.differences, axis=1) / block.instances
    present = (~np.isnan(block.differences)).T.astype(np.float32)
    exceeding = np.zeros(len(mean), dtype=np.int64)
    for counts in bootstrap_counts(len(present), block.draws, np.random.default_rng([block.seed, 1])):
        drawn = block.instances if present.all() else np.maximum(counts @ present, 1.0)
        exceeding += (np.abs(block.sums(counts) / drawn - mean) >= np.abs(mean) - _slack(block)).sum(axis=0)
    return mean, block.or_sign(np.asarray((1.0 + exceeding) / (1.0 + block.draws)))


def _slack(block: PairBlock) -> Floats:
    """Return how far apart two means may lie that are equal but were added up in another order."""
    largest = np.nanmax(np.abs(block.scores.values), axis=1)
    return np.asarray(1e-12 * (largest[block.first] + largest[block.second]))


@dataclass(frozen=True)
class PairTest:
    """A test by name: what it claims when significant, and how it is computed."""

    name: str
    title: str
    claim: Literal["majority", "ranks", "mean", "median"]
    compute: Callable[[PairBlock], Outcome]


TESTS: tuple[PairTest, ...] = (
    PairTest("sign", "sign test", "majority", sign_test),
    PairTest("wilcoxon", "Wilcoxon signed-rank test", "ranks", wilcoxon_test),
    PairTest("t", "paired t-test", "mean", paired_t_test),
    PairTest("randomisation", "approximate randomisation", "mean", randomisation_test),
    PairTest("bootstrap", "paired bootstrap", "mean", bootstrap_test),
    PairTest("mood", "Mood's median test (unpaired)", "median", mood_test),
)


def find_test(name: str) -> PairTest:
    """Return the test of that name.

    >>> find_test("sign").title
    'sign test'
    """
    for test in TESTS:
        if test.name == name:
            return test
    names = [test.name for test in TESTS]
    raise OptionError(f"no test {name!r}{suggest(name, names)}; there are {', '.join(names)}")


def run_tests(scores: PairedScores, *, draws: int, trials: int | None = None, seed: int) -> dict[str, Outcome]:
    """Return every test's statistics and p-values over all pairs (in the order of ``scores.pairs``).

    The bootstrap draws *draws* times, approximate randomisation exchanges scores *trials* times (None: as often).
    """
    results: dict[str, list[Outcome]] = {test.name: [] for test in TESTS}
    for first, second, differences in scores.blocks():
        for test in TESTS:
            own = draws if trials is None or test.name != "randomisation" else trials
            results[test.name].append(test.compute(PairBlock(scores, first, second, differences, own, seed)))
    return {
        name: (np.concatenate([s for s, _ in parts]), np.concatenate([p for _, p in parts]))
        for name, parts in results.items()
    }


def correct_holm(p_values: Floats) -> Floats:
    """Return Holm's step-down adjusted p-values: they control the chance of even one false claim.

    >>> correct_holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    scaled = p[order] * (len(p) - np.arange(len(p)))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(scaled))
    return adjusted


def correct_fdr(p_values: Floats) -> Floats:
    """Return Benjamini–Hochberg adjusted p-values: they control the expected share of false claims."""
    return np.asarray(stats.false_discovery_control(p_values, method="bh"))


def correct_nothing(p_values: Floats) -> Floats:
    """Return the p-values as they are."""
    return np.asarray(p_values, dtype=np.float64)


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": correct_holm,
    "fdr": correct_fdr,
    "none": correct_nothing,
}


def level_of_pair(p_values: Floats, pair: int, *, alpha: float, correct: Callable[[Floats], Floats]) -> float:
    """Return the largest p-value with which one pair would be significant, while all others keep theirs.

    >>> round(level_of_pair(np.array([0.001, 0.01, 0.4]), 1, alpha=0.05, correct=correct_holm), 6)
    0.025
    """
    trial = np.array(p_values, dtype=np.float64)

    def significant(p: float) -> bool:
        trial[pair] = p
        return bool(correct(trial)[pair] <= alpha)

    if significant(alpha):
        return alpha
    low, high = 0.0, alpha
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if significant(middle) else (low, middle)
    return low
