"""Human judgments and metric scores of the same outputs, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError
from monge.meta.correlation import Array
from monge.scores import ScoreTable


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """Tables (systems, segments), all oriented so that higher is better; ``used`` marks the outputs in all of them.

    ``human_totals`` and ``metric_totals`` (systems,) are system scores that are not means of segments (corpus BLEU, a
    published DA ranking). ``notes`` report what was left out. ``origin`` names the outputs: tasks that judge the same
    ones (aspects, references) share it and are resampled alike; a task without one is resampled on its own.
    ``aspect`` names what was judged.
    """

    name: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    documents: tuple[str, ...]
    human: Array
    metrics: Mapping[str, Array]
    used: NDArray[np.bool_]
    human_totals: Array | None = None
    metric_totals: Mapping[str, Array] = field(default_factory=dict)
    judged: int = 0
    notes: tuple[str, ...] = ()
    origin: str = ""
    aspect: str = ""

    @property
    def unused(self) -> int:
        """How many judged outputs are left out because some metric has no score for them."""
        return self.judged - int(self.used.sum())


def pair_scores(
    human: ScoreTable,
    metrics: Mapping[str, ScoreTable],
    *,
    name: str = "",
    documents: Mapping[str, str] | None = None,
    human_totals: Mapping[str, float] | None = None,
    metric_totals: Mapping[str, Mapping[str, float]] | None = None,
) -> JudgedScores:
    """Align *metrics* with *human* by system and segment name; only what all of them have is used.

    A human table without any value (system judgments only, in *human_totals*) takes the metrics' cells. Raises
    InputError when nothing overlaps, showing a name of either side.

    >>> table = ScoreTable(("a",), ("1", "2"), np.array([[1.0, np.nan]]))
    >>> other = ScoreTable(("a",), ("2", "1"), np.array([[5.0, 6.0]]))
    >>> judged = pair_scores(table, {"m": other})
    >>> int(judged.used.sum()), float(judged.metrics["m"][0, 0])
    (1, 6.0)
    """
    if not metrics:
        raise InputError("no metric to compare with the human judgments")
    aligned = {metric: _align(table, human) for metric, table in metrics.items()}
    judged = np.isfinite(human.values)
    if human_totals is not None and not judged.any():
        judged = np.ones_like(judged)
    used = np.logical_and.reduce([judged, *map(np.isfinite, aligned.values())])
    if not used.any():
        raise InputError(_no_overlap(human, metrics))
    totals = {m: _totals(t, human.systems, metrics[m].higher_is_better) for m, t in (metric_totals or {}).items()}
    return JudgedScores(
        name=name,
        systems=human.systems,
        segments=human.segments,
        documents=tuple((documents or {}).get(segment, "") for segment in human.segments),
        human=_oriented(human),
        metrics=aligned,
        used=used,
        human_totals=None if human_totals is None else _totals(human_totals, human.systems, human.higher_is_better),
        metric_totals=totals,
        judged=int(judged.sum()),
        notes=tuple(_missing(judged, aligned)),
    )


def choose_seeds(tasks: Sequence[JudgedScores], seed: int) -> list[int]:
    """Return one seed per task: *seed* for the first origin and the next numbers for the others.

    Tasks of one origin are resampled together, because they judge the same outputs; others independently.
    """
    names = [task.origin or f"\0{i}" for i, task in enumerate(tasks)]
    numbers = {name: seed + i for i, name in enumerate(dict.fromkeys(names))}
    return [numbers[name] for name in names]


def _oriented(table: ScoreTable) -> Array:
    return table.values if table.higher_is_better else -table.values


def _align(table: ScoreTable, human: ScoreTable) -> Array:
    rows = {system: i for i, system in enumerate(table.systems)}
    columns = {segment: i for i, segment in enumerate(table.segments)}
    row = np.array([rows.get(system, -1) for system in human.systems])
    column = np.array([columns.get(segment, -1) for segment in human.segments])
    values = np.full(human.values.shape, np.nan)
    here = np.ix_(row >= 0, column >= 0)
    values[here] = _oriented(table)[np.ix_(row[row >= 0], column[column >= 0])]
    return values


def _totals(totals: Mapping[str, float], systems: tuple[str, ...], higher: bool) -> Array:
    values = np.array([totals.get(system, np.nan) for system in systems])
    return values if higher else -values


def _missing(judged: NDArray[np.bool_], aligned: Mapping[str, Array]) -> list[str]:
    notes = []
    for metric, values in aligned.items():
        absent = int((judged & ~np.isfinite(values)).sum())
        if absent:
            notes.append(f"{metric} has no score for {absent} of {int(judged.sum())} judged outputs, left out for all")
    return notes


def _no_overlap(human: ScoreTable, metrics: Mapping[str, ScoreTable]) -> str:
    if not np.isfinite(human.values).any():
        return "there is no human judgment to compare with"
    for name, table in metrics.items():
        if not np.isfinite(_align(table, human)[np.isfinite(human.values)]).any():
            mine = f"system {table.systems[0]!r}, segment {table.segments[0]!r}" if table.segments else "no segment"
            theirs = f"system {human.systems[0]!r}, segment {human.segments[0]!r}"
            return f"{name} and the judgments have no output in common: scores have {mine}, judgments {theirs}"
    return "no output has a score by every metric: drop the metrics that cover little, or complete them"
