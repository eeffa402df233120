"""What the service does, without HTTP: a request becomes tasks for the worker, their results become an answer."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from monge.compare import CompareSettings, combine_metrics
from monge.compare.wording import listed
from monge.engine.scoring import count_notes
from monge.errors import MongeError
from monge.explain import ExplainedPair, explain_occlusion, explain_score, is_explainable, occlusion_variants
from monge.metrics import Metric, MetricSpec, metric_options
from monge.metrics.base import check_needs
from monge.metrics.transport.settings import CHOICES
from monge.report.alignment.heatmap import render_heatmap
from monge.report.alignment.ribbons import render_ribbons
from monge.report.alignment.word_effects import render_effects
from monge.scores import Score
from monge.service import messages as m
from monge.service.limits import check_compare, check_explain, check_score, check_words, pace_of
from monge.service.pool import MetricPool
from monge.service.settings import ServiceSettings, unusable
from monge.service.worker import SharedCorpus, Task, TaskResult
from monge.text import Segment
from monge.version import __version__
from monge.workflows.compare import compare_scored

MOST_CELLS = 20_000  # of a heat map; a page with more is slow
NARROW = 360.0  # pixels across, for pictures on a phone


def plan_score(request: m.ScoreRequest, pool: MetricPool, settings: ServiceSettings) -> list[Task]:
    """Return a task a metric."""
    check_score(request, settings)
    segments = [_segment(text, i) for i, text in enumerate(request.segments)]
    return [_task(choice, f"metrics[{i}]", segments, pool) for i, choice in enumerate(request.metrics)]


def answer_score(results: Sequence[TaskResult], tasks: Sequence[Task]) -> m.ScoreAnswer:
    """Return the scores of every metric."""
    return m.ScoreAnswer(
        results=[
            m.MetricScores(
                metric=result.metric.spec.name,
                score=_number(result.metric.aggregate(task.segments, result.scores)),
                higher_is_better=result.metric.spec.higher_is_better,
                segments=[_score(score) for score in result.scores],
                notes=list(result.notes),
                signature=str(result.metric.signature),
            )
            for result, task in zip(results, tasks, strict=True)
        ]
    )


def plan_explain(request: m.ExplainRequest, pool: MetricPool, settings: ServiceSettings) -> list[Task]:
    """Return the one task: the segment with its alignments, or the segment without each of its words in turn."""
    check_explain(request, settings)
    metric = pool.load(request.metric.name, request.metric.options)
    segment = _segment(request.segment, 0)
    _check_needs(metric, [segment], "metric")
    check_words(metric, [segment], "metric")
    if is_explainable(metric):
        return [Task(metric, [segment], alignments=True)]
    try:
        return [Task(metric, occlusion_variants(segment), pace=pace_of(metric))]
    except MongeError as error:
        raise unusable(str(error), "segment.hypothesis") from error


def answer_explain(request: m.ExplainRequest, results: Sequence[TaskResult]) -> m.ExplainAnswer:
    """Return the explanation and its pictures."""
    result = results[0]
    if is_explainable(result.metric):
        return _answer_additive(request, result)
    values = [score.value for score in result.scores]
    found = explain_occlusion(result.metric, _segment(request.segment, 0), values)
    width = {"width": NARROW} if request.columns else {}
    pictures = [m.Picture(ribbons=render_effects(found, **width))] if request.pictures else []
    return m.ExplainAnswer(kind="occlusion", explanation=found.record(), pictures=pictures)


def _answer_additive(request: m.ExplainRequest, result: TaskResult) -> m.ExplainAnswer:
    explanation = explain_score(result.metric, result.scores[0])
    record = explanation.record()
    record["notes"] = [*result.notes, *explanation.notes]
    pictures = [
        m.Picture(
            ribbons=render_ribbons(explanation, pair=i, columns=request.columns, frame=False),
            heatmap=render_heatmap(explanation, pair=i, frame=False) if _has_room(pair) else "",
        )
        for i, pair in enumerate(explanation.pairs if request.pictures else ())
    ]
    return m.ExplainAnswer(kind="additive", explanation=record, pictures=pictures)


def _has_room(pair: ExplainedPair) -> bool:
    return len(pair.hypothesis.words) * len(pair.reference.words) <= MOST_CELLS


def plan_compare(request: m.CompareRequest, pool: MetricPool, settings: ServiceSettings) -> list[Task]:
    """Return a task a metric and system, metric by metric."""
    check_compare(request, settings)
    if len({choice.name for choice in request.metrics}) < len(request.metrics):
        raise unusable("a metric is named twice", "metrics")
    systems = [_segments(request, name, lines) for name, lines in request.systems.items()]
    everything = SharedCorpus([segment for segments in systems for segment in segments])
    return [
        _task(choice, f"metrics[{i}]", segments, pool, shared=everything)
        for i, choice in enumerate(request.metrics)
        for segments in systems
    ]


@dataclass(frozen=True, eq=False)
class _ScoredSystem:
    """A system's part of the results, as comparisons want it."""

    system: str
    signature: str
    segments: Sequence[Segment]
    scores: Sequence[Score]
    notes: Counter[str]

    def __len__(self) -> int:
        return len(self.scores)


