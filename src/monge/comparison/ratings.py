"""Elo and TrueSkill: ratings that change with every game, so that the order of the games matters.

A game is one pair of systems on one instance. All games are played in several random orders and the ratings averaged;
the spread between orders is reported, because it is often larger than the difference between two systems.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri

from monge.comparison.pairs import PairedScores

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDS = 10_000  # of one order; older games have long been forgotten (Elo's memory is about 30 games, TrueSkill's 90)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Mean rating (S,) over random orders, and the standard deviation between orders (S,)."""

    values: Floats
    spread: Floats


@dataclass(frozen=True, eq=False)
class Games:
    """Rounds of disjoint games in several random orders: a round is one instance and one way to pair all systems up.

    ``pairs`` (R, G, 2) holds the ways to pair up, ``outcomes`` (N·R, G) the results (1, 0.5, 0, NaN = not played),
    ``orders`` (O, T) which round comes when. Games of one round share no system, so playing them at once is exact.
    """

    pairs: Ints
    outcomes: Floats
    orders: Ints
    systems: int

    def step(self, time: int) -> tuple[Ints, Ints, Floats]:
        """Return first and second player and the outcome, (O, G) each, at one moment of all orders."""
        index = self.orders[:, time]
        pairs = self.pairs[index % len(self.pairs)]
        return pairs[..., 0], pairs[..., 1], self.outcomes[index]


def schedule_games(scores: PairedScores, *, orders: int, rng: np.random.Generator) -> Games:
    """Draw *orders* random orders of all rounds, of which the first ROUNDS are kept."""
    pairs = _round_robin(len(scores.systems))
    values = scores.values.T  # (N, S)
    differences = values[:, pairs[..., 0]] - values[:, pairs[..., 1]]  # (N, R, G)
    outcomes = scores.outcomes(differences).reshape(-1, pairs.shape[1])
    kept = min(len(outcomes), ROUNDS)
    drawn = np.stack([rng.choice(len(outcomes), kept, replace=False) for _ in range(orders)])
    return Games(pairs, outcomes, drawn, len(scores.systems))


def rate_elo(games: Games, *, k: float = 20.0, start: float = 1500.0) -> Ratings:
    """Return Elo ratings: R_i += K (outcome − 1 / (1 + 10^((R_j − R_i)/400))), a tie being half a win.

    K = 20 as in Peyrard et al. (2021), Appendix G; A. E. Elo, The Rating of Chessplayers (1978).
    """
    ratings = np.full((len(games.orders), games.systems), start)
    rows = np.arange(len(games.orders))[:, None]
    for time in range(games.orders.shape[1]):
        first, second, outcome = games.step(time)
        gap = ratings[rows, second] - ratings[rows, first]
        change = np.nan_to_num(k * (outcome - 1.0 / (1.0 + 10.0 ** (gap / 400.0))))
        ratings[rows, first] += change
        ratings[rows, second] -= change
    return _average(ratings, games)


@dataclass(frozen=True)
class TrueSkillPrior:
    """The constants of Herbrich et al. (2007): prior skill, its deviation, noise of a game, drift, share of draws."""

    mean: float = 25.0
    deviation: float = 25.0 / 3.0
    noise: float = 25.0 / 6.0
    drift: float = 25.0 / 300.0
    draws: float = 0.10


def rate_trueskill(games: Games, *, prior: TrueSkillPrior | None = None) -> Ratings:
    """Return the mean skills after all games; one game updates both players by moment matching.

    With c² = 2β² + σ_i² + σ_j² and t = (μ_i − μ_j)/c, a win moves μ_i by σ_i²/c·v(t) and multiplies σ_i² by
    1 − σ_i²/c²·w(t), where v and w are the mean and variance corrections of a normal truncated at the draw margin
    (Herbrich, Minka and Graepel 2007).
    """
    prior = prior or TrueSkillPrior()
    margin = float(ndtri((prior.draws + 1.0) / 2.0)) * np.sqrt(2.0) * prior.noise
    shape = (len(games.orders), games.systems)
    means = np.full(shape, prior.mean)
    variances = np.full(shape, prior.deviation**2)
    rows = np.arange(len(games.orders))[:, None]
    for time in range(games.orders.shape[1]):
        first, second, outcome = games.step(time)
        played = ~np.isnan(outcome)
        one, other = variances[rows, first] + prior.drift**2, variances[rows, second] + prior.drift**2
        scale = np.sqrt(2.0 * prior.noise**2 + one + other)
        lead = (means[rows, first] - means[rows, second]) / scale
        shift, shrink = _corrections(lead, margin / scale, outcome)
        means[rows, first] += np.where(played, one / scale * shift, 0.0)
        means[rows, second] -= np.where(played, other / scale * shift, 0.0)
        variances[rows, first] = np.where(played, one * (1.0 - one / scale**2 * shrink), variances[rows, first])
        variances[rows, second] = np.where(played, other * (1.0 - other / scale**2 * shrink), variances[rows, second])
    return _average(means, games)


def _corrections(lead: Floats, margin: Floats, outcome: Floats) -> tuple[Floats, Floats]:
    """Return v and w of a decided game (signed towards the winner) or of a draw."""
    sign = np.where(outcome < 0.5, -1.0, 1.0)
    excess = sign * lead - margin
    shift = np.exp(-0.5 * excess**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(excess))
    shrink = shift * (shift + excess)
    shift = sign * shift
    drawn = outcome == 0.5
    if drawn.any():
        low, high = -margin - lead, margin - lead
        mass = np.exp(log_ndtr(high)) - np.exp(log_ndtr(low))
        density_low, density_high = (np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi) for x in (low, high))
        with np.errstate(divide="ignore", invalid="ignore"):
            shift_draw = (density_low - density_high) / mass
            shrink_draw = shift_draw**2 + (high * density_high - low * density_low) / mass
        far = ~(mass > 1e-12)  # a draw so unlikely that the truncated normal lies at the nearer margin
        shift_draw = np.where(far, -np.sign(lead) * (np.abs(lead) - margin), shift_draw)
        shift = np.where(drawn, shift_draw, shift)
        shrink = np.where(drawn, np.where(far, 1.0, shrink_draw), shrink)
    return shift, shrink


def _average(ratings: Floats, games: Games) -> Ratings:
    spread = ratings.std(axis=0, ddof=1) if len(ratings) > 1 else np.zeros(games.systems)
    return Ratings(ratings.mean(axis=0), spread)


def _round_robin(size: int) -> Ints:
    """Return (rounds, games, 2): every pair once, each round pairing all systems (one rests when odd).

    >>> _round_robin(4).tolist()
    [[[0, 3], [1, 2]], [[1, 3], [2, 0]], [[2, 3], [0, 1]]]
    """
    even = size + size % 2
    rounds = []
    for turn in range(even - 1):
        circle = [(turn + k) % (even - 1) for k in range(even - 1)]
        games = [(circle[0], even - 1)] + [(circle[k], circle[even - 1 - k]) for k in range(1, even // 2)]
        rounds.append([game for game in games if max(game) < size])
    return np.array(rounds, dtype=np.int64)
