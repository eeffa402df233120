"""Aggregation mechanisms: mean, median, Bradley–Terry, Elo and TrueSkill, each with its ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from monge.comparison.bradley_terry import VIRTUAL_WINS, BradleyTerry, fit_bradley_terry
from monge.comparison.pairs import PairCounts, PairedScores
from monge.comparison.ratings import rate_elo, rate_trueskill, schedule_games
from monge.comparison.resampling import (
    bootstrap_counts,
    percentile_interval,
    resample_means,
    resample_medians,
    resample_points,
)
from monge.comparison.settings import CompareSettings

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_POSTERIOR_DRAWS = 1000
MECHANISMS = ("bt", "mean", "median", "elo", "trueskill")
TITLES = {"bt": "BT", "mean": "mean", "median": "median", "elo": "Elo", "trueskill": "TrueSkill"}


@dataclass(frozen=True, eq=False)
class Ranking:
    """One mechanism's result: a value and a rank for each system, best = 1, equal values sharing a rank.

    ``low`` and ``high`` bound the value: a bootstrap interval over instances, or, for Elo and TrueSkill, one standard
    deviation between random orders of the games (``bounds`` says which). ``rank_low`` and ``rank_high`` bound the rank
    over bootstrap draws; the ratings have none. Values of the mean and median are in the table's own direction.
    """

    mechanism: str
    values: Floats
    ranks: Ints
    low: Floats
    high: Floats
    bounds: str
    rank_low: Ints | None = None
    rank_high: Ints | None = None
    notes: tuple[str, ...] = ()

    @property
    def winners(self) -> tuple[int, ...]:
        """Indices of the systems of rank 1."""
        return tuple(int(i) for i in np.flatnonzero(self.ranks == 1))

    def order(self) -> list[int]:
        """Return system indices, best first."""
        return [int(i) for i in np.argsort(self.ranks, kind="stable")]


def rank_values(values: Floats, *, scale: float | None = None) -> Ints:
    """Return ranks, the largest value first; values within 1e-9 of *scale* (the largest of them) share the better rank.

    >>> rank_values(np.array([0.2, 0.5, 0.2])).tolist()
    [2, 1, 2]
    """
    scale = scale or max(float(np.ptp(values)), float(np.abs(values).max()), 1e-300)
    ranks = rankdata(-np.round(values / scale / 1e-9), method="min", axis=-1)
    return np.asarray(ranks, dtype=np.int64)


def rank_systems(
    scores: PairedScores, counts: PairCounts, settings: CompareSettings, *, higher_is_better: bool = True
) -> tuple[Ranking, ...]:
    """Rank the systems by every mechanism, with intervals, in the order of MECHANISMS.

    >>> from monge.comparison.pairs import count_pairs
    >>> from monge.scores import ScoreTable
    >>> scores = PairedScores.from_table(ScoreTable(("A", "B"), ("1", "2", "3"), [[1, 2, 3], [2, 3, 1]]))
    >>> [r.ranks.tolist() for r in rank_systems(scores, count_pairs(scores), CompareSettings())][:3]
    [[2, 1], [1, 1], [1, 1]]
    """
    resampled: dict[str, list[Floats]] = {"bt": [], "mean": [], "median": []}
    regularised = 0
    for block in bootstrap_counts(len(scores.segments), settings.resamples, np.random.default_rng([settings.seed, 1])):
        fit = fit_bradley_terry(resample_points(scores, block))
        regularised += int(np.count_nonzero(fit.regularised))
        resampled["bt"].append(fit.strengths)
        resampled["mean"].append(resample_means(scores.values, block))
        resampled["median"].append(resample_medians(scores.values, block))
    draws = {name: np.concatenate(blocks) for name, blocks in resampled.items()}
    each = np.count_nonzero(~np.isnan(scores.values), axis=1)
    mean = _with_intervals("mean", np.nanmean(scores.values, axis=1), draws["mean"], settings, instances=each)
    median = _with_intervals("median", np.nanmedian(scores.values, axis=1), draws["median"], settings, instances=each)
    if not higher_is_better:
        mean, median = _turn(mean), _turn(median)
    fit = fit_bradley_terry(counts.points)
    bt = _with_intervals("bt", fit.strengths, draws["bt"], settings, instances=len(scores.segments))
    # strengths may span many powers of ten: their ratios distinguish systems, not their differences
    ranks, notes = rank_values(fit.log_strengths, scale=1.0), _fit_notes(fit, regularised, settings.resamples)
    bt = replace(bt, ranks=ranks, notes=notes)
    if fit.regularised:
        bt = _allow_for_unseen_wins(bt, counts.points, settings)
    return (bt, mean, median, *_rate(scores, settings))


def _allow_for_unseen_wins(ranking: Ranking, points: Floats, settings: CompareSettings) -> Ranking:
    """Widen the intervals of strengths where some systems never win against others.

    Every bootstrap draw of such data shows the same, so that its intervals have no width although a few instances prove
    little. Win rates of pairs are therefore also drawn from their posterior under Jeffreys' prior, Beta(w + ½, l + ½).
    """
    generator = np.random.default_rng([settings.seed, 4])
    upper = np.triu_indices(len(points), 1)
    wins, losses = points[upper], points.T[upper]
    rates = generator.beta(wins + 0.5, losses + 0.5, size=(_POSTERIOR_DRAWS, len(wins)))
    drawn = np.zeros((_POSTERIOR_DRAWS, *points.shape))
    drawn[:, upper[0], upper[1]] = rates * (wins + losses)
    drawn[:, upper[1], upper[0]] = (1 - rates) * (wins + losses)
    tails = [50 * settings.alpha, 100 - 50 * settings.alpha]
    low, high = np.percentile(fit_bradley_terry(drawn).strengths, tails, axis=0)
    return replace(ranking, low=np.minimum(ranking.low, low), high=np.maximum(ranking.high, high))


def _fit_notes(fit: BradleyTerry, regularised: int, draws: int) -> tuple[str, ...]:
    notes = []
    if fit.regularised:
        notes.append(
            "Bradley–Terry has no finite maximum here (some systems never win against the others): "
            f"{VIRTUAL_WINS:g} virtual wins were added in each direction between every two systems, and its intervals "
            "allow for wins that were not seen (Jeffreys' prior on every pair)"
        )
    elif regularised:
        notes.append(
            f"Bradley–Terry had no finite maximum in {regularised} of {draws} bootstrap draws: "
            f"{VIRTUAL_WINS:g} virtual wins were added in each direction there"
        )
    if not fit.converged:
        notes.append("Bradley–Terry did not converge: its strengths are approximate")
    return tuple(notes)


def _with_intervals(
    name: str, values: Floats, draws: Floats, settings: CompareSettings, *, instances: int | Ints
) -> Ranking:
    low, high = percentile_interval(draws, alpha=settings.alpha, instances=instances)
    ranks = rankdata(-draws, method="min", axis=1, nan_policy="omit")
    tails = np.nanpercentile(ranks, [50 * settings.alpha, 100 - 50 * settings.alpha], axis=0, method="nearest")
    return Ranking(
        name,
        values,
        rank_values(values),
        low,
        high,
        f"{100 * (1 - settings.alpha):g} % bootstrap interval",
        tails[0].astype(np.int64),
        tails[1].astype(np.int64),
    )


def _rate(scores: PairedScores, settings: CompareSettings) -> tuple[Ranking, Ranking]:
    games = schedule_games(scores, orders=settings.orders, rng=np.random.default_rng([settings.seed, 3]))
    elo, trueskill = (
        Ranking(name, r.values, rank_values(r.values), r.values - r.spread, r.values + r.spread, _SPREAD)
        for name, r in (("elo", rate_elo(games)), ("trueskill", rate_trueskill(games)))
    )
    note = f"Elo and TrueSkill depend on the order of the games: averaged over {settings.orders} random orders"
    played, possible = games.orders.shape[1], len(games.outcomes)
    if played < possible:
        note += f" of {played:,} rounds each, drawn from {possible:,}"
    return replace(elo, notes=(note,)), trueskill


_SPREAD = "± one standard deviation between random orders of the games"


def _turn(ranking: Ranking) -> Ranking:
    """Return the values in the direction of a table where lower is better."""
    return replace(ranking, values=-ranking.values, low=-ranking.high, high=-ranking.low)
