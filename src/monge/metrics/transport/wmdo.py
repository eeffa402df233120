"""Word mover's distance with a penalty for broken word order."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from monge import clouds, transport
from monge.clouds import CloudRecipe, PointCloud, are_comparable
from monge.clouds.filters import match_filters
from monge.encoders import EncodedText, Encoder, load_encoder
from monge.encoders.layers import choose_layers
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

_SEVERAL_LETTERS = re.compile(r"\w\w")  # what the released code's bag of words keeps
_NO_LONG_WORD = "no word of two letters: kept all"


@dataclass(frozen=True, eq=False)
class Wmdo(MetricBase):
    """EMD of bags of words under 1 − cos, plus δ·min(1, chunks / matched) plus α·(share of unknown words).

    Walking through the reference, each word is matched to the hypothesis word that sends it most mass; a chunk ends
    where the next match is not the next word (Chow et al. 2019; constants of the released code). Repeated words are
    one point. With the ``released`` bag, punctuation and one-letter words are not in it but keep their places, the
    occurrence nearest to the last match is taken (not the one nearest to the place after it), and the share of unknown
    words counts all of the text, punctuation included, as in the released code.
    """

    spec: MetricSpec
    encoder: Encoder
    layers: str = "last"
    delta: float = 0.18
    alpha: float = 0.10
    bag: str = "all"

    @classmethod
    def load(
        cls,
        *,
        encoder: str | Encoder = "glove",
        layers: str = "last",
        delta: float = 0.18,
        alpha: float = 0.10,
        bag: str = "all",
        oov: str = "zero",
        fold_case: str = "auto",
        environment: Environment | None = None,
    ) -> Self:
        """Build the metric; *encoder* should be static vectors (*oov* and *fold_case* say how words are looked up).

        *bag* says which words are compared: ``all``, or those of the ``released`` code.
        """
        if not (0 <= delta < math.inf and 0 <= alpha < math.inf):
            raise OptionError(f"delta={delta}, alpha={alpha}: penalties must be numbers of at least 0")
        for name, value in (("bag", bag), ("oov", oov), ("fold_case", fold_case)):
            check_choice(name, value)
        loaded = load_encoder(encoder, cache=True, oov=oov, fold_case=fold_case, environment=environment)
        choose_layers(loaded, layers)
        spec = dataclasses.replace(spec_named("wmdo"), bounds=(0.0, 2.0 + delta + alpha))
        return cls(spec, loaded, layers, delta, alpha, bag)

    @property
    def signature(self) -> Signature:
        fields = {
            "metric": "wmdo",
            "encoder": self.encoder.signature,
            "layers": ",".join(map(str, choose_layers(self.encoder, self.layers))),
            "bag": self.bag,
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
        return ((self.encoder, choose_layers(self.encoder, self.layers)),)

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
        layers = choose_layers(self.encoder, self.layers)
        encoded = dict(zip(texts, self.encoder.encode(texts, layers), strict=True))
        return [self._score_segment(segment, encoded) for segment in segments]

    def _score_segment(self, segment: Segment, encoded: dict[str, EncodedText]) -> Score:
        hypothesis = encoded[segment.hypothesis]
        scores = [self._score_pair(hypothesis, encoded[reference]) for reference in segment.references]
        values = np.array([score.value for score in scores])
        best = int(np.argmin(np.where(np.isnan(values), np.inf, values)))
        return dataclasses.replace(scores[best], reference_index=best)

    def _score_pair(self, hypothesis: EncodedText, reference: EncodedText) -> Score:
        released = self.bag == "released"
        left, left_types = _bag(hypothesis, released)
        right, right_types = _bag(reference, released)
        plan: TransportPlan = solve_exact(TransportProblem(_word_costs(left, right), left.weights, right.weights))
        distance = plan.transport_cost
        fragmentation = count_chunks(plan.coupling, left_types, right_types, expected_step=0 if released else 1)
        missing = _missing_share(hypothesis, punctuation=released)
        value = distance + self.delta * fragmentation + self.alpha * missing
        parts = {"distance": distance, "fragmentation": fragmentation, "missing": missing, "score": value}
        notes = tuple(f"{side}: {note}" for side, c in (("hypothesis", left), ("reference", right)) for note in c.notes)
        if not are_comparable(left, right):
            value, parts = math.nan, dict.fromkeys(parts, math.nan)
            notes = (*notes, "no score: the encoder can read neither text")
        unknown = max(left.unknown, right.unknown)
        return Score(value, parts, (Alignment(left, right, plan),), None, notes, unknown)


def _bag(encoded: EncodedText, released: bool) -> tuple[PointCloud, list[int]]:
    """Merge repeated words into one point whose mass is their share; return the cloud and the type of each word.

    Words that are not in the bag have the type -1.
    """
    cloud = CloudRecipe(drop=("special",)).build(encoded, None)
    words = [token.lower() for token in cloud.tokens]
    inside = np.array([not released or _SEVERAL_LETTERS.search(word) is not None for word in words])
    if not inside.any():
        inside[:] = True
        cloud = cloud if cloud.empty else dataclasses.replace(cloud, notes=(*cloud.notes, _NO_LONG_WORD))
    order = {word: i for i, word in enumerate(dict.fromkeys(itertools.compress(words, inside)))}
    types = [order[word] if counted else -1 for word, counted in zip(words, inside, strict=True)]
    first = [types.index(i) for i in range(len(order))]
    masses = np.bincount(np.array(types)[inside], weights=cloud.weights[inside]).astype(np.float64)
    merged = dataclasses.replace(
        cloud, points=cloud.points[first], weights=masses / masses.sum(), tokens=tuple(order), spans=cloud.spans[first]
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


def _missing_share(encoded: EncodedText, *, punctuation: bool) -> float:
    """Share of the words of a text that have no vector: left out by the encoder, or all zero.

    Marks of punctuation are words only with *punctuation*.
    """
    spans = word_spans(encoded.text)
    total = sum(punctuation or any(char.isalnum() for char in encoded.text[start:end]) for start, end in spans)
    known = np.any(encoded.vectors != 0, axis=(0, 2)) & ~encoded.special
    if not punctuation:
        known &= ~match_filters(encoded, ("punctuation",))
    found = len(set(encoded.words[known].tolist()))
    return max(0.0, 1.0 - found / total) if total else 0.0


def count_chunks(
    coupling: NDArray[np.float64], hypothesis: Sequence[int], reference: Sequence[int], *, expected_step: int = 1
) -> float:
    """Return min(1, chunks / matched): 1/n for a copy, near 1 for a shuffle.

    *coupling* is between word types (rows: hypothesis); the sequences give the type of each word in order, -1 for one
    that has none. Of several places of a match, the one nearest to *expected_step* words after the last match is
    taken.

    >>> count_chunks(np.eye(3) / 3, [0, 1, 2], [0, 1, 2]) == 1 / 3
    True
    >>> count_chunks(np.eye(3) / 3, [2, 1, 0], [0, 1, 2])
    1.0
    """
    places = [np.flatnonzero(np.asarray(hypothesis) == kind) for kind in range(coupling.shape[0])]
    chunks, matched, current = 1, 0, -1
    for kind in reference:
        if kind < 0 or coupling[:, kind].max() <= 0:
            continue
        flow = coupling[:, kind]
        candidates = np.concatenate(
            [places[i] for i in np.flatnonzero(np.isclose(flow, flow.max(), rtol=1e-9, atol=0))]
        )
        nearest = int(candidates[np.lexsort((candidates, np.abs(candidates - (current + expected_step))))[0]])
        chunks += nearest != current + 1
        current = nearest
        matched += 1
    return min(1.0, chunks / matched) if matched else 1.0
