"""How well the vectors of two languages agree: retrieval of translations, and cosines of pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.words import cosines

Array = NDArray[np.float64]
BINS = 20
_NEIGHBOURS = 10


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
        float((_csls(similarity).argmax(axis=1) == truth).mean()),
        _row_cosines(left, right),
        _row_cosines(left, right[shuffled]),
    )


def _csls(similarity: Array) -> Array:
    """Return 2cos(x, y) − r(x) − r(y), r = mean cosine with the ten nearest of the other side (Lample 2018)."""
    near = min(_NEIGHBOURS, *similarity.shape)
    rows = np.sort(similarity, axis=1)[:, -near:].mean(axis=1)
    columns = np.sort(similarity, axis=0)[-near:].mean(axis=0)
    return np.asarray(2 * similarity - rows[:, None] - columns[None])


def _row_cosines(left: Array, right: Array) -> Array:
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return np.asarray(np.einsum("ij,ij->i", left, right) / np.where(lengths == 0, 1.0, lengths))


def _derange(count: int, seed: int) -> NDArray[np.int64]:
    """Return an order of 0 … n−1 in which (for n > 1) nothing stays in its place: a shuffle, turned by one."""
    order = np.random.default_rng(seed).permutation(count)
    moved = np.empty(count, dtype=np.int64)
    moved[order] = np.roll(order, 1)
    return moved


def semantic_criterion(source: Array, target: Array) -> float:
    """Return the mean cosine of translations that are guessed without any links: higher is better (Lample 2018).

    Rows of *source* (n, d) and *target* (m, d) are vectors of words. Those that are each other's nearest by CSLS are
    taken for translations. Vectors are counted from the mean of *target*, so that a space in which all words are alike
    gains nothing. NaN if no two words are each other's nearest.

    >>> round(semantic_criterion(np.eye(4), np.eye(4)[[2, 0, 1, 3]]), 9)
    1.0
    """
    centre = target.mean(axis=0)
    similarity = cosines(source - centre, target - centre)
    scores = _csls(similarity)
    forward, backward = scores.argmax(axis=1), scores.argmax(axis=0)
    mutual = np.flatnonzero(backward[forward] == np.arange(len(scores)))
    return float(similarity[mutual, forward[mutual]].mean()) if len(mutual) else float("nan")
