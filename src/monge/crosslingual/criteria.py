"""How well the vectors of two languages agree: retrieval of translations, and cosines of pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.induction import csls_scores
from monge.crosslingual.words import cosines

Array = NDArray[np.float64]
BINS = 20


@dataclass(frozen=True, eq=False)
class SpaceQuality:
    """What held-out pairs say of a space.

    ``forward`` and ``backward`` are precision@1 of finding the target of a source and the source of a target among all
    held-out texts, by cosine; ``csls`` the forward one by CSLS. ``matched`` and ``random`` are the cosines of pairs and
    of rows put together at random.
    """

    forward: float
    backward: float
    csls: float
    matched: Array
    random: Array

    @property
    def gap(self) -> float:
        """By how much the mean cosine of matched pairs exceeds that of random ones."""
        return float(self.matched.mean() - self.random.mean())

    @property
    def separation(self) -> float:
        """The probability that a matched pair has a larger cosine than a random one (ties count half)."""
        order = np.searchsorted(np.sort(self.random), self.matched, side="left")
        upper = np.searchsorted(np.sort(self.random), self.matched, side="right")
        return float((order + upper).mean() / 2 / len(self.random))

    def histogram(self) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
        """Return the edges of bins over [−1, 1] and how many matched and random pairs fall into each."""
        edges = np.linspace(-1.0, 1.0, BINS + 1)
        matched, random = (np.histogram(np.clip(part, -1, 1), edges)[0] for part in (self.matched, self.random))
        return edges, matched, random


def measure_space(
    texts: tuple[Array, Array], words: tuple[Array, Array] | None = None, *, seed: int = 0
) -> SpaceQuality:
    """Return the quality of a space from vectors of held-out *texts* and of aligned *words* (rows belong together).

    Cosines are those of words, or of texts where no words are given.
    """
    similarity = cosines(*texts)
    truth = np.arange(len(similarity))
    left, right = texts if words is None or not len(words[0]) else words
    shuffled = _derange(len(right), seed)
    return SpaceQuality(
        float((similarity.argmax(axis=1) == truth).mean()),
        float((similarity.argmax(axis=0) == truth).mean()),
        float((csls_scores(similarity).argmax(axis=1) == truth).mean()),
        _row_cosines(left, right),
        _row_cosines(left, right[shuffled]),
    )


def _row_cosines(left: Array, right: Array) -> Array:
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.asarray(np.einsum("ij,ij->i", left, right) / np.where(lengths == 0, 1.0, lengths))


def _derange(count: int, seed: int) -> NDArray[np.int64]:
    """Return an order of 0 … n−1 in which (for n > 1) nothing stays in its place: a shuffle, turned by one."""
    order = np.random.default_rng(seed).permutation(count)
    moved = np.empty(count, dtype=np.int64)
    moved[order] = np.roll(order, 1)
    return moved
