"""Systems that were run several times (seeds): score distributions and almost stochastic order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from monge.errors import InputError, OptionError
from monge.scores import ScoreTable

Floats = NDArray[np.float64]
THRESHOLD = 0.2  # ε below which one system is called better (Ulmer et al. 2022); 0.5 would be no preference at all


@dataclass(frozen=True, eq=False)
class StochasticOrder:
    """``violation`` is ε of "first is better than second": 0 = stochastic dominance, 0.5 = no order, 1 = the opposite.

    ``bound`` is its upper confidence bound ε_min, by which one decides.
    """

    first: str
    second: str
    violation: float
    bound: float


@dataclass(frozen=True, eq=False)
class RunComparison:
    """By system, the scores of its runs (higher = better), and the order of every two systems in both directions."""

    scores: Mapping[str, Floats]
    orders: tuple[StochasticOrder, ...]
    alpha: float
    higher_is_better: bool = True

    def order(self, first: str, second: str) -> StochasticOrder:
        """Return the order in one direction."""
        return next(one for one in self.orders if (one.first, one.second) == (first, second))

    def better(self, *, threshold: float = THRESHOLD) -> list[tuple[str, str]]:
        """Return the pairs (better, worse) whose bound lies below *threshold*."""
        return [(one.first, one.second) for one in self.orders if one.bound < threshold]

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        sign = 1 if self.higher_is_better else -1
        return {
            "runs": {name: (sign * values).tolist() for name, values in self.scores.items()},
            "orders": [
                {"first": o.first, "second": o.second, "epsilon": o.violation, "epsilon_min": o.bound}
                for o in self.orders
            ],
        }


def group_runs(table: ScoreTable, separator: str) -> dict[str, list[str]]:
    """Return by system the names of its runs: ``big/1`` and ``big/2`` are runs of ``big`` with the separator ``/``.

    Raises OptionError if no system has two runs.
    """
    groups: dict[str, list[str]] = {}
    for name in table.systems:
        groups.setdefault(name.rpartition(separator)[0] or name, []).append(name)
    if max(map(len, groups.values())) < 2:
        raise OptionError(f"no system has several runs: names such as big{separator}1, big{separator}2 are expected")
    return groups


def compare_runs(
    table: ScoreTable, groups: Mapping[str, Sequence[str]], *, alpha: float = 0.05, draws: int = 1000, seed: int = 12345
) -> RunComparison:
    """Compare systems by the scores of their runs, each the mean over the segments that all runs have.

    Raises InputError if the runs share no segment or there are fewer than two systems.
    """
    if len(groups) < 2:
        raise InputError(f"a comparison needs at least two systems; only {next(iter(groups), 'none')!r} is given")
    values = table.values if table.higher_is_better else -table.values
    common = ~np.isnan(values).any(axis=0)
    if not common.any():
        raise InputError("the runs have no scored segment in common")
    rows = {name: i for i, name in enumerate(table.systems)}
    means = values[:, common].mean(axis=1)
    scores = {system: np.array([means[rows[name]] for name in own]) for system, own in groups.items()}
    orders = tuple(
        order_almost(scores[a], scores[b], names=(a, b), alpha=alpha, draws=draws, seed=seed)
        for a in scores
        for b in scores
        if a != b
    )
    return RunComparison(scores, orders, alpha, table.higher_is_better)


def order_almost(
    first: ArrayLike,
    second: ArrayLike,
    *,
    names: tuple[str, str] = ("first", "second"),
    alpha: float = 0.05,
    draws: int = 1000,
    seed: int = 12345,
) -> StochasticOrder:
    """Return how far *first* is from being stochastically better than *second*.

    Del Barrio et al. (2018); Dror, Shlomov and Reichart (2019), Deep Dominance.

    ε = ∫_V (F⁻¹ − G⁻¹)² / ∫ (F⁻¹ − G⁻¹)², with V the levels at which the first's quantile is below the second's.
    ε_min = ε − √((n+m)/(nm)) σ̂ Φ⁻¹(α) is an upper confidence bound at level 1 − α, σ̂ by bootstrap. Equal scores have
    ε = 0.5. Raises InputError if either side has no score.

    >>> order_almost([3.0, 4.0], [1.0, 2.0]).violation
    0.0
    """
    x, y = (np.sort(np.asarray(side, dtype=np.float64)) for side in (first, second))
    if not len(x) or not len(y):
        raise InputError("almost stochastic order needs at least one score of either system")
    violation = violation_ratio(x, y)
    rng = np.random.default_rng(seed)
    scale = math.sqrt(len(x) * len(y) / (len(x) + len(y)))
    drawn = [violation_ratio(np.sort(rng.choice(x, len(x))), np.sort(rng.choice(y, len(y)))) for _ in range(draws)]
    deviation = float(np.std(scale * (np.array(drawn) - violation))) if draws else 0.0
    bound = violation - deviation / scale * float(norm.ppf(alpha))
    return StochasticOrder(names[0], names[1], violation, min(1.0, bound))


def violation_ratio(x: Floats, y: Floats) -> float:
    """Return ε of sorted samples, exactly: quantile functions are steps, so the integrals are sums over their steps.

    >>> violation_ratio(np.array([0.0, 4.0]), np.array([1.0, 2.0]))
    0.2
    """
    levels = np.union1d(np.arange(1, len(x) + 1) / len(x), np.arange(1, len(y) + 1) / len(y))
    widths = np.diff(levels, prepend=0.0)
    middle = levels - widths / 2
    gap = x[np.minimum((middle * len(x)).astype(int), len(x) - 1)]
    gap = gap - y[np.minimum((middle * len(y)).astype(int), len(y) - 1)]
    squares = widths * gap**2
    total = float(squares.sum())
    return float(squares[gap < 0].sum() / total) if total > 0 else 0.5
