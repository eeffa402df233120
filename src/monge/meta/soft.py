"""Soft pairwise accuracy: does the metric share people's *certainty* about which system is better?"""

from __future__ import annotations

import numpy as np

from monge.meta.correlation import Array

_PERMUTATIONS = 1000


def soft_pairwise_accuracy(
    human: Array, metric: Array, present: Array, *, counts: Array | None = None, seed: int = 0
) -> float:
    """Return 1 − mean over system pairs of |p_human − p_metric| (Thompson et al. 2024).

    ``human``, ``metric`` (systems, segments) and ``present`` (0 = missing); p is the one-sided paired permutation
    p-value that the first system is better. Both sides share the 1000 random swaps, as in the paper. ``counts``
    (systems,) is how often each system occurs in a resample: a pair counts w_i·w_j times. A pair of systems without
    a segment in common is left out; NaN when there is no other.

    >>> scores = np.array([[1., 2., 3.], [2., 3., 4.]])
    >>> soft_pairwise_accuracy(scores, scores, np.ones((2, 3)))
    1.0
    """
    difference = superiority(human, present, seed=seed) - superiority(metric, present, seed=seed)
    upper = np.triu_indices(human.shape[0], 1)
    often = np.ones(human.shape[0]) if counts is None else counts
    gaps, mass = np.abs(difference[upper]), np.outer(often, often)[upper]
    known = np.isfinite(gaps) & (mass > 0)
    return float(1.0 - np.average(gaps[known], weights=mass[known])) if known.any() else float("nan")


def guess_superiority(human: Array, present: Array) -> float:
    """Return the soft pairwise accuracy of guessing: 1 − mean of E|p_human − U|, U uniform.

    It is ½ where people are certain, E|p − U| = (p² + (1 − p)²)/2 in general.
    """
    p = superiority(human, present)[np.triu_indices(human.shape[0], 1)]
    known = p[np.isfinite(p)]
    return float(1.0 - ((known**2 + (1 - known) ** 2) / 2).mean()) if known.size else float("nan")


def superiority(scores: Array, present: Array, *, seed: int = 0) -> Array:
    """Return p (systems, systems): the share of random swaps with a difference at least the observed one.

    Every permutation swaps the two systems' scores on each segment with probability ½; the same swaps serve all pairs.
    A segment counts for a pair when both systems have it; p is NaN where they share none. A segment drawn twice must
    stand there twice, each time with a swap of its own.
    """
    systems, segments = scores.shape
    signs = np.random.default_rng(seed).integers(0, 2, (_PERMUTATIONS, segments)).astype(np.float64) * 2 - 1
    p = np.full((systems, systems), np.nan)
    for i in range(systems - 1):
        common = (present[i] > 0) & (present[i + 1 :] > 0)
        shared = common.any(axis=1)
        gaps = np.where(common, scores[i] - scores[i + 1 :], 0.0)
        observed = gaps.sum(axis=1)
        slack = 1e-12 * np.abs(gaps).sum(axis=1)  # a swap that changes nothing must count as equal
        p[i, i + 1 :] = np.where(shared, (signs @ gaps.T >= observed - slack).mean(axis=0), np.nan)
        p[i + 1 :, i] = np.where(shared, (signs @ -gaps.T >= -observed - slack).mean(axis=0), np.nan)
    return p
