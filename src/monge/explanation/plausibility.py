"""Do explanations point at the words that people marked as errors? Measures of the Eval4NLP 2021 shared task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError
from monge.wording import count_noun

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Plausibility:
    """Means over the sentences that have both marked and unmarked words (Fomicheva et al. 2021)."""

    auc: float
    average_precision: float
    recall_at_k: float
    sentences: int


def measure_plausibility(marks: Sequence[Sequence[int]], suspicions: Sequence[Sequence[float]]) -> Plausibility:
    """Compare marks (1 = error) with the suspicion of every word, sentence by sentence.

    Sentences in which all words or no words are marked are skipped. Raises InputError if lengths differ or no sentence
    is left.

    >>> measure_plausibility([[0, 1, 0]], [[0.1, 0.9, 0.2]])
    Plausibility(auc=1.0, average_precision=1.0, recall_at_k=1.0, sentences=1)
    """
    if len(marks) != len(suspicions):
        raise InputError(f"{count_noun(len(marks), 'marked sentence')} but {len(suspicions)} explained")
    pairs = []
    for number, (gold, found) in enumerate(zip(marks, suspicions, strict=True), start=1):
        if len(gold) != len(found):
            raise InputError(f"sentence {number} has {len(gold)} marks but {len(found)} explained words")
        if 0 < sum(gold) < len(gold):
            pairs.append((np.asarray(gold, dtype=np.bool_), np.asarray(found, dtype=np.float64)))
    if not pairs:
        raise InputError("no sentence has both marked and unmarked words")
    return Plausibility(
        float(np.mean([rank_auc(*pair) for pair in pairs])),
        float(np.mean([average_precision(*pair) for pair in pairs])),
        float(np.mean([recall_at_k(*pair) for pair in pairs])),
        len(pairs),
    )


def rank_auc(gold: NDArray[np.bool_], found: Floats) -> float:
    """Return the share of (marked, unmarked) pairs of words that are ranked correctly; ties count half.

    >>> rank_auc(np.array([True, False, False]), np.array([0.5, 0.5, 0.1]))
    0.75
    """
    difference = found[gold][:, None] - found[~gold][None, :]
    return float(np.mean((difference > 0) + 0.5 * (difference == 0)))


def average_precision(gold: NDArray[np.bool_], found: Floats) -> float:
    """Return Σ (R_n − R_{n−1}) P_n over the thresholds from high to low; tied words share one threshold.

    >>> round(average_precision(np.array([True, False, True]), np.array([0.9, 0.8, 0.7])), 4)
    0.8333
    """
    precision, gained = [], []
    for threshold in np.unique(found)[::-1]:
        taken = found >= threshold
        precision.append(gold[taken].mean())
        gained.append(gold[found == threshold].sum() / gold.sum())
    return float(np.dot(precision, gained))


def recall_at_k(gold: NDArray[np.bool_], found: Floats) -> float:
    """Return the share of the k marked words among the k most suspected; ties: later words first, as published.

    >>> recall_at_k(np.array([True, True, False]), np.array([0.9, 0.1, 0.8]))
    0.5
    """
    k = int(gold.sum())
    top = np.argsort(found, kind="stable")[::-1][:k]
    return float(gold[top].sum() / k)
