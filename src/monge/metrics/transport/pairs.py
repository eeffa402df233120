"""The clouds of many segments, and which of them are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from monge.clouds import CloudBatch, PointCloud, join_clouds
from monge.transport import RaggedClouds


@dataclass(frozen=True, eq=False)
class CloudPairs:
    """The clouds of a chunk of segments and which of them are compared; ``owned`` maps segments to pairs."""

    left_clouds: CloudBatch
    right_clouds: CloudBatch
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
        lefts, rights = _as_batch(left, hypotheses), right
        if joint:
            groups = dict.fromkeys(compared)
            rights = CloudBatch.of(
                [join_clouds([right[text] for text in group]) for group in groups], ["\n".join(g) for g in groups]
            )
            places = {group: k for k, group in enumerate(groups)}
            pairs = [(lefts.index[one], places[group]) for one, group in zip(hypotheses, compared, strict=True)]
            counts = [1] * len(pairs)
        else:
            rights = _as_batch(right, [text for texts in compared for text in texts])
            own, others = lefts.index, rights.index
            pairs = [
                (own[one], others[text]) for one, texts in zip(hypotheses, compared, strict=True) for text in texts
            ]
            counts = [len(texts) for texts in compared]
        ends = np.cumsum([0, *counts]).tolist()
        laid = lefts.ragged(positional=positional)
        return cls(
            lefts,
            rights,
            np.array(pairs, dtype=np.int64).reshape(-1, 2),
            tuple(slice(a, b) for a, b in pairwise(ends)),
            laid,
            laid if rights is lefts else rights.ragged(positional=positional),
        )

    @cached_property
    def empty(self) -> NDArray[np.bool_]:
        """Which pairs have a text without known words."""
        return self._either(self.left_clouds.empty, self.right_clouds.empty)

    @cached_property
    def blank(self) -> NDArray[np.bool_]:
        """Which pairs are two texts of nothing but white space."""
        left, right = (
            np.array([not text.strip() for text in clouds.texts], dtype=bool)
            for clouds in (self.left_clouds, self.right_clouds)
        )
        return np.asarray(left[self.pairs[:, 0]] & right[self.pairs[:, 1]])

    @cached_property
    def stated(self) -> NDArray[np.bool_]:
        """Which pairs count in a mean over references: not those of a blank reference beside others."""
        filled = np.array([bool(text.strip()) for text in self.right_clouds.texts], dtype=bool)[self.pairs[:, 1]]
        for owned in self.owned:
            if not filled[owned].any():
                filled[owned] = True
        return filled

    @cached_property
    def comparable(self) -> NDArray[np.bool_]:
        """Which pairs have a text that the encoder can read (``monge.clouds.are_comparable``)."""
        return self._either(self.left_clouds.readable, self.right_clouds.readable)

    @cached_property
    def unknown(self) -> NDArray[np.float64]:
        """The larger share of unknown words of the two texts of each pair."""
        return np.maximum(self.left_clouds.unknown[self.pairs[:, 0]], self.right_clouds.unknown[self.pairs[:, 1]])

    @cached_property
    def sizes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The numbers of points with mass of each pair: of the hypothesis and of the other text."""
        left, right = (_count_masses(clouds) for clouds in (self.left_clouds, self.right_clouds))
        return left[self.pairs[:, 0]], right[self.pairs[:, 1]]

    @cached_property
    def noted(self) -> NDArray[np.bool_]:
        """Which pairs have a cloud with notes."""
        return self._either(*(np.array([bool(own) for own in c.notes]) for c in (self.left_clouds, self.right_clouds)))

    def stretch(self, cost: str) -> NDArray[np.float64]:
        """Return how many times the distance from the origin counts for each pair: more than once if a text is empty.

        An empty text lies farther from the other than any text of the same length could: ‖x‖ + ‖y‖ = 2‖y‖ bounds the
        Euclidean distance. A cosine with the origin is 0 and needs no stretching.
        """
        factor = {"euclidean": 2.0, "sqeuclidean": 4.0}.get(cost, 1.0)
        return np.where(self.empty, factor, 1.0)

    def texts(self, i: int) -> tuple[str, str]:
        """Return the two texts of a pair."""
        left, right = self.pairs[i].tolist()
        return self.left_clouds.texts[left], self.right_clouds.texts[right]

    def clouds(self, i: int) -> tuple[PointCloud, PointCloud]:
        left, right = self.pairs[i].tolist()
        return self.left_clouds.cloud(left), self.right_clouds.cloud(right)

    def notes(self, used: Sequence[int], *, other: str) -> tuple[str, ...]:
        """Return the notes of the clouds of these pairs; *other* names the side that is compared with."""
        if not self.noted[list(used)].any():
            return ()
        pairs = [self.pairs[i].tolist() for i in used]
        found = dict.fromkeys(f"hypothesis: {note}" for left, _ in pairs for note in self.left_clouds.notes[left])
        found |= dict.fromkeys(f"{other}: {note}" for _, right in pairs for note in self.right_clouds.notes[right])
        return tuple(found)

    def _either(self, left: NDArray[np.bool_], right: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.asarray(left[self.pairs[:, 0]] | right[self.pairs[:, 1]])


def _count_masses(clouds: CloudBatch) -> NDArray[np.float64]:
    before = np.concatenate([[0], np.cumsum(clouds.weights > 0)])
    return np.diff(before[clouds.offsets]).astype(np.float64)


def _as_batch(clouds: Mapping[str, PointCloud], texts: Sequence[str]) -> CloudBatch:
    if isinstance(clouds, CloudBatch):
        return clouds
    chosen = list(dict.fromkeys(texts))
    return CloudBatch.of([clouds[text] for text in chosen], chosen)
