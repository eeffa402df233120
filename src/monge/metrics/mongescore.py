"""mongescore: matching of words, sentence vectors and character n-grams as one score that can be taken apart."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders import Encoder
from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.base import check_needs
from monge.metrics.baseline import need_baseline
from monge.metrics.composite import EnsembleMetric, assemble, make_ensemble
from monge.metrics.lexical.sacrebleu import REFERENCE_LENGTH, make_measured_chrf
from monge.metrics.protocols import Aligning
from monge.metrics.variants import MetricVariant
from monge.scores import LinearForm, Score, Signature
from monge.text import Segment

Terms = list[tuple[float, MetricVariant]]
SHARE = "chrf share"  # the part of a score that says how much of it is chrF


@dataclass(frozen=True, eq=False)
class MatchingEnsemble(EnsembleMetric):
    """An ensemble whose first member matches words, so that its score can be taken apart exactly.

    With *lexical_per* the last member is chrF, and its weight is for so many characters of the reference: twice as much
    for a reference of twice the length. ``value = 1 + Σ_k rate_k · <C_k, P_k> + Σ terms``: what the words of both texts
    lose in the matching, and as one term each, what every other member loses against a copy.
    """

    lexical_per: float = 0.0

    def combine(self, part_scores: Sequence[Sequence[Score]]) -> list[Score]:
        scores = super().combine(part_scores)
        if not self.lexical_per:
            return scores
        shares = self._weigh(part_scores)[-1].tolist()
        return [
            dataclasses.replace(score, parts={**score.parts, SHARE: share})
            for score, share in zip(scores, shares, strict=True)
        ]

    def _weigh(self, part_scores: Sequence[Sequence[Score]]) -> NDArray[np.float64]:
        if not self.lexical_per:
            return super()._weigh(part_scores)
        lengths = np.array([score.parts[REFERENCE_LENGTH] for score in part_scores[-1]])
        weights = self.members[-1].weight * lengths / self.lexical_per
        return self._weights(weights / (weights + sum(member.weight for member in self.members[:-1])))

    def _weights(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights (members, scores) where chrF has *shares* of the scores."""
        own = np.array([member.weight for member in self.members[:-1]])
        return np.vstack([np.outer(own / own.sum(), 1 - shares), shares])

    def score_with_alignments(self, segments: Sequence[Segment]) -> list[Score]:
        """Return one Score per segment, with the alignments of the matching."""
        check_needs(self.spec, segments)
        matching, *others = self.parts
        assert isinstance(matching, Aligning)
        matched = matching.score_with_alignments(segments)
        scores = self.combine([matched, *(part.score(segments) for part in others)]) if segments else []
        return [
            dataclasses.replace(score, alignments=own.alignments, reference_index=own.reference_index)
            for score, own in zip(scores, matched, strict=True)
        ]

    def linear_form(self, score: Score) -> LinearForm:
        """Return how *score*, which carries its alignments, is made of their transport costs and the other members."""
        first, *others = self.members
        assert isinstance(first.metric, Aligning)
        form = first.metric.linear_form(dataclasses.replace(score, value=score.parts[first.variant.label]))
        found = self._weights(np.array([score.parts[SHARE]])) if self.lexical_per else super()._weigh(())
        own, *weights = found[:, 0].tolist()
        terms = {
            member.variant.label: weight * float(member.standardise([score.parts[member.variant.label]])[0] - 1)
            for member, weight in zip(others, weights, strict=True)
        }
        per_cost = own / first.spread
        base = 1 + per_cost * (form.base - first.mean - first.spread)  # a copy's score, where copies match without loss
        return LinearForm(base, tuple(rate * per_cost for rate in form.rates), terms)

    @property
    def signature(self) -> Signature:
        fields = dict(super().signature.fields)
        if self.lexical_per:
            fields[f"{len(self.members)}.weight"] += f"/{self.lexical_per:g}characters"
        return Signature(fields)


def load_mongescore(
    *,
    encoder: str | Encoder = "mpnet",
    layers: str = "middle",
    order: float = 3.0,
    alpha: float = 0.5,
    lean: float = 0.0,
    sentence: float = 0.5,
    lexical: float = 1.5,
    lexical_per: float = 800.0,
    dtype: str = "float32",
    environment: Environment | None = None,
) -> MatchingEnsemble:
    """Greedy matching of order p in a middle layer, *sentence* times the cosine of sentence vectors, and chrF.

    Each is rescaled first, so that unrelated texts score 0 and a copy 1, and so does their weighted mean. *alpha* is
    the weight of recall in the F of the matching; a *lean* above 0 leans it to the side of the shorter text. *lexical*
    is the weight of chrF for *lexical_per* characters of the reference (0: for any length); *dtype* the number format
    of the encoder. The other defaults were chosen on several tasks at once: docs/results.md has the commands.
    """
    run = {"encoder": encoder, **({} if dtype == "float32" else {"dtype": dtype})}
    terms = _matching_terms(run, {"layers": layers, "order": order, "alpha": alpha, "lean": lean}, sentence)
    metrics = [variant.load(environment) for _, variant in terms]
    _check_weight("lexical", lexical)
    _check_weight("lexical_per", lexical_per)
    if lexical:
        terms.append((lexical, MetricVariant("chrf", "chrf", {})))
        metrics.append(make_measured_chrf())
    baselines = [need_baseline(metric) for metric in metrics]
    scales = [(b.scale.unrelated, b.scale.copy - b.scale.unrelated) for b in baselines]
    made = assemble("mongescore", terms, metrics, scales, calibration="unrelated/copy")
    spec = dataclasses.replace(made.spec, symmetric=alpha == 0.5 and not lexical)
    return MatchingEnsemble(spec, made.members, made.calibration, lexical_per if lexical else 0.0)


def load_mongescore_document(
    *,
    encoder: str | Encoder = "mpnet",
    layers: str = "middle",
    order: float = 3.0,
    sentence: float = 0.5,
    discourse: float = 1.0,
    annotator: str = "",
    language: str = "en",
    environment: Environment | None = None,
) -> EnsembleMetric:
    """Matching and sentence cosine of documents, plus *discourse* times ``ds_focus`` (form union), standardised.

    Order 3, F with α = 0.5 and half the cosine: the settings with which docs/results-discourse.md measured it.
    """
    if not 0 < discourse < math.inf:
        raise OptionError(f"discourse={discourse}: must be positive and finite")
    focus = {"encoder": encoder, "layers": layers, "annotator": annotator, "language": language}
    terms = _matching_terms({"encoder": encoder}, {"layers": layers, "order": order, "alpha": 0.5}, sentence)
    terms.append((discourse, MetricVariant("ds_focus", "ds_focus", focus)))
    return make_ensemble("mongescore_document", terms, environment=environment)


def _matching_terms(run: Mapping[str, Any], matching: Mapping[str, Any], sentence: float) -> Terms:
    _check_weight("sentence", sentence)
    chosen = {name: value if isinstance(value, str) else repr(float(value)) for name, value in matching.items()}
    label = ",".join(["bertscore", *(f"{name}={value}" for name, value in chosen.items())])
    terms = [(1.0, MetricVariant(label, "bertscore", {**run, **chosen}))]
    if sentence:
        terms.append((sentence, MetricVariant("cosine", "cosine", dict(run))))
    return terms


def _check_weight(name: str, weight: float) -> None:
    if not 0 <= weight < math.inf:
        raise OptionError(f"{name}={weight}: must not be negative or infinite")
