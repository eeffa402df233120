"""The single scores of a file: TSV, CSV, JSON lines (long or wide) and what ``monge score -f json`` prints."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from monge.errors import InputError
from monge.scores.records import PathLike, Record, csv_records, jsonl_records, parse_number, tsv_records
from monge.scores.tools import SCORE_NAMES, normalise, read_json_value, read_number_list, scored_text
from monge.text import display_name, iter_lines, parse_json
from monge.text.columns import (
    DOCUMENT_NAMES,
    HYPOTHESIS_NAMES,
    ID_NAMES,
    PART_NAMES,
    REFERENCE_NAMES,
    SOURCE_NAMES,
    SYSTEM_NAMES,
)

Columns = Literal["systems", "metrics"]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score and what it belongs to; ``""`` stands for what the file does not say, None for an unknown direction.

    ``part`` is a language pair or another part of a data set, ``kind`` the type of the instance, ``total`` marks the
    score of a whole system. ``place`` names file and line, ``layout`` says how the table was understood, ``text`` is
    the output that was scored, where the file holds it.
    """

    score: float
    place: str
    metric: str = ""
    system: str = ""
    id: str = ""
    part: str = ""
    kind: str = ""
    higher_is_better: bool | None = None
    signature: str = ""
    total: bool = False
    layout: str = ""
    text: str | None = None


def read_score_rows(path: PathLike, *, columns: Columns) -> Iterator[ScoreRow]:
    """Yield the scores of a file; its format is recognised by its content, not by its name.

    Files of other tools are recognised too (see ``monge.scores.tools``). Long tables have a column ``score`` and
    columns that name the system and the metric. In wide ones every column that is not an id, system, part, type or
    direction holds scores; *columns* says whether these are systems or metrics. Where systems are expected but a
    column ``system`` names the rows, the rows are systems and the columns instances.
    """
    name = display_name(path)
    lines = iter_lines(path)
    before: list[str] = []
    for line in lines:
        before.append(line)
        if line.strip():
            break
    head = before[-1].lstrip()
    every = itertools.chain(before, lines)
    if head.startswith("[") or head.rstrip() == "{":  # one value for the whole file, not one per line
        value = parse_json("\n".join(every), name)
        if isinstance(value, list) and any(isinstance(one, dict) and "segments" in one for one in value):
            yield from _result_rows(value, name)
            return
        records = read_json_value(value, name)
    elif head.startswith("{"):
        records = _line_records(every, name)
    elif "\t" in head or "," in head:
        records = tsv_records(every, name) if "\t" in head else csv_records(every, name)
    elif _is_numeric(head):
        records = read_number_list(every, name)
    else:
        raise InputError(f"{name}: a table of scores needs two columns or more, separated by tabs or commas")
    for record in _name_rows(records, columns):
        yield from _record_rows(record, columns)


def _is_numeric(line: str) -> bool:
    try:
        float(line)
    except ValueError:
        return False
    return True


def _line_records(lines: Iterable[str], name: str) -> Iterator[Record]:
    """Yield the objects of JSON lines; a file of one object may also be one that holds everything."""
    records = jsonl_records(lines, name)
    first, second = next(records, None), next(records, None)
    if first is not None and second is None and any(isinstance(value, list) for value in first.fields.values()):
        yield from read_json_value(dict(first.fields), name)
        return
    for record in itertools.chain([one for one in (first, second) if one is not None], records):
        yield from normalise(record)


_NUMBERED = "row number"  # column that is added to a table without names


def _name_rows(records: Iterator[Record], columns: Columns) -> Iterator[Record]:
    """Yield the records; those of a wide table whose first column holds scores, not names, are named by number.

    Names are texts, or whole numbers each of which appears once.
    """
    first = next(records, None)
    if first is None:
        return
    every = itertools.chain([first], records)
    layout, _ = _lay_out(tuple(first.fields), columns)
    names = {name.strip().lower() for name in first.fields}
    if layout.each != "system" or not layout.scores or names & set(ID_NAMES) or len(first.fields) < 2:
        yield from every
        return
    rows = list(every)
    if _holds_scores([record.fields.get(layout.id or "") for record in rows]):
        rows = [Record({_NUMBERED: str(n), **record.fields}, record.place) for n, record in enumerate(rows, start=1)]
    yield from rows


def _holds_scores(cells: Sequence[Any]) -> bool:
    """Whether cells are scores and not names: a number with a fraction among numbers, or whole numbers that repeat."""
    try:
        numbers = [parse_number(cell, "") for cell in cells]
    except InputError:
        return False
    known = [number for number in numbers if not math.isnan(number)]
    return any(number != int(number) for number in known) or len(set(known)) < len(known)


@dataclass(frozen=True)
class _Layout:
    """Which column plays which role (None where there is none), and what the columns of ``scores`` stand for."""

    metric: str | None
    system: str | None
    id: str | None
    part: str | None
    kind: str | None
    direction: str | None
    signature: str | None
    level: str | None
    scores: tuple[str, ...]
    each: Literal["score", "system", "instance", "metric"]

    def describe(self) -> str:
        """Say how the table is understood."""
        rows = {
            "score": f"one score per row (system: {_quoted(self.system)}, instance: {_quoted(self.id)})",
            "system": f"one instance per row ({self._names()}), one system per column",
            "instance": f"one system per row (named by {_quoted(self.system)}), one instance per column",
            "metric": f"one output per row (system: {_quoted(self.system)}, instance: {_quoted(self.id)}), "
            "one metric per column",
        }[self.each]
        others = {"metric": self.metric, "part": self.part, "type": self.kind, "direction": self.direction}
        return ", ".join([rows, *(f"{role} in {_quoted(column)}" for role, column in others.items() if column)])

    def _names(self) -> str:
        return "numbered" if self.id == _NUMBERED else f"named by {_quoted(self.id)}"


