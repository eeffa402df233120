"""From scored systems to their comparison: one table a metric, and the corpus score where the metric has one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from monge.compare import (
    CompareSettings,
    Comparison,
    CorpusComparison,
    CorpusSums,
    compare_corpora,
    compare_systems,
)
from monge.errors import InputError
from monge.metrics import Metric
from monge.metrics.protocols import SummableMetric
from monge.scores import Score, ScoreTable
from monge.text import Segment


class ScoredSystem(Protocol):
    """What one metric says of one system; ``notes`` counts the notes of its scores by kind."""

    @property
    def system(self) -> str: ...
    @property
    def signature(self) -> str: ...
    @property
    def segments(self) -> Iterable[Segment]: ...
    @property
    def scores(self) -> Iterable[Score]: ...
    @property
    def notes(self) -> Mapping[str, int]: ...
    def __len__(self) -> int: ...


def compare_scored(
    metric: Metric,
    results: Sequence[ScoredSystem],
    *,
    settings: CompareSettings,
    types: Sequence[str] = (),
    report_step: Callable[[str], None] | None = None,
) -> Comparison:
    """Compare systems by what *metric* says of them, segment by segment (matched by id) and by its corpus score.

    A metric whose corpus score is made of sums (BLEU, chrF, TER) is also tested by resampling them, as sacrebleu does.
    """
    table, places = make_table(metric, results)
    remarks = [
        f"{result.system}: {note} ({count} of {len(result)} segments)"
        for result in results
        for note, count in result.notes.items()
    ]
    corpus = _compare_corpora(metric, results, places, settings)
    return compare_systems(
        table, settings=settings, types=types, corpus=corpus, remarks=remarks, report_step=report_step
    )


def make_table(metric: Metric, results: Sequence[ScoredSystem]) -> tuple[ScoreTable, list[list[int]]]:
    """Return one metric's scores as a table, and where each system holds its segments; all must have the same ids."""
    known = [{segment.id: place for place, segment in enumerate(result.segments)} for result in results]
    ids = tuple(known[0])
    for result, own in zip(results, known, strict=True):
        for name in own.keys() ^ known[0].keys():
            first, second = (results[0], result) if name in known[0] else (result, results[0])
            raise InputError(f"segment {name!r} of system {first.system!r} is missing in system {second.system!r}")
    places = [[own[name] for name in ids] for own in known]
    scores = [np.array([score.value for score in result.scores]) for result in results]
    values = np.stack([row[order] for row, order in zip(scores, places, strict=True)])
    names = tuple(result.system for result in results)
    return ScoreTable(names, ids, values, results[0].signature, metric.spec.higher_is_better), places


def _compare_corpora(
    metric: Metric, results: Sequence[ScoredSystem], places: Sequence[list[int]], settings: CompareSettings
) -> CorpusComparison | None:
    if not isinstance(metric, SummableMetric):
        return None
    scorer: SummableMetric = metric
    rows = [np.array([scorer.sum_statistics([segment]) for segment in result.segments]) for result in results]
    statistics = CorpusSums(
        tuple(result.system for result in results),
        np.stack([row[order] for row, order in zip(rows, places, strict=True)]),
        lambda sums: scorer.score_of_sums(sums.tolist()),
        metric.spec.higher_is_better,
    )
    return compare_corpora(statistics, draws=settings.draws, seed=settings.seed, alpha=settings.alpha)
