"""Scoring judged outputs: every metric on every part of a data set, from the journal where it has the scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from monge.engine.executors import INLINE, ExecutorChoice
from monge.engine.job import score_works
from monge.engine.journal import open_journal
from monge.engine.recipes import Work
from monge.engine.spool import spool_segments
from monge.environment import Environment
from monge.meta.data import JudgedSet, tabulate
from monge.meta.judged import JudgedScores
from monge.meta.tasks import make_tasks
from monge.metrics.base import sign_scores
from monge.metrics.variants import MetricVariant
from monge.scores import Score, ScoreTable
from monge.text import Segment

ReportStep = Callable[[str, int, int], None]
"""Called with what is being done, how many scored sets are done and how many there will be."""


def score_sets(
    variants: Sequence[MetricVariant],
    sets: Sequence[JudgedSet],
    *,
    environment: Environment,
    report_step: ReportStep | None = None,
    executor: ExecutorChoice = INLINE,
) -> list[list[ScoreTable]]:
    """Return, for every set, the scores of every metric in order; only what the journal lacks is computed.

    Corpus statistics (idf) are those of the set. What was judged is what is scored: to a metric whose unit is the
    document, every judged output is a document. Texts are encoded once for all metrics. *executor* runs the chunks
    (default: in this process).
    """
    if not variants:  # judgments without texts can be compared with scores that exist already
        return [[] for _ in sets]
    journal = open_journal(environment)
    works = [Work(variant.label, variant.load(environment), variant) for variant in variants]
    report = report_step or (lambda what, done, total: None)
    total = len(sets) * len(variants)
    found = []
    with executor.open(environment) as runner:
        for number, judged in enumerate(sets):
            segments = judged.judged_segments()
            spool = spool_segments(segments)
            done = number * len(variants)
            report(f"corpus statistics of {judged.name}", done, total)
            bound = [work.rebound(runner.bind(work, spool)) for work in works]

            def show(scored: int, name: str = judged.name, size: int = len(segments), before: int = done) -> None:
                report(f"{name}, {scored} of {size} outputs", before + len(variants) * scored // size, total)

            show(0)
            scores = score_works(bound, spool, journal=journal, executor=runner, report_chunk=show)
            found.append([tabulate_judged(work, segments, own) for work, own in zip(bound, scores, strict=True)])
    report("done", total, total)
    return found


def make_scored_tasks(
    variants: Sequence[MetricVariant],
    sets: Sequence[JudgedSet],
    *,
    level: str,
    environment: Environment,
    report_step: ReportStep | None = None,
    executor: ExecutorChoice = INLINE,
) -> list[JudgedScores]:
    """Return the tasks of a study: every metric beside the judgments of every set."""
    scores = score_sets(variants, sets, environment=environment, report_step=report_step, executor=executor)
    named = [{table.name: table for table in tables} for tables in scores]
    return make_tasks(list(zip(sets, named, strict=True)), level=level)


def tabulate_judged(work: Work, segments: Sequence[Segment], scores: Sequence[Score]) -> ScoreTable:
    """Return the scores of judged outputs by a bound metric; totals are each system's own aggregate (BLEU …)."""
    metric, label = work.metric, work.label
    keys = [(segment.system, segment.id) for segment in segments]
    signature = str(sign_scores(metric, segments))
    table = tabulate(keys, [score.value for score in scores], signature=signature, place=label)
    by_system: dict[str, list[int]] = {}
    for i, segment in enumerate(segments):
        by_system.setdefault(segment.system, []).append(i)
    totals = {
        system: metric.aggregate([segments[i] for i in own], [scores[i] for i in own])
        for system, own in by_system.items()
    }
    return replace(table, name=label, totals=totals, higher_is_better=metric.spec.higher_is_better)
