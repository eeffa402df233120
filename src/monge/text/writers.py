"""Writing texts and tables: lines, TSV, JSONL."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from monge.errors import InputError
from monge.storage.atomic import write_pieces
from monge.wording import count_noun


def write_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Write one text per line; raises InputError if a text contains a line break."""
    write_pieces(path, (_checked(line, f"line {i}", "\n\r") + "\n" for i, line in enumerate(lines, start=1)))


def write_tsv(path: str | os.PathLike[str], header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write tab-separated values without quoting; None and NaN become empty cells.

    Raises InputError if a cell contains a tab or a line break (JSONL can store it) or a row has the wrong length.
    """
    write_pieces(path, _tsv_lines(header, rows))


def _tsv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield "\t".join(_checked(name, "header", "\t\n\r") for name in header) + "\n"
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise InputError(f"row {number} has {count_noun(len(row), 'cell')} where {len(header)} columns are named")
        cells = (
            _checked(_cell(value), f"row {number}, column {name!r}", "\t\n\r")
            for name, value in zip(header, row, strict=True)
        )
        yield "\t".join(cells) + "\n"


def write_jsonl(path: str | os.PathLike[str], records: Iterable[Mapping[str, object]]) -> None:
    """Write one JSON object per line without escaping non-ASCII text; NaN becomes null.

    Raises InputError if a record cannot be written as JSON, such as one with infinity.
    """
    write_pieces(path, _json_lines(records))


def _json_lines(records: Iterable[Mapping[str, object]]) -> Iterator[str]:
    for number, record in enumerate(records, start=1):
        try:
            yield json.dumps(_without_nan(dict(record)), ensure_ascii=False, allow_nan=False) + "\n"
        except (TypeError, ValueError) as error:
            raise InputError(f"record {number} cannot be written as JSON: {error}") from error


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return float.__repr__(value) if isinstance(value, float) else str(value)  # numpy's repr includes the type


def _checked(text: str, place: str, forbidden: str) -> str:
    for char in forbidden:
        if char in text:
            kind = "tab" if char == "\t" else "line break"
            raise InputError(f"{place}: {text[:40]!r} contains a {kind}, which this format cannot store; JSONL can")
    return text


def _without_nan(value: object) -> object:
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value
