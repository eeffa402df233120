"""One side of a transport metric: how its texts become clouds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from monge.clouds import IDENTITY, BatchRemapping, CloudBatch, CloudRecipe, IdfModel, PointCloud, build_clouds
from monge.encoders import EncodedText, Encoder
from monge.encoders.base import pool_sentence, sentence_layer_of
from monge.encoders.prefetch import encode_batches
from monge.encoders.ragged import EncodedBatch
from monge.lm import LanguageModel, casing

_LAID_OUT_AT_ONCE = 512
_TOKENIZED_AT_ONCE = 4096  # texts: a corpus may be larger than the memory


@dataclass(frozen=True, eq=False)
class Side:
    """An encoder, the layers it is asked for, and the recipe by which its vectors become points with mass.

    Texts without capitals are read with those that the vocabulary of ``truecaser`` prefers, where there is one.
    """

    encoder: Encoder
    layers: tuple[int, ...]
    recipe: CloudRecipe
    truecaser: LanguageModel | None = None

    @property
    def spelling(self) -> str:
        """What decides on capitals, for signatures; empty where texts are read as they are."""
        return "" if self.truecaser is None else f"{self.truecaser.signature}/{casing.ALGORITHM}"

    def with_uniform_weights(self) -> Side:
        """Return this side with the same mass for every token."""
        return replace(self, recipe=replace(self.recipe, weighting="uniform"))

    def make_clouds(self, texts: Mapping[str, object], idf: IdfModel | None) -> Mapping[str, PointCloud]:
        """Return the cloud of every text."""
        if self.truecaser is None:
            return self._make_clouds(texts, idf)
        spelt = {text: self.truecaser.restore_case(text) for text in texts}
        clouds = self._make_clouds(dict.fromkeys(spelt.values()), idf)
        return CloudBatch.of([clouds[one] for one in spelt.values()], list(spelt)) if spelt else {}

    def _make_clouds(self, texts: Mapping[str, object], idf: IdfModel | None) -> Mapping[str, PointCloud]:
        batches = encode_batches(self.encoder, list(texts), self.layers)
        recipe = self.recipe
        own_vector = recipe.pooling == "sentence" and sentence_layer_of(self.encoder) is not None
        if own_vector or isinstance(recipe.remap, BatchRemapping):
            encoded: Iterator[EncodedText] = (batch[k] for batch in batches for k in range(len(batch)))
            if own_vector:
                encoded = map(self._as_sentence, encoded)
            if isinstance(recipe.remap, BatchRemapping):
                encoded, recipe = self._in_batches(encoded, recipe.remap), replace(recipe, remap=IDENTITY)
            batches = _lay_out(encoded)
        made = [build_clouds(recipe, batch, idf) for batch in batches]
        return CloudBatch.join(made) if made else {}

    def _in_batches(self, encoded: Iterable[EncodedText], remap: BatchRemapping) -> Iterator[EncodedText]:
        """Yield the texts with vectors that went through a map of whole batches, layer by layer."""
        remaining = iter(encoded)
        while batch := list(islice(remaining, remap.size)):
            layers = [remap.apply_batch([one.vectors[k] for one in batch]) for k in range(len(self.layers))]
            for one, *mapped in zip(batch, *layers, strict=True):
                yield replace(one, vectors=np.stack(mapped))

    def _as_sentence(self, encoded: EncodedText) -> EncodedText:
        """Return the text as one token with the encoder's own sentence vector."""
        return replace(
            encoded,
            tokens=(encoded.text,),
            spans=np.array([[0, len(encoded.text)]]),
            vectors=self.encoder_vector(encoded.vectors[0]),
            special=np.zeros(1, dtype=np.bool_),
            words=np.zeros(1, dtype=np.int64),
        )

    def encoder_vector(self, states: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the encoder's own vector of a text with these states, as one token of one layer (1, 1, d)."""
        return pool_sentence(self.encoder, states)[None, None]

    def count_idf(self, texts: Iterable[str]) -> IdfModel:
        """Return in how many of *texts* each token of this side's encoder occurs."""
        return IdfModel.count(self._tokenize(texts), encoder=self.encoder.signature)

    def _tokenize(self, texts: Iterable[str]) -> Iterator[tuple[str, ...]]:
        remaining = iter(texts) if self.truecaser is None else map(self.truecaser.restore_case, texts)
        while part := list(islice(remaining, _TOKENIZED_AT_ONCE)):
            yield from self.encoder.tokenize(part)


def _lay_out(encoded: Iterator[EncodedText]) -> Iterator[EncodedBatch]:
    while part := list(islice(encoded, _LAID_OUT_AT_ONCE)):
        yield EncodedBatch.of(part)
