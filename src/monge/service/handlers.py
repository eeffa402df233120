"""What the service does, without HTTP: a request becomes tasks for the workers, their outcomes become an answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from monge.clouds import MARKED_SHARE
from monge.comparison import CompareSettings, Comparison
from monge.comparison.wording import listed
from monge.engine.records import count_notes
from monge.engine.system_scores import SystemScores
from monge.errors import MongeError
from monge.explanation import (
    ExplainedPair,
    describe_foci,
    describe_loss,
    explain_document,
    explain_occlusion,
    explain_score,
    is_explained_by_foci,
    occlusion_variants,
)
from monge.metrics import Metric, find_spec
from monge.metrics.base import check_needs, sign_scores
from monge.metrics.baseline import find_scale
from monge.metrics.languages import MULTILINGUAL, choose_encoders, describe_mismatch, sample_sources, sample_texts
from monge.metrics.protocols import Aligning
from monge.metrics.variants import MetricVariant
from monge.report.alignment.heatmap import render_heatmap
from monge.report.alignment.ribbons import render_ribbons
from monge.report.alignment.word_effects import render_effects
from monge.report.documents.picture import render_document
from monge.scores import Score
from monge.service import messages as m
from monge.service.limits import check_compare, check_explain, check_score, check_words, pace_of
from monge.service.log import log
from monge.service.pool import MetricPool
from monge.service.settings import RefusalError, ServiceSettings, unusable
from monge.service.worker import Outcome, Planned, SharedCorpus, Task, TaskResult
from monge.text import Segment
from monge.workflows.compare import compare_scored, gather_comparisons
from monge.workflows.instances import show_instances

T = TypeVar("T")

MOST_CELLS = 20_000  # of a heat map or a list of costs; a page with more is slow


def plan_score(request: m.ScoreBody, pool: MetricPool, settings: ServiceSettings) -> list[Planned]:
    """Return one task per metric."""
    check_score(request, settings)
    segments = [_segment(text, i) for i, text in enumerate(request.segments)]
    return [_task(choice, f"metrics[{i}]", segments, pool) for i, choice in enumerate(request.metrics)]


def answer_score(request: m.ScoreBody, outcomes: Sequence[Outcome]) -> m.ScoreAnswer:
    """Return the scores of every metric; one that failed has an error instead, unless all failed."""
    pairs = zip(request.metrics, outcomes, strict=True)
    attempts = [_attempt(partial(_result, choice, outcome)) for choice, outcome in pairs]
    _raise_if_all_failed(attempts)
    return m.ScoreAnswer(
        results=[
            _failed_result(choice, made) if isinstance(made, Exception) else made
            for choice, made in zip(request.metrics, attempts, strict=True)
        ]
    )


def _result(choice: m.MetricChoice, outcome: Outcome) -> m.MetricResult:
    result = _succeeded(outcome)
    declared = str(choice.options.get("language", ""))
    mismatch = describe_mismatch(
        [result.metric], sample_texts(result.segments), sources=sample_sources(result.segments), declared=declared
    )
    return m.MetricResult(
        metric=choice.label,
        score=_number(result.metric.aggregate(result.segments, result.scores)),
        higher_is_better=result.metric.spec.higher_is_better,
        segments=[_score(score) for score in result.scores],
        notes=[*result.notes, *result.metric.binding_notes, *([mismatch] if mismatch else [])],
        scale=_scale(result.metric),
        signature=str(sign_scores(result.metric, result.segments)),
    )


def _failed_result(choice: m.MetricChoice, error: Exception) -> m.MetricResult:
    return m.MetricResult(
        metric=choice.label,
        score=None,
        higher_is_better=find_spec(choice.name).higher_is_better,
        segments=[],
        signature="",
        error=_describe_failure(choice.label, error),
    )


def plan_explain(request: m.ExplainBody, pool: MetricPool, settings: ServiceSettings) -> list[Planned]:
    """Return one task: the segment with its alignments, or the segment without each of its words in turn."""
    check_explain(request, settings)
    segment = _segment(request.segment, 0)
    options, notes = _fit_options(request.metric, [segment], pool)
    metric = pool.load(request.metric.name, options)
    _check_needs(metric, [segment], "metric")
    check_words(metric, [segment], "metric")
    if isinstance(metric, Aligning):
        return [Task(metric, [segment], alignments=True, notes=notes)]
    if is_explained_by_foci(metric):
        return [Task(metric, [segment], notes=notes)]
    try:
        return [Task(metric, occlusion_variants(segment), pace=pace_of(metric), notes=notes)]
    except MongeError as error:
        raise unusable(str(error), "segment.hypothesis") from error


def answer_explain(request: m.ExplainBody, outcomes: Sequence[Outcome]) -> m.ExplainAnswer:
    """Return the explanation and its pictures."""
    result = _succeeded(outcomes[0])
    if isinstance(result.metric, Aligning):
        return _answer_additive(request, result)
    if is_explained_by_foci(result.metric):
        return _answer_document(request, result)
    values = [score.value for score in result.scores]
    found = explain_occlusion(result.metric, _segment(request.segment, 0), values)
    notes = (*result.notes, *result.metric.binding_notes, *found.notes)
    found = replace(found, metric=request.metric.label, notes=notes)
    pictures = [m.PairPictures(ribbons=render_effects(found, width=request.width))] if request.pictures else []
    return m.ExplainAnswer(
        kind="occlusion",
        sentence=describe_loss(found),
        explanation=found.record(),
        scale=_scale(result.metric),
        pictures=pictures,
    )


def _answer_additive(request: m.ExplainBody, result: TaskResult) -> m.ExplainAnswer:
    explanation = explain_score(result.metric, result.segments[0], result.scores[0])
    notes = (*result.notes, *result.metric.binding_notes, *explanation.notes)
    explanation = replace(explanation, metric=request.metric.label, notes=notes)
    record = explanation.record(costs=all(map(_has_room, explanation.pairs)))
    pictures = [
        m.PairPictures(
            ribbons=render_ribbons(explanation, pair=i, columns=False, width=request.width, frame=False),
            columns=render_ribbons(explanation, pair=i, columns=True, frame=False) if _has_room(pair) else "",
            heatmap=render_heatmap(explanation, pair=i, frame=False) if _has_room(pair) else "",
        )
        for i, pair in enumerate(explanation.pairs if request.pictures else ())
    ]
    return m.ExplainAnswer(
        kind="additive",
        sentence=describe_loss(explanation),
        explanation=record,
        scale=_scale(result.metric),
        pictures=pictures,
    )


def _answer_document(request: m.ExplainBody, result: TaskResult) -> m.ExplainAnswer:
    found = replace(explain_document(result.metric, result.segments[0]), metric=request.metric.label)
    pictures = [
        m.PairPictures(ribbons=render_document(found, pair=i, frame=False, width=request.width))
        for i in range(len(found.pairs) if request.pictures else 0)
    ]
    return m.ExplainAnswer(
        kind="document", sentence=describe_foci(found), explanation=found.record(), pictures=pictures
    )


def _has_room(pair: ExplainedPair) -> bool:
    return len(pair.hypothesis.words) * len(pair.reference.words) <= MOST_CELLS


def plan_compare(request: m.CompareBody, pool: MetricPool, settings: ServiceSettings) -> list[Planned]:
    """Return one task per metric and system, metric by metric."""
    check_compare(request, settings)
    if len({choice.label for choice in request.metrics}) < len(request.metrics):
        raise unusable("a metric is named twice", "metrics")
    systems = [_segments(request, name, lines) for name, lines in request.systems.items()]
    everything = SharedCorpus([segment for segments in systems for segment in segments])
    return [
        _task(choice, f"metrics[{i}]", segments, pool, shared=everything)
        for i, choice in enumerate(request.metrics)
        for segments in systems
    ]


def answer_compare(
    request: m.CompareBody, outcomes: Sequence[Outcome], *, report_step: Callable[[str], None]
) -> m.CompareAnswer:
    """Return one comparison per metric, their verdicts and the report; *report_step* is called before each step.

    A metric that failed is left out and its error returned, unless all failed.
    """
    from monge.report.compare.text import agreement_sentences, comparison_html, comparison_record, explain_all

    count = len(request.systems)
    attempts: dict[str, Comparison | Exception] = {}
    for i, choice in enumerate(request.metrics):
        report_step(f"comparing by {choice.label}")
        own = outcomes[i * count : (i + 1) * count]
        attempts[choice.label] = _attempt(partial(_compare, choice.label, own, report_step))
    _raise_if_all_failed(attempts.values())
    comparisons = {name: made for name, made in attempts.items() if not isinstance(made, Exception)}
    agreement = gather_comparisons(comparisons).agreement
    explained = explain_all(comparisons)
    report_step("writing the report")
    segments = {name: _segments(request, name, lines) for name, lines in request.systems.items()}
    shown = {name: show_instances(made, segments, count=request.show) for name, made in comparisons.items()}
    title = f"Comparison of {listed(next(iter(comparisons.values())).order)}"
    return m.CompareAnswer(
        comparisons={name: comparison_record(*pair) for name, pair in explained.items()},
        errors={name: _describe_failure(name, made) for name, made in attempts.items() if isinstance(made, Exception)},
        verdicts=agreement_sentences(agreement, limit=len(agreement.verdicts)) if agreement else [],
        instances={name: [pair.record() for pair in pairs] for name, pairs in shown.items()},
        report=comparison_html(explained, agreement, shown, title=title, drill=True) if request.report else "",
    )


def _compare(label: str, outcomes: Sequence[Outcome], report_step: Callable[[str], None]) -> Comparison:
    results = [_succeeded(outcome) for outcome in outcomes]
    scored = [_scored(label, result) for result in results]
    return compare_scored(results[0].metric, scored, settings=CompareSettings(), report_step=report_step)


def _scored(label: str, result: TaskResult) -> SystemScores:
    metric, notes = result.metric, count_notes(result.scores)
    notes.update(dict.fromkeys((*result.notes, *metric.binding_notes), len(result.scores)))
    return SystemScores(
        result.segments[0].system,
        label,
        metric.aggregate(result.segments, result.scores),
        str(sign_scores(metric, result.segments)),
        metric.spec.higher_is_better,
        result.segments,
        result.scores,
        notes,
        scale=find_scale(metric),
    )


def _attempt(make: Callable[[], T]) -> T | Exception:
    """Return what is made, or the error: one failing metric must not lose the results of the others."""
    try:
        return make()
    except Exception as error:
        return error


def _succeeded(outcome: Outcome) -> TaskResult:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _raise_if_all_failed(attempts: Iterable[object]) -> None:
    errors = []
    for made in attempts:
        if not isinstance(made, Exception):
            return
        errors.append(made)
    raise errors[0]


def _describe_failure(name: str, error: Exception) -> str:
    """Return one sentence for the client; an unexpected error goes to the log, without its message."""
    if isinstance(error, MongeError):
        return str(error)
    log.error("a metric failed", exc_info=error, extra={"record": {"metric": name}})
    return f"{name} failed on this request; see the log of the service"


def _task(
    choice: m.MetricChoice,
    field: str,
    segments: Sequence[Segment],
    pool: MetricPool,
    shared: SharedCorpus | None = None,
) -> Planned:
    """Return the task, or why the service cannot offer the metric now; a mistake in the request is raised."""
    options, notes = _fit_options(choice, segments if shared is None else shared.segments, pool)
    try:
        metric = pool.load(choice.name, options, field)
    except RefusalError as error:
        if error.status < 500:
            raise
        return error
    _check_needs(metric, segments, field)
    check_words(metric, segments, field)
    return Task(metric, segments, shared=shared, pace=pace_of(metric), notes=notes)


def _fit_options(
    choice: m.MetricChoice, segments: Sequence[Segment], pool: MetricPool
) -> tuple[dict[str, m.OptionValue], tuple[str, ...]]:
    """Return options and notes: the multilingual encoder where the texts' language asks for it and it is offered."""
    given = dict(choice.options)
    if MULTILINGUAL not in pool.encoders():
        return given, ()
    variant = MetricVariant(choice.label, choice.name, given)
    try:
        (fitted,) = choose_encoders([variant], sample_texts(segments), declared=str(given.get("language", "")))
    except MongeError:  # an unknown metric or language, which the pool refuses with the right field
        return given, ()
    return dict(fitted.options), fitted.notes


def _check_needs(metric: Metric, segments: Sequence[Segment], field: str) -> None:
    try:
        check_needs(metric.spec, segments)
    except MongeError as error:
        raise unusable(str(error), field) from error


def _segment(text: m.SegmentText, place: int) -> Segment:
    return Segment(text.hypothesis, tuple(text.references), text.source, id=str(place + 1))


def _segments(request: m.CompareBody, system: str, lines: Sequence[str]) -> list[Segment]:
    sources = request.sources
    return [
        Segment(
            line,
            tuple(reference[i] for reference in request.references),
            None if sources is None else sources[i],
            id=str(i + 1),
            system=system,
        )
        for i, line in enumerate(lines)
    ]


def _score(score: Score) -> m.SegmentScore:
    parts = {name: _number(value) for name, value in score.parts.items()}
    return m.SegmentScore(
        value=_number(score.value),
        parts=parts,
        reference=score.reference_index,
        notes=list(score.notes),
        unknown=score.unknown,
        marked=score.unknown > MARKED_SHARE,
    )


def _scale(metric: Metric) -> dict[str, float] | None:
    scale = find_scale(metric)
    return None if scale is None else scale.record()


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
