"""A text as a weighted point cloud."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError

MARKED_SHARE = 0.2  # of unknown words, beyond which a score is marked
_UNREADABLE_SHARE = 0.5  # beyond which two texts cannot be compared with each other


@dataclass(frozen=True, eq=False)
class PointCloud:
    """Points (n, d) with masses (n,) that sum to 1; token i covers characters ``spans[i]`` of ``text``.

    Point i has position i+1 in its text, which position-aware costs use. ``notes`` report fallbacks (uniform weights,
    empty text), ``unknown`` is the share of the text's words that the encoder does not know. Raises InputError if
    shapes differ or masses are negative or do not sum to 1.
    """

    points: NDArray[np.float32]
    weights: NDArray[np.float64]
    tokens: tuple[str, ...]
    spans: NDArray[np.int64]
    text: str = ""
    notes: tuple[str, ...] = field(default=())
    unknown: float = 0.0

    def __post_init__(self) -> None:
        n = len(self.tokens)
        if n == 0 or self.points.ndim != 2 or self.points.shape[0] != n or self.weights.shape != (n,):
            raise InputError(
                f"a cloud of {n} tokens cannot have points {self.points.shape} and masses {self.weights.shape}"
            )
        if (self.weights < 0).any() or not abs(self.weights.sum() - 1.0) < 1e-9:
            raise InputError(f"masses must be non-negative and sum to 1, not to {self.weights.sum()}")

    @property
    def empty(self) -> bool:
        """Whether the text has no known words; it is then one point at the origin, with an empty name."""
        return self.tokens == ("",)

    @property
    def points_with_mass(self) -> NDArray[np.float32]:
        """The points that have mass."""
        return self.points[self.weights > 0]

    @property
    def readable(self) -> bool:
        """Whether the encoder knows at least half of the words; an empty text is not readable."""
        return not self.empty and self.unknown <= _UNREADABLE_SHARE

    def __len__(self) -> int:
        return len(self.tokens)


def are_comparable(left: PointCloud, right: PointCloud) -> bool:
    """Whether the distance of two clouds says something about their texts.

    It does not when neither can be read: unknown words are left out or all alike, so that unrelated texts would match.
    Two texts without any words can be compared.
    """
    return left.readable or right.readable or left.unknown == right.unknown == 0