def answer_compare(
    request: m.CompareRequest, tasks: Sequence[Task], results: Sequence[TaskResult], *, tell: Callable[[str], None]
) -> m.CompareAnswer:
    """Return the comparisons, what they say together, and the report; *tell* hears of every step."""
    from monge.report.compare.text import agreement_sentences, comparison_html, comparison_record, explain_all

    count = len(request.systems)
    comparisons = {}
    for i, choice in enumerate(request.metrics):
        own = slice(i * count, (i + 1) * count)
        scored = [_scored(*pair) for pair in zip(tasks[own], results[own], strict=True)]
        comparisons[choice.name] = compare_scored(
            results[own][0].metric, scored, settings=CompareSettings(), report_step=tell
        )
    agreement = combine_metrics(comparisons) if len(comparisons) > 1 else None
    explained = explain_all(comparisons)
    tell("writing the report")
    title = f"Comparison of {listed(next(iter(comparisons.values())).order)}"
    return m.CompareAnswer(
        comparisons={name: comparison_record(*pair) for name, pair in explained.items()},
        verdicts=agreement_sentences(agreement, limit=len(agreement.verdicts)) if agreement else [],
        report=comparison_html(explained, agreement, title=title) if request.report else "",
    )


def _scored(task: Task, result: TaskResult) -> _ScoredSystem:
    notes = count_notes(result.scores)
    for note in result.notes:
        notes[note] = len(result.scores)
    signature = str(result.metric.signature)
    return _ScoredSystem(task.segments[0].system, signature, task.segments, result.scores, notes)


def answer_metrics(pool: MetricPool, settings: ServiceSettings) -> m.MetricsAnswer:
    """Return what may be asked for."""
    offered = pool.encoders()
    limits = (
        "body_bytes",
        "text_characters",
        "total_characters",
        "segments",
        "references",
        "metrics",
        "systems",
        "seconds",
    )
    return m.MetricsAnswer(
        version=__version__,
        metrics=[_card(spec, options, offered) for spec, options in pool.metrics()],
        encoders=offered,
        limits={name: getattr(settings, name) for name in limits},
    )


def _card(spec: MetricSpec, options: dict[str, inspect.Parameter], offered: Sequence[str]) -> m.MetricCard:
    encoder = metric_options(spec.name).get("encoder")
    default = None if encoder is None else str(encoder.default)
    return m.MetricCard(
        name=spec.name,
        family=spec.family,
        summary=spec.summary,
        needs=list(spec.needs),
        bounds=[None if math.isinf(bound) else bound for bound in spec.bounds],
        higher_is_better=spec.higher_is_better,
        symmetric=spec.symmetric,
        citation=spec.citation,
        encoder=default,
        available=default is None or bool(offered),
        alignment=spec.family == "transport",
        options=[
            m.MetricOption(name=name, default=_default(parameter.default), choices=list(CHOICES.get(name, ())))
            for name, parameter in options.items()
        ],
    )


def _default(value: object) -> m.OptionValue | None:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, bool | int | float | str) else None


def _task(
    choice: m.MetricChoice,
    field: str,
    segments: Sequence[Segment],
    pool: MetricPool,
    shared: SharedCorpus | None = None,
) -> Task:
    metric = pool.load(choice.name, choice.options, field)
    _check_needs(metric, segments, field)
    check_words(metric, segments, field)
    return Task(metric, segments, shared=shared, pace=pace_of(metric))


def _check_needs(metric: Metric, segments: Sequence[Segment], field: str) -> None:
    try:
        check_needs(metric.spec, segments)
    except MongeError as error:
        raise unusable(str(error), field) from error


def _segment(text: m.SegmentText, place: int) -> Segment:
    return Segment(text.hypothesis, tuple(text.references), text.source, id=str(place + 1))


def _segments(request: m.CompareRequest, system: str, lines: Sequence[str]) -> list[Segment]:
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
        value=_number(score.value), parts=parts, reference=score.reference_index, notes=list(score.notes)
    )


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
