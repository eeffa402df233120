"""How good rankings are: of labels (P@k, NDCG@k) and of answers (MAP, MRR)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError

Ideal = str  # "labels" or "retrieved"


def _ranked(scores: NDArray[np.floating], truth: NDArray[np.bool_], k: int) -> NDArray[np.float64]:
    """Return the relevance (n, k) of the k best labels of every text; ties keep the order of the labels."""
    if scores.shape != truth.shape or scores.ndim != 2 or not len(scores):
        raise InputError(f"scores {scores.shape} and labels {truth.shape} must be two tables of the same size")
    if not 1 <= k <= scores.shape[1]:
        raise InputError(f"k={k}: must be between 1 and the number of labels, {scores.shape[1]}")
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(truth, order, axis=1).astype(np.float64)


def precision_at(scores: NDArray[np.floating], truth: NDArray[np.bool_], k: int) -> float:
    """Return P@k: the share of right labels among the k best, mean over texts.

    >>> precision_at(np.array([[0.9, 0.5, 0.1]]), np.array([[True, False, True]]), 2)
    0.5
    """
    return float(_ranked(scores, truth, k).mean())


def ndcg_at(scores: NDArray[np.floating], truth: NDArray[np.bool_], k: int, *, ideal: Ideal = "labels") -> float:
    """Return NDCG@k, mean over texts: DCG = Σ rel_r / log2(r + 1), divided by that of an ideal list.

    The *ideal* list has all right labels of the text first (``labels``, the usual definition), or those among the k
    retrieved (``retrieved``, as the code that Zhao et al. 2019 released). A text without labels counts 0.

    >>> round(ndcg_at(np.array([[0.9, 0.5, 0.1]]), np.array([[True, False, True]]), 2), 4)
    0.6131
    >>> ndcg_at(np.array([[0.9, 0.5, 0.1]]), np.array([[True, False, True]]), 2, ideal="retrieved")
    1.0
    """
    gains = _ranked(scores, truth, k)
    discounts = 1 / np.log2(np.arange(2, k + 2))
    hits = gains.sum(axis=1) if ideal == "retrieved" else np.minimum(truth.sum(axis=1), k)
    best = np.concatenate([[0.0], np.cumsum(discounts)])[hits.astype(int)]
    return float(np.divide(gains @ discounts, best, out=np.zeros(len(gains)), where=best > 0).mean())


def mean_average_precision(groups: Sequence[tuple[Sequence[float], Sequence[bool]]]) -> float:
    """Return MAP over questions, each with the scores of its answers and which of them are right.

    Questions without a right answer are left out, as usual. Raises InputError if none is left.

    >>> mean_average_precision([([0.9, 0.5, 0.1], [True, False, True])])
    0.8333333333333333
    """
    return float(np.mean([(np.arange(1, len(ranks) + 1) / ranks).mean() for ranks in _ranks(groups)]))


def mean_reciprocal_rank(groups: Sequence[tuple[Sequence[float], Sequence[bool]]]) -> float:
    """Return MRR over questions: 1 / the rank of the first right answer, averaged.

    >>> mean_reciprocal_rank([([0.9, 0.5, 0.1], [False, True, True])])
    0.5
    """
    return float(np.mean([1 / ranks[0] for ranks in _ranks(groups)]))


def _ranks(groups: Sequence[tuple[Sequence[float], Sequence[bool]]]) -> list[NDArray[np.int64]]:
    """Return the ranks of the right answers of every question that has one."""
    found = []
    for scores, truth in groups:
        order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
        found.append(np.flatnonzero(np.asarray(truth, dtype=bool)[order]) + 1)
    found = [ranks for ranks in found if len(ranks)]
    if not found:
        raise InputError("no question has a right answer")
    return found
