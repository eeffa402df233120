"""Which vectors of an encoder a re-mapping works on, and how texts and words get them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText, Encoder, pool_sentence, sentence_layer_of
from monge.encoders.layers import aggregate_layers, choose_layers
from monge.encoders.prefetch import encode_in_background
from monge.errors import OptionError
from monge.text import word_spans

Array = NDArray[np.float64]
TOKENS, SENTENCE = "tokens", "sentence"


@dataclass(frozen=True, eq=False)
class TextVectors:
    """A text, the vectors (n, d) of its words with their ``numbers``, those of its tokens, and one of the whole.

    Words without a vector have no row, so numbers may be missing.
    """

    text: str
    numbers: tuple[int, ...]
    words: Array
    tokens: Array
    whole: Array


@dataclass(frozen=True, eq=False)
class VectorSpace:
    """An encoder, some of its layers, and whether vectors belong to ``tokens`` or to whole texts (``sentence``)."""

    encoder: Encoder
    layers: tuple[int, ...]
    aggregation: str = "single"
    unit: str = TOKENS

    @classmethod
    def choose(
        cls, encoder: Encoder, layers: str = "last", *, aggregation: str = "single", unit: str = TOKENS
    ) -> VectorSpace:
        """Return the space of the named layers; raises OptionError for layers that do not fit together."""
        if unit not in (TOKENS, SENTENCE):
            raise OptionError(f"unit={unit!r}: must be tokens or sentence")
        chosen = choose_layers(encoder, layers)
        own = sentence_layer_of(encoder)
        if unit == SENTENCE and own is not None and chosen != (own,):
            raise OptionError(f"layers={layers}: the sentence vectors of {encoder.signature} are made of layer {own}")
        if len(chosen) > 1 and aggregation == "single":
            raise OptionError(f"layers={layers} are {len(chosen)}: choose how to join them, as in aggregation=mean")
        return cls(encoder, chosen, aggregation, unit)

    def read(self, texts: Sequence[str]) -> Iterator[TextVectors]:
        """Yield the vectors of every text, words being those of ``word_spans``."""
        for encoded in encode_in_background(self.encoder, list(texts), self.layers):
            yield self._of(encoded, word_spans(encoded.text))

    def read_words(self, texts: Sequence[Sequence[str]]) -> Iterator[TextVectors]:
        """Yield the vectors of texts that are given as words; the words are joined by spaces."""
        joined = [" ".join(words) for words in texts]
        unique = list(dict.fromkeys(joined))
        encoded = dict(zip(unique, encode_in_background(self.encoder, unique, self.layers), strict=True))
        for words, text in zip(texts, joined, strict=True):
            starts = np.cumsum([0, *(len(word) + 1 for word in words)])
            spans = [(int(start), int(start) + len(word)) for start, word in zip(starts, words, strict=False)]
            yield self._of(encoded[text], spans)

    def _of(self, encoded: EncodedText, spans: Sequence[tuple[int, int]]) -> TextVectors:
        vectors = np.asarray(aggregate_layers(encoded.vectors, self.aggregation), dtype=np.float64)
        content = vectors[~encoded.special] if not encoded.special.all() else vectors
        owners = _owners(encoded, spans)
        known = [number for number in range(len(spans)) if (owners == number).any()]
        words = [vectors[owners == number].mean(axis=0) for number in known]
        return TextVectors(
            encoded.text,
            tuple(known),
            np.array(words).reshape(len(words), vectors.shape[1]),
            content,
            self._whole(encoded, content),
        )

    def _whole(self, encoded: EncodedText, content: Array) -> Array:
        if self.unit == SENTENCE and sentence_layer_of(self.encoder) is not None:
            return pool_sentence(self.encoder, encoded.vectors[0]).astype(np.float64)
        return content.mean(axis=0) if len(content) else np.zeros(encoded.vectors.shape[2])


def _owners(encoded: EncodedText, spans: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Return the number of the word in which each token begins; -1 for special tokens."""
    starts = np.array([start for start, _ in spans], dtype=np.int64)
    begins = encoded.spans[:, 0].copy()
    for row, (start, end) in enumerate(encoded.spans.tolist()):
        piece = encoded.text[start:end]
        begins[row] = start + len(piece) - len(piece.lstrip())
    owners = np.searchsorted(starts, begins, side="right") - 1
    return np.where(encoded.special, -1, owners)
