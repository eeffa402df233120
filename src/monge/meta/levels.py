"""The levels at which scores are compared with judgments: segments pooled or grouped, documents, systems.

An arrangement turns tables (systems, segments) into samples (groups, n) and a resample into weights. Averages over
groups are taken after the statistic: grouping by item asks "which output of this input is better?", by system "which
input did this system do best?", pooling asks both at once, and the system level compares the systems' means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from monge.errors import OptionError, suggest
from monge.meta.correlation import Array
from monge.meta.judged import JudgedScores


@dataclass(frozen=True, eq=False)
class Draw:
    """How often each system (B, S) and each segment (B, N) was drawn; None = each once."""

    systems: Array | None = None
    segments: Array | None = None


WHOLE = Draw()  # no resample: everything once


@dataclass(frozen=True, eq=False)
class Sample:
    """Values (..., G, n), how often each counts within its group, and how often each group counts."""

    values: Array
    weights: Array
    groups: Array


class Arrangement(Protocol):
    """How the scores of a level are grouped.

    ``units`` (N,) numbers what a bootstrap over inputs draws: segments, or whole documents. ``present`` (S, N) marks
    the outputs that count.
    """

    @property
    def units(self) -> NDArray[np.int64]: ...
    @property
    def present(self) -> NDArray[np.bool_]: ...
    def arrange(self, table: Array, draw: Draw, *, totals: Array | None = None) -> Sample:
        """Return the sample of *table* (..., S, N); *totals* (..., S) replace its means at system level."""
        ...


@dataclass(frozen=True, eq=False)
class GroupedOutputs:
    """Groups of outputs, given by their positions in the table; missing and padded positions have weight 0."""

    positions: NDArray[np.int64]  # (G, n) in the flattened table
    filled: NDArray[np.bool_]  # (G, n)
    present: NDArray[np.bool_]  # (S, N)
    units: NDArray[np.int64]
    axis: str  # what a group is: "input", "system", or "pooled" for one group of all outputs

    def arrange(self, table: Array, draw: Draw, *, totals: Array | None = None) -> Sample:
        flat = table.reshape(*table.shape[:-2], -1)
        values = np.where(self.filled, flat[..., self.positions], 0.0)
        weights: Array = self.filled.astype(np.float64)
        groups: Array = np.ones(len(self.positions))
        system, segment = np.divmod(self.positions, self.present.shape[1])
        if draw.systems is not None:
            if self.axis == "system":
                groups = draw.systems[:, system[:, 0]]
            else:
                weights = weights * draw.systems[:, system]
        if draw.segments is not None:
            if self.axis == "input":
                groups = draw.segments[:, segment[:, 0]]
            else:
                weights = weights * draw.segments[:, segment]
        return Sample(values, weights, groups)


@dataclass(frozen=True, eq=False)
class SystemMeans:
    """One sample of systems; a system's value is the mean of its segments, or its total where one is given.

    A system none of whose segments was drawn is not in the resample.
    """

    present: NDArray[np.bool_]  # (S, N)
    units: NDArray[np.int64]
    counted: NDArray[np.bool_]  # (S,) systems that take part

    def arrange(self, table: Array, draw: Draw, *, totals: Array | None = None) -> Sample:
        mask = self.present.astype(np.float64)
        counts = mask if draw.segments is None else mask * draw.segments[:, None, :]
        sizes = counts.sum(-1)
        if totals is not None:
            values = np.where(self.counted, totals, 0.0)
        else:
            filled = np.where(self.present, table, 0.0)
            values = (counts * filled).sum(-1) / np.maximum(sizes, 1.0)
        weights: Array = (self.counted & (sizes > 0)).astype(np.float64)
        if draw.systems is not None:
            weights = weights * draw.systems
        return Sample(values[..., None, :], weights[..., None, :], np.ones(1))


def pool_segments(scores: JudgedScores) -> GroupedOutputs:
    """Every judged output is one item of one sample."""
    positions = np.flatnonzero(scores.used)[None, :]
    return GroupedOutputs(positions, np.ones(positions.shape, dtype=bool), scores.used, _segments(scores), "pooled")


def group_by_item(scores: JudgedScores) -> GroupedOutputs:
    """A sample for each segment: its outputs by all systems (WMT's group-by-item; TAC's per-topic)."""
    systems, segments = scores.used.shape
    positions = (np.arange(systems)[None, :] * segments + np.arange(segments)[:, None]).astype(np.int64)
    return GroupedOutputs(positions, scores.used.T, scores.used, _segments(scores), "input")


def group_by_system(scores: JudgedScores) -> GroupedOutputs:
    """A sample for each system: its outputs for all segments."""
    systems, segments = scores.used.shape
    positions = np.arange(systems * segments, dtype=np.int64).reshape(systems, segments)
    return GroupedOutputs(positions, scores.used, scores.used, _segments(scores), "system")


def group_by_document(scores: JudgedScores) -> GroupedOutputs:
    """A sample for each document, as summaries are compared; without documents every segment is its own."""
    names = [d or f"\0{s}" for d, s in zip(scores.documents, scores.segments, strict=True)]
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    units = np.array([numbers[name] for name in names], dtype=np.int64)
    systems, segments = scores.used.shape
    members = [np.flatnonzero(units == u) for u in range(len(numbers))]
    width = max(len(m) for m in members) * systems
    positions = np.zeros((len(members), width), dtype=np.int64)
    filled = np.zeros((len(members), width), dtype=bool)
    for g, columns in enumerate(members):
        own = (np.arange(systems)[:, None] * segments + columns[None, :]).ravel()
        positions[g] = own[0]
        positions[g, : own.size] = own
        filled[g, : own.size] = scores.used.ravel()[own]
    return GroupedOutputs(positions, filled, scores.used, units, "input")


def average_systems(scores: JudgedScores) -> SystemMeans:
    """One sample: the systems."""
    counted: NDArray[np.bool_] = np.asarray(scores.used.any(axis=1))
    for totals in (scores.human_totals, *scores.metric_totals.values()):
        if totals is not None:
            counted = counted & np.isfinite(totals)
    return SystemMeans(scores.used, _segments(scores), counted)


def _segments(scores: JudgedScores) -> NDArray[np.int64]:
    return np.arange(scores.used.shape[1], dtype=np.int64)


LEVELS: dict[str, Callable[[JudgedScores], Arrangement]] = {
    "segment": pool_segments,
    "item": group_by_item,
    "by-system": group_by_system,
    "summary": group_by_document,
    "system": average_systems,
}


def make_arrangement(level: str, scores: JudgedScores) -> Arrangement:
    """Return the arrangement called *level*: segment, item, by-system, summary or system."""
    if level not in LEVELS:
        raise OptionError(f"no level {level!r}{suggest(level, LEVELS)}; levels are {', '.join(LEVELS)}")
    return LEVELS[level](scores)
