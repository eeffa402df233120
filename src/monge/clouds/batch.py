"""The clouds of many texts, laid end to end and built at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from monge.clouds.build import SINGLE, CloudRecipe, cover_windows, note_unknown
from monge.clouds.cloud import PointCloud, readable_shares
from monge.clouds.filters import TokenColumns, match_filters
from monge.clouds.ngrams import join_windows, list_windows, pool_many
from monge.clouds.remap import IDENTITY
from monge.clouds.weights import IdfModel, weigh_alike
from monge.encoders.layers import aggregate_layers
from monge.encoders.ragged import EncodedBatch
from monge.errors import InputError
from monge.transport import RaggedClouds

_ROWS = 128  # vectors that are worked on at once: they stay in the processor's cache


@dataclass(frozen=True, eq=False)
class _Origin:
    """Tokens and spans of many texts laid end to end, and which of them became points (numbers, text by text)."""

    tokens: Sequence[tuple[str, ...]]
    spans: NDArray[np.int64]
    offsets: NDArray[np.int64]
    kept: NDArray[np.int64]
    starts: NDArray[np.int64]
    ngram: int | None = None  # tokens of a point, where they are pooled

    def find(self, k: int) -> tuple[tuple[str, ...], NDArray[np.int64]]:
        """Return the tokens and spans of text k that became points."""
        kept = self.kept[self.starts[k] : self.starts[k + 1]]
        named = self.tokens[k]
        tokens, spans = tuple(named[i] for i in (kept - self.offsets[k]).tolist()), self.spans[kept]
        if self.ngram is None:
            return tokens, spans
        windows = list_windows(len(tokens), self.ngram)
        return join_windows(tokens, windows), cover_windows(spans, windows)


@dataclass(frozen=True, eq=False)
class CloudBatch(Mapping[str, PointCloud]):
    """The clouds of K texts by text: cloud k has the points ``offsets[k]`` to ``offsets[k + 1]``.

    A single cloud is made when it is asked for. ``empty``, ``unknown`` and ``notes`` have one entry per cloud;
    ``made`` are clouds that exist already, ``origins`` the tokens and spans that the others are made from.
    """

    texts: Sequence[str]
    points: NDArray[np.float32]
    weights: NDArray[np.float64]
    offsets: NDArray[np.int64]
    empty: NDArray[np.bool_]
    unknown: NDArray[np.float64]
    notes: Sequence[tuple[str, ...]]
    made: dict[int, PointCloud]
    origins: Sequence[tuple[_Origin, int] | None]

    @classmethod
    def of(cls, clouds: Sequence[PointCloud], texts: Sequence[str] | None = None) -> CloudBatch:
        """Lay clouds end to end; *texts* are the keys (default: the texts of the clouds)."""
        return cls(
            [cloud.text for cloud in clouds] if texts is None else texts,
            np.concatenate([cloud.points for cloud in clouds]).astype(np.float32, copy=False),
            np.concatenate([cloud.weights for cloud in clouds]),
            np.cumsum([0, *map(len, clouds)]),
            np.array([cloud.empty for cloud in clouds]),
            np.array([cloud.unknown for cloud in clouds]),
            [cloud.notes for cloud in clouds],
            dict(enumerate(clouds)),
            [None] * len(clouds),
        )

    @classmethod
    def join(cls, batches: Sequence[CloudBatch]) -> CloudBatch:
        """Return one batch with the clouds of all *batches* in order."""
        if len(batches) == 1:
            return batches[0]
        starts = np.cumsum([0, *(int(batch.offsets[-1]) for batch in batches)])
        firsts = np.cumsum([0, *map(len, batches)])
        offsets = [batch.offsets[:-1] + start for batch, start in zip(batches, starts[:-1], strict=True)]
        return cls(
            list(chain.from_iterable(batch.texts for batch in batches)),
            np.concatenate([batch.points for batch in batches]),
            np.concatenate([batch.weights for batch in batches]),
            np.concatenate([*offsets, starts[-1:]]),
            np.concatenate([batch.empty for batch in batches]),
            np.concatenate([batch.unknown for batch in batches]),
            list(chain.from_iterable(batch.notes for batch in batches)),
            {int(first) + k: one for b, first in zip(batches, firsts[:-1], strict=True) for k, one in b.made.items()},
            list(chain.from_iterable(batch.origins for batch in batches)),
        )

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of each text."""
        return {text: k for k, text in enumerate(self.texts)}

    def __getitem__(self, text: str) -> PointCloud:
        return self.cloud(self.index[text])

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)

    def cloud(self, k: int) -> PointCloud:
        """Return cloud k."""
        if k not in self.made:
            origin = self.origins[k]
            assert origin is not None
            tokens, spans = origin[0].find(origin[1])
            own = slice(int(self.offsets[k]), int(self.offsets[k + 1]))
            share = float(self.unknown[k])
            self.made[k] = PointCloud(
                self.points[own], self.weights[own], tokens, spans, self.texts[k], self.notes[k], share
            )
        return self.made[k]

    @cached_property
    def readable(self) -> NDArray[np.bool_]:
        """Whether the encoder knows at least half of the words of each text, which is not empty."""
        return readable_shares(self.empty, self.unknown)

    def ragged(self, *, positional: bool = False) -> RaggedClouds:
        """Return points and masses as transport needs them, with the positions of points if the cost needs them."""
        places = np.concatenate([self.cloud(k).positions for k in range(len(self))]) if positional else None
        return RaggedClouds(self.points, self.weights, self.offsets, places)


