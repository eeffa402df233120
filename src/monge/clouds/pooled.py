"""What is made of the layers of a text alone: the vectors that have to be stored of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from monge.clouds.build import SINGLE, CloudRecipe
from monge.clouds.remap import IDENTITY, BatchRemapping
from monge.encoders.base import Encoder, sentence_layer_of
from monge.encoders.joining import JoinedLayers, Joining, SentenceVectors, as_single_tokens
from monge.encoders.layers import aggregate
from monge.encoders.ragged import EncodedBatch


@dataclass(frozen=True, eq=False)
class PooledTexts:
    """The only point of each text by a *recipe* that pools whole texts with uniform weights and drops no token."""

    recipe: CloudRecipe

    @property
    def name(self) -> str:
        from monge.clouds import ALGORITHM

        recipe = self.recipe
        switches = f"{'n' if recipe.normalise_layers else ''}{'u' if recipe.normalise_points else ''}"
        return f"pooled={ALGORITHM},{aggregate.ALGORITHM}:{recipe.aggregation}:{recipe.pooling}:{switches}"

    @property
    def per_text(self) -> bool:
        return True

    def join(self, batch: EncodedBatch) -> NDArray[np.float32]:
        filled = np.flatnonzero(np.diff(batch.offsets)).tolist()
        rows = [self.recipe.build(batch[k], None).points for k in filled]
        return np.concatenate(rows) if rows else np.zeros((0, batch.vectors.shape[2]), dtype=np.float32)

    def restore(self, batch: EncodedBatch, vectors: NDArray[np.float32]) -> EncodedBatch:
        return as_single_tokens(batch, vectors, [(" ".join(own),) for own in batch.tokens], _cover_texts(batch))


def _cover_texts(batch: EncodedBatch) -> NDArray[np.int64]:
    """Return the span of the real tokens of every text (K, 2)."""
    spans = np.zeros((len(batch), 2), dtype=np.int64)
    filled = np.diff(batch.offsets) > 0
    if filled.any():
        real = batch.spans[:, 1] > batch.spans[:, 0]
        first = batch.offsets[:-1][filled]
        starts = np.minimum.reduceat(np.where(real, batch.spans[:, 0], np.iinfo(np.int64).max), first)
        ends = np.maximum.reduceat(np.where(real, batch.spans[:, 1], 0), first)
        spans[filled] = np.column_stack([np.where(ends > 0, starts, 0), ends])
    return spans


def choose_joining(recipe: CloudRecipe, encoder: Encoder, layers: int) -> tuple[Joining | None, CloudRecipe]:
    """Return how the *layers* of a text are joined before anything that depends on other texts, and the recipe of the
    rest; None if nothing is gained by that.
    """
    whole = recipe.ngram == 0 and recipe.weighting == "uniform" and recipe.remap is IDENTITY
    if recipe.pooling == "sentence" and sentence_layer_of(encoder) is not None:
        return SentenceVectors(encoder), replace(recipe, ngram=1, pooling="mean") if whole else recipe
    if whole and not recipe.drop and not recipe.massless:
        plain = replace(recipe, aggregation=SINGLE, normalise_layers=False, normalise_points=False)
        return PooledTexts(recipe), replace(plain, ngram=1, pooling="mean")
    if not recipe.aggregation.shrinks(layers) or isinstance(recipe.remap, BatchRemapping):  # of the layers themselves
        return None, recipe
    unit = recipe.normalise_points and recipe.ngram == 1 and recipe.pooling == "mean" and recipe.remap is IDENTITY
    rest = replace(recipe, aggregation=SINGLE, normalise_layers=False)
    joining = JoinedLayers(recipe.aggregation, recipe.normalise_layers, unit)
    return joining, replace(rest, normalise_points=recipe.normalise_points and not unit)
