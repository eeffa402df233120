"""The whole comparison of systems on one table of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from monge.comparison.certainty import (
    decided_needed,
    detectable_mean,
    detectable_share,
    instances_needed,
    smallest_decisive,
    win_interval,
)
from monge.comparison.clusters import rank_ranges, significance_clusters
from monge.comparison.corpus import CorpusComparison
from monge.comparison.pairs import PairCounts, PairedScores, count_pairs
from monge.comparison.ranking import Ranking, rank_systems
from monge.comparison.resampling import bootstrap_counts, percentile_interval, resample_means
from monge.comparison.settings import CompareSettings
from monge.comparison.significance import CORRECTIONS, Outcome, find_test, run_tests
from monge.errors import InputError
from monge.scores import Scale, ScoreTable
from monge.scores.display import Displayed
from monge.wording import count_noun

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairResult:
    """One pair of systems; ``advantage`` and everything else with a sign is positive when the first is better.

    ``probability`` is P(first beats second) with ties counted half, ``effect_size`` the mean advantage over its
    standard deviation (Cohen's d for pairs; infinite where all differences agree), ``winner`` the system the deciding
    test names, or None. At this size a true share of wins of ``detectable_share`` among decided instances, or a true
    mean advantage of ``detectable_advantage``, would be found with the required power; ``more_instances`` would settle
    a pair with the observed difference (None: settled already, or no difference at all).
    """

    first: str
    second: str
    instances: int
    wins: int
    losses: int
    ties: int
    probability: float
    low: float
    high: float
    advantage: float
    advantage_low: float
    advantage_high: float
    effect_size: float
    statistics: Mapping[str, float]
    p_values: Mapping[str, float]
    adjusted: Mapping[str, float]
    winner: str | None
    detectable_share: float
    detectable_advantage: float
    more_instances: int | None

    def swapped(self) -> PairResult:
        """Return the same result with the other system named first."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            wins=self.losses,
            losses=self.wins,
            probability=1 - self.probability,
            low=1 - self.high,
            high=1 - self.low,
            advantage=-self.advantage,
            advantage_low=-self.advantage_high,
            advantage_high=-self.advantage_low,
            effect_size=-self.effect_size,
            statistics={name: -value for name, value in self.statistics.items()},
        )


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Displayed):
    """Systems ranked by every mechanism, every pair tested, and the clusters that remain.

    ``clusters`` and ``rank_ranges`` follow the deciding test; ``types`` names each instance's type, or is empty;
    ``corpus`` is the comparison by a corpus-level score (BLEU), when there is one; ``remarks`` are
    sentences about the scores themselves: how a file was read, which texts were empty. ``scale`` is what unrelated
    texts and copies score by the metric, where that is known.
    """

    table: ScoreTable
    settings: CompareSettings
    scores: PairedScores
    counts: PairCounts
    rankings: tuple[Ranking, ...]
    pairs: tuple[PairResult, ...]
    clusters: tuple[tuple[str, ...], ...]
    rank_ranges: Mapping[str, tuple[int, int]]
    types: tuple[str, ...] = ()
    corpus: CorpusComparison | None = None
    remarks: tuple[str, ...] = ()
    scale: Scale | None = None

    def ranking(self, mechanism: str) -> Ranking:
        """Return one mechanism's ranking."""
        return next(r for r in self.rankings if r.mechanism == mechanism)

    def pair(self, first: str, second: str) -> PairResult:
        """Return the result of two systems, whichever was named first."""
        pair = self._pair_by_names.get(frozenset((first, second)))
        if pair is None:
            raise InputError(f"no pair {first!r}, {second!r} in this comparison of {', '.join(self.table.systems)}")
        return pair

    @cached_property
    def _pair_by_names(self) -> dict[frozenset[str], PairResult]:
        return {frozenset((pair.first, pair.second)): pair for pair in self.pairs}

    @property
    def order(self) -> list[str]:
        """The systems from best to worst by Bradley–Terry."""
        return [self.table.systems[i] for i in self.ranking("bt").order()]

    def __repr__(self) -> str:
        return f"<best first: {', '.join(self.order)}; {len(self.table.segments)} instances>"


