"""Reading tables of scores: any systems, any scores (a metric's or human ones), wide or long, TSV, CSV, JSON, JSONL."""

from __future__ import annotations

import csv
import itertools
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from monge.errors import InputError
from monge.scores.table import ScoreTable
from monge.text import display_name, iter_lines

_ID_NAMES = ("id", "segment", "instance", "segment_id", "instance_id")
_MISSING = ("", "na", "nan", "n/a", "none", "null")


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """The tables of a file by metric (``""`` when it names none) and the type of each instance, where given."""

    tables: Mapping[str, ScoreTable]
    types: Mapping[str, str]

    def types_of(self, table: ScoreTable) -> tuple[str, ...]:
        """Return the types of a table's segments in order, or nothing when none is known."""
        return tuple(self.types.get(name, "") for name in table.segments) if self.types else ()


def read_scores(path: str | os.PathLike[str], *, higher_is_better: bool = True) -> ScoreFile:
    """Read a table of scores; what it is is told by its content, not by its name.

    Wide: the first column names the instance, every other one is a system, except ``type`` (of the instance),
    ``metric`` and ``higher_is_better``. Long: columns ``system``, ``id`` (or ``segment``, ``instance``) and ``score``,
    perhaps ``metric``, ``type`` and ``higher_is_better``. JSONL holds either as objects. JSON is what
    ``monge score -f json`` prints. An empty cell, ``NA`` or ``null`` is a missing score.
    """
    name = display_name(path)
    lines = iter_lines(path)
    head = next((line for line in lines if line.strip()), "")
    rest = itertools.chain([head], lines)
    collected = _Collected(name)
    if head.lstrip().startswith("["):
        _add_results(collected, _parse("\n".join(rest), name))
    elif head.lstrip().startswith("{"):
        _add_objects(collected, rest)
    else:
        _add_rows(collected, rest, "\t" if "\t" in head else ",")
    return collected.finish(higher_is_better)


@dataclass
class _Collected:
    """Scores as they come, by metric, system and instance."""

    name: str
    cells: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    lower_is_better: set[str] = field(default_factory=set)

    def add(self, metric: str, system: str, instance: str, score: float, where: str) -> None:
        if not system or not instance:
            raise InputError(f"{where}: a score needs the name of its system and instance")
        scores = self.cells.setdefault(metric, {}).setdefault(system, {})
        if instance in scores:
            raise InputError(f"{where}: instance {instance!r} of system {system!r} appears a second time")
        scores[instance] = score

    def add_type(self, instance: str, kind: str, where: str) -> None:
        if self.types.setdefault(instance, kind) != kind:
            raise InputError(f"{where}: instance {instance!r} is {kind!r} here but {self.types[instance]!r} before")

    def finish(self, higher_is_better: bool) -> ScoreFile:
        if not self.cells:
            raise InputError(f"{self.name} holds no scores")
        tables = {}
        for metric, systems in self.cells.items():
            segments = tuple(dict.fromkeys(name for scores in systems.values() for name in scores))
            values = [[scores.get(name, math.nan) for name in segments] for scores in systems.values()]
            direction = higher_is_better and metric not in self.lower_is_better
            signature = self.signatures.get(metric, metric)
            tables[metric] = ScoreTable(tuple(systems), segments, np.array(values), signature, direction)
        return ScoreFile(tables, self.types)


def _add_rows(collected: _Collected, lines: Iterable[str], delimiter: str) -> None:
    terminated = (line + "\n" for line in lines)
    if delimiter == "\t":
        rows = csv.reader(terminated, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
    else:
        rows = csv.reader(terminated, delimiter=delimiter, strict=True)
    try:
        header = [cell.strip() for cell in next(rows)]
        if len(header) < 2:
            raise InputError(
                f"{collected.name}: a table of scores needs two columns or more, separated by tabs or commas"
            )
        repeated = [name for name in header if header.count(name) > 1]
        if repeated:
            raise InputError(f"{collected.name}: column {repeated[0]!r} appears twice")
        for row in rows:
            where = f"{collected.name}, line {rows.line_num}"
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                raise InputError(f"{where}: {len(row)} cells where {len(header)} columns are named")
            _add_record(collected, dict(zip(header, row, strict=True)), where)
    except csv.Error as error:
        raise InputError(f"{collected.name}, line {rows.line_num}: not a table ({error})") from error


def _add_objects(collected: _Collected, lines: Iterable[str]) -> None:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            where = f"{collected.name}, line {number}"
            _add_record(collected, _parse(line, where), where)


def _add_record(collected: _Collected, record: Mapping[str, Any], where: str) -> None:
    """Add one row: a score of one system (long) or of all systems (wide)."""
    if not isinstance(record, dict) or not record:
        raise InputError(f"{where}: expected an object with the scores of an instance")
    metric = str(record.get("metric", ""))
    is_long = "system" in record and "score" in record
    id_name = next((name for name in _ID_NAMES if name in record), None)
    if is_long and id_name is None:
        raise InputError(f"{where}: no column names the instance (one of {', '.join(_ID_NAMES)})")
    id_name = id_name if is_long and id_name else next(iter(record))
    instance = str(record[id_name]).strip()
    if "type" in record:
        collected.add_type(instance, str(record["type"]), where)
    if str(record.get("higher_is_better", "")).lower() == "false":
        collected.lower_is_better.add(metric)
    if is_long:
        score = _number(record["score"], f"{where}, column 'score'")
        collected.add(metric, str(record["system"]), instance, score, where)
        return
    for system, value in record.items():
        if system not in (id_name, "type", "metric", "higher_is_better"):
            collected.add(metric, system, instance, _number(value, f"{where}, column {system!r}"), where)


def _add_results(collected: _Collected, results: Any) -> None:
    """Add what ``monge score -f json`` prints: one result a system and metric, each with its segments."""
    for position, result in enumerate(results, start=1):
        where = f"{collected.name}, result {position}"
        try:
            metric, system = str(result["metric"]), str(result["system"])
            segments: Sequence[Mapping[str, Any]] = result["segments"]
            collected.signatures[metric] = str(result.get("signature", metric))
            if result.get("higher_is_better") is False:
                collected.lower_is_better.add(metric)
            for segment in segments:
                instance = str(segment["id"])
                spot = f"{where}, segment {instance!r}"
                collected.add(metric, system, instance, _number(segment["score"], spot), spot)
                if segment.get("type"):
                    collected.add_type(instance, str(segment["type"]), spot)
        except (KeyError, TypeError, AttributeError) as error:
            what = f"has no {error.args[0]!r}" if isinstance(error, KeyError) else "is not a result of monge score"
            raise InputError(f"{where} {what} (system, metric and segments with id and score are needed)") from error


def _parse(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: not JSON ({error.msg} at line {error.lineno}, column {error.colno})") from error


def _number(value: Any, where: str) -> float:
    if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING):
        return math.nan
    try:
        number = float(value) if not isinstance(value, bool) else None
    except (TypeError, ValueError):
        number = None
    if number is None:
        raise InputError(f"{where}: {value!r} is not a number")
    if math.isinf(number):
        raise InputError(f"{where}: infinite score {value!r}")
    return number
