"""The segments that a metric likes least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

from monge.engine.job import JobOptions, score_job
from monge.engine.journal import open_journal
from monge.engine.spool import spool_segments
from monge.engine.system_scores import SystemScores
from monge.environment import Environment
from monge.errors import InputError
from monge.explanation import Explanation, LocalExplanation
from monge.metrics.variants import MetricVariant
from monge.text import Segment
from monge.workflows.explain import ExplainedSegment
from monge.workflows.inputs import TextFiles
from monge.workflows.instances import InstanceExplainer


@dataclass(frozen=True, eq=False)
class WorstSegment:
    """A segment with its place (from 0) and its score; ``explanation`` is None if the score cannot be explained."""

    place: int
    segment: Segment
    value: float
    explanation: Explanation | LocalExplanation | None = None


def find_worst(result: SystemScores, count: int) -> list[WorstSegment]:
    """Return the *count* segments with the worst scores of one metric, the worst first; missing scores are left out."""
    direction = 1.0 if result.higher_is_better else -1.0
    values = (
        (direction * score.value, place) for place, score in enumerate(result.scores) if score.value == score.value
    )
    worst = nsmallest(count, values)
    return [WorstSegment(place, result.segments[place], direction * value) for value, place in worst]


def explain_worst(
    results: Sequence[SystemScores], variant: MetricVariant, count: int, *, environment: Environment | None = None
) -> dict[str, list[WorstSegment]]:
    """Return the worst segments of every system by one metric, explained; *results* are those of that metric."""
    systems = {result.system: result.segments for result in results}
    explain = InstanceExplainer(variant.label, variant.load(environment), systems)
    return {
        result.system: [
            WorstSegment(one.place, one.segment, one.value, explain(result.system, one.segment))
            for one in find_worst(result, count)
        ]
        for result in results
    }


def choose_worst(
    files: TextFiles, variant: MetricVariant, count: int, *, environment: Environment | None = None
) -> tuple[ExplainedSegment, ...]:
    """Return the *count* segments of every system that a metric scores worst, ready to be explained.

    Raises InputError if no segment has a score.
    """
    around = environment or Environment.read()
    systems = files.read().by_system()
    spools = [spool_segments(segments, name) for name, segments in systems.items()]
    metrics = [(variant.label, variant.load(around))]
    results = score_job(metrics, spools, journal=open_journal(around), options=JobOptions())
    chosen = [
        ExplainedSegment(systems[result.system][one.place], systems[result.system])
        for result in results
        for one in find_worst(result, count)
    ]
    if not chosen:
        raise InputError(f"{variant.label} has no score for any of these texts, so there is nothing to explain")
    return tuple(chosen)