def _quoted(column: str | None) -> str:
    return "none" if column is None else f"column {column!r}"


@functools.lru_cache(maxsize=64)
def _lay_out(fields: tuple[str, ...], columns: Columns) -> tuple[_Layout, str]:
    """Return the layout of records with these fields, and its description."""
    names = {name.strip().lower(): name for name in reversed(fields)}
    metric, score, kind, direction, signature, level = map(
        names.get, ("metric", "score", "type", "higher_is_better", "signature", "level")
    )
    score = score or next((names[name] for name in SCORE_NAMES if name in names and metric is not None), None)
    usual = (SYSTEM_NAMES, ID_NAMES, PART_NAMES, DOCUMENT_NAMES)
    system, id_name, part, document = (next((names[n] for n in own if n in names), None) for own in usual)
    each: Literal["score", "system", "instance", "metric"]
    scores: tuple[str, ...]
    if score is not None and (system if columns == "systems" else metric) is not None:
        each, scores = "score", (score,)
    elif columns == "metrics":
        known = {id_name, part, kind, direction, signature, system, document}
        known |= {names[n] for n in (*REFERENCE_NAMES, *SOURCE_NAMES, *HYPOTHESIS_NAMES) if n in names}
        each, scores = "metric", tuple(name for name in fields if name not in known)
    else:
        known = {id_name, part, kind, direction, signature, metric}
        others = [name for name in fields if name not in known]
        if id_name is None and system is not None and system in (others[0], names.get("system")):
            each, scores = "instance", tuple(name for name in others if name != system)
        else:  # beside an id, even a column called system or model is a system of that name
            each, system = "system", None
            if id_name is None and others:
                id_name = others.pop(0)
            scores = tuple(others)
    if each != "score":
        level = None  # in a wide table, level is a system, an instance or a metric of that name
    layout = _Layout(metric, system, id_name, part, kind, direction, signature, level, scores, each)
    return layout, layout.describe()


def _record_rows(record: Record, columns: Columns) -> Iterator[ScoreRow]:
    """Yield the score of a long row, or those of a wide one."""
    layout, description = _lay_out(tuple(record.fields), columns)
    if not layout.scores:
        raise InputError(f"{record.place}: no column of scores beside {', '.join(record.fields)}")
    if layout.each == "instance" and layout.kind is not None:
        raise InputError(
            f"{record.place}: column {layout.kind!r} gives the type of an instance, but here every row is a system"
        )
    metric, system, identifier = (_word(record, name) for name in (layout.metric, layout.system, layout.id))
    text = scored_text(record)
    for column in layout.scores:
        yield ScoreRow(
            record.number(column),
            record.place,
            column if layout.each == "metric" else metric,
            column if layout.each == "system" else system,
            column if layout.each == "instance" else identifier,
            _word(record, layout.part),
            _word(record, layout.kind),
            _direction(record, layout.direction),
            _word(record, layout.signature),
            _is_total(record, layout.level),
            description,
            text,
        )


def _result_rows(results: Any, name: str) -> Iterator[ScoreRow]:
    """Yield what ``monge score -f json`` prints: one result per system and metric, each with its segments."""
    for position, result in enumerate(results, start=1):
        place = f"{name}, result {position}"
        try:
            shared: dict[str, Any] = {
                "metric": str(result["metric"]),
                "system": str(result["system"]),
                "part": str(result.get("part", "")),
                "higher_is_better": result.get("higher_is_better"),
                "signature": str(result.get("signature", "")),
                "layout": "results of monge score",
            }
            total = parse_number(result.get("score"), place)
            if not math.isnan(total):
                yield ScoreRow(total, place, total=True, **shared)
            for segment in result["segments"]:
                spot = f"{place}, segment {str(segment['id'])!r}"
                kind = str(segment.get("type") or "")
                yield ScoreRow(parse_number(segment["score"], spot), spot, id=str(segment["id"]), kind=kind, **shared)
        except (KeyError, TypeError, AttributeError) as error:
            what = f"has no {error.args[0]!r}" if isinstance(error, KeyError) else "is not a result of monge score"
            raise InputError(f"{place} {what} (system, metric and segments with id and score are needed)") from error


def _word(record: Record, column: str | None) -> str:
    value = record.fields.get(column) if column else None
    return "" if value is None else str(value).strip()


def _is_total(record: Record, column: str | None) -> bool:
    """Whether a row of a long table is the score of a whole system, by its column ``level``."""
    word = _word(record, column).lower()
    if word not in ("", "segment", "system"):
        raise InputError(f"{record.place}, column {column!r}: {word!r} is neither segment nor system")
    return word == "system"


def _direction(record: Record, column: str | None) -> bool | None:
    word = _word(record, column).lower()
    if word not in ("", "true", "false"):
        raise InputError(f"{record.place}, column {column!r}: {word!r} is neither true nor false")
    return None if not word else word == "true"
