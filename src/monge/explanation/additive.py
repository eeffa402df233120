"""Explanations that add up: what every word and every flow of a transport metric contributes to the score.

A transport plan (coupling) P says how much mass flows from each hypothesis word i to each reference word j; C is the
cost per unit of mass. An ``Aligning`` metric writes its score exactly as
``value = base + Σ terms + Σ_k rate_k · <C_k, P_k>``, summed over its plans k, so the flow from i to j contributes
``rate · C_ij · P_ij``. Contributions of flows are assigned to words. If a plan keeps one marginal and ignores the
other, a flow belongs to the word on the kept side (precision: hypothesis, recall: reference); otherwise half of it
belongs to each end. The contributions of all words therefore sum to value − base − terms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from monge.errors import InputError, OptionError
from monge.explanation.result import Array, ExplainedPair, ExplainedPlan, ExplainedText, Explanation, Word
from monge.explanation.words import WordGroups, group_words
from monge.metrics.base import bind_to, sign_scores
from monge.metrics.protocols import Aligning, Metric
from monge.scores import Alignment, Score
from monge.text import Segment
from monge.transport import TransportProblem


def explain_segments(metric: Metric, segments: Sequence[Segment]) -> list[Explanation]:
    """Score segments and return one explanation per segment; its contributions sum to the score exactly.

    Corpus statistics that are missing are bound to *segments*. Raises OptionError if the metric is not ``Aligning``,
    and InputError if a segment has no score.

    >>> from monge.encoders.static.hashed import HashedEncoder
    >>> from monge.metrics import load_metric
    >>> metric = load_metric("emd", encoder=HashedEncoder())
    >>> explanation = explain_segments(metric, [Segment("a red boat", ("a blue boat",))])[0]
    >>> bool(abs(explanation.total - explanation.value) < 1e-12)
    True
    """
    require_aligning(metric)
    bound = bind_to(metric, segments)
    scores = require_aligning(bound).score_with_alignments(segments)
    return [explain_score(bound, segment, score) for segment, score in zip(segments, scores, strict=True)]


def explain_score(metric: Metric, segment: Segment, score: Score) -> Explanation:
    """Return the explanation of the score of *segment*, which must carry its alignments.

    Raises OptionError if the metric is not ``Aligning``, and InputError if the score is missing (NaN).
    """
    if not math.isfinite(score.value):
        why = "; ".join(score.notes) or "it is not a number"
        raise InputError(f"{metric.spec.name} has no score for this text, so there is nothing to explain ({why})")
    form = require_aligning(metric).linear_form(score)
    pairs = _pairs_by_reference(score, form.rates)
    alone = "source" in metric.spec.needs and "references" not in metric.spec.needs
    if alone or (segment.source is not None and segment.source not in segment.references):
        pairs = [replace(p, against="source") if alone or p.reference.text == segment.source else p for p in pairs]
    return Explanation(
        metric=metric.spec.name,
        signature=str(sign_scores(metric, [segment])),
        value=score.value,
        higher_is_better=metric.spec.higher_is_better,
        base=form.base,
        terms=dict(form.terms),
        pairs=tuple(pairs),
        parts=dict(score.parts),
        notes=score.notes,
    )


def require_aligning(metric: Metric) -> Aligning:
    """Return *metric* as an ``Aligning`` one; raises OptionError if it is not."""
    if not isinstance(metric, Aligning):
        raise OptionError(
            f"{metric.spec.name} moves no mass, so it has no alignment to show; explain it by occlusion or shapley"
        )
    return metric


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
    rows = sum(plan.contributions.sum(1) * plan.charged[0] for plan in explained)
    columns = sum(plan.contributions.sum(0) * plan.charged[1] for plan in explained)
    return ExplainedPair(
        reference,
        _explain_text(first, 0, left, np.asarray(rows)),
        _explain_text(first, 1, right, np.asarray(columns)),
        explained,
    )


def _charge(problem: TransportProblem) -> tuple[float, float]:
    """Return which shares of a plan's flows belong to hypothesis words and to reference words."""
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
    return ExplainedPlan(alignment.role, mass, cost, rate * work, _charge(problem))


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
