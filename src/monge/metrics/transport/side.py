"""One side of a transport metric: how its texts become clouds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from monge.clouds import IDENTITY, BatchRemapping, CloudBatch, CloudRecipe, IdfModel, PointCloud, build_clouds
from monge.clouds.pooled import choose_joining
from monge.encoders import EncodedText, Encoder
from monge.encoders.held import EncoderReading
from monge.encoders.joining import Joining
from monge.encoders.prefetch import encode_batches, encode_joined, may_be_stored, read_stored
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

    @cached_property
    def _plan(self) -> tuple[Joining | None, CloudRecipe]:
        return choose_joining(self.recipe, self.encoder, len(self.layers))

    @property
    def reading(self) -> EncoderReading:
        """What this side reads of its encoder."""
        return EncoderReading(self.encoder, self.layers, self._plan[0])

    @property
    def may_be_stored(self) -> bool:
        """Whether ``read_clouds`` may find something, and enough of it that several threads pay off."""
        joining = self._plan[0]
        large = joining is None or not joining.per_text  # one vector of a text is read before a thread has started
        whole = isinstance(self.recipe.remap, BatchRemapping) or self.truecaser is not None
        return large and not whole and may_be_stored(self.encoder)

    def read_clouds(self, texts: Mapping[str, object], idf: IdfModel | None) -> CloudBatch | None:
        """Return the cloud of every text, if all that is needed for them is stored; else None."""
        joining, recipe = self._plan
        batch = read_stored(self.encoder, list(texts), self.layers, joining)
        return None if batch is None else build_clouds(recipe, batch, idf, overwrite=True)

    def make_clouds(self, texts: Mapping[str, object], idf: IdfModel | None) -> Mapping[str, PointCloud]:
        """Return the cloud of every text."""
        if self.truecaser is None:
            return self._make_clouds(texts, idf)
        spelt = {text: self.truecaser.restore_case(text) for text in texts}
        clouds = self._make_clouds(dict.fromkeys(spelt.values()), idf)
        return CloudBatch.of([clouds[one] for one in spelt.values()], list(spelt)) if spelt else {}

    def _make_clouds(self, texts: Mapping[str, object], idf: IdfModel | None) -> Mapping[str, PointCloud]:
        joining, recipe = self._plan
        if joining is None:
            batches = encode_batches(self.encoder, list(texts), self.layers)
        else:
            batches = encode_joined(self.encoder, list(texts), self.layers, joining)
        if isinstance(recipe.remap, BatchRemapping):
            encoded = self._in_batches((batch[k] for batch in batches for k in range(len(batch))), recipe.remap)
            batches, recipe = _lay_out(encoded), replace(recipe, remap=IDENTITY)
        made = [build_clouds(recipe, batch, idf) for batch in batches]
        return CloudBatch.join(made) if made else {}

    def _in_batches(self, encoded: Iterable[EncodedText], remap: BatchRemapping) -> Iterator[EncodedText]:
        """Yield the texts with vectors that went through a map of whole batches, layer by layer."""
        remaining = iter(encoded)
        while batch := list(islice(remaining, remap.size)):
            layers = [remap.apply_batch([one.vectors[k] for one in batch]) for k in range(len(batch[0].vectors))]
            for one, *mapped in zip(batch, *layers, strict=True):
                yield replace(one, vectors=np.stack(mapped))

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