def build_clouds(
    recipe: CloudRecipe, batch: EncodedBatch, idf: IdfModel | None, *, overwrite: bool = False
) -> CloudBatch:
    """Return the clouds that ``recipe.build`` makes of each text, bit for bit, built at once.

    Recipes that do not treat every token by itself (KDE routing, a re-mapping, tf-idf) and texts without tokens that
    count are built one by one. With *overwrite* the points may take the place of the vectors of *batch*, which nobody
    else may use then.
    """
    if not is_tokenwise(recipe):
        return CloudBatch.of([recipe.build(batch[k], idf) for k in range(len(batch))], batch.texts)
    return _Builder(recipe, batch, idf, overwrite).build()


def is_tokenwise(recipe: CloudRecipe) -> bool:
    """Whether every token gets its vector and its weight by itself, whatever the other tokens are."""
    return recipe.remap is IDENTITY and recipe.aggregation.tokenwise and recipe.weighting != "tfidf"


@dataclass(frozen=True, eq=False)
class _Builder:
    recipe: CloudRecipe
    batch: EncodedBatch
    idf: IdfModel | None
    overwrite: bool = False

    def build(self) -> CloudBatch:
        batch, counts = self.batch, np.diff(self.batch.offsets)
        columns = TokenColumns(batch)
        owner = np.repeat(np.arange(len(batch)), counts)
        keep = ~match_filters(columns, self.recipe.drop, self.recipe.stopwords)
        uniform = self.recipe.weighting == "uniform"
        weights = np.ones(len(owner)) if uniform else weigh_alike(columns.tokens, self.recipe.weighting, self.idf)
        weights[match_filters(columns, self.recipe.massless, self.recipe.stopwords)] = 0.0
        sizes = np.bincount(owner[keep], minlength=len(batch))
        mass = np.bincount(owner[keep], weights=weights[keep], minlength=len(batch))
        blank = np.array([not text.strip() for text in batch.texts])
        odd = blank | (counts == 0) | (batch.unknown == 1) | (sizes == 0) | ~(mass > 0)
        keep &= ~odd[owner]
        alone = {int(k): self.recipe.build(batch[int(k)], self.idf) for k in np.flatnonzero(odd)}
        return self._lay_out(np.flatnonzero(keep), weights, np.where(odd, 0, sizes), alone)

    def _lay_out(
        self,
        kept: NDArray[np.int64],
        weights: NDArray[np.float64],
        sizes: NDArray[np.int64],
        alone: Mapping[int, PointCloud],
    ) -> CloudBatch:
        """Put the points of ordinary texts and the clouds of those built *alone* in the order of the texts."""
        batch = self.batch
        starts = np.cumsum([0, *sizes])
        origin = _Origin(batch.tokens, batch.spans, batch.offsets, kept, starts)
        points, masses = self._points(kept), weights[kept]
        if self.recipe.pools:
            origin = replace(origin, ngram=self.recipe.ngram)
            mean = self.recipe.pooling != "sum"
            points, masses, sizes = pool_many(points, masses, sizes, self.recipe.ngram, mean=mean)
            points = _in_blocks(self.recipe.scale_points, points) if self.recipe.normalise_points else points
            starts = np.cumsum([0, *sizes])
        masses = _normalise(masses, starts)
        notes = [own if share <= 0 else note_unknown(own, share) for own, share in _pair_notes(batch)]
        origins = list(zip(repeat(origin), range(len(batch))))
        empty = np.zeros(len(batch), dtype=np.bool_)
        if alone:
            cuts = np.sort([starts[k] for k in alone])
            order = sorted(alone)
            dimension = next(iter(alone.values())).points.shape[1]
            rows = np.split(points.reshape(-1, dimension), cuts)
            parts = np.split(masses, cuts)
            rows = [*chain.from_iterable(zip(rows, [alone[k].points for k in order], strict=False)), rows[-1]]
            parts = [*chain.from_iterable(zip(parts, [alone[k].weights for k in order], strict=False)), parts[-1]]
            points, masses = np.concatenate(rows), np.concatenate(parts)
            for k, cloud in alone.items():
                sizes[k], empty[k], notes[k] = len(cloud), cloud.empty, cloud.notes
            starts = np.cumsum([0, *sizes])
        return CloudBatch(batch.texts, points, masses, starts, empty, batch.unknown, notes, dict(alone), origins)

    def _points(self, kept: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of tokens *kept* as points; what is computed for a token does not depend on the others.

        They are scaled to length 1 if the recipe wants that of its points and pools no tokens.
        """
        recipe, vectors = self.recipe, self.batch.vectors
        everything = len(kept) == vectors.shape[1]
        scaled = recipe.normalise_points and not recipe.pools
        if recipe.aggregation == SINGLE and len(vectors) == 1 and not recipe.normalise_layers:
            if everything or (self.overwrite and vectors.flags.writeable):
                points = vectors[0] if everything else _move_up(vectors[0], kept)
            else:
                points = vectors[0][kept]
            points = np.asarray(points, dtype=np.float32)
            return _in_blocks(recipe.scale_points, points) if scaled else points
        blocks = (
            aggregate_layers(
                vectors[:, start : start + _ROWS] if everything else vectors[:, kept[start : start + _ROWS]],
                recipe.aggregation,
                normalise=recipe.normalise_layers,
            )
            for start in range(0, max(len(kept), 1), _ROWS)
        )
        return np.concatenate([recipe.scale_points(block) if scaled else block for block in blocks])


def _move_up(rows: NDArray[np.float32], kept: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the rows *kept*, in rising order, moved to the start of *rows*: no new memory is needed."""
    for start in range(0, len(kept), _ROWS):
        own = kept[start : start + _ROWS]
        rows[start : start + len(own)] = rows[own]  # those that follow come from behind
    return rows[: len(kept)]


def _in_blocks(
    work: Callable[[NDArray[np.float32]], NDArray[np.float32]], points: NDArray[np.float32]
) -> NDArray[np.float32]:
    made = [work(points[start : start + _ROWS]) for start in range(0, len(points), _ROWS)]
    return np.concatenate(made) if made else points


def _pair_notes(batch: EncodedBatch) -> Iterator[tuple[tuple[str, ...], float]]:
    return zip(batch.notes, batch.unknown.tolist(), strict=True)


def _normalise(weights: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide masses by their sum in each cloud, added up as for a single cloud."""
    sizes = np.diff(starts)
    totals = np.zeros(len(sizes))
    for size in np.unique(sizes).tolist():  # numpy's order of adding up a row depends on its length only
        own = np.flatnonzero(sizes == size)
        totals[own] = weights[starts[own, None] + np.arange(size)].sum(axis=1)
    shares = weights / np.repeat(totals, sizes)
    if (weights < 0).any() or not np.isfinite(shares).all():
        raise InputError("masses must be non-negative and finite")
    return np.asarray(shares)
