"""One side of a transport metric: how its texts become clouds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from monge.clouds import CloudBatch, CloudRecipe, IdfModel, PointCloud, build_clouds
from monge.encoders import Encoder
from monge.encoders.prefetch import encode_batches

_TOKENIZED_AT_ONCE = 4096  # texts: a corpus may be larger than the memory


@dataclass(frozen=True, eq=False)
class Side:
    """An encoder, the layers it is asked for, and the recipe by which its vectors become points with mass."""

    encoder: Encoder
    layers: tuple[int, ...]
    recipe: CloudRecipe

    def with_uniform_weights(self) -> Side:
        """Return this side with the same mass for every token."""
        return replace(self, recipe=replace(self.recipe, weighting="uniform"))

    def make_clouds(self, texts: Mapping[str, object], idf: IdfModel | None) -> Mapping[str, PointCloud]:
        """Return the cloud of every text."""
        batches = encode_batches(self.encoder, list(texts), self.layers)
        made = [build_clouds(self.recipe, batch, idf) for batch in batches]
        return CloudBatch.join(made) if made else {}

    def count_idf(self, texts: Iterable[str]) -> IdfModel:
        """Return in how many of *texts* each token of this side's encoder occurs."""
        return IdfModel.count(self._tokenize(texts), encoder=self.encoder.signature)

    def _tokenize(self, texts: Iterable[str]) -> Iterator[tuple[str, ...]]:
        remaining = iter(texts)
        while part := list(islice(remaining, _TOKENIZED_AT_ONCE)):
            yield from self.encoder.tokenize(part)
