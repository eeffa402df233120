"""From judged sets and metric scores to the tasks of a study: one per part and aspect."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from monge.errors import InputError, OptionError
from monge.meta.data.judged_set import JudgedSet
from monge.meta.data.score_files import FileScores
from monge.meta.judged import JudgedScores, pair_scores
from monge.scores import ScoreTable
from monge.scores.row_tables import check_recipes

Scores = Mapping[str, ScoreTable]


def make_tasks(sets: Sequence[tuple[JudgedSet, Scores]], *, level: str) -> list[JudgedScores]:
    """Return a task for every aspect of every set, named after what distinguishes them."""
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
            notes = (*judged.notes, *task.notes)
            tasks.append(replace(task, name=name, notes=notes, origin=origin, aspect=aspect))
    return tasks


def _make_task(judged: JudgedSet, aspect: str, scores: Scores, *, level: str) -> JudgedScores:
    totals = judged.totals.get(aspect)
    human = judged.judgments.get(aspect)
    if totals is not None and level != "system":
        raise OptionError(f"{judged.name}: only whole systems were judged for {aspect}; use --level system")
    if human is None:
        first = next(iter(scores.values()))
        human = ScoreTable(first.systems, first.segments, np.full(first.values.shape, np.nan), f"human:{aspect}")
    own_totals = {m: table.totals for m, table in scores.items() if level == "system" and _has_own_totals(table)}
    return pair_scores(
        human,
        scores,
        name=judged.name,
        documents=judged.documents,
        human_totals=totals,
        metric_totals=own_totals,
    )


def _has_own_totals(table: ScoreTable) -> bool:
    """Whether a metric's system scores are more than means of its segment scores (BLEU, chrF …)."""
    if not table.totals:
        return False
    with np.errstate(invalid="ignore"):
        counts = np.isfinite(table.values).sum(axis=1)
        means = np.nansum(table.values, axis=1) / np.maximum(counts, 1)
    pairs = [(table.totals.get(s, np.nan), m) for s, m in zip(table.systems, means.tolist(), strict=True)]
    return not all(abs(total - mean) <= 1e-9 * max(1.0, abs(mean)) for total, mean in pairs)


def direct_scores(
    scores: Sequence[FileScores],
    *,
    higher: Collection[str] = (),
    lower: Collection[str] = (),
    known: Mapping[str, bool | None] | None = None,
) -> list[FileScores]:
    """Return the scores with their direction: as the user says, as the file says, or as is known of the metric.

    A metric whose direction is unknown raises OptionError: a wrong guess would turn agreement into disagreement.
    Features that monge computed, of which *known* says that they have none (None), keep the sign of their scores.
    """
    stated = {item.name: item.table.higher_is_better for item in scores if item.directed}
    directed = []
    for item in scores:
        name = item.name
        if name in higher and name in lower:
            raise OptionError(f"{name} cannot be better both when higher and when lower")
        direction = item.table.higher_is_better if item.directed else stated.get(name, (known or {}).get(name))
        if name in higher or "all" in higher:
            direction = True
        if name in lower or "all" in lower:
            direction = False
        if direction is None and not _is_feature(item.table, known or {}):
            raise OptionError(
                f"it is not known whether a higher {name!r} is better: add --higher {name} or --lower {name}"
            )
        directed.append(replace(item, table=replace(item.table, higher_is_better=direction), directed=True))
    return directed


def _is_feature(table: ScoreTable, known: Mapping[str, bool | None]) -> bool:
    """Whether the signature names a metric that has no direction; a column of the user's own has no signature."""
    metric = table.signature.partition("|")[0].removeprefix("metric:") if "metric:" in table.signature else ""
    return metric in known and known[metric] is None


def choose_part(scores: Sequence[FileScores], part: str) -> dict[str, ScoreTable]:
    """Return by metric the scores of *part* and those that name no part; ``""`` asks for all of them.

    A metric that only has scores of other parts is an error: they belong to other texts.
    """
    chosen = merge_scores([item for item in scores if not part or item.part in ("", part)])
    for item in scores:
        if item.name not in chosen:
            parts = ", ".join(dict.fromkeys(other.part for other in scores if other.name == item.name))
            raise InputError(f"{item.name} has scores of {parts}, but none of {part}")
    return chosen


def merge_scores(scores: Sequence[FileScores]) -> dict[str, ScoreTable]:
    """Return scores by metric; the same metric in two files must have scores of different systems, which are joined."""
    merged: dict[str, ScoreTable] = {}
    for item in scores:
        before = merged.get(item.name)
        merged[item.name] = item.table if before is None else _join(before, item.table)
    return merged


def _join(first: ScoreTable, second: ScoreTable) -> ScoreTable:
    shared = set(first.systems) & set(second.systems)
    if shared:
        raise InputError(f"{first.name} of system {sorted(shared)[0]!r} is given twice")
    if first.higher_is_better != second.higher_is_better:
        raise InputError(f"{first.name} is better when higher in one file and when lower in another")
    whose = f"{first.name} of system {second.systems[0]!r}" if second.systems else first.name
    check_recipes(first.signature, second.signature, whose)
    segments = tuple(dict.fromkeys([*first.segments, *second.segments]))
    position = {segment: i for i, segment in enumerate(segments)}
    values = np.full((len(first.systems) + len(second.systems), len(segments)), np.nan)
    row = 0
    for table in (first, second):
        columns = [position[segment] for segment in table.segments]
        values[row : row + len(table.systems), columns] = table.values
        row += len(table.systems)
    systems = (*first.systems, *second.systems)
    return replace(first, systems=systems, segments=segments, values=values, totals={**first.totals, **second.totals})
