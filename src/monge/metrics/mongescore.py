"""mongescore: matching of words, sentence vectors and character n-grams as one score that can be taken apart."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monge.encoders import Encoder
from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.base import check_needs
from monge.metrics.baseline import need_baseline
from monge.metrics.composite import EnsembleMetric, assemble, make_ensemble
from monge.metrics.protocols import Aligning
from monge.metrics.variants import MetricVariant
from monge.scores import LinearForm, Score
from monge.text import Segment

Terms = list[tuple[float, MetricVariant]]


@dataclass(frozen=True, eq=False)
class MatchingEnsemble(EnsembleMetric):
    """An ensemble whose first member matches words, so that its score can be taken apart exactly.

    ``value = 1 + Σ_k rate_k · <C_k, P_k> + Σ terms``: what the words of both texts lose in the matching, and as
    one term each, what every other member loses against a copy.
    """

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
        total = sum(member.weight for member in self.members)
        per_cost = first.weight / total / first.spread
        terms = {
            member.variant.label: float(member.standardise([score.parts[member.variant.label]])[0] - 1)
            * (member.weight / total)
            for member in others
        }
        base = 1 + per_cost * (form.base - first.mean - first.spread)  # a copy's score, where copies match without loss
        return LinearForm(base, tuple(rate * per_cost for rate in form.rates), terms)


def load_mongescore(
    *,
    encoder: str | Encoder = "mpnet",
    layers: str = "middle",
    order: float = 2.0,
    alpha: float = 0.7,
    sentence: float = 0.2,
    lexical: float = 0.0,
    dtype: str = "float32",
    environment: Environment | None = None,
) -> MatchingEnsemble:
    """Greedy matching of order p in a middle layer + *sentence* · cosine of sentence vectors + *lexical* · chrF.

    Each is rescaled first, so that unrelated texts score 0 and a copy 1, and so does their weighted mean. *alpha* is
    the weight of recall in the F of the matching, *dtype* the number format of the encoder. The other defaults were
    chosen by ``monge tune`` on several tasks at once: docs/results.md has the command and the grid.
    """
    run = {"encoder": encoder, **({} if dtype == "float32" else {"dtype": dtype})}
    terms = _matching_terms(run, layers, order, alpha, sentence)
    _check_weight("lexical", lexical)
    if lexical:
        terms.append((lexical, MetricVariant("chrf", "chrf", {})))
    metrics = [variant.load(environment) for _, variant in terms]
    baselines = [need_baseline(metric) for metric in metrics]
    scales = [(b.scale.unrelated, b.scale.copy - b.scale.unrelated) for b in baselines]
    made = assemble("mongescore", terms, metrics, scales, calibration="unrelated/copy")
    symmetric = alpha == 0.5 and not lexical
    return MatchingEnsemble(dataclasses.replace(made.spec, symmetric=symmetric), made.members, made.calibration)


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
    terms = _matching_terms({"encoder": encoder}, layers, order, 0.5, sentence)
    terms.append((discourse, MetricVariant("ds_focus", "ds_focus", focus)))
    return make_ensemble("mongescore_document", terms, environment=environment)


def _matching_terms(run: Mapping[str, Any], layers: str, order: float, alpha: float, sentence: float) -> Terms:
    _check_weight("sentence", sentence)
    matching = {**run, "layers": layers, "order": repr(order), "alpha": repr(alpha)}
    label = f"bertscore,layers={layers},order={order!r},alpha={alpha!r}"
    terms = [(1.0, MetricVariant(label, "bertscore", matching))]
    if sentence:
        terms.append((sentence, MetricVariant("cosine", "cosine", dict(run))))
    return terms


def _check_weight(name: str, weight: float) -> None:
    if not 0 <= weight < math.inf:
        raise OptionError(f"{name}={weight}: must not be negative or infinite")
