"""Scoring judged outputs: every metric on every part of a data set, from the journal where it has the scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from monge.encoders import Encoder
from monge.engine.executors import is_stored
from monge.engine.job import score_all
from monge.engine.journal import Journal, open_journal
from monge.engine.spool import spool_segments
from monge.environment import Environment
from monge.meta.data import JudgedSet, tabulate
from monge.meta.judged import JudgedScores
from monge.meta.tasks import make_tasks
from monge.metrics.base import bind_to, sign_scores
from monge.metrics.protocols import Encoding, Metric
from monge.metrics.variants import MetricVariant
from monge.scores import ScoreTable
from monge.text import Segment

_TEXTS_AT_ONCE = 500

ReportStep = Callable[[str, int, int], None]
"""Called with what is being done, how many scored sets are done and how many there will be."""


def score_sets(
    variants: Sequence[MetricVariant],
    sets: Sequence[JudgedSet],
    *,
    environment: Environment,
    report_step: ReportStep | None = None,
) -> list[list[ScoreTable]]:
    """Return, for every set, the scores of every metric in order; only what the journal lacks is computed.

    Corpus statistics (idf) are those of the set. What was judged is what is scored: to a metric whose unit is the
    document, every judged output is a document. Sets are scored one after the other, so that all metrics share one
    encoding of their texts.
    """
    if not variants:  # judgments without texts can be compared with scores that exist already
        return [[] for _ in sets]
    journal = open_journal(environment)
    metrics = [variant.load(environment) for variant in variants]
    report = report_step or (lambda what, done, total: None)
    total, done = len(sets) * len(variants), 0
    found = []
    for judged in sets:
        segments = judged.judged_segments()
        spool = spool_segments(segments)
        bound = [bind_to(metric, segments) for metric in metrics]
        missing = [metric for metric in bound if not is_stored(metric, spool, journal)]
        if missing and environment.cache:
            report(f"encoding {judged.name}", done, total)
            encode_together(missing, segments)
        tables = []
        for variant, metric in zip(variants, bound, strict=True):
            report(f"{variant.label} on {judged.name}", done, total)
            tables.append(score_judged(metric, segments, label=variant.label, journal=journal))
            done += 1
        found.append(tables)
    report("done", done, total)
    return found


def make_scored_tasks(
    variants: Sequence[MetricVariant],
    sets: Sequence[JudgedSet],
    *,
    level: str,
    environment: Environment,
    report_step: ReportStep | None = None,
) -> list[JudgedScores]:
    """Return the tasks of a study: every metric beside the judgments of every set."""
    scores = score_sets(variants, sets, environment=environment, report_step=report_step)
    named = [{table.name: table for table in tables} for tables in scores]
    return make_tasks(list(zip(sets, named, strict=True)), level=level)


def score_judged(metric: Metric, segments: Sequence[Segment], *, label: str, journal: Journal) -> ScoreTable:
    """Return the scores that a bound metric gives judged outputs; totals are each system's own aggregate (BLEU …)."""
    scores = score_all(metric, segments, journal=journal)
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


def encode_together(metrics: Sequence[Metric], segments: Sequence[Segment]) -> None:
    """Encode texts once with all layers that the metrics read, so that each metric finds them in the cache."""
    layers: dict[str, set[int]] = {}
    encoders: dict[str, Encoder] = {}
    readers: dict[str, int] = {}
    for encoder, own in (pair for metric in metrics if isinstance(metric, Encoding) for pair in metric.encodings()):
        name = encoder.signature
        encoders.setdefault(name, encoder)
        layers.setdefault(name, set()).update(own)
        readers[name] = readers.get(name, 0) + 1
    shared = [name for name in encoders if readers[name] > 1 and len(layers[name]) > 1]
    if not shared:
        return
    texts = list(dict.fromkeys(text for s in segments for text in (s.hypothesis, *s.references)))
    for name in shared:
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            encoders[name].encode(texts[start : start + _TEXTS_AT_ONCE], sorted(layers[name]))
