"""Pearson and Spearman for many weighted samples at once.

Every function takes ``x``, ``y`` and ``weights`` that broadcast to (..., n) and works along the last axis. A weight is
how often an item counts: 0 leaves it out (a missing value), 2 counts it twice. A bootstrap resample is therefore a row
of weights, and a thousand resamples are one call. The result has the shape of the leading axes; it is NaN where either
side is constant, because no correlation is defined there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_TINY = 1e-13  # a spread below this share of the values is rounding, not variation


def pearson(x: Array, y: Array, weights: Array) -> Array:
    """Return r = Σw(x−x̄)(y−ȳ) / √(Σw(x−x̄)² Σw(y−ȳ)²), the linear correlation (Pearson 1896).

    >>> round(float(pearson(np.array([1., 2., 3.]), np.array([1., 3., 2.]), np.ones(3))), 6)
    0.5
    """
    total = weights.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        dx = x - (weights * x).sum(axis=-1, keepdims=True) / total
        dy = y - (weights * y).sum(axis=-1, keepdims=True) / total
        xx, yy = (weights * dx * dx).sum(axis=-1), (weights * dy * dy).sum(axis=-1)
        r = (weights * dx * dy).sum(axis=-1) / np.sqrt(xx * yy)
        constant = (xx <= _floor(x, weights)) | (yy <= _floor(y, weights))
    return np.asarray(np.where(constant | np.isnan(r), np.nan, np.clip(r, -1.0, 1.0)))


def spearman(x: Array, y: Array, weights: Array) -> Array:
    """Return Pearson's r of the ranks, ties sharing their mean rank (Spearman 1904).

    >>> round(float(spearman(np.array([1., 2., 30.]), np.array([1., 3., 2.]), np.ones(3))), 6)
    0.5
    """
    return pearson(midranks(x, weights), midranks(y, weights), weights)


def midranks(values: Array, weights: Array) -> Array:
    """Return the rank of every value in the sample in which it stands ``weights`` times; ties share the mean rank.

    >>> midranks(np.array([10., 30., 10.]), np.array([1., 1., 2.])).tolist()
    [2.0, 4.0, 2.0]
    """
    values, weights = np.broadcast_arrays(values, weights)
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    upto = np.cumsum(np.take_along_axis(weights, order, axis=-1), axis=-1)
    below = upto - np.take_along_axis(weights, order, axis=-1)
    change = np.diff(ordered, axis=-1) != 0
    edge = np.ones((*ordered.shape[:-1], 1), dtype=bool)
    first, last = np.concatenate([edge, change], axis=-1), np.concatenate([change, edge], axis=-1)
    low = np.maximum.accumulate(np.where(first, below, -np.inf), axis=-1)
    high = np.minimum.accumulate(np.where(last, upto, np.inf)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (low + high + 1) / 2, axis=-1)
    return ranks


def _floor(values: Array, weights: Array) -> Array:
    """Return the sum of squares below which *values* are constant but for rounding."""
    largest = np.max(np.abs(values) * (weights > 0), axis=-1)
    return np.asarray(weights.sum(axis=-1) * (_TINY * largest) ** 2)