def compare_systems(
    table: ScoreTable,
    *,
    settings: CompareSettings | None = None,
    types: Sequence[str] = (),
    corpus: CorpusComparison | None = None,
    remarks: Sequence[str] = (),
    report_step: Callable[[str], None] | None = None,
) -> Comparison:
    """Rank and test the systems of a table, instance by instance.

    Parameters
    ----------
    table
        The scores. Its ``types`` and ``notes`` are used as well.
    types
        The type of each instance, where the table does not have them.
    corpus
        A comparison of the same systems by a corpus-level score.
    remarks
        Sentences about the scores that the report should repeat.
    report_step
        Called with one line before each step that takes time.

    Raises
    ------
    InputError
        When fewer than two systems are given, when two systems share no scored instance, or when *types* do not fit.

    Reference: Peyrard, Zhao, Eger and West (2021), Better than Average: Paired Evaluation of NLP Systems.

    >>> table = ScoreTable(("A", "B"), tuple("123456789"), [[1, 5, 2, 3, 4, 1, 2, 3, 4], [2, 6, 3, 4, 5, 2, 3, 4, 3]])
    >>> pair = compare_systems(table).pair("A", "B")
    >>> pair.wins, pair.losses, pair.winner, round(pair.p_values["sign"], 4)
    (1, 8, 'B', 0.0391)
    """
    settings = settings or CompareSettings()
    types = tuple(types) or table.types
    if types and len(types) != len(table.segments):
        raise InputError(f"{len(types)} types for {len(table.segments)} instances")
    scores = PairedScores.from_table(table, tie_margin=settings.tie_margin)
    counts = count_pairs(scores)
    _check_overlap(scores, counts)
    report_step = report_step or (lambda _: None)
    report_step(f"ranking {count_noun(len(table.systems), 'system')} on {count_noun(len(table.segments), 'instance')}")
    rankings = rank_systems(scores, counts, settings, higher_is_better=table.higher_is_better is not False)
    report_step(f"testing {count_noun(len(scores.pairs), 'pair')}")
    pairs = _test_pairs(scores, counts, settings)
    groups = _groups(table.systems, rankings[0].order(), pairs)
    every = (*table.notes, *remarks)
    return Comparison(table, settings, scores, counts, rankings, pairs, *groups, types, corpus, every)


def _check_overlap(scores: PairedScores, counts: PairCounts) -> None:
    for i, j in scores.pairs:
        if counts.instances[i, j] == 0:
            one, other = scores.systems[i], scores.systems[j]
            raise InputError(f"systems {one!r} and {other!r} have no scored instance in common")


def _groups(
    systems: Sequence[str], order: list[int], pairs: Sequence[PairResult]
) -> tuple[tuple[tuple[str, ...], ...], dict[str, tuple[int, int]]]:
    """Return the clusters and every system's possible ranks."""
    index = {name: i for i, name in enumerate(systems)}
    beats = np.zeros((len(systems), len(systems)), dtype=bool)
    for pair in pairs:
        if pair.winner is not None:
            loser = pair.second if pair.winner == pair.first else pair.first
            beats[index[pair.winner], index[loser]] = True
    clusters = tuple(tuple(systems[i] for i in cluster) for cluster in significance_clusters(beats, order))
    return clusters, dict(zip(systems, rank_ranges(beats), strict=True))


