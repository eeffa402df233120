"""Scores of several systems on the same segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """``values[s, n]`` is the score of system s on segment n; NaN means missing.

    Works for human scores as well as for a metric's: ``signature`` says which, ``higher_is_better`` the direction,
    ``name`` is what reports call it. ``totals`` are scores of whole systems that are more than means of their segments'
    (corpus BLEU, a published ranking), where there are any.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    values: NDArray[np.float64]
    signature: str = ""
    higher_is_better: bool = True
    name: str = ""
    totals: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        object.__setattr__(self, "values", values)
        if values.shape != (len(self.systems), len(self.segments)):
            raise InputError(
                f"a table of {len(self.systems)} systems and {len(self.segments)} segments"
                f" cannot hold {values.shape} scores"
            )
        for kind, names in (("system", self.systems), ("segment", self.segments)):
            if len(set(names)) != len(names):
                repeated = next(name for name in names if names.count(name) > 1)
                raise InputError(f"{kind} {repeated!r} appears twice in a score table")
        if np.isinf(values).any():
            s, n = (int(axis[0]) for axis in np.nonzero(np.isinf(values)))
            raise InputError(f"infinite score of system {self.systems[s]!r} on segment {self.segments[n]!r}")
