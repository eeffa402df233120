"""What is stored of a text besides its vectors: tokens, their places and words, and notes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText

_PLAIN = b", [], 0.0]"  # how the JSON of a text ends that has neither notes nor unknown words


class Sheet(NamedTuple):
    """The tokens of a text, without vectors."""

    tokens: tuple[str, ...]
    spans: NDArray[np.int64]
    special: NDArray[np.bool_]
    words: NDArray[np.int64]
    notes: tuple[str, ...]
    unknown: float

    @classmethod
    def of(cls, encoded: EncodedText) -> Sheet:
        return cls(encoded.tokens, encoded.spans, encoded.special, encoded.words, encoded.notes, encoded.unknown)

    def finish(self, text: str, vectors: NDArray[np.float32]) -> EncodedText:
        return EncodedText(text, self.tokens, self.spans, vectors, self.special, self.words, self.notes, self.unknown)

    def pack(self) -> bytes:
        numbers = np.column_stack([self.spans, self.words, self.special]).astype("<i4").tobytes()
        rest = json.dumps([self.tokens, self.notes, self.unknown]).encode("ascii")
        return len(numbers).to_bytes(4, "little") + numbers + rest

    @staticmethod
    def split(data: bytes) -> tuple[bytes, bytes]:
        """Return the numbers of the tokens, 16 bytes each, and the rest as JSON."""
        end = 4 + int.from_bytes(data[:4], "little")
        return data[4:end], data[end:]

    @classmethod
    def unpack_tokens(cls, data: bytes) -> tuple[str, ...]:
        return tuple(json.loads(cls.split(data)[1])[0])

    @classmethod
    def unpack(cls, data: bytes) -> Sheet:
        packed, rest = cls.split(data)
        tokens, notes, unknown = json.loads(rest)
        numbers = np.frombuffer(packed, dtype="<i4").reshape(len(tokens), 4).astype(np.int64)
        return cls(tuple(tokens), numbers[:, :2], numbers[:, 3] != 0, numbers[:, 2], tuple(notes), unknown)


@dataclass(frozen=True, eq=False)
class StoredTokens(Sequence[tuple[str, ...]]):
    """The tokens of many texts, read from JSON when they are first asked for: not every metric looks at them.

    The JSON of text k is ``data[starts[k]:stops[k]]``.
    """

    data: bytes
    starts: Sequence[int]
    stops: Sequence[int]

    @cached_property
    def _parsed(self) -> list[tuple[str, ...]]:
        packed = [self.data[start:stop] for start, stop in zip(self.starts, self.stops, strict=True)]
        return [tuple(tokens) for tokens, _, _ in json.loads(b"[" + b",".join(packed) + b"]")]

    @overload
    def __getitem__(self, k: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, k: slice) -> list[tuple[str, ...]]: ...
    def __getitem__(self, k: int | slice) -> tuple[str, ...] | list[tuple[str, ...]]:
        return self._parsed[k]

    def __len__(self) -> int:
        return len(self.starts)


class Sheets(NamedTuple):
    """The sheets of many texts: their number of tokens, and spans, words and special of all tokens (N, 4)."""

    counts: NDArray[np.int64]
    numbers: NDArray[np.int64]
    tokens: StoredTokens
    notes: list[tuple[str, ...]]
    unknown: NDArray[np.float64]

    @classmethod
    def read(cls, laid: NDArray[np.uint8], bounds: NDArray[np.int64]) -> Sheets:
        """Read sheets laid end to end: sheet k is ``laid[bounds[k]:bounds[k + 1]]``."""
        data, first, last = laid.tobytes(), bounds[:-1, None], bounds[1:, None]
        lengths = laid[first + np.arange(4)].view("<u4").ravel().astype(np.int64)
        ends = bounds[:-1] + 4 + lengths
        starts, stops = ends.tolist(), bounds[1:].tolist()
        packed = [data[stop - size : stop] for stop, size in zip(starts, lengths.tolist(), strict=True)]
        numbers = np.frombuffer(b"".join(packed), dtype="<i4").reshape(-1, 4).astype(np.int64)
        notes: list[tuple[str, ...]] = [()] * len(starts)
        unknown = np.zeros(len(starts))
        plain = (laid[last + np.arange(-len(_PLAIN), 0)] == np.frombuffer(_PLAIN, dtype=np.uint8)).all(axis=1)
        for k in np.flatnonzero(~plain).tolist():
            _, own, unknown[k] = json.loads(data[starts[k] : stops[k]])
            notes[k] = tuple(own)
        return cls(lengths // 16, numbers, StoredTokens(data, starts, stops), notes, unknown)
