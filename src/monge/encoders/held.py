"""Texts that several readers need: encoded once, with the layers of all of them, and held while they read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from monge.encoders.base import Encoder, layer_names_of
from monge.encoders.joining import Joining, JoiningStore
from monge.encoders.ragged import BatchEncoder, EncodedBatch
from monge.storage.identity import stated_identity

HELD_BYTES = 256 << 20  # of vectors at once
_BYTES_PER_TOKEN = 4  # of text: English has 4 to 5, so that vectors are rather over- than underestimated
_JoinedKey = tuple[tuple[int, ...], str]


class EncoderReading(NamedTuple):
    """What a metric reads: the layers of an encoder, and how it joins them before anything else (None: it does not)."""

    encoder: Encoder
    layers: tuple[int, ...]
    joining: Joining | None = None


@dataclass(frozen=True, eq=False)
class _Held:
    """Encoded texts with the union of *layers*, and what was joined of them."""

    layers: tuple[int, ...]
    texts: Sequence[str]
    batches: Sequence[EncodedBatch]
    joined: dict[_JoinedKey, list[EncodedBatch]] = field(default_factory=dict)

    def select(self, texts: Sequence[str], layers: Sequence[int]) -> list[EncodedBatch] | None:
        """Return the texts with *layers* only, or None if one of them is not held."""
        if not set(layers) <= set(self.layers):
            return None
        places = [self.layers.index(layer) for layer in layers]
        contiguous = places == list(range(places[0], places[0] + len(places)))
        chosen = slice(places[0], places[0] + len(places)) if contiguous else np.array(places)
        batches = [dataclasses.replace(batch, vectors=batch.vectors[chosen]) for batch in self.batches]
        return _pick(batches, texts, self.texts)

    def join(
        self, encoder: Encoder, texts: Sequence[str], layers: Sequence[int], joining: Joining
    ) -> list[EncodedBatch] | None:
        """Return the texts with vectors joined of *layers*, or None if one of them is not held."""
        key = (tuple(layers), joining.name)
        if key not in self.joined:
            found = self.select(self.texts, layers)
            if found is None:
                return None
            made = [join_batch(encoder, batch, layers, joining) for batch in found]
            while self.joined and sum(map(_bytes_of, [made, *self.joined.values()])) > HELD_BYTES:
                self.joined.pop(next(iter(self.joined)))
            self.joined[key] = made
        return _pick(self.joined[key], texts, self.texts)


def join_batch(encoder: Encoder, batch: EncodedBatch, layers: Sequence[int], joining: Joining) -> EncodedBatch:
    """Return the texts with joined vectors, which *encoder* keeps if it can."""
    vectors = joining.join(batch)
    if isinstance(encoder, JoiningStore):
        encoder.keep_joined(batch, vectors, layers, joining)
    return joining.restore(batch, vectors)


def _bytes_of(batches: Iterable[EncodedBatch]) -> int:
    return sum(batch.vectors.nbytes for batch in batches)


def _pick(batches: list[EncodedBatch], wanted: Sequence[str], held: Sequence[str]) -> list[EncodedBatch] | None:
    """Return the *wanted* ones of *held* texts, in any order, or None if one is not there."""
    if list(wanted) == list(held):
        return batches
    numbers = {text: (b, k) for b, batch in enumerate(batches) for k, text in enumerate(batch.texts)}
    if not all(text in numbers for text in wanted):
        return None
    places = np.array([numbers[text] for text in wanted])
    groups = [places[places[:, 0] == b, 1] for b in range(len(batches))]
    return [batch.take(own) for batch, own in zip(batches, groups, strict=True) if own.size]


_HELD: ContextVar[Mapping[object, _Held] | None] = ContextVar("held", default=None)


@dataclass(frozen=True)
class SharedReading:
    """An encoder that several metrics read, the layers that they read together, and what they make of them.

    ``plain`` are the layers that are read as they are.
    """

    encoder: Encoder
    layers: tuple[int, ...]
    plain: tuple[int, ...] = ()
    joined: Mapping[_JoinedKey, Joining] = field(default_factory=dict)

    def bytes_of(self, text: str) -> int:
        """Return about how many bytes the vectors of *text* take."""
        tokens = 2 + len(text.encode("utf-8", errors="surrogatepass")) // _BYTES_PER_TOKEN
        return tokens * len(self.layers) * self.encoder.dimension * 4

    def hold(self, texts: Sequence[str]) -> _Held:
        """Return *texts* as all metrics need them: read where everything is stored, or else encoded once."""
        return self._read(texts) or self._encode(texts)

    def _read(self, texts: Sequence[str]) -> _Held | None:
        if not isinstance(self.encoder, JoiningStore) or not isinstance(self.encoder, BatchEncoder) or not texts:
            return None
        held = _Held(self.plain, texts, [])
        if self.plain:
            found = self.encoder.read_batch(texts, self.plain)
            if found is None:
                return None
            held = _Held(self.plain, texts, [found])
        for (layers, name), joining in self.joined.items():
            found = self.encoder.read_joined(texts, layers, joining)
            if found is None:
                return None
            held.joined[layers, name] = [found]
        return held

    def _encode(self, texts: Sequence[str]) -> _Held:
        from monge.encoders.prefetch import encode_batches

        token_wise = [layers for (layers, _), joining in self.joined.items() if not joining.per_text]
        kept = set(self.plain).union(*token_wise)
        return _Held(self.layers, texts, list(encode_batches(self.encoder, texts, self.layers, kept)))


def find_shared(readings: Iterable[EncoderReading | tuple[Encoder, Sequence[int]]]) -> list[SharedReading]:
    """Return the encoders that are named more than once, each with the union of the layers asked for.

    >>> from monge.encoders.static.hashed import HashedEncoder
    >>> one = HashedEncoder()
    >>> [shared.layers for shared in find_shared([(one, (0,)), (one, (0,))])]
    [(0,)]
    """
    groups: dict[object, list[EncoderReading]] = {}
    for encoder, layers, *joining in readings:
        groups.setdefault(_key(encoder), []).append(EncoderReading(encoder, tuple(layers), *joining))
    shared = []
    for own in groups.values():
        union = sorted({layer for one in own for layer in one.layers})
        if len(own) > 1 and (len(union) == 1 or _stacks(own[0].encoder)):
            plain = {layer for one in own if one.joining is None for layer in one.layers}
            joined = {(one.layers, one.joining.name): one.joining for one in own if one.joining is not None}
            shared.append(SharedReading(own[0].encoder, tuple(union), tuple(sorted(plain)), joined))
    return shared


def _stacks(encoder: Encoder) -> bool:
    """Whether several layers can be read at once; named ones differ in width."""
    return not layer_names_of(encoder)


@contextmanager
def hold_encodings(shared: Sequence[SharedReading], texts: Sequence[str]) -> Iterator[None]:
    """Encode *texts* once by every *shared* encoder; within the block, readers of this thread get them from memory."""
    token = _HELD.set({_key(one.encoder): one.hold(texts) for one in shared})
    try:
        yield
    finally:
        _HELD.reset(token)


def find_held(
    encoder: Encoder, texts: Sequence[str], layers: Sequence[int], joining: Joining | None = None
) -> list[EncodedBatch] | None:
    """Return *texts* encoded, in any order, with *layers* or what is *joined* of them, if they are all held."""
    held = (_HELD.get() or {}).get(_key(encoder))
    if held is None or not layers or not texts:
        return None
    return held.select(texts, layers) if joining is None else held.join(encoder, texts, layers, joining)


def is_held(encoder: Encoder) -> bool:
    """Whether this thread holds texts encoded by *encoder*."""
    return _key(encoder) in (_HELD.get() or {})


def _key(encoder: Encoder) -> object:
    """Return what tells encoders apart: two objects of the same identity compute the same vectors."""
    return stated_identity(encoder) or id(encoder)
