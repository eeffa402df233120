"""Explanations that add up: what every word and every flow of a transport metric does to the score.

Every readout is written as ``value = base + Σ terms + Σ_k rate_k · <C_k, P_k>`` over the plans k that made it, with
the rates at the very costs found, so the identity is exact and each flow owns ``rate · C_ij · P_ij``:

* distance: base 0, rate 1. One minus: base 1, rate −1. Inverse 1/(1+D): base 1, rate −1/(1+D), because
  1/(1+D) − 1 = −D/(1+D).
* F of precision 1−p and recall 1−r: base 1; the loss 1−F is shared between the two plans in proportion to cost times
  slope, p·∂F/∂P : r·∂F/∂R = p·(1−α)R² : r·αP².
* rescaling (x−b)/(1−b) divides rates by 1−b and leaves base 1 alone; the mean of K references divides rates by K.

A flow is charged to words: of a plan that keeps one marginal and ignores the other, to the word on the kept side
(precision: hypothesis, recall: reference); of any other plan half to either end. So all words together give
value − base − terms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

import numpy as np

from monge.errors import InputError, OptionError
from monge.explain.explanation import Array, ExplainedPair, ExplainedPlan, ExplainedText, Explanation, Word
from monge.explain.words import WordGroups, group_words
from monge.metrics.protocols import Metric
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.transport.readout import READOUTS, combine_f
from monge.metrics.transport.wmdo import Wmdo
from monge.scores import Alignment, Score
from monge.text import Segment
from monge.transport import TransportProblem


@dataclass(frozen=True)
class LinearForm:
    """value = base + Σ terms + Σ rates[k] · transport cost of alignment k."""

    base: float
    rates: tuple[float, ...]
    terms: Mapping[str, float] = field(default_factory=dict)


def explain_segments(metric: Metric, segments: Sequence[Segment]) -> list[Explanation]:
    """Score segments and take every score apart; the words' contributions sum to the score exactly.

    >>> from monge.encoders.static.hashed import HashedEncoder
    >>> from monge.metrics import load_metric
    >>> metric = load_metric("emd", encoder=HashedEncoder())
    >>> explanation = explain_segments(metric, [Segment("a red boat", ("a blue boat",))])[0]
    >>> bool(abs(explanation.total - explanation.value) < 1e-12)
    True
    """
    scores = _score_with_alignments(metric, segments)
    return [explain_score(metric, score) for score in scores]


def explain_score(metric: Metric, score: Score) -> Explanation:
    """Take one score with its alignments apart; a score that is missing (NaN) cannot be."""
    if not math.isfinite(score.value):
        why = "; ".join(score.notes) or "it is not a number"
        raise InputError(f"{metric.spec.name} gives this text no score, so there is nothing to explain ({why})")
    form = linearise(metric, score)
    pairs = _pairs_by_reference(score, form.rates)
    return Explanation(
        metric=metric.spec.name,
        signature=str(metric.signature),
        value=score.value,
        higher_is_better=metric.spec.higher_is_better,
        base=form.base,
        terms=dict(form.terms),
        pairs=tuple(pairs),
        parts=dict(score.parts),
        notes=score.notes,
    )


def is_explainable(metric: object) -> bool:
    """Whether explain_segments can take this metric apart."""
    return linearise.dispatch(type(metric)) is not linearise.dispatch(object)


@singledispatch
def linearise(metric: Any, score: Score) -> LinearForm:
    """Return the linear form of a score; other packages may register their metrics."""
    raise OptionError(
        f"{metric.spec.name} moves no mass, so it has no alignment to show; explain it by occlusion or shapley"
    )


@linearise.register
def _(metric: TransportMetric, score: Score) -> LinearForm:
    readout = READOUTS[metric.settings.readout]
    count = len(score.alignments) // len(readout.roles)
    rates = np.empty(len(score.alignments))
    for k in range(count):  # alignments are ordered by role, then by reference
        costs = [alignment.plan.transport_cost for alignment in score.alignments[k::count]]
        rates[k::count] = _rates(metric.settings.readout, costs, metric.settings.alpha)
    base = 0.0 if metric.settings.readout == "distance" else 1.0
    if metric.baseline and readout.value in metric.baseline.parts:
        chance = metric.baseline.parts[readout.value]
        base, rates = (base - chance) / (1 - chance), rates / (1 - chance)
    return LinearForm(base, tuple((rates / count).tolist()))


@linearise.register
def _(metric: Wmdo, score: Score) -> LinearForm:
    terms = {
        "word order": metric.delta * score.parts["fragmentation"],
        "unknown words": metric.alpha * score.parts["missing"],
    }
    return LinearForm(0.0, (1.0,), terms)


def _rates(readout: str, costs: Sequence[float], alpha: float) -> tuple[float, ...]:
    if readout == "f":
        return share_f_loss(*costs, alpha=alpha)
    return ({"distance": 1.0, "one_minus": -1.0}.get(readout) or -1.0 / (1.0 + costs[0]),)


def share_f_loss(precision_cost: float, recall_cost: float, *, alpha: float) -> tuple[float, float]:
    """Return the rates of the precision and the recall plan, so that 1 + Σ rate·cost = F.

    >>> rates = share_f_loss(0.2, 0.1, alpha=0.5)
    >>> round(1 + rates[0] * 0.2 + rates[1] * 0.1, 12) == round(2 * 0.8 * 0.9 / 1.7, 12)
    True
    """
    precision, recall = 1 - precision_cost, 1 - recall_cost
    loss = 1 - float(combine_f(np.array([precision]), np.array([recall]), alpha)[0])
    slopes = ((1 - alpha) * recall**2, alpha * precision**2)
    total = slopes[0] * precision_cost + slopes[1] * recall_cost
    if total == 0:  # nothing is lost, or F is flat here: share by cost alone
        slopes, total = (1.0, 1.0), precision_cost + recall_cost
    return (0.0, 0.0) if total == 0 else (-loss * slopes[0] / total, -loss * slopes[1] / total)


def _score_with_alignments(metric: Metric, segments: Sequence[Segment]) -> list[Score]:
    if not is_explainable(metric):
        linearise(metric, Score(math.nan))  # says why not
    fitted = metric if metric.fitted else metric.fit(segments)
    if isinstance(fitted, TransportMetric):
        return fitted.score(segments, keep_alignments=True)
    return fitted.score(segments)


def _pairs_by_reference(score: Score, rates: Sequence[float]) -> list[ExplainedPair]:
    """Group the plans by the reference they belong to (alignments come role by role)."""
    owners: dict[int, list[tuple[Alignment, float]]] = {}
    seen: dict[str, int] = {}
    for alignment, rate in zip(score.alignments, rates, strict=True):
        place = seen.get(alignment.role, 0)
        seen[alignment.role] = place + 1
        owners.setdefault(place, []).append((alignment, rate))
    alone = len(owners) == 1
    return [_explain_pair(score.reference_index if alone else place, plans) for place, plans in owners.items()]


def _explain_pair(reference: int | None, plans: Sequence[tuple[Alignment, float]]) -> ExplainedPair:
    first = plans[0][0]
    left, right = group_words(first.hypothesis), group_words(first.reference)
    explained = tuple(_explain_plan(alignment, rate, left, right) for alignment, rate in plans)
    charged = [_charge(alignment.plan.problem) for alignment, _ in plans]
    rows = sum(plan.contributions.sum(1) * share for plan, (share, _) in zip(explained, charged, strict=True))
    columns = sum(plan.contributions.sum(0) * share for plan, (_, share) in zip(explained, charged, strict=True))
    return ExplainedPair(
        reference,
        _explain_text(first, 0, left, np.asarray(rows)),
        _explain_text(first, 1, right, np.asarray(columns)),
        explained,
    )


def _charge(problem: TransportProblem) -> tuple[float, float]:
    """Return the shares of a plan's flows charged to hypothesis and reference words."""
    if math.isinf(problem.rho_a) and problem.rho_b == 0:
        return 1.0, 0.0
    if problem.rho_a == 0 and math.isinf(problem.rho_b):
        return 0.0, 1.0
    return 0.5, 0.5


