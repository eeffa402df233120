"""The clouds of many segments, and which of them are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from monge.clouds import PointCloud, are_comparable, join_clouds
from monge.transport import RaggedClouds


@dataclass(frozen=True, eq=False)
class CloudPairs:
    """The clouds of a chunk of segments and which of them are compared; ``owned`` maps segments to pairs."""

    left_clouds: tuple[PointCloud, ...]
    right_clouds: tuple[PointCloud, ...]
    pairs: NDArray[np.int64]
    owned: tuple[slice, ...]
    left: RaggedClouds
    right: RaggedClouds

    @classmethod
    def build(
        cls,
        hypotheses: Sequence[str],
        compared: Sequence[tuple[str, ...]],
        left: Mapping[str, PointCloud],
        right: Mapping[str, PointCloud],
        *,
        joint: bool,
        positional: bool = False,
    ) -> CloudPairs:
        """Pair the clouds of *hypotheses* (*left*) with those of the texts *compared* with each; *joint* pools them.

        *positional* says that the cost needs the positions of points in their texts.
        """
        groups = [(texts,) if joint else tuple((text,) for text in texts) for texts in compared]
        left_index = {text: i for i, text in enumerate(dict.fromkeys(hypotheses))}
        right_index = {group: i for i, group in enumerate(dict.fromkeys(g for gs in groups for g in gs))}
        pairs = [
            (left_index[hypothesis], right_index[group])
            for hypothesis, own in zip(hypotheses, groups, strict=True)
            for group in own
        ]
        ends = np.cumsum([0, *(len(own) for own in groups)])
        lefts = tuple(left[text] for text in left_index)
        rights = tuple(join_clouds([right[text] for text in group]) for group in right_index)
        return cls(
            lefts,
            rights,
            np.array(pairs, dtype=np.int64).reshape(-1, 2),
            tuple(slice(int(a), int(b)) for a, b in pairwise(ends)),
            _lay_out(lefts, positional),
            _lay_out(rights, positional),
        )

    @cached_property
    def empty(self) -> NDArray[np.bool_]:
        """Which pairs have a text without known words."""
        return np.array([self.left_clouds[a].empty or self.right_clouds[b].empty for a, b in self.pairs], dtype=bool)

    @cached_property
    def blank(self) -> NDArray[np.bool_]:
        """Which pairs are two texts of nothing but white space."""
        return np.array([not any(c.text.strip() for c in self.clouds(i)) for i in range(len(self.pairs))], dtype=bool)

    @cached_property
    def comparable(self) -> NDArray[np.bool_]:
        """Which pairs have a text that the encoder can read."""
        return np.array([are_comparable(*self.clouds(i)) for i in range(len(self.pairs))], dtype=bool)

    def unknown(self, used: Sequence[int]) -> float:
        """Return the largest share of unknown words among the texts of these pairs."""
        return max(cloud.unknown for i in used for cloud in self.clouds(i))

    def stretch(self, cost: str) -> NDArray[np.float64]:
        """Return how many times the distance from the origin counts for each pair: more than once if a text is empty.

        An empty text lies farther from the other than any text of the same length could: ‖x‖ + ‖y‖ = 2‖y‖ bounds the
        Euclidean distance. A cosine with the origin is 0 and needs no stretching.
        """
        factor = {"euclidean": 2.0, "sqeuclidean": 4.0}.get(cost, 1.0)
        return np.where(self.empty, factor, 1.0)

    def clouds(self, i: int) -> tuple[PointCloud, PointCloud]:
        left, right = self.pairs[i]
        return self.left_clouds[left], self.right_clouds[right]

    def notes(self, used: Sequence[int], *, other: str) -> tuple[str, ...]:
        """Return the notes of the clouds of these pairs; *other* names the side that is compared with."""
        found = dict.fromkeys(f"hypothesis: {note}" for i in used for note in self.clouds(i)[0].notes)
        found |= dict.fromkeys(f"{other}: {note}" for i in used for note in self.clouds(i)[1].notes)
        return tuple(found)


def _lay_out(clouds: Sequence[PointCloud], positional: bool) -> RaggedClouds:
    positions = [cloud.positions for cloud in clouds] if positional else None
    return RaggedClouds.from_clouds([cloud.points for cloud in clouds], [cloud.weights for cloud in clouds], positions)
