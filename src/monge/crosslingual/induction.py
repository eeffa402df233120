"""Translations found without any that are given: CSLS, mutual neighbours, and what they say of two spaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.words import cosines

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
NEIGHBOURS = 10


def csls_scores(similarity: NDArray[np.floating], neighbours: int = NEIGHBOURS) -> Array:
    """Return 2 cos(x, y) − r(x) − r(y) for a matrix (n, m) of cosines (Lample et al. 2018).

    r is the mean cosine with the nearest *neighbours* of the other side; it is large for hubs, which are near to
    everything.

    >>> csls_scores(np.array([[1.0, 0.5], [0.0, 0.5]]), neighbours=1).tolist()
    [[0.0, -0.5], [-1.5, 0.0]]
    """
    rows, columns = _nearest_mean(similarity, neighbours), _nearest_mean(similarity.T, neighbours)
    return np.asarray(2 * similarity - rows[:, None] - columns[None])


def _nearest_mean(similarity: NDArray[np.floating], neighbours: int) -> NDArray[np.floating]:
    near = min(neighbours, similarity.shape[1])
    return np.asarray(np.partition(similarity, -near, axis=1)[:, -near:].mean(axis=1))


def nearness(left: NDArray[np.floating], right: NDArray[np.floating]) -> Array:
    """Return minus the Euclidean distance (n, m) of every row of *left* to every row of *right*."""
    squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1) - 2 * (left @ right.T)
    return np.asarray(-np.sqrt(np.maximum(squares, 0.0)), dtype=np.float64)


SIMILARITIES: Mapping[str, Callable[[Array, Array], Array]] = {"cosine": cosines, "distance": nearness}


def mutual_pairs(source: Array, target: Array, similarity: str = "cosine") -> tuple[Rows, Rows]:
    """Return the rows of *source* and *target* that are each other's nearest by CSLS, the most confident first.

    Cosines are taken of rows from which the mean of *target* was subtracted. ``similarity`` is ``cosine``, or
    ``distance`` for spaces of few dimensions, where directions say little.
    """
    centre = target.mean(axis=0)
    scores = csls_scores(SIMILARITIES[similarity](source - centre, target - centre).astype(np.float32))
    forward, backward = scores.argmax(axis=1), scores.argmax(axis=0)
    left = np.flatnonzero(backward[forward] == np.arange(len(scores)))
    right = forward[left]
    order = np.argsort(-scores[left, right], kind="stable")
    return left[order], right[order]


def semantic_criterion(source: Array, target: Array, similarity: str = "cosine") -> float:
    """Return the mean cosine of induced translations, in a space that has mapped *source*: higher is better.

    Rows are counted from the mean of *target*: a map that moves everything to one point gains nothing. With
    ``similarity="distance"``, minus their mean distance in units of the spread of *target*. NaN if no two rows are each
    other's nearest (Lample et al. 2018).

    >>> round(semantic_criterion(np.eye(4), np.eye(4)[[2, 0, 1, 3]]), 9)
    1.0
    """
    left, right = mutual_pairs(source, target, similarity)
    if not len(left):
        return float("nan")
    centre = target.mean(axis=0)
    one, two = source[left] - centre, target[right] - centre
    if similarity == "distance":
        return -float(np.linalg.norm(one - two, axis=1).mean() / target.std())
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
    return float((np.einsum("ij,ij->i", one, two) / np.where(lengths == 0, 1.0, lengths)).mean())


def structural_criterion(source: Array, target: Array, similarity: str = "cosine") -> float:
    """Return minus the mean of (log σᵢ − log σ′ᵢ)² over the singular values of induced translations: higher is better.

    The singular value gap of Dubossarsky et al. (2020), per dimension; singular values below 1e-6 of the largest say
    nothing and are left out. NaN if no two rows are each other's nearest.
    """
    left, right = mutual_pairs(source, target, similarity)
    if not len(left):
        return float("nan")
    centre = target.mean(axis=0)
    values = [np.linalg.svd(rows, compute_uv=False) for rows in (source[left] - centre, target[right] - centre)]
    known = (values[0] > 1e-6 * values[0][0]) & (values[1] > 1e-6 * values[1][0])
    gaps = np.log(values[0][known]) - np.log(values[1][known])
    return -float((gaps**2).mean())


CRITERIA: Mapping[str, Callable[[Array, Array, str], float]] = {
    "semantic": semantic_criterion,
    "structural": structural_criterion,
}


def distinct_rows(vectors: NDArray[np.floating], most: int) -> Array:
    """Return at most *most* different rows, the most frequent first, then in the order of their first appearance.

    Static vectors come back once per word; of vectors in context, which never repeat, a sample spread evenly.
    """
    _, first, counts = np.unique(_keys(vectors), return_index=True, return_counts=True)
    if counts.max(initial=0) == 1:
        chosen = np.linspace(0, len(vectors) - 1, min(most, len(vectors))).round().astype(np.int64)
        return np.asarray(vectors[chosen], dtype=np.float64)
    order = np.lexsort((first, -counts))[:most]
    return np.asarray(vectors[first[order]], dtype=np.float64)


def own_rows(source: NDArray[np.floating], target: NDArray[np.floating], most: int) -> tuple[Array, Array]:
    """Return at most *most* different rows of each language that the other does not have, as :func:`distinct_rows`.

    Where languages share static vectors of subwords, digits and names, the identity gives those a cosine of 1, and any
    map looks worse than none: they say nothing of translations. If one language has nearly nothing of its own, both
    keep all their rows.

    >>> one, two = np.array([[1.0, 0], [2, 0], [1, 0], [3, 1]]), np.array([[1.0, 0], [5, 5], [6, 5]])
    >>> [rows.tolist() for rows in own_rows(one, two, 10)]
    [[[2.0, 0.0], [3.0, 1.0]], [[5.0, 5.0], [6.0, 5.0]]]
    """
    left, right = _keys(source), _keys(target)
    own = [~np.isin(left, right), ~np.isin(right, left)]
    enough = min(most, max(source.shape[1], 2))
    if any(len(np.unique(keys[mask])) < enough for keys, mask in zip((left, right), own, strict=True)):
        return distinct_rows(source, most), distinct_rows(target, most)
    return distinct_rows(source[own[0]], most), distinct_rows(target[own[1]], most)


def _keys(vectors: NDArray[np.floating]) -> NDArray[np.void]:
    """Return one value per row that is equal for equal rows."""
    values = np.ascontiguousarray(vectors, dtype=np.float32)
    return values.view(np.dtype((np.void, values.dtype.itemsize * values.shape[1]))).ravel()
