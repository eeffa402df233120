"""Elo and TrueSkill against plain sequential play and the trueskill package."""

import itertools

import numpy as np
import pytest
import trueskill

from monge.comparison.pairs import PairedScores
from monge.comparison.ratings import Games, rate_elo, rate_trueskill, schedule_games


def games_of(values: np.ndarray, orders: int = 3, seed: int = 0) -> Games:
    systems, instances = values.shape
    names = tuple(str(k) for k in range(systems)), tuple(str(k) for k in range(instances))
    return schedule_games(PairedScores(*names, values), orders=orders, rng=np.random.default_rng(seed))


def played_in_turn(games: Games, order: int):
    """Yield (first, second, outcome) one game at a time."""
    for time in range(games.orders.shape[1]):
        first, second, outcome = games.step(time)
        yield from zip(first[order], second[order], outcome[order], strict=True)


VALUES = np.round(np.random.default_rng(3).normal(size=(5, 30)) + np.arange(5)[:, None] * 0.3, 1)  # has ties


@pytest.mark.parametrize("systems", [2, 3, 4, 5])
def test_every_pair_meets_once_on_every_instance(systems: int) -> None:
    games = games_of(VALUES[:systems])
    for order in range(3):
        met = [tuple(sorted((int(i), int(j)))) for i, j, _ in played_in_turn(games, order)]
        assert sorted(met) == sorted(30 * list(itertools.combinations(range(systems), 2)))


def test_elo_is_the_sequential_update() -> None:
    games = games_of(VALUES)
    finals = []
    for order in range(3):
        ratings = np.full(5, 1500.0)
        for i, j, outcome in played_in_turn(games, order):
            expected = 1 / (1 + 10 ** ((ratings[j] - ratings[i]) / 400))
            ratings[i], ratings[j] = ratings[i] + 20 * (outcome - expected), ratings[j] - 20 * (outcome - expected)
        finals.append(ratings)
    result = rate_elo(games)
    assert result.values == pytest.approx(np.mean(finals, axis=0), abs=1e-9)
    assert result.spread == pytest.approx(np.std(finals, axis=0, ddof=1), abs=1e-9)
    assert result.values.sum() == pytest.approx(5 * 1500)


def test_trueskill_is_the_package_update() -> None:
    games = games_of(VALUES, orders=2)
    finals = []
    for order in range(2):
        ratings = [trueskill.Rating() for _ in range(5)]
        for i, j, outcome in played_in_turn(games, order):
            one, other = (i, j) if outcome >= 0.5 else (j, i)
            ratings[one], ratings[other] = trueskill.rate_1vs1(ratings[one], ratings[other], drawn=outcome == 0.5)
        finals.append([rating.mu for rating in ratings])
    assert rate_trueskill(games).values == pytest.approx(np.mean(finals, axis=0), abs=1e-6)


def test_missing_scores_are_games_not_played() -> None:
    values = VALUES.copy()
    values[2] = np.nan
    values[2, 0] = 99.0
    games = games_of(values)
    for result, start in ((rate_elo(games), 1500.0), (rate_trueskill(games), 25.0)):
        assert np.isfinite(result.values).all()
        assert result.values[2] > start  # the one instance it has, it wins


def test_an_absurd_draw_stays_finite() -> None:
    values = np.array([np.r_[np.full(200, 9.0), 1.0], np.r_[np.zeros(200), 1.0]])
    result = rate_trueskill(games_of(values))
    assert np.isfinite(result.values).all()
    assert result.values[0] > result.values[1]


def test_averaging_over_orders_tames_the_noise_of_one() -> None:
    values = np.random.default_rng(0).normal(size=(2, 300))
    few = [rate_elo(games_of(values, orders=1, seed=s)).values[0] for s in range(20)]
    many = [rate_elo(games_of(values, orders=50, seed=s)).values[0] for s in range(20)]
    assert np.std(many) < np.std(few) / 3
