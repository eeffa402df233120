"""From an encoded text to a weighted point cloud."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from monge.clouds.cloud import MARKED_SHARE, PointCloud
from monge.clouds.filters import ENGLISH_STOPWORDS, match_filters
from monge.clouds.ngrams import join_windows, pool_ngrams
from monge.clouds.remap import IDENTITY, Remapping
from monge.clouds.weights import IdfModel, weigh_tokens
from monge.encoders.base import EncodedText
from monge.encoders.layers import LayerAggregation, aggregate_layers, parse_aggregation
from monge.encoders.layers.aggregate import scale_to_unit
from monge.errors import OptionError

SINGLE = parse_aggregation("single")


@dataclass(frozen=True)
class CloudRecipe:
    """How the vectors of a text's tokens become points with mass.

    The mass of a point is its share of the text: masses sum to 1, and transport moves them to the other text.

    Parameters
    ----------
    aggregation, normalise_layers
        How several layers become one vector per token, and whether each is scaled to length 1 first.
    remap
        The map that is applied to every vector before it becomes a point, such as one into the space of another
        language; the identity by default.
    normalise_points
        Whether points are scaled to length 1.
    drop, massless
        Names of token filters. ``drop`` removes tokens; ``massless`` keeps them as points that can be matched but gives
        them no mass (BERTScore's [CLS] and [SEP]).
    weighting
        How masses are computed: a name of ``WEIGHTINGS``.
    stopwords
        What the filter ``stopwords`` matches.
    ngram, pooling
        Tokens per point (0: the whole text), and whether their vectors are averaged or summed. ``sentence``: the
        encoder's own vector of the whole text, which then is its only token (:meth:`for_sentence`); for an encoder
        that has none it is the mean.
    """

    aggregation: LayerAggregation = SINGLE
    normalise_layers: bool = False
    remap: Remapping = IDENTITY
    normalise_points: bool = False
    drop: tuple[str, ...] = ("special",)
    massless: tuple[str, ...] = ()
    stopwords: Collection[str] = ENGLISH_STOPWORDS
    weighting: str = "uniform"
    ngram: int = 1
    pooling: Literal["mean", "sum", "sentence"] = "mean"

    def __post_init__(self) -> None:
        if not isinstance(self.ngram, int) or isinstance(self.ngram, bool) or self.ngram < 0:
            raise OptionError(f"ngram={self.ngram}: must be 1 or more, or 0 for the whole text")
        if self.pooling == "sentence" and self.ngram:
            raise OptionError("pooling=sentence is one vector for the whole text: it needs ngram=0")

    @property
    def pools(self) -> bool:
        """Whether points are made of several tokens, or of weighted ones."""
        return self.ngram != 1 or self.pooling == "sum"

    def build(self, encoded: EncodedText, idf: IdfModel | None) -> PointCloud:
        """Return the cloud of a text; *idf* is needed unless the weighting is uniform.

        A text without words, or without a known one, becomes one point at the origin. Every fallback is recorded in the
        notes of the cloud.
        """
        notes = list(note_unknown(encoded.notes, encoded.unknown))
        if not encoded.text.strip():
            return self._origin(encoded, [*notes, "empty text"])
        if len(encoded.tokens) == 0 or encoded.unknown == 1:
            return self._origin(encoded, [*notes, "no known word"])
        kept = self._kept(encoded, notes)
        points = self._points(encoded, kept)
        tokens = tuple(encoded.tokens[i] for i in kept)
        weights = self._weights(encoded, kept, tokens, idf, notes)
        spans = encoded.spans[kept]
        if self.pools:
            points, weights, windows = pool_ngrams(points, weights, self.ngram, mean=self.pooling != "sum")
            tokens = join_windows(tokens, windows)
            spans = cover_windows(spans, windows)
        points, weights = self.scale_points(points), weights / weights.sum()
        return PointCloud(points, weights, tokens, spans, encoded.text, tuple(notes), encoded.unknown)

    def scale_points(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return points of length 1 if the recipe wants them so."""
        return scale_to_unit(points) if self.normalise_points else points

    def _points(self, encoded: EncodedText, kept: NDArray[np.int64]) -> NDArray[np.float32]:
        vectors = encoded.vectors if len(kept) == len(encoded.tokens) else encoded.vectors[:, kept]
        if self.aggregation == SINGLE and len(vectors) == 1 and not self.normalise_layers:
            points = np.asarray(vectors[0], dtype=np.float32)  # nothing to aggregate
        else:
            points = aggregate_layers(vectors, self.aggregation, normalise=self.normalise_layers)
        return self.remap.apply(points)

    def _kept(self, encoded: EncodedText, notes: list[str]) -> NDArray[np.int64]:
        dropped = match_filters(encoded, self.drop, self.stopwords)
        if dropped.all():
            notes.append("every token filtered: kept all")
            dropped = (
                encoded.special & ("special" in self.drop) if not encoded.special.all() else np.zeros_like(dropped)
            )
        return np.flatnonzero(~dropped)

    def _weights(
        self,
        encoded: EncodedText,
        kept: NDArray[np.int64],
        tokens: Sequence[str],
        idf: IdfModel | None,
        notes: list[str],
    ) -> NDArray[np.float64]:
        weights = weigh_tokens(tokens, self.weighting, idf)
        without = match_filters(encoded, self.massless, self.stopwords)[kept]
        weights[without] = 0.0
        if weights.sum() > 0:
            return weights
        notes.append("no token has weight: uniform weights")
        return np.where(without, 0.0, 1.0) if not without.all() else np.ones(len(tokens))

    def _origin(self, encoded: EncodedText, notes: list[str]) -> PointCloud:
        probe = np.zeros((encoded.vectors.shape[0], 1, encoded.vectors.shape[2]), dtype=np.float32)
        points = np.zeros_like(self.remap.apply(aggregate_layers(probe, self.aggregation)))
        spans = np.zeros((1, 2), dtype=np.int64)
        return PointCloud(points, np.ones(1), ("",), spans, encoded.text, tuple(notes), encoded.unknown)


def note_unknown(notes: tuple[str, ...], share: float) -> tuple[str, ...]:
    """Return *notes* with one more if the encoder knows too few words of a text."""
    return (*notes, f"{round(100 * share)} % of the words unknown to the encoder") if share > MARKED_SHARE else notes


def join_clouds(clouds: Sequence[PointCloud]) -> PointCloud:
    """Return one cloud with the points of all clouds; each cloud gets an equal share of the mass.

    Spans refer to the texts joined by line breaks.
    """
    if len(clouds) == 1:
        return clouds[0]
    starts = np.cumsum([0, *(len(cloud.text) + 1 for cloud in clouds[:-1])])
    return PointCloud(
        np.concatenate([cloud.points for cloud in clouds]),
        np.concatenate([cloud.weights for cloud in clouds]) / len(clouds),
        tuple(token for cloud in clouds for token in cloud.tokens),
        np.concatenate([cloud.spans + start for cloud, start in zip(clouds, starts, strict=True)]),
        "\n".join(cloud.text for cloud in clouds),
        tuple(note for cloud in clouds for note in cloud.notes),
        sum(cloud.unknown for cloud in clouds) / len(clouds),
    )


def cover_windows(spans: NDArray[np.int64], windows: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Return the span that each window covers; empty spans (special tokens) are ignored."""
    size = windows[0][1] - windows[0][0]
    real = spans[:, 1] > spans[:, 0]
    if size == 1:
        return np.where(real[:, None], spans, 0)
    starts = sliding_window_view(np.where(real, spans[:, 0], np.iinfo(np.int64).max), size).min(axis=1)
    ends = sliding_window_view(np.where(real, spans[:, 1], 0), size).max(axis=1)
    return np.column_stack([np.where(ends > 0, starts, 0), ends])
