"""Scoring judged outputs: metrics by name with their options, over the parts of a data set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from monge.errors import OptionError
from monge.meta.data import JudgedSet, MetricScores, tabulate
from monge.metrics import Metric
from monge.scores import ScoreTable
from monge.text import Segment


def score_judged_set(metric: Metric, judged: JudgedSet, *, label: str) -> MetricScores:
    """Score the judged outputs of a set; corpus statistics (idf) are those of the set.

    Totals are each system's own aggregate (corpus BLEU …).
    """
    segments = judged_segments(judged)
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
    turned = _with_direction(table, fitted.spec.higher_is_better)
    return MetricScores(label, turned, totals, fitted.spec.higher_is_better)


def judged_segments(judged: JudgedSet) -> list[Segment]:
    """Return the segments that have any judgment of their own or of their system; raises where there are no texts."""
    if not judged.segments:
        raise OptionError(f"{judged.name} has judgments but no texts: give scores with --scores")
    wanted: set[tuple[str, str]] = set()
    for table in judged.judgments.values():
        rows, columns = np.nonzero(np.isfinite(table.values))
        wanted |= {(table.systems[s], table.segments[n]) for s, n in zip(rows.tolist(), columns.tolist(), strict=True)}
    systems = {system for totals in judged.totals.values() for system, value in totals.items() if np.isfinite(value)}
    return [s for s in judged.segments if s.system in systems or (s.system, s.id) in wanted]


def sample_inputs(judged: JudgedSet, count: int, *, seed: int = 0) -> JudgedSet:
    """Return a set with the outputs of *count* inputs drawn without replacement (all when there are no more)."""
    tables = judged.judgments.values()
    ids = list(dict.fromkeys([s.id for s in judged.segments] + [name for t in tables for name in t.segments]))
    if count >= len(ids):
        return judged
    chosen = {ids[i] for i in np.random.default_rng(seed).permutation(len(ids))[:count]}
    note = f"a sample of {count} of {len(ids)} inputs (seed {seed})"
    return replace(
        judged,
        segments=tuple(segment for segment in judged.segments if segment.id in chosen),
        judgments={aspect: _keep_columns(table, chosen) for aspect, table in judged.judgments.items()},
        notes=(*judged.notes, note),
    )


def _keep_columns(table: ScoreTable, chosen: set[str]) -> ScoreTable:
    keep = [i for i, segment in enumerate(table.segments) if segment in chosen]
    return replace(table, segments=tuple(table.segments[i] for i in keep), values=table.values[:, keep])


def _with_direction(table: ScoreTable, higher_is_better: bool) -> ScoreTable:
    return replace(table, higher_is_better=higher_is_better)
