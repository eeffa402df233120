"""A text as a weighted point cloud."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError
from monge.text import word_spans

MARKED_SHARE = 0.2  # of unknown words, beyond which a score is marked
_UNREADABLE_SHARE = 0.5  # beyond which two texts cannot be compared with each other


@dataclass(frozen=True, eq=False)
class PointCloud:
    """Points (n, d) with masses (n,) that sum to 1; token i covers characters ``spans[i]`` of ``text``.

    ``notes`` report fallbacks (uniform weights, empty text), ``unknown`` is the share of the text's words that the
    encoder does not know. Raises InputError if shapes differ or masses are negative or do not sum to 1.
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
        return bool(readable_shares(np.array(self.empty), np.array(self.unknown)))

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """The position of each point's word in the text (n,), from 1, divided by the number of words of the text.

        All words count, also those without a point: words that have no vector and words that were dropped. A special
        token has the position of the word before it.

        >>> spans, points = np.array([[0, 3], [10, 14]]), np.eye(2, dtype=np.float32)
        >>> PointCloud(points, np.full(2, 0.5), ("the", "boat"), spans, "the xyzzy boat left").positions
        array([0.25, 0.75])
        """
        starts = np.array([start for start, _ in word_spans(self.text)])
        if not starts.size:
            return np.arange(1, len(self) + 1) / len(self)
        words = np.searchsorted(starts, self.spans[:, 0], side="right")
        return np.asarray(np.maximum.accumulate(np.maximum(words, 1)) / len(starts))

    def __len__(self) -> int:
        return len(self.tokens)


def readable_shares(empty: NDArray[np.bool_], unknown: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which texts an encoder can read: not *empty*, and at most half of the words *unknown*."""
    return ~empty & (unknown <= _UNREADABLE_SHARE)


def are_comparable(left: PointCloud, right: PointCloud) -> bool:
    """Whether the distance of two clouds says something about their texts.

    It does not when neither can be read: unknown words are left out or all alike, so that unrelated texts would match.
    Two texts without any words can be compared.
    """
    return left.readable or right.readable or left.unknown == right.unknown == 0
