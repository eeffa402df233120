"""How many instances an outcome depends on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from monge.comparison.bradley_terry import fit_bradley_terry
from monge.comparison.pairs import PairCounts, PairedScores
from monge.comparison.significance import sign_p_value

Floats = NDArray[np.float64]

_BLOCK = 1 << 21


def wins_to_drop(wins: int, losses: int, *, alpha: float) -> int:
    """Return how many of the winner's wins must be removed before a sign test is no longer significant.

    0 means that it is not significant to begin with.

    >>> wins_to_drop(9, 1, alpha=0.05)
    2
    """
    most, least = max(wins, losses), min(wins, losses)
    dropped = np.arange(most - least + 1)
    return int(np.argmax(sign_p_value(most - dropped, np.full_like(dropped, least)) > alpha))


def extremes_to_drop(differences: Floats, *, alpha: float) -> int:
    """Return how many of the largest favourable differences must be removed before a paired t-test is not significant.

    The largest are removed first; 0 means that the test is not significant to begin with.
    """
    d = np.sort(differences if differences.mean() >= 0 else -differences)  # largest last
    n = np.arange(len(d), 1, -1)
    sums, squares = np.cumsum(d)[::-1][: len(n)], np.cumsum(d**2)[::-1][: len(n)]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums / n
        variance = np.maximum(squares - n * mean**2, 0.0) / (n - 1)
        p = 2 * t.sf(mean / np.sqrt(variance / n), n - 1)
    lost = ~(p <= alpha) & ~((variance == 0) & (mean > 0))
    return int(np.argmax(lost)) if lost.any() else len(n)


def instances_behind_mean(differences: Floats) -> NDArray[np.int64]:
    """Return the smallest set of instances without which the mean difference has the opposite sign (or none at all).

    >>> instances_behind_mean(np.array([-1.0, 9.0, -1.0, -1.0, np.nan])).tolist()
    [1]
    """
    total = np.nansum(differences)
    order = np.argsort(-np.nan_to_num(differences) * np.sign(total))
    remaining = total - np.cumsum(np.nan_to_num(differences)[order])
    flipped = remaining * np.sign(total) <= 0
    return order[: int(np.argmax(flipped)) + 1]


def decisive_instances(scores: PairedScores, counts: PairCounts) -> dict[str, list[int]]:
    """Return, for the mean and Bradley–Terry, the instances whose removal alone changes who is first.

    Every instance is left out in turn and the mechanism run again without it.
    """
    return {"mean": _decisive_for_mean(scores.values), "bt": _decisive_for_bt(scores, counts)}


def _decisive_for_mean(values: Floats) -> list[int]:
    present = ~np.isnan(values)
    filled = np.where(present, values, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        without = (filled.sum(axis=1, keepdims=True) - filled) / (present.sum(axis=1, keepdims=True) - present)
    return _changed(np.nanmean(values, axis=1), without.T)


def _decisive_for_bt(scores: PairedScores, counts: PairCounts) -> list[int]:
    size = len(scores.systems)
    step = max(1, _BLOCK // size**2)
    whole = fit_bradley_terry(counts.points)
    first, second = np.triu_indices(size, 1)
    changed: list[int] = []
    for start in range(0, len(scores.segments), step):
        values = scores.values[:, start : start + step]
        outcome = scores.outcomes(values[first] - values[second]).T
        points = np.repeat(counts.points[None], values.shape[1], axis=0)
        points[:, first, second] -= np.nan_to_num(outcome)
        points[:, second, first] -= np.nan_to_num(1.0 - outcome)
        without = fit_bradley_terry(points, start=whole.log_strengths)
        changed += [start + k for k in _changed(whole.strengths, without.strengths)]
    return changed


def _changed(whole: Floats, without: Floats) -> list[int]:
    """Return the rows of *without* (N, S) whose best systems differ from those of the *whole* (S,)."""
    scale = max(float(np.abs(whole).max()), 1e-300) * 1e-9
    best = whole >= whole.max() - scale
    best_without = np.fmax.reduce(without, axis=1, keepdims=True)  # NaN where no system has a score left: no new winner
    still = without >= best_without - scale
    return [int(i) for i in np.flatnonzero(~((still & best).any(axis=1) | np.isnan(best_without[:, 0])))]
