"""Scoring judged outputs: every metric on every part of a data set, keeping what was computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from monge.encoders import Encoder, parse_layers
from monge.environment import Environment
from monge.meta.data import JudgedSet, tabulate
from monge.meta.judged import JudgedScores
from monge.meta.tasks import make_tasks
from monge.metrics import Metric
from monge.metrics.base import mean_of_known
from monge.metrics.composite import EnsembleMetric
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.variants import MetricVariant
from monge.scores import ScoreTable

_TEXTS_AT_ONCE = 500

ReportStep = Callable[[str, int, int], None]
"""Called with what is being done, how many scored sets are done and how many there will be."""


class ScoreKeeper(Protocol):
    """Where scores are kept between runs; what other code or another signature made must not come back."""

    def load(self, variant: MetricVariant, judged: JudgedSet) -> ScoreTable | None:
        """Return the kept scores of a metric on a set, or None."""
        ...

    def save(self, variant: MetricVariant, judged: JudgedSet, scores: ScoreTable) -> None:
        """Keep the scores of a metric on a set."""
        ...


def score_sets(
    variants: Sequence[MetricVariant],
    sets: Sequence[JudgedSet],
    *,
    environment: Environment,
    keeper: ScoreKeeper | None = None,
    report_step: ReportStep | None = None,
) -> list[list[ScoreTable]]:
    """Return, for every set, the scores of every metric in order; only what *keeper* lacks is computed.

    Sets are scored one after the other, so that all metrics share one encoding of their texts.
    """
    kept = [[None if keeper is None else keeper.load(variant, judged) for variant in variants] for judged in sets]
    total, done = sum(table is None for own in kept for table in own), 0
    report = report_step or (lambda what, done, total: None)
    metrics: dict[int, Metric] = {}
    found = []
    for judged, own in zip(sets, kept, strict=True):
        missing = [i for i, table in enumerate(own) if table is None]
        metrics |= {i: variants[i].load() for i in missing if i not in metrics}
        if missing:
            report(f"encoding {judged.name}", done, total)
            encode_together([metrics[i] for i in missing], judged, environment)
        tables = []
        for i, (variant, table) in enumerate(zip(variants, own, strict=True)):
            if table is None:
                report(f"{variant.label} on {judged.name}", done, total)
                table = _score_variant(variant, metrics[i], judged, keeper)
                done += 1
            tables.append(table)
        found.append(tables)
    report("done", done, total)
    return found


def make_scored_tasks(
    variants: Sequence[MetricVariant],
    sets: Sequence[JudgedSet],
    *,
    level: str,
    environment: Environment,
    keeper: ScoreKeeper,
    report_step: ReportStep | None = None,
) -> list[JudgedScores]:
    """Return the tasks of a study: every metric beside the judgments of every set."""
    scores = score_sets(variants, sets, environment=environment, keeper=keeper, report_step=report_step)
    named = [{table.name: table for table in tables} for tables in scores]
    return make_tasks(list(zip(sets, named, strict=True)), level=level)


def score_judged_set(metric: Metric, judged: JudgedSet, *, label: str) -> ScoreTable:
    """Score the judged outputs of a set; corpus statistics (idf) are those of the set.

    The totals of the table are each system's own aggregate (corpus BLEU …).
    """
    segments = judged.judged_segments()
    fitted = metric if metric.fitted else metric.fit(segments)
    scores = fitted.score(segments)
    keys = [(segment.system, segment.id) for segment in segments]
    table = tabulate(keys, [score.value for score in scores], signature=str(fitted.signature), place=label)
    by_system: dict[str, list[int]] = {}
    for i, segment in enumerate(segments):
        by_system.setdefault(segment.system, []).append(i)
    totals = {
        system: fitted.aggregate([segments[i] for i in own], [scores[i] for i in own])
        for system, own in by_system.items()
    }
    return replace(table, name=label, totals=totals, higher_is_better=fitted.spec.higher_is_better)


def encode_together(metrics: Sequence[Metric], judged: JudgedSet, environment: Environment) -> None:
    """Encode the texts of a set once with all layers that the metrics read, so that each finds them in the cache."""
    layers: dict[str, set[int]] = {}
    encoders: dict[str, Encoder] = {}
    readers: dict[str, int] = {}
    for metric in (part for whole in metrics for part in _transport_metrics(whole)):
        name = metric.encoder.signature
        encoders.setdefault(name, metric.encoder)
        layers.setdefault(name, set()).update(parse_layers(metric.settings.layers, metric.encoder.layers))
        readers[name] = readers.get(name, 0) + 1
    shared = [name for name in encoders if readers[name] > 1 and len(layers[name]) > 1]
    if not environment.cache or not shared:
        return
    texts = list(dict.fromkeys(t for s in judged.judged_segments() for t in (s.hypothesis, *s.references)))
    for name in shared:
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            encoders[name].encode(texts[start : start + _TEXTS_AT_ONCE], sorted(layers[name]))


def _score_variant(variant: MetricVariant, metric: Metric, judged: JudgedSet, keeper: ScoreKeeper | None) -> ScoreTable:
    """Compute and keep the scores of one metric; members of an ensemble are kept on their own, for other ensembles."""
    if keeper is None:
        return score_judged_set(metric, judged, label=variant.label)
    if isinstance(metric, EnsembleMetric):
        scores = _combine(variant, metric, judged, keeper)
    else:
        scores = score_judged_set(metric, judged, label=variant.label)
    keeper.save(variant, judged, scores)
    return scores


def _combine(variant: MetricVariant, metric: EnsembleMetric, judged: JudgedSet, keeper: ScoreKeeper) -> ScoreTable:
    members = [
        keeper.load(m.variant, judged) or _score_variant(m.variant, m.metric, judged, keeper) for m in metric.members
    ]
    present = np.isfinite(members[0].values)
    values = np.full(present.shape, np.nan)
    values[present] = metric.combine([member.values[present].tolist() for member in members])
    totals = {system: mean_of_known(row.tolist()) for system, row in zip(members[0].systems, values, strict=True)}
    signature = str(metric.signature)
    return replace(
        members[0], values=values, signature=signature, higher_is_better=True, name=variant.label, totals=totals
    )


def _transport_metrics(metric: Metric) -> list[TransportMetric]:
    if isinstance(metric, EnsembleMetric):
        return [part for member in metric.members for part in _transport_metrics(member.metric)]
    return [metric] if isinstance(metric, TransportMetric) else []
