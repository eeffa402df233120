"""Texts that several readers need: encoded once, with the layers of all of them, and held while they read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from monge.encoders.base import Encoder, layer_names_of
from monge.encoders.ragged import EncodedBatch
from monge.storage.identity import stated_identity

HELD_BYTES = 256 << 20  # of vectors at once
_BYTES_PER_TOKEN = 4  # of text: English has 4 to 5, so that vectors are rather over- than underestimated


@dataclass(frozen=True, eq=False)
class _Held:
    """Encoded texts with the union of *layers*."""

    layers: tuple[int, ...]
    texts: Sequence[str]
    batches: Sequence[EncodedBatch]

    @cached_property
    def places(self) -> dict[str, tuple[EncodedBatch, int]]:
        """Where each text is."""
        return {text: (batch, k) for batch in self.batches for k, text in enumerate(batch.texts)}

    def select(self, texts: Sequence[str], layers: Sequence[int]) -> list[EncodedBatch] | None:
        """Return the texts with *layers* only, or None if one of them is not held."""
        if not set(layers) <= set(self.layers):
            return None
        places = [self.layers.index(layer) for layer in layers]
        contiguous = places == list(range(places[0], places[0] + len(places)))
        chosen = slice(places[0], places[0] + len(places)) if contiguous else np.array(places)
        if list(texts) == list(self.texts):
            return [dataclasses.replace(batch, vectors=batch.vectors[chosen]) for batch in self.batches]
        if not all(text in self.places for text in texts):
            return None
        found = (batch[k] for batch, k in map(self.places.__getitem__, texts))
        return [EncodedBatch.of([dataclasses.replace(one, vectors=one.vectors[chosen]) for one in found])]


_HELD: ContextVar[Mapping[object, _Held] | None] = ContextVar("held", default=None)


@dataclass(frozen=True)
class SharedReading:
    """An encoder that several metrics read, and the layers that they read together."""

    encoder: Encoder
    layers: tuple[int, ...]

    def bytes_of(self, text: str) -> int:
        """Return about how many bytes the vectors of *text* take."""
        tokens = 2 + len(text.encode("utf-8", errors="surrogatepass")) // _BYTES_PER_TOKEN
        return tokens * len(self.layers) * self.encoder.dimension * 4


def find_shared(readings: Iterable[tuple[Encoder, Sequence[int]]]) -> list[SharedReading]:
    """Return the encoders that are named more than once, each with the union of the layers asked for.

    >>> from monge.encoders.static.hashed import HashedEncoder
    >>> one = HashedEncoder()
    >>> [shared.layers for shared in find_shared([(one, (0,)), (one, (0,))])]
    [(0,)]
    """
    encoders: dict[object, Encoder] = {}
    layers: dict[object, set[int]] = {}
    readers: dict[object, int] = {}
    for encoder, own in readings:
        key = _key(encoder)
        encoders.setdefault(key, encoder)
        layers.setdefault(key, set()).update(own)
        readers[key] = readers.get(key, 0) + 1
    shared = [key for key in encoders if readers[key] > 1 and (len(layers[key]) == 1 or _stacks(encoders[key]))]
    return [SharedReading(encoders[key], tuple(sorted(layers[key]))) for key in shared]


def _stacks(encoder: Encoder) -> bool:
    """Whether several layers can be read at once; named ones differ in width."""
    return not layer_names_of(encoder)


@contextmanager
def hold_encodings(shared: Sequence[SharedReading], texts: Sequence[str]) -> Iterator[None]:
    """Encode *texts* once by every *shared* encoder; within the block, readers of this thread get them from memory."""
    from monge.encoders.prefetch import encode_batches

    held = {}
    for one in shared:
        held[_key(one.encoder)] = _Held(one.layers, texts, list(encode_batches(one.encoder, texts, one.layers)))
    token = _HELD.set(held)
    try:
        yield
    finally:
        _HELD.reset(token)


def find_held(encoder: Encoder, texts: Sequence[str], layers: Sequence[int]) -> list[EncodedBatch] | None:
    """Return *texts* encoded, if they are all held with *layers*; else None."""
    held = (_HELD.get() or {}).get(_key(encoder))
    return None if held is None or not layers or not texts else held.select(texts, layers)


def _key(encoder: Encoder) -> object:
    """Return what tells encoders apart: two objects of the same identity compute the same vectors."""
    return stated_identity(encoder) or id(encoder)