def _test_pairs(scores: PairedScores, counts: PairCounts, settings: CompareSettings) -> tuple[PairResult, ...]:
    outcomes = run_tests(scores, draws=settings.resamples, trials=settings.trials, seed=settings.seed)
    correct = CORRECTIONS[settings.correction]
    adjusted = {name: correct(p) for name, (_, p) in outcomes.items()}
    columns = _estimates(scores, counts, settings)
    columns |= _sizes(columns, settings, find_test(settings.decide_by).claim)
    results = []
    for k, (i, j) in enumerate(scores.pairs):
        named = (scores.systems[i], scores.systems[j])
        winner = _winner(named, outcomes[settings.decide_by], adjusted[settings.decide_by], k, settings.alpha)
        more = columns["needed"][k] - columns["instances"][k]
        results.append(
            PairResult(
                first=named[0],
                second=named[1],
                instances=int(columns["instances"][k]),
                wins=int(columns["wins"][k]),
                losses=int(columns["losses"][k]),
                ties=int(columns["ties"][k]),
                probability=float(columns["probability"][k]),
                low=float(columns["low"][k]),
                high=float(columns["high"][k]),
                advantage=float(columns["advantage"][k]),
                advantage_low=float(columns["advantage_low"][k]),
                advantage_high=float(columns["advantage_high"][k]),
                effect_size=float(columns["effect_size"][k]),
                detectable_share=float(columns["detectable_share"][k]),
                detectable_advantage=float(columns["detectable_advantage"][k]),
                statistics={name: float(s[k]) for name, (s, _) in outcomes.items()},
                p_values={name: float(p[k]) for name, (_, p) in outcomes.items()},
                adjusted={name: float(p[k]) for name, p in adjusted.items()},
                winner=winner,
                more_instances=max(1, int(np.ceil(more))) if winner is None and np.isfinite(more) else None,
            )
        )
    return tuple(results)


def _winner(named: tuple[str, str], outcome: Outcome, adjusted: Floats, k: int, alpha: float) -> str | None:
    statistic = float(outcome[0][k])
    if adjusted[k] > alpha or statistic == 0.0:
        return None
    return named[0] if statistic > 0 else named[1]


def _estimates(scores: PairedScores, counts: PairCounts, settings: CompareSettings) -> dict[str, Floats]:
    """Return what is known of every pair, as named arrays (P,)."""
    upper = np.triu_indices(len(scores.systems), 1)
    wins, losses, ties = counts.wins[upper], counts.wins.T[upper], counts.ties[upper]
    n = counts.instances[upper]
    low, high = win_interval(wins, ties, n, alpha=settings.alpha)
    mean, deviation, bounds = [], [], []
    for first, second, differences in scores.blocks():
        mean.append(np.nanmean(differences, axis=1))
        spread = np.sqrt(np.nansum((differences - mean[-1][:, None]) ** 2, axis=1))
        deviation.append(np.where(scores.never_vary(first, second, differences), 0.0, spread))
        rng = np.random.default_rng([settings.seed, 1])
        blocks = bootstrap_counts(differences.shape[1], settings.resamples, rng)
        if np.isnan(scores.values).any():
            drawn = [resample_means(differences, block) for block in blocks]
        else:  # far fewer systems than pairs
            each = (resample_means(scores.values, block) for block in blocks)
            drawn = [means[:, first] - means[:, second] for means in each]
        own = counts.instances[first, second]
        bounds.append(percentile_interval(np.concatenate(drawn), alpha=settings.alpha, instances=own))
    advantage = np.concatenate(mean)
    spread = np.concatenate(deviation) / np.sqrt(np.maximum(n - 1, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = np.where(advantage == 0, 0.0, advantage / spread)
    return {
        "instances": n.astype(np.float64),
        "wins": wins.astype(np.float64),
        "losses": losses.astype(np.float64),
        "ties": ties.astype(np.float64),
        "probability": (wins + 0.5 * ties) / n,
        "low": low,
        "high": high,
        "advantage": advantage,
        "advantage_low": np.concatenate([b[0] for b in bounds]),
        "advantage_high": np.concatenate([b[1] for b in bounds]),
        "effect_size": effect,
        "deviation": spread,
    }


def _sizes(columns: Mapping[str, Floats], settings: CompareSettings, claim: str) -> dict[str, Floats]:
    """Return the differences detectable at this size and the number of instances that would settle each pair."""
    n, decided = columns["instances"], columns["wins"] + columns["losses"]
    options = {"alpha": settings.level(len(n)), "power": settings.power}
    if claim == "mean":
        needed = instances_needed(columns["effect_size"], **options)
        needed = np.where(np.isinf(columns["effect_size"]), smallest_decisive(options["alpha"]), needed)
    else:
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(decided > 0, columns["wins"] / decided, 0.5)
            needed = decided_needed(share, **options) * np.where(decided > 0, n / decided, 1.0)
    return {
        "detectable_share": detectable_share(decided.astype(np.int64), **options),
        "detectable_advantage": detectable_mean(columns["deviation"], n.astype(np.int64), **options),
        "needed": needed,
    }
