"""Rows of tab-separated, comma-separated and JSON files, with errors that name file, line and column."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monge.errors import InputError, suggest
from monge.text import display_name, iter_lines, parse_json
from monge.wording import count_noun

MISSING = frozenset({"", "none", "nan", "na", "null", "n/a"})

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Record:
    """A row by column name, and its place: file and line."""

    fields: Mapping[str, Any]
    place: str

    def text(self, column: str) -> str:
        """Return the text of *column*."""
        value = self._get(column)
        if not isinstance(value, str):
            raise InputError(f"{self.place}: {column!r} must be text, not {type(value).__name__}")
        return value

    def number(self, column: str) -> float:
        """Return the number in *column*; an empty cell, None or NaN is NaN."""
        return parse_number(self._get(column), f"{self.place}, column {column!r}")

    def _get(self, column: str) -> Any:
        if column not in self.fields:
            raise InputError(f"{self.place}: no column {column!r}{suggest(column, self.fields)}")
        return self.fields[column]


def parse_number(value: Any, place: str) -> float:
    """Return *value* as a finite number, or NaN for an empty cell, ``NA``, ``null`` and the like.

    >>> parse_number("None", "x"), parse_number(" 2.5", "x")
    (nan, 2.5)
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in MISSING):
        return math.nan
    try:
        number = None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        raise InputError(f"{place}: {value!r} is not a number")
    if math.isinf(number):
        raise InputError(f"{place}: infinite score {value!r}")
    return number


def read_tsv_records(path: PathLike, *, columns: Sequence[str] | None = None) -> Iterator[Record]:
    """Yield the rows of a tab-separated file without quoting; *columns* name them when there is no header."""
    yield from tsv_records(iter_lines(path), display_name(path), columns=columns)


def read_csv_records(path: PathLike, *, columns: Sequence[str] | None = None) -> Iterator[Record]:
    """Yield the rows of a comma-separated file with quoting; *columns* name them when there is no header."""
    yield from csv_records(iter_lines(path), display_name(path), columns=columns)


def read_blank_records(path: PathLike) -> Iterator[Record]:
    """Yield the rows of a file whose cells are separated by any white space, with a header (WMT's score files)."""
    rows = ((number, line.split()) for number, line in enumerate(iter_lines(path), start=1))
    yield from _records(rows, display_name(path), None)


def read_jsonl_records(path: PathLike) -> Iterator[Record]:
    """Yield the objects of a file with one JSON object per line."""
    yield from jsonl_records(iter_lines(path), display_name(path))


def read_json(path: PathLike) -> Any:
    """Return the value of a JSON file."""
    return parse_json("\n".join(iter_lines(path)), display_name(path))


def tsv_records(lines: Iterable[str], name: str, *, columns: Sequence[str] | None = None) -> Iterator[Record]:
    """Yield the rows of tab-separated lines without quoting."""
    rows = ((number, line.split("\t")) for number, line in enumerate(lines, start=1))
    yield from _records(rows, name, columns)


def csv_records(lines: Iterable[str], name: str, *, columns: Sequence[str] | None = None) -> Iterator[Record]:
    """Yield the rows of comma-separated lines; a quoted cell may hold commas, quotes and line ends."""
    reader = csv.reader((line + "\n" for line in lines), strict=True)
    try:
        yield from _records(((reader.line_num, row) for row in reader), name, columns)
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: not a table ({error})") from error


def jsonl_records(lines: Iterable[str], name: str) -> Iterator[Record]:
    """Yield the objects of lines of JSON; blank lines are skipped."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        value = parse_json(line, place)
        if not isinstance(value, dict):
            raise InputError(f"{place}: a JSON object is expected")
        yield Record(value, place)


def _records(rows: Iterator[tuple[int, list[str]]], name: str, columns: Sequence[str] | None) -> Iterator[Record]:
    header = list(columns) if columns is not None else []
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if not header:
            header = [cell.strip() for cell in row]
            if all(_is_number(cell) for cell in header):
                raise InputError(
                    f"{name}, line {number}: numbers where the names of the columns are expected: add a header"
                )
            repeated = [column for column in header if header.count(column) > 1]
            if repeated:
                raise InputError(f"{name}: column {repeated[0]!r} appears twice")
            continue
        if len(row) != len(header):
            raise InputError(
                f"{name}, line {number}: {count_noun(len(row), 'cell')} where {len(header)} columns are named"
            )
        yield Record(dict(zip(header, row, strict=True)), f"{name}, line {number}")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
