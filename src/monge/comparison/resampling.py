"""The paired bootstrap: instances are drawn with replacement, all systems together, which keeps the pairing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from monge.comparison.pairs import PairedScores

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BLOCK = 1 << 22  # numbers held at once


def bootstrap_counts(instances: int, draws: int, rng: np.random.Generator) -> Iterator[NDArray[np.float32]]:
    """Yield blocks (b, N): how often each instance is in each draw of N instances with replacement.

    >>> block = next(bootstrap_counts(5, 3, np.random.default_rng(0)))
    >>> block.sum(axis=1).tolist()
    [5.0, 5.0, 5.0]
    """
    step = max(1, _BLOCK // instances)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        picked = rng.integers(instances, size=(size, instances)) + instances * np.arange(size)[:, None]
        yield np.bincount(picked.ravel(), minlength=size * instances).reshape(size, instances).astype(np.float32)


def random_signs(instances: int, draws: int, rng: np.random.Generator) -> Iterator[NDArray[np.float32]]:
    """Yield blocks (b, N) of ±1: which instances have the two systems' scores exchanged in each draw."""
    step = max(1, _BLOCK // instances)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        yield 1.0 - 2.0 * rng.integers(2, size=(size, instances), dtype=np.int8).astype(np.float32)


def resample_means(values: Floats, counts: NDArray[np.float32]) -> Floats:
    """Return the mean of every row of *values* (S, N) in every draw: (b, S); missing scores are left out."""
    weights = counts.astype(np.float64)
    missing = np.isnan(values)
    sums = weights @ np.where(missing, 0.0, values).T
    if not missing.any():
        means: Floats = sums / values.shape[1]
        return means
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / (weights @ (~missing).T.astype(np.float64)))


def resample_medians(values: Floats, counts: NDArray[np.float32]) -> Floats:
    """Return the median of every row of *values* (S, N) in every draw: (b, S).

    Each row is sorted once; in a draw the median lies where the running count of drawn scores passes the half.
    """
    medians = np.empty((len(counts), len(values)))
    for row, scores in enumerate(values):
        order = np.argsort(scores)[: np.count_nonzero(~np.isnan(scores))]  # NaN sorts last
        # the middle of a draw is √N/2 (one standard deviation) from the middle of the data: look at 8 of them
        reach = 4 * int(np.sqrt(len(order))) + 4
        window = slice(max(0, len(order) // 2 - reach), len(order) // 2 + reach)
        medians[:, row] = _drawn_medians(scores, order, counts, window)
    return medians


def _drawn_medians(scores: Floats, order: Ints, counts: NDArray[np.float32], window: slice) -> Floats:
    """Return the median of each draw, looked for in a window of the sorted scores, or in all of them if missed."""
    size = counts @ _indicator(order, len(scores))
    below = counts @ _indicator(order[: window.start], len(scores))
    running = below[:, None] + np.cumsum(counts[:, order[window]], axis=1)
    low, high = np.floor((size - 1) / 2), np.floor(size / 2)
    at_low = order[(running > low[:, None]).argmax(axis=1) + window.start]
    at_high = order[(running > high[:, None]).argmax(axis=1) + window.start]
    medians: Floats = 0.5 * (scores[at_low] + scores[at_high])
    medians[size == 0] = np.nan
    missed = ((low < below) | (running[:, -1] <= high)) & (size > 0)
    if missed.any():
        medians[missed] = _drawn_medians(scores, order, counts[missed], slice(0, len(order)))
    return medians


def _indicator(members: Ints, size: int) -> NDArray[np.float32]:
    indicator = np.zeros(size, dtype=np.float32)
    indicator[members] = 1.0
    return indicator


def resample_points(scores: PairedScores, counts: NDArray[np.float32]) -> Floats:
    """Return the win matrix (ties half to each) of every draw: (b, S, S)."""
    size = len(scores.systems)
    points = np.zeros((len(counts), size, size))
    complete = not np.isnan(scores.values).any()
    for first, second, differences in scores.blocks():
        outcome = scores.outcomes(differences).astype(np.float32)  # 0, ½, 1: sums below 2²³ are exact
        won = (counts @ np.nan_to_num(outcome).T).astype(np.float64)
        played = counts.shape[1] if complete else counts @ (~np.isnan(outcome)).T.astype(np.float32)
        points[:, first, second] = won
        points[:, second, first] = played - won
    return points


def percentile_interval(draws: Floats, *, alpha: float, instances: int | Ints) -> tuple[Floats, Floats]:
    """Return the bootstrap percentile intervals of *draws* (B, K), their levels widened for small samples.

    The plain 2.5/97.5 percentiles are too narrow by √((n−1)/n)·z/t; the level is expanded to Φ(−√(n/(n−1))·t) so that
    the interval of a mean covers like Student's (Hesterberg 2015, The American Statistician 69:371). *instances* is n,
    of all columns or of each (K,); one instance bounds nothing.
    """
    sizes = np.broadcast_to(instances, draws.shape[1:])
    low = np.full(sizes.shape, -np.inf)
    high = -low
    for n in np.unique(sizes[sizes > 1]):
        tail = norm.cdf(np.sqrt(n / (n - 1)) * t.ppf(alpha / 2, n - 1))
        low[sizes == n], high[sizes == n] = np.nanpercentile(
            draws[:, sizes == n], [100 * tail, 100 * (1 - tail)], axis=0
        )
    return low, high
