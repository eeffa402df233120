"""From tokens to n-grams."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray


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
    length = len(points)
    size = length if n == 0 or n > length else n
    windows = [(start, start + size) for start in range(length - size + 1)]
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


def join_windows(tokens: Sequence[str], windows: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return the names of n-grams: their tokens joined by a space."""
    return tuple(" ".join(tokens[start:end]) for start, end in windows)
