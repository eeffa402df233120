"""Groups of systems that the test set cannot distinguish."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def significance_clusters(beats: NDArray[np.bool_], order: list[int]) -> tuple[tuple[int, ...], ...]:
    """Cut the ranked systems wherever everyone above significantly beats everyone below.

    ``beats[i, j]`` says that i is significantly better than j; *order* is best first. These are the clusters of WMT.

    >>> significance_clusters(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool), [1, 0, 2])
    ((1, 0), (2,))
    """
    clusters: list[tuple[int, ...]] = []
    start = 0
    for cut in range(1, len(order) + 1):
        if cut == len(order) or beats[np.ix_(order[:cut], order[cut:])].all():
            clusters.append(tuple(order[start:cut]))
            start = cut
    return tuple(clusters)


def rank_ranges(beats: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return each system's possible ranks: below all that beat it, above all it beats.

    >>> rank_ranges(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    [(1, 2), (1, 2), (3, 3)]
    """
    return [
        (1 + int(better), len(beats) - int(worse))
        for better, worse in zip(beats.sum(axis=0), beats.sum(axis=1), strict=True)
    ]


def find_cycles(majority: NDArray[np.bool_], *, limit: int = 5) -> list[tuple[int, int, int]]:
    """Return up to *limit* triples where i beats j, j beats k and k beats i on most instances.

    >>> find_cycles(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool))
    [(0, 1, 2)]
    """
    cycles: list[tuple[int, int, int]] = []
    for i in range(len(majority)):
        for j in np.flatnonzero(majority[i]):
            if j < i:
                continue
            closing = np.flatnonzero(majority[j] & majority[:, i])
            cycles += [(i, int(j), int(k)) for k in closing if k > i]
            if len(cycles) >= limit:
                return cycles[:limit]
    return cycles


def count_cycles(majority: NDArray[np.bool_]) -> int:
    """Return the number of cyclic triples.

    >>> count_cycles(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool))
    1
    """
    matrix = majority.astype(np.float64)
    return int(np.einsum("ij,ji->", matrix @ matrix, matrix) / 3)