def _explain_plan(alignment: Alignment, rate: float, left: WordGroups, right: WordGroups) -> ExplainedPlan:
    problem, coupling = alignment.plan.problem, alignment.plan.coupling
    rows, columns = left.membership.T, right.membership
    mass = rows @ coupling @ columns
    work = rows @ alignment.contributions() @ columns
    plain = (rows @ problem.cost @ columns) / np.outer(rows.sum(1), columns.sum(0))
    cost = np.divide(work, mass, out=plain, where=mass > 1e-12)
    return ExplainedPlan(alignment.role, mass, cost, rate * work)


def _explain_text(alignment: Alignment, axis: int, groups: WordGroups, contributions: Array) -> ExplainedText:
    cloud = (alignment.hypothesis, alignment.reference)[axis]
    problem = alignment.plan.problem
    masses = groups.membership.T @ cloud.weights
    relaxed = alignment.role == "transport" and not math.isinf((problem.rho_a, problem.rho_b)[axis])
    moved = groups.membership.T @ alignment.plan.coupling.sum(1 - axis)
    unmoved = masses - moved if relaxed else np.zeros(len(groups))
    words = [
        Word(name, start, end, float(mass), float(contribution), float(left))
        for name, (start, end), mass, contribution, left in zip(
            groups.names, groups.spans, masses, contributions, unmoved, strict=True
        )
    ]
    return ExplainedText(cloud.text, tuple(words))
