"""Features of one text: how often its foci are repeated, how closely its sentences are linked.

They describe a text and say nothing about its quality: repetition makes a text cohesive or tedious.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from monge.discourse.foci import Foci


def repetition_rate(foci: Foci) -> float:
    """RC: mentions of the foci mentioned more than once, per distinct focus; NaN without foci. It may exceed 1.

    The released formula of Zhao, Strube and Eger (2022). Wong and Kit (2012), who introduced it, divide by the number
    of content words.

    >>> repetition_rate({"boat": (0, 4), "coast": (8,)})
    1.0
    """
    return sum(len(own) for own in foci.values() if len(own) > 1) / len(foci) if foci else math.nan


def chain_share(foci: Foci) -> float:
    """LC: the share of foci that are mentioned more than once; NaN without foci.

    >>> chain_share({"boat": (0, 4), "coast": (8,)})
    0.5
    """
    return sum(len(own) > 1 for own in foci.values()) / len(foci) if foci else math.nan


def mean_repetition(foci: Foci) -> float:
    """FREQ: the mean number of mentions of the foci that are mentioned more than once; 0 if there are none.

    >>> mean_repetition({"boat": (0, 4, 5), "crew": (1, 2), "coast": (8,)})
    2.5
    """
    repeated = [len(own) for own in foci.values() if len(own) > 1]
    return sum(repeated) / len(repeated) if repeated else 0.0


def connectivity(links: NDArray[np.float64]) -> float:
    """CONN: the mean of all elements of the adjacency matrix of a text's sentences; NaN without sentences.

    >>> connectivity(np.array([[0.0, 1.0], [0.0, 0.0]]))
    0.25
    """
    return float(links.mean()) if links.size else math.nan


def mean_out_degree(links: NDArray[np.float64]) -> float:
    """Σ A_ij per sentence, as the entity graph scores coherence (Guinaudeau and Strube 2013); NaN without sentences.

    >>> mean_out_degree(np.array([[0.0, 1.0], [0.0, 0.0]]))
    0.5
    """
    return float(links.sum() / len(links)) if links.size else math.nan
