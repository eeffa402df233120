"""Scores of consecutive segments as bytes: what is stored, and what travels between processes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from monge.scores import Score


class Chunk(NamedTuple):
    """The scores of consecutive segments, and the sums of a ``Summable`` metric (None for any other)."""

    scores: list[Score]
    sums: list[float] | None

    def pack(self) -> bytes:
        """Return the chunk as bytes; numbers are kept exactly, alignments are not stored."""
        rows = [[s.value, dict(s.parts), s.reference_index, s.notes, s.unknown] for s in self.scores]
        return json.dumps({"scores": rows, "sums": self.sums}).encode("ascii")

    @classmethod
    def unpack(cls, data: bytes) -> Chunk:
        """Return the chunk that ``pack`` wrote."""
        content = json.loads(data)
        scores = [
            Score(value, parts, (), index, tuple(notes), unknown)
            for value, parts, index, notes, unknown in content["scores"]
        ]
        return cls(scores, content["sums"])

    @classmethod
    def join(cls, chunks: Sequence[Chunk]) -> Chunk:
        """Return one chunk with the scores of all *chunks* in order; their sums are added.

        >>> Chunk.join([Chunk([], [1.0, 2.0]), Chunk([], [3.0, 4.0])]).sums
        [4.0, 6.0]
        """
        if len(chunks) == 1:
            return chunks[0]
        sums = [one.sums for one in chunks if one.sums is not None]
        total = [sum(column) for column in zip(*sums, strict=True)] if sums else None
        return cls([score for one in chunks for score in one.scores], total)
