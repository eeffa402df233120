"""What an encoder is, and what it returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from monge.errors import ModelError

DEFAULT_ENCODER = "minilm"  # of metrics that leave the choice open, and of load_encoder


@dataclass(frozen=True, eq=False)
class EncodedText:
    """A text as tokens with vectors.

    ``vectors`` has shape (layers, n, d): the hidden states that were asked for, in the order asked for;
    a static encoder has one layer. ``spans`` (n, 2) are character offsets into ``text``; a special token
    such as ``[CLS]`` has an empty span and ``special`` set. ``words`` (n,) numbers the words, so that subwords of
    one word share a number; special tokens have -1. ``notes`` say what was degraded (windows, truncation,
    out-of-vocabulary words). ``unknown`` is the share of the words (punctuation aside) that the encoder does not
    know, whether it left them out or gave them all the same vector.
    """

    text: str
    tokens: tuple[str, ...]
    spans: NDArray[np.int64]
    vectors: NDArray[np.float32]
    special: NDArray[np.bool_]
    words: NDArray[np.int64]
    notes: tuple[str, ...] = field(default=())
    unknown: float = 0.0

    def __post_init__(self) -> None:
        n = len(self.tokens)
        if self.vectors.ndim != 3 or self.vectors.shape[1] != n:
            raise ModelError(f"vectors of {n} tokens must have shape (layers, {n}, d), not {self.vectors.shape}")
        if self.spans.shape != (n, 2) or self.special.shape != (n,) or self.words.shape != (n,):
            raise ModelError("spans, special and words must have one row per token")
        if not 0 <= self.unknown <= 1:
            raise ModelError(f"the share of unknown words must be between 0 and 1, not {self.unknown}")
        if not np.isfinite(self.vectors).all():
            layer, token = (int(v[0]) for v in np.nonzero(~np.isfinite(self.vectors))[:2])
            named = f"token {self.tokens[token]!r} (layer {layer}) of {self.text[:60]!r}"
            raise ModelError(f"NaN or infinite vector for {named}")


@runtime_checkable
class Encoder(Protocol):
    """Anything that turns texts into token vectors.

    ``signature`` names the model and the hash of its weights; ``layers`` counts the hidden states (embeddings
    included), ``dimension`` is d.
    """

    @property
    def signature(self) -> str: ...
    @property
    def layers(self) -> int: ...
    @property
    def dimension(self) -> int: ...

    def tokenize(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the tokens ``encode`` would return, without computing vectors."""
        ...

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        """Return one EncodedText per text, with the hidden states *layers* (0 = embeddings; None = all)."""
        ...


@runtime_checkable
class SentenceEncoder(Encoder, Protocol):
    """An encoder with a sentence vector of its own, made by ``pool`` from the states of ``sentence_layer``."""

    @property
    def sentence_layer(self) -> int | None: ...

    def pool(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the vector (d,) of a text, from the states (n, d) of all its tokens in ``sentence_layer``."""
        ...


def sentence_layer_of(encoder: Encoder) -> int | None:
    """Return the layer that the encoder's own sentence vectors are made from; None if it has none of its own."""
    return encoder.sentence_layer if isinstance(encoder, SentenceEncoder) else None


def pool_sentence(encoder: Encoder, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the encoder's own vector of a text; raises ModelError if it has none."""
    if not isinstance(encoder, SentenceEncoder):
        raise ModelError(f"{encoder.signature} has no sentence vectors of its own")
    return encoder.pool(vectors)


def layer_names_of(encoder: Encoder) -> tuple[str, ...]:
    """Return the names of the encoder's layers; nothing if they only have numbers."""
    return tuple(getattr(encoder, "layer_names", ()))


@runtime_checkable
class Identified(Protocol):
    """An encoder that can say exactly what computes its vectors, so that they may be stored.

    ``identity`` is readable text that changes whenever a vector could: backend, device kind, versions of the
    libraries, full digests of weights, tokenizer and configuration, options, and an algorithm number per component.
    Vectors of an encoder without it are never stored, nor are scores made from them.
    """

    @property
    def identity(self) -> str: ...


class IdentifiedEncoder(Encoder, Identified, Protocol):
    """An encoder whose vectors may be stored."""
