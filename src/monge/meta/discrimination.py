"""How well a feature of single texts tells outputs from references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Discrimination:
    """Of all pairs of an output and a reference, the shares whose reference has the lower or the higher value.

    Zhao, Strube and Eger (2023) define D_R in equation 4 by the lower ones; their table 11 speaks of the higher ones,
    which is the opposite sign. The rest are ties.
    """

    lower: float
    higher: float
    pairs: int


def discriminate(outputs: Sequence[float], references: Sequence[Sequence[float]]) -> Discrimination:
    """Return D_R of a feature: *references* has the values of the references of every output; NaN is left out.

    >>> discriminate([3.0, 1.0], [[1.0, 3.0], [2.0]])
    Discrimination(lower=0.3333333333333333, higher=0.3333333333333333, pairs=3)
    """
    signs = np.array([np.sign(r - own) for own, group in zip(outputs, references, strict=True) for r in group])
    known = signs[np.isfinite(signs)]
    if not len(known):
        return Discrimination(np.nan, np.nan, 0)
    return Discrimination(float((known < 0).mean()), float((known > 0).mean()), len(known))
