"""An encoder that is loaded when it is first needed, and not before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText, IdentifiedEncoder, layer_names_of, pool_sentence, sentence_layer_of
from monge.errors import ModelError


@dataclass(frozen=True)
class EncoderFacts:
    """What is known of an encoder without loading it."""

    identity: str
    signature: str
    layers: int
    dimension: int
    layer_names: tuple[str, ...] = ()
    sentence_layer: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "layer_names", tuple(self.layer_names))  # a list, when read back

    @classmethod
    def of(cls, encoder: IdentifiedEncoder) -> EncoderFacts:
        facts = (encoder.identity, encoder.signature, encoder.layers, encoder.dimension)
        return cls(*facts, layer_names_of(encoder), sentence_layer_of(encoder))


class LazyEncoder:
    """An :class:`~monge.encoders.base.Encoder` that knows its *facts* and calls *load* for its first text."""

    def __init__(self, load: Callable[[], IdentifiedEncoder], facts: EncoderFacts) -> None:
        self._load = load
        self._facts = facts

    @property
    def identity(self) -> str:
        return self._facts.identity

    @property
    def signature(self) -> str:
        return self._facts.signature

    @property
    def layers(self) -> int:
        return self._facts.layers

    @property
    def dimension(self) -> int:
        return self._facts.dimension

    @property
    def layer_names(self) -> tuple[str, ...]:
        return self._facts.layer_names

    @property
    def sentence_layer(self) -> int | None:
        return self._facts.sentence_layer

    def pool(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the encoder's own vector of a text, from the states of all its tokens in ``sentence_layer``."""
        return pool_sentence(self._encoder, vectors)

    @property
    def loaded(self) -> bool:
        """Whether the encoder itself was needed yet."""
        return "_encoder" in self.__dict__

    @cached_property
    def _encoder(self) -> IdentifiedEncoder:
        encoder = self._load()
        if EncoderFacts.of(encoder) != self._facts:
            raise ModelError(f"the files of {self.signature} changed while it was in use (now {encoder.signature})")
        return encoder

    def tokenize(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the tokens ``encode`` would return, without computing vectors."""
        return self._encoder.tokenize(texts)

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        """Return one EncodedText per text, with the hidden states *layers* (0 = embeddings; None = all)."""
        return self._encoder.encode(texts, layers)
