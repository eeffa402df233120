"""Word mover's distance with a penalty for broken word order."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from monge import clouds, transport
from monge.clouds import CloudRecipe, PointCloud, are_comparable
from monge.clouds.filters import match_filters
from monge.encoders import EncodedText, Encoder, load_encoder, parse_layers
from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.base import ALGORITHM, MetricBase, check_needs
from monge.metrics.protocols import MetricSpec
from monge.metrics.specs import spec_named
from monge.metrics.transport.settings import check_choice
from monge.scores import Alignment, LinearForm, Score, Signature
from monge.storage.identity import stated_identity
from monge.text import Segment, word_spans
from monge.transport import TransportPlan, TransportProblem, cost_matrix, solve_exact
from monge.version import __version__


@dataclass(frozen=True, eq=False)
class Wmdo(MetricBase):
    """EMD of bags of words under 1 − cos, plus δ·min(1, chunks / matched) plus α·(share of unknown words).

    Walking through the reference, each word is matched to the hypothesis word that sends it most mass; a chunk ends
    where the next match is not the next word (Chow et al. 2019; constants of the released
    code). Repeated words are one point.
    """

    spec: MetricSpec
    encoder: Encoder
    layers: str = "last"
    delta: float = 0.18
    alpha: float = 0.10

    @classmethod
    def load(
        cls,
        *,
        encoder: str | Encoder = "glove",
        layers: str = "last",
        delta: float = 0.18,
        alpha: float = 0.10,
        oov: str = "zero",
        fold_case: str = "auto",
        environment: Environment | None = None,
    ) -> Self:
        """Build the metric; *encoder* should be static vectors (*oov* and *fold_case* say how words are looked up)."""
        if not (0 <= delta < math.inf and 0 <= alpha < math.inf):
            raise OptionError(f"delta={delta}, alpha={alpha}: penalties must be numbers of at least 0")
        for name, value in (("oov", oov), ("fold_case", fold_case)):
            check_choice(name, value)
        loaded = load_encoder(encoder, cache=True, oov=oov, fold_case=fold_case, environment=environment)
        parse_layers(layers, loaded.layers)
        spec = dataclasses.replace(spec_named("wmdo"), bounds=(0.0, 2.0 + delta + alpha))
        return cls(spec, loaded, layers, delta, alpha)

    @property
    def signature(self) -> Signature:
        fields = {
            "metric": "wmdo",
            "encoder": self.encoder.signature,
            "layers": ",".join(map(str, parse_layers(self.layers, self.encoder.layers))),
            "cost": "cosine",
            "delta": repr(float(self.delta)),
            "alpha": repr(float(self.alpha)),
            "references": "max",
            "empty": "farthest",
            "version": __version__,
        }
        return Signature(fields)

    @property
    def identity(self) -> str | None:
        identity = stated_identity(self.encoder)
        if identity is None:
            return None
        algorithms = f"clouds={clouds.ALGORITHM},transport={transport.ALGORITHM},metrics={ALGORITHM}"
        return f"{self.signature}|{identity}|{algorithms}"

    def encodings(self) -> tuple[tuple[Encoder, tuple[int, ...]], ...]:
        return ((self.encoder, parse_layers(self.layers, self.encoder.layers)),)

    def score_with_alignments(self, segments: Sequence[Segment]) -> list[Score]:
        return self.score(segments)

    def linear_form(self, score: Score) -> LinearForm:
        terms = {
            "word order": self.delta * score.parts["fragmentation"],
            "unknown words": self.alpha * score.parts["missing"],
        }
        return LinearForm(0.0, (1.0,), terms)

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        check_needs(self.spec, segments)
        texts = list(dict.fromkeys(text for s in segments for text in (s.hypothesis, *s.references)))
        layers = parse_layers(self.layers, self.encoder.layers)
        encoded = dict(zip(texts, self.encoder.encode(texts, layers), strict=True))
        return [self._score_segment(segment, encoded) for segment in segments]

    def _score_segment(self, segment: Segment, encoded: dict[str, EncodedText]) -> Score:
        hypothesis = encoded[segment.hypothesis]
        scores = [self._score_pair(hypothesis, encoded[reference]) for reference in segment.references]
        values = np.array([score.value for score in scores])
        best = int(np.argmin(np.where(np.isnan(values), np.inf, values)))
        return dataclasses.replace(scores[best], reference_index=best)

    def _score_pair(self, hypothesis: EncodedText, reference: EncodedText) -> Score:
        left, left_types = _bag(hypothesis)
        right, right_types = _bag(reference)
        plan: TransportPlan = solve_exact(TransportProblem(_word_costs(left, right), left.weights, right.weights))
        distance = plan.transport_cost
        fragmentation = count_chunks(plan.coupling, left_types, right_types)
        missing = _missing_share(hypothesis)
        value = distance + self.delta * fragmentation + self.alpha * missing
        parts = {"distance": distance, "fragmentation": fragmentation, "missing": missing, "score": value}
        notes = tuple(f"{side}: {note}" for side, c in (("hypothesis", left), ("reference", right)) for note in c.notes)
        if not are_comparable(left, right):
            value, parts = math.nan, dict.fromkeys(parts, math.nan)
            notes = (*notes, "no score: the encoder can read neither text")
        unknown = max(left.unknown, right.unknown)
        return Score(value, parts, (Alignment(left, right, plan),), None, notes, unknown)


def _bag(encoded: EncodedText) -> tuple[PointCloud, list[int]]:
    """Merge repeated words into one point whose mass is their share; return the cloud and the type of each word."""
    cloud = CloudRecipe(drop=("special",)).build(encoded, None)
    order = {word: i for i, word in enumerate(dict.fromkeys(token.lower() for token in cloud.tokens))}
    types = [order[token.lower()] for token in cloud.tokens]
    first = [types.index(i) for i in range(len(order))]
    masses = np.bincount(types, weights=cloud.weights).astype(np.float64)
    merged = dataclasses.replace(
        cloud, points=cloud.points[first], weights=masses, tokens=tuple(order), spans=cloud.spans[first]
    )
    return merged, types


def _word_costs(left: PointCloud, right: PointCloud) -> NDArray[np.float64]:
    """Return 1 − cos between words; one without a vector (all zero) is at 0 from itself and at 1 from all others."""
    costs = cost_matrix(left.points, right.points, "cosine")
    unknown = {word: j for j, word in enumerate(right.tokens) if word and not right.points[j].any()}  # "": no text
    for i, word in enumerate(left.tokens):
        if word in unknown and not left.points[i].any():
            costs[i, unknown[word]] = 0.0
    return costs


def _missing_share(encoded: EncodedText) -> float:
    """Share of the words of a text (punctuation aside) that have no vector: left out by the encoder, or all zero."""
    spans = word_spans(encoded.text)
    total = sum(any(char.isalnum() for char in encoded.text[start:end]) for start, end in spans)
    known = np.any(encoded.vectors != 0, axis=(0, 2)) & ~encoded.special & ~match_filters(encoded, ("punctuation",))
    found = len(set(encoded.words[known].tolist()))
    return max(0.0, 1.0 - found / total) if total else 0.0


def count_chunks(coupling: NDArray[np.float64], hypothesis: Sequence[int], reference: Sequence[int]) -> float:
    """Return min(1, chunks / matched): 1/n for a copy, near 1 for a shuffle.

    *coupling* is between word types (rows: hypothesis); the sequences give the type of each word in order.

    >>> count_chunks(np.eye(3) / 3, [0, 1, 2], [0, 1, 2]) == 1 / 3
    True
    >>> count_chunks(np.eye(3) / 3, [2, 1, 0], [0, 1, 2])
    1.0
    """
    places = [np.flatnonzero(np.asarray(hypothesis) == kind) for kind in range(coupling.shape[0])]
    chunks, matched, current = 1, 0, -1
    for kind in reference:
        flow = coupling[:, kind]
        if flow.max() <= 0:
            continue
        candidates = np.concatenate(
            [places[i] for i in np.flatnonzero(np.isclose(flow, flow.max(), rtol=1e-9, atol=0))]
        )
        nearest = int(candidates[np.lexsort((candidates, np.abs(candidates - (current + 1))))[0]])
        chunks += nearest != current + 1
        current = nearest
        matched += 1
    return min(1.0, chunks / matched) if matched else 1.0
