"""Many encoded texts laid end to end, so that all of them can be worked on at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText


@dataclass(frozen=True, eq=False)
class EncodedBatch:
    """K encoded texts of N tokens in all: text k has the tokens ``offsets[k]`` to ``offsets[k + 1]``.

    ``vectors`` is (layers, N, d); ``spans``, ``special`` and ``words`` have one row per token, as in EncodedText;
    ``tokens``, ``notes`` and ``unknown`` have one entry per text.
    """

    texts: Sequence[str]
    tokens: Sequence[tuple[str, ...]]
    spans: NDArray[np.int64]
    vectors: NDArray[np.float32]
    special: NDArray[np.bool_]
    words: NDArray[np.int64]
    offsets: NDArray[np.int64]
    notes: Sequence[tuple[str, ...]]
    unknown: NDArray[np.float64]

    @classmethod
    def of(cls, encoded: Sequence[EncodedText]) -> EncodedBatch:
        """Lay texts end to end; there must be at least one.

        >>> from monge.encoders.static.hashed import HashedEncoder
        >>> batch = EncodedBatch.of(HashedEncoder(dimension=4).encode(["a b", "c"]))
        >>> batch.offsets.tolist(), batch.vectors.shape, batch[1].tokens
        ([0, 2, 3], (3, 3, 4), ('c',))
        """
        return cls(
            [one.text for one in encoded],
            [one.tokens for one in encoded],
            np.concatenate([one.spans for one in encoded]),
            np.concatenate([one.vectors for one in encoded], axis=1),
            np.concatenate([one.special for one in encoded]),
            np.concatenate([one.words for one in encoded]),
            np.cumsum([0, *(len(one.tokens) for one in encoded)]),
            [one.notes for one in encoded],
            np.array([one.unknown for one in encoded]),
        )

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, k: int) -> EncodedText:
        own = slice(int(self.offsets[k]), int(self.offsets[k + 1]))
        return EncodedText(
            self.texts[k],
            self.tokens[k],
            self.spans[own],
            self.vectors[:, own],
            self.special[own],
            self.words[own],
            self.notes[k],
            float(self.unknown[k]),
        )

    def take(self, numbers: NDArray[np.int64]) -> EncodedBatch:
        """Return the texts with these *numbers*, in the order of *numbers*."""
        counts = np.diff(self.offsets)[numbers]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        rows = np.arange(int(offsets[-1])) + np.repeat(self.offsets[numbers] - offsets[:-1], counts)
        own = numbers.tolist()
        return EncodedBatch(
            [self.texts[k] for k in own],
            [self.tokens[k] for k in own],
            self.spans[rows],
            self.vectors[:, rows],
            self.special[rows],
            self.words[rows],
            offsets,
            [self.notes[k] for k in own],
            self.unknown[numbers],
        )


@runtime_checkable
class BatchEncoder(Protocol):
    """An encoder that can return texts laid end to end at once."""

    def encode_batch(
        self, texts: Sequence[str], layers: Sequence[int], kept: Collection[int] | None = None
    ) -> EncodedBatch:
        """Return the texts, all different, with the hidden states *layers*; those *kept* (None: all) are stored."""
        ...

    def read_batch(self, texts: Sequence[str], layers: Sequence[int]) -> EncodedBatch | None:
        """Return the texts, all different, if they need not be encoded: all of them are stored; else None."""
        ...
