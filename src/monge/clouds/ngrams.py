"""From tokens to n-grams."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

_AT_ONCE = 1 << 19  # numbers of texts of the same length that are pooled at once: they stay in the processor's cache


def pool_ngrams(
    points: NDArray[np.float32],
    weights: NDArray[np.float64],
    n: int,
    *,
    mean: bool = False,
) -> tuple[NDArray[np.float32], NDArray[np.float64], list[tuple[int, int]]]:
    r"""Pool every window of n tokens (the whole text if n is 0 or exceeds its length).

    vector = Σ w_k x_k over the window, mass = Σ w_k (Zhao et al. 2019, eq. 1 and 2). With *mean* the vector is
    divided by the mass of its window, as in the authors' released code. Returns points (m, d), masses (m,) and the
    windows.

    >>> points = np.array([[1.0], [3.0], [5.0]], dtype=np.float32)
    >>> pool_ngrams(points, np.array([1.0, 1.0, 2.0]), 2)[:2]
    (array([[ 4.],
           [13.]], dtype=float32), array([2., 3.]))
    """
    windows = list_windows(len(points), n)
    size = windows[0][1]
    pooled, masses = points * weights[:, None], weights
    if size > 1:
        masses = sliding_window_view(weights, size).sum(axis=1)
        cumulated = np.vstack([np.zeros((1, points.shape[1])), np.cumsum(pooled, axis=0)])
        pooled = cumulated[size:] - cumulated[:-size]
    if mean:
        empty = masses == 0
        pooled = pooled / np.where(empty, 1.0, masses)[:, None]
        for index in np.flatnonzero(empty):  # a window without mass still needs a point: its plain mean
            start, end = windows[index]
            pooled[index] = points[start:end].mean(axis=0)
    return pooled.astype(np.float32), masses, windows


def list_windows(length: int, n: int) -> list[tuple[int, int]]:
    """Return first and last (exclusive) token of every window of n of *length* tokens, or of the whole text.

    >>> list_windows(3, 2), list_windows(3, 0)
    ([(0, 2), (1, 3)], [(0, 3)])
    """
    size = length if n == 0 or n > length else n
    return [(start, start + size) for start in range(length - size + 1)]


def pool_many(
    points: NDArray[np.float32], weights: NDArray[np.float64], sizes: NDArray[np.int64], n: int, *, mean: bool
) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.int64]]:
    """Pool the windows of many texts laid end to end, of *sizes* tokens each; bit for bit what ``pool_ngrams`` returns.

    Returns points, masses, and the number of windows of each text. Texts of the same length are pooled at once.
    """
    counts = np.where(sizes > 0, sizes - np.where((n == 0) | (n > sizes), sizes, n) + 1, 0)
    starts, places = np.cumsum(sizes) - sizes, np.cumsum(counts) - counts
    pooled = np.empty((int(counts.sum()), points.shape[1]), dtype=np.float32)
    masses = np.empty(len(pooled))
    for size in np.unique(sizes[sizes > 0]).tolist():
        alike = np.flatnonzero(sizes == size)
        step = max(1, _AT_ONCE // (size * points.shape[1]))
        for own in np.split(alike, range(step, len(alike), step)):
            rows = starts[own, None] + np.arange(size)
            there = (places[own, None] + np.arange(counts[own[0]])).ravel()
            pooled[there], masses[there] = _pool_alike(points[rows], weights[rows], n, mean=mean)
    return pooled, masses, counts


def _pool_alike(
    points: NDArray[np.float32], weights: NDArray[np.float64], n: int, *, mean: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pool the windows of texts of the same length, (k, length, d); returns (k · windows, d) and (k · windows,)."""
    texts, length, width = points.shape
    size = length if n == 0 or n > length else n
    pooled, masses = points * weights[:, :, None], weights
    if size > 1:
        masses = np.stack([sliding_window_view(own, size).sum(axis=1) for own in weights])  # added up as for one text
        cumulated = np.concatenate([np.zeros((texts, 1, width)), np.cumsum(pooled, axis=1)], axis=1)
        pooled = cumulated[:, size:] - cumulated[:, :-size]
    if mean:
        empty = masses == 0
        pooled = pooled / np.where(empty, 1.0, masses)[:, :, None]
        for k, start in np.argwhere(empty).tolist():
            pooled[k, start] = points[k, start : start + size].mean(axis=0)
    return pooled.reshape(-1, width), masses.ravel()


def join_windows(tokens: Sequence[str], windows: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return the names of n-grams: their tokens joined by a space."""
    return tuple(" ".join(tokens[start:end]) for start, end in windows)
