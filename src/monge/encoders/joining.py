"""Hidden states joined into one vector per token or per text, and kept as that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import Encoder, pool_sentence
from monge.encoders.layers.aggregate import ALGORITHM, LayerAggregation, aggregate_layers, scale_to_unit
from monge.encoders.ragged import EncodedBatch

FloatArray = NDArray[np.float32]
_ROWS = 128  # vectors that are worked on at once: they stay in the processor's cache


class Joining(Protocol):
    """A way to make fewer vectors of the hidden states of a text, which depends on nothing but the text.

    ``name`` tells it apart from others in the keys of what is stored. ``per_text`` says whether it makes one vector of
    a text, instead of one of every token; the hidden states themselves are then not stored.
    """

    @property
    def name(self) -> str: ...
    @property
    def per_text(self) -> bool: ...

    def join(self, batch: EncodedBatch) -> FloatArray:
        """Return the vectors (rows, d): one per token, or one per text that has tokens."""
        ...

    def restore(self, batch: EncodedBatch, vectors: FloatArray) -> EncodedBatch:
        """Return the texts of *batch* with *vectors* as their only layer."""
        ...


@dataclass(frozen=True)
class JoinedLayers:
    """Layers joined token by token; *normalise* scales each to length 1 before, *unit* the result."""

    aggregation: LayerAggregation
    normalise: bool = False
    unit: bool = False

    @property
    def name(self) -> str:
        switches = f"{'n' if self.normalise else ''}{'u' if self.unit else ''}"
        return f"joined={ALGORITHM}:{self.aggregation}:{switches}"

    @property
    def per_text(self) -> bool:
        return False

    def join(self, batch: EncodedBatch) -> FloatArray:
        total = batch.vectors.shape[1]
        parts = []
        for start in range(0, max(total, 1), _ROWS):
            block = batch.vectors[:, start : start + _ROWS]
            made = aggregate_layers(block, self.aggregation, normalise=self.normalise)
            parts.append(scale_to_unit(made) if self.unit else made)
        return np.concatenate(parts)

    def restore(self, batch: EncodedBatch, vectors: FloatArray) -> EncodedBatch:
        return replace(batch, vectors=vectors[None])


@dataclass(frozen=True, eq=False)
class SentenceVectors:
    """The encoder's own vector of a text, which then is its only token."""

    encoder: Encoder

    @property
    def name(self) -> str:
        return "sentence"

    @property
    def per_text(self) -> bool:
        return True

    def join(self, batch: EncodedBatch) -> FloatArray:
        bounds = batch.offsets.tolist()
        own = [slice(a, b) for a, b in pairwise(bounds) if b > a]
        rows = [pool_sentence(self.encoder, batch.vectors[0, one]) for one in own]
        return np.stack(rows) if rows else np.zeros((0, self.encoder.dimension), dtype=np.float32)

    def restore(self, batch: EncodedBatch, vectors: FloatArray) -> EncodedBatch:
        ends = np.array([len(text) for text in batch.texts], dtype=np.int64)
        spans = np.column_stack([np.zeros_like(ends), ends])
        return as_single_tokens(batch, vectors, [(text,) for text in batch.texts], spans)


def as_single_tokens(
    batch: EncodedBatch, vectors: FloatArray, tokens: list[tuple[str, ...]], spans: NDArray[np.int64]
) -> EncodedBatch:
    """Return every text of *batch* that has tokens as one token with one of *vectors*; the others stay without."""
    filled = np.diff(batch.offsets) > 0
    count = int(filled.sum())
    return replace(
        batch,
        tokens=[own if has else () for own, has in zip(tokens, filled.tolist(), strict=True)],
        spans=spans[filled],
        vectors=vectors[None],
        special=np.zeros(count, dtype=np.bool_),
        words=np.zeros(count, dtype=np.int64),
        offsets=np.concatenate([[0], np.cumsum(filled)]),
    )


@runtime_checkable
class JoiningStore(Protocol):
    """An encoder that keeps joined vectors."""

    def read_joined(self, texts: Sequence[str], layers: Sequence[int], joining: Joining) -> EncodedBatch | None:
        """Return the texts, all different, with joined vectors, if all of them are stored; else None."""
        ...

    def keep_joined(self, batch: EncodedBatch, vectors: FloatArray, layers: Sequence[int], joining: Joining) -> None:
        """Store the joined *vectors* of the texts of *batch*."""
        ...
