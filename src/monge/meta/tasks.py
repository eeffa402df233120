"""From judged sets and metric scores to the tasks of a study: one a part and aspect."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from monge.errors import InputError, OptionError
from monge.meta.data.judged_set import JudgedSet
from monge.meta.data.score_files import MetricScores
from monge.meta.judged import JudgedScores, pair_scores
from monge.scores import ScoreTable
from monge.scores.rows import check_recipes

Scores = Mapping[str, MetricScores]


def make_tasks(sets: Sequence[tuple[JudgedSet, Scores]], *, level: str) -> list[JudgedScores]:
    """Return a task for every aspect of every set, named after what tells them apart."""
    several_sets = len(sets) > 1
    tasks = []
    origins: dict[object, str] = {}
    for judged, scores in sets:
        outputs = tuple((s.system, s.id, s.hypothesis) for s in judged.segments)
        origin = origins.setdefault(outputs or judged.name, f"outputs {len(origins) + 1}")
        for aspect in judged.aspects:
            several_aspects = len(judged.aspects) > 1
            parts = [judged.name] * several_sets + [aspect] * several_aspects
            task = _make_task(judged, aspect, scores, level=level)
            name = " ".join(parts) or judged.name
            tasks.append(replace(task, name=name, notes=(*judged.notes, *task.notes), origin=origin))
    return tasks


def _make_task(judged: JudgedSet, aspect: str, scores: Scores, *, level: str) -> JudgedScores:
    totals = judged.totals.get(aspect)
    human = judged.judgments.get(aspect)
    if totals is not None and level != "system":
        raise OptionError(f"{judged.name}: only whole systems were judged for {aspect}; ask for --level system")
    if human is None:
        first = next(iter(scores.values())).table
        human = ScoreTable(first.systems, first.segments, np.full(first.values.shape, np.nan), f"human:{aspect}")
    own_totals = {m: s.totals for m, s in scores.items() if level == "system" and _is_own_total(s)}
    return pair_scores(
        human,
        {metric: s.table for metric, s in scores.items()},
        name=judged.name,
        documents=judged.documents,
        human_totals=totals,
        metric_totals=own_totals,
    )


def _is_own_total(scores: MetricScores) -> bool:
    """Whether a metric's system scores are more than means of its segment scores (BLEU, chrF …)."""
    if not scores.totals:
        return False
    with np.errstate(invalid="ignore"):
        counts = np.isfinite(scores.table.values).sum(axis=1)
        means = np.nansum(scores.table.values, axis=1) / np.maximum(counts, 1)
    pairs = [(scores.totals.get(s, np.nan), m) for s, m in zip(scores.table.systems, means.tolist(), strict=True)]
    return not all(abs(total - mean) <= 1e-9 * max(1.0, abs(mean)) for total, mean in pairs)


def resolve_directions(
    scores: Sequence[MetricScores],
    *,
    higher: Collection[str] = (),
    lower: Collection[str] = (),
    known: Mapping[str, bool] | None = None,
) -> list[MetricScores]:
    """Return the scores with their direction in the table: as they say, as the user says, or as is known of the metric.

    A metric whose direction nobody knows is an error: a wrong guess would turn agreement into disagreement.
    """
    resolved = []
    for item in scores:
        if item.metric in higher and item.metric in lower:
            raise OptionError(f"{item.metric} cannot be better both when higher and when lower")
        direction = item.higher_is_better
        if direction is None:
            direction = (known or {}).get(item.metric)
        if item.metric in higher or "all" in higher:
            direction = True
        if item.metric in lower or "all" in lower:
            direction = False
        if direction is None:
            name = item.metric
            raise OptionError(f"is a higher {name!r} better? Nothing says so: add --higher {name} or --lower {name}")
        table = replace(item.table, higher_is_better=direction)
        resolved.append(replace(item, table=table, higher_is_better=direction))
    return resolved


def choose_part(scores: Sequence[MetricScores], part: str) -> dict[str, MetricScores]:
    """Return by metric the scores of *part* and those that name no part; ``""`` asks for all of them.

    A metric that has scores of other parts only is an error: they are of other texts.
    """
    chosen = merge_scores([item for item in scores if not part or item.part in ("", part)])
    for item in scores:
        if item.metric not in chosen:
            parts = ", ".join(dict.fromkeys(other.part for other in scores if other.metric == item.metric))
            raise InputError(f"{item.metric} has scores of {parts}, but none of {part}")
    return chosen


def merge_scores(scores: Sequence[MetricScores]) -> dict[str, MetricScores]:
    """Return scores by metric; the same metric in two files must be two different systems' scores, which are joined."""
    merged: dict[str, MetricScores] = {}
    for item in scores:
        before = merged.get(item.metric)
        merged[item.metric] = item if before is None else _join(before, item)
    return merged


def _join(first: MetricScores, second: MetricScores) -> MetricScores:
    shared = set(first.table.systems) & set(second.table.systems)
    if shared:
        raise InputError(f"{first.metric} of system {sorted(shared)[0]!r} is given twice")
    told = {d for d in (first.higher_is_better, second.higher_is_better) if d is not None}
    if len(told) > 1:
        raise InputError(f"{first.metric} is better when higher in one file and when lower in another")
    whose = f"{first.metric} of system {second.table.systems[0]!r}" if second.table.systems else first.metric
    check_recipes(first.table.signature, second.table.signature, whose)
    segments = tuple(dict.fromkeys([*first.table.segments, *second.table.segments]))
    places = {segment: i for i, segment in enumerate(segments)}
    values = np.full((len(first.table.systems) + len(second.table.systems), len(segments)), np.nan)
    row = 0
    for table in (first.table, second.table):
        columns = [places[segment] for segment in table.segments]
        values[row : row + len(table.systems), columns] = table.values
        row += len(table.systems)
    table = replace(
        first.table, systems=(*first.table.systems, *second.table.systems), segments=segments, values=values
    )
    totals = {**first.totals, **second.totals}
    return replace(first, table=table, totals=totals, higher_is_better=next(iter(told), None))
