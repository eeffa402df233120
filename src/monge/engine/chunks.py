"""Scores of consecutive segments as bytes: what is stored, and what travels between processes."""

from __future__ import annotations

import json
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
