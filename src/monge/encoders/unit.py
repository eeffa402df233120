"""Vectors of length 1."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Float = TypeVar("_Float", bound=np.floating)


def unit_vectors(vectors: NDArray[_Float]) -> NDArray[_Float]:
    """Return vectors (…, d) scaled to length 1, v / ‖v‖, in the precision they have; those of zeros stay.

    >>> unit_vectors(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    made: NDArray[_Float] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths != 0)
    return made
