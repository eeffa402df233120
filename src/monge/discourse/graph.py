"""Graphs of sentences that speak of the same things."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from monge.discourse.foci import Foci

Array = NDArray[np.float64]


def count_shared_foci(foci: Foci, sentences: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return how many foci each pair of sentences i < j shares, as an upper triangular matrix (count, count).

    *sentences* has the sentence of every word.

    >>> count_shared_foci({"boat": (0, 1), "crew": (1, 2), "coast": (2,)}, np.array([0, 1, 2]), 3).tolist()
    [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    """
    shared = np.zeros((count, count), dtype=np.int64)
    for mentions in foci.values():
        own = np.unique(sentences[list(mentions)])
        if len(own) > 1:
            shared[np.ix_(own, own)] += 1
    return np.triu(shared, 1)


def link_sentences(foci: Foci, sentences: NDArray[np.int64], count: int, *, weighted: bool = False) -> Array:
    """Return the adjacency matrix A (count, count) of a text's sentences.

    A_ij = 1/(j − i) if sentences i < j share at least one focus, else 0; *weighted* multiplies it by the number of foci
    they share (Guinaudeau and Strube 2013; Zhao, Strube and Eger 2022).

    >>> foci, sentences = {"boat": (0, 1, 3), "crew": (0, 3)}, np.array([0, 1, 2, 2])
    >>> link_sentences(foci, sentences, 3, weighted=True).tolist()
    [[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    shared = count_shared_foci(foci, sentences, count)
    links = shared.astype(np.float64) if weighted else (shared > 0).astype(np.float64)
    distance = np.arange(count)[None, :] - np.arange(count)[:, None]
    return np.asarray(np.divide(links, distance, out=np.zeros_like(links), where=distance > 0))
