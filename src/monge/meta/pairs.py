"""Statistics that count pairs: Kendall's tau-b, WMT's tau-like and pairwise accuracy with calibrated ties.

``x`` is the human side, ``y`` the metric; arrays and weights are as in :mod:`monge.meta.correlation`. A pair of items
counts w_i·w_j times; an item drawn twice is not paired with its own copy, which would look like a tie nobody judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from monge.meta.correlation import Array

Terms = Callable[[Array, Array], tuple[Array, ...]]

_BUDGET = 4_000_000  # numbers held at once while pairs are compared
_MAX_CALIBRATION_PAIRS = 20_000_000
_ROUNDING = 1e-10  # differences of scores closer than this share of the largest score are one difference, rounded


def kendall(x: Array, y: Array, weights: Array) -> Array:
    """Return tau-b = (C − D) / √((P − T_x)(P − T_y)): C concordant, D discordant, T tied pairs of P (Kendall 1945).

    >>> round(float(kendall(np.array([1., 2., 3.]), np.array([1., 3., 2.]), np.ones(3))), 6)
    0.333333
    """
    if x.size == y.size == x.shape[-1] and weights.size // x.size < 8 and x.size > 512:
        return _kendall_sorted(x.ravel(), y.ravel(), weights)
    score, untied_x, untied_y = pair_sums(_kendall_terms, x, y, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(untied_x * untied_y > 0, score / np.sqrt(untied_x * untied_y), np.nan))


def tau_like(x: Array, y: Array, weights: Array, *, threshold: float = 25.0) -> Array:
    """Return (C − D) / (C + D) over the pairs whose judgments differ by at least *threshold* (WMT's daRR).

    A pair the metric ties counts as discordant (Bojar et al. 2017, Ma et al. 2018). NaN if no pair is that far apart.

    >>> float(tau_like(np.array([80., 50., 45.]), np.array([.9, .5, .9]), np.ones(3)))
    0.0
    """

    def terms(dx: Array, dy: Array) -> tuple[Array, ...]:
        judged = ((np.abs(dx) >= threshold) & (dx != 0)).astype(np.float64)
        return judged * np.where(np.sign(dx) * np.sign(dy) > 0, 1.0, -1.0), judged

    return _ratio(*pair_sums(terms, x, y, weights))


def count_judged_pairs(x: Array, y: Array, weights: Array, *, threshold: float = 25.0) -> Array:
    """Return the number of pairs that tau_like counts, by which samples are pooled."""

    def terms(dx: Array, dy: Array) -> tuple[Array, ...]:
        return (((np.abs(dx) >= threshold) & (dx != 0)).astype(np.float64),)

    return pair_sums(terms, x, y, weights)[0]


def pairwise_accuracy(x: Array, y: Array, weights: Array, *, epsilon: float = 0.0) -> Array:
    """Return the share of pairs on which metric and people agree: better, worse, or equal.

    acc_eq = (C + T_xy) / P, where the metric calls a pair equal when |Δy| ≤ *epsilon* (Deutsch et al. 2023).

    >>> round(float(pairwise_accuracy(np.array([1., 2., 2.]), np.array([1., 2., 2.1]), np.ones(3), epsilon=0.2)), 6)
    1.0
    """

    def terms(dx: Array, dy: Array) -> tuple[Array, ...]:
        order = np.where(np.abs(dy) <= epsilon, 0.0, np.sign(dy))
        return (order == np.sign(dx)).astype(np.float64), np.ones_like(dx)

    return _ratio(*pair_sums(terms, x, y, weights))


def guess_order(x: Array, y: Array, weights: Array) -> Array:
    """Return the accuracy of random scores without ties: half of the pairs that people distinguish.

    >>> round(float(guess_order(np.array([1., 2., 2.]), np.zeros(3), np.ones(3))), 6)
    0.333333
    """
    return np.asarray((1 - guess_ties(x, y, weights)) / 2)


def guess_ties(x: Array, y: Array, weights: Array) -> Array:
    """Return the accuracy of a metric that ties everything: the share of pairs that people tied."""
    return pairwise_accuracy(x, y, weights, epsilon=np.inf)


@dataclass(frozen=True)
class TieThreshold:
    """The largest metric difference that is called a tie, and the accuracy it gives on the data it was chosen on."""

    epsilon: float
    accuracy: float


def calibrate_ties(x: Array, y: Array, weights: Array, *, seed: int = 0) -> TieThreshold:
    """Choose the epsilon that maximises acc_eq averaged over groups (Deutsch et al. 2023, algorithm 1).

    ``x``, ``y``, ``weights`` have shape (groups, n). All thresholds are tried in one sweep over the sorted |Δy|: a pair
    that becomes a tie turns right if people tied it and wrong if it was concordant. Differences that only rounding
    separates (0.3 − 0.1 and 0.2 − 0.0) share one threshold, which lies just above them. Beyond 20 million pairs a
    sample is used.

    >>> chosen = calibrate_ties(np.array([[1., 2., 2., 3., 4.]]), np.array([[2., 1., 1.5, 5., 3.]]), np.ones((1, 5)))
    >>> round(chosen.epsilon, 6), chosen.accuracy
    (0.5, 0.7)
    """
    dx, dy, share = _group_pairs(x, y, weights, seed)
    if not dx.size:
        return TieThreshold(0.0, float("nan"))
    concordant = (dx != 0) & (np.sign(dx) == np.sign(dy))
    gain = share * ((dx == 0).astype(np.float64) - concordant)
    size = np.abs(dy)
    order = np.argsort(size, kind="stable")
    accuracy = (share * concordant).sum() + np.cumsum(gain[order])
    rounding = _ROUNDING * float(np.abs(y[weights > 0]).max())
    last = np.append(np.diff(size[order]) > rounding, True)  # a threshold takes all differences of its size
    accuracy = np.where(last, accuracy, -np.inf)
    none_tied = float((share * concordant).sum())
    best = int(np.argmax(np.round(accuracy, 12)))
    if size[order[0]] > 0 and none_tied >= accuracy[best]:
        return TieThreshold(0.0, none_tied)
    return TieThreshold(float(size[order[best]]) + rounding / 2, round(float(accuracy[best]), 12))


def pair_outcomes(x: Array, y: Array, weights: Array, *, epsilon: float, seed: int = 0) -> Array:
    """Return, for every pair within a group, its share in the average accuracy if the metric is right about it, else 0.

    ``x``, ``y``, ``weights`` (groups, n); the sum of the result is pairwise_accuracy averaged over groups.
    """
    dx, dy, share = _group_pairs(x, y, weights, seed)
    order = np.where(np.abs(dy) <= epsilon, 0.0, np.sign(dy))
    return np.asarray(share * (order == np.sign(dx)))


def pair_sums(terms: Terms, x: Array, y: Array, weights: Array) -> tuple[Array, ...]:
    """Return Σ_{i<j} w_i w_j t(x_i − x_j, y_i − y_j) for every term t, along the last axis.

    Terms must be symmetric, t(a, b) = t(−a, −b), and vanish for or ignore i = j.
    """
    n = x.shape[-1]
    if x.size == y.size == n and weights.size > n and n > 16:
        return _shared_pair_sums(terms, x.ravel(), y.ravel(), weights)
    shape = np.broadcast_shapes(x.shape, y.shape, weights.shape)
    flat = [np.broadcast_to(a, shape).reshape(-1, n) for a in (x, y, weights)]
    i, j = np.triu_indices(n, 1)
    step = max(1, _BUDGET // max(1, i.size))
    sums: list[tuple[Array, ...]] = []
    for start in range(0, len(flat[0]), step):
        xs, ys, ws = (a[start : start + step] for a in flat)
        mass = ws[:, i] * ws[:, j]
        sums.append(tuple((mass * term).sum(-1) for term in terms(xs[:, i] - xs[:, j], ys[:, i] - ys[:, j])))
    return tuple(np.concatenate(parts).reshape(shape[:-1]) for parts in zip(*sums, strict=True))


def _shared_pair_sums(terms: Terms, x: Array, y: Array, weights: Array) -> tuple[Array, ...]:
    """Compare the pairs of one sample once for all its resamples: Σ w_i w_j t_ij = wᵀ T w, in blocks of rows."""
    n = x.size
    rows = weights.reshape(-1, n)
    narrow = rows.astype(np.float32)  # counts: their sums stay exact below 2²⁴
    totals: list[Array] = []
    step = max(1, _BUDGET // n)
    for start in range(0, n, step):
        block = slice(start, start + step)
        for k, term in enumerate(terms(x[block, None] - x[None, :], y[block, None] - y[None, :])):
            own = np.arange(start, min(start + step, n))
            term[own - start, own] = 0.0
            part = (rows[:, block] * (narrow @ term.T.astype(np.float32))).sum(-1) / 2
            if k == len(totals):
                totals.append(np.zeros(len(rows)))
            totals[k] += part
    return tuple(total.reshape(weights.shape[:-1]) for total in totals)


def _kendall_terms(dx: Array, dy: Array) -> tuple[Array, ...]:
    sx, sy = np.sign(dx), np.sign(dy)
    return sx * sy, np.abs(sx), np.abs(sy)


def _kendall_sorted(x: Array, y: Array, weights: Array) -> Array:
    """Write every resample out and let scipy count inversions in O(n log n)."""
    rows = weights.reshape(-1, x.size).astype(np.int64)
    values = [stats.kendalltau(np.repeat(x, w), np.repeat(y, w)).statistic for w in rows]
    return np.array(values, dtype=np.float64).reshape(weights.shape[:-1])


def _group_pairs(x: Array, y: Array, weights: Array, seed: int) -> tuple[Array, Array, Array]:
    """Return Δx, Δy and the share of every pair in the average over groups of the groups' accuracies."""
    groups = len(x)
    present = weights > 0
    sizes = present.sum(axis=1)
    counted = int((sizes >= 2).sum())
    dxs, dys, shares = [], [], []
    limit = _MAX_CALIBRATION_PAIRS // max(1, counted)
    generator = np.random.default_rng(seed)
    for g in range(groups):
        items = np.flatnonzero(present[g])
        if len(items) < 2:
            continue
        i, j = _choose_pairs(items, limit, generator)
        dxs.append(x[g, i] - x[g, j])
        dys.append(y[g, i] - y[g, j])
        shares.append(np.full(i.size, 1.0 / (i.size * counted)))
    if not dxs:
        return np.empty(0), np.empty(0), np.empty(0)
    return np.concatenate(dxs), np.concatenate(dys), np.concatenate(shares)


def _choose_pairs(
    items: NDArray[np.int64], limit: int, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if len(items) * (len(items) - 1) // 2 <= max(limit, 1):
        i, j = np.triu_indices(len(items), 1)
        return items[i], items[j]
    i = generator.integers(0, len(items), limit)
    j = (i + generator.integers(1, len(items), limit)) % len(items)
    return items[i], items[j]


def _ratio(part: Array, whole: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))
