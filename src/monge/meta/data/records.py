"""Rows of tab-separated, comma-separated and JSON files, with errors that name file, line and column."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monge.errors import InputError, suggest
from monge.text import display_name, iter_lines

MISSING = frozenset({"", "none", "nan", "na", "null", "n/a"})

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Record:
    """A row by column name, and where it stands."""

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
    """Return *value* as a finite number, or NaN where it says that there is none.

    >>> parse_number("None", "x"), parse_number(" 2.5", "x")
    (nan, 2.5)
    """
    if value is None or (isinstance(value, str) and value.strip().lower() in MISSING):
        return math.nan
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{place}: {value!r} is not a number") from None
    if math.isinf(number):
        raise InputError(f"{place}: {value!r} is infinite")
    return number


def read_tsv_records(path: PathLike, *, columns: Sequence[str] | None = None) -> Iterator[Record]:
    """Yield the rows of a tab-separated file without quoting; *columns* name them when there is no header."""
    yield from _rows((line.split("\t") for line in iter_lines(path)), path, columns)


def read_csv_records(path: PathLike, *, columns: Sequence[str] | None = None) -> Iterator[Record]:
    """Yield the rows of a comma-separated file with quoting; *columns* name them when there is no header."""
    yield from _rows(csv.reader(iter_lines(path), strict=False), path, columns)


def read_blank_records(path: PathLike) -> Iterator[Record]:
    """Yield the rows of a file whose cells are separated by any white space, with a header (WMT's score files)."""
    yield from _rows((line.split() for line in iter_lines(path)), path, None)


def read_jsonl_records(path: PathLike) -> Iterator[Record]:
    """Yield the objects of a file with one JSON object a line."""
    name = display_name(path)
    for number, line in enumerate(iter_lines(path), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{name}, line {number}: not JSON ({error.msg} at column {error.colno})") from error
        if not isinstance(value, dict):
            raise InputError(f"{name}, line {number}: a JSON object is expected")
        yield Record(value, f"{name}, line {number}")


def read_json(path: PathLike) -> Any:
    """Return the value of a JSON file."""
    text = "\n".join(iter_lines(path))
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{display_name(path)}, line {error.lineno}: not JSON ({error.msg})") from error


def _rows(rows: Iterator[Sequence[str]], path: PathLike, columns: Sequence[str] | None) -> Iterator[Record]:
    name = display_name(path)
    header = list(columns) if columns is not None else [cell.strip() for cell in next(rows)]
    if len(set(header)) != len(header):
        raise InputError(f"{name}: a column name appears twice in {', '.join(header)}")
    for number, row in enumerate(rows, start=1 if columns is not None else 2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise InputError(f"{name}, line {number}: {len(row)} cells where {len(header)} columns are named")
        yield Record(dict(zip(header, row, strict=True)), f"{name}, line {number}")
