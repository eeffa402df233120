"""Scores of several systems on the same segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError
from monge.wording import count_noun


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of a metric, or of people, for several systems on the same segments.

    Parameters
    ----------
    systems, segments
        Their names, each of them once.
    values
        ``values[s, n]`` is the score of system s on segment n; NaN means missing.
    signature
        What made the scores, in one line (``key:value|key:value``).
    higher_is_better
        The direction of the scores; None for features that have none.
    name
        The name of the metric, where there are several.
    totals
        Each system's score of the whole set, where the metric has one that is not the mean (BLEU); by system.
    types
        The type of each segment (news, chat …), or nothing.
    notes
        What a reader of the scores should know, such as how a file was understood.

    Raises
    ------
    InputError
        When shapes and names do not fit, a name appears twice or a score is infinite.

    >>> ScoreTable(("A", "B"), ("1", "2"), [[0.5, 0.75], [0.25, float("nan")]], name="chrf").values.shape
    (2, 2)
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    values: NDArray[np.float64]
    signature: str = ""
    higher_is_better: bool | None = True
    name: str = ""
    totals: Mapping[str, float] = field(default_factory=dict)
    types: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        object.__setattr__(self, "values", values)
        if values.shape != (len(self.systems), len(self.segments)):
            raise InputError(
                f"a table of {count_noun(len(self.systems), 'system')} and {count_noun(len(self.segments), 'segment')}"
                f" cannot hold {values.shape} scores"
            )
        if self.types and len(self.types) != len(self.segments):
            raise InputError(f"{count_noun(len(self.types), 'type')} for {count_noun(len(self.segments), 'segment')}")
        for kind, names in (("system", self.systems), ("segment", self.segments)):
            if len(set(names)) != len(names):
                repeated = next(name for name in names if names.count(name) > 1)
                raise InputError(f"{kind} {repeated!r} appears twice in a score table")
        if np.isinf(values).any():
            s, n = (int(axis[0]) for axis in np.nonzero(np.isinf(values)))
            raise InputError(f"infinite score of system {self.systems[s]!r} on segment {self.segments[n]!r}")
