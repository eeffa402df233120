"""Segments in tables: JSON lines or an array, tab-separated or comma-separated values, with columns of usual names."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike, fspath
from typing import Any

from monge.errors import InputError, suggest
from monge.text.columns import TEXT_ROLES, find_columns
from monge.text.readers import display_name, iter_lines, parse_json, system_names
from monge.text.segment import Segment
from monge.text.testset import TestSet, check_unique, kind_of, make_segment
from monge.wording import count_noun

_NUMBERED = re.compile(r"(?:references?|refs?)[ _-]?\d+")
_LM_EVAL = frozenset({"doc_id", "filtered_resps"})
_ROLES = {**TEXT_ROLES, "references": ("references", "refs", "targets")}


def iter_table(path: str | PathLike[str]) -> Iterator[Segment]:
    """Yield the segments of a table one by one; the name ends in .tsv or .csv, or it holds JSON lines or an array.

    Columns (or fields) are hypothesis, reference or references, source, id, system and document, or what these are
    usually called: prediction, output, target, src, seg_id, model … Samples that lm-eval logs are read too. Only a
    hypothesis is required. A missing id is the number of the segment within its system, a missing system is named after
    the file. Raises InputError with file, line and field.
    """
    name, (unnamed,) = display_name(path), system_names((path,))
    suffix = fspath(path).lower().removesuffix(".gz").rpartition(".")[2]
    counts: dict[str, int] = {}
    records = _rows(path, name, suffix) if suffix in ("tsv", "csv") else _objects(path, name)
    for record, place in records:
        yield make_segment(canonical_record(record, place), counts, unnamed, place)


def read_table(path: str | PathLike[str]) -> TestSet:
    """Read a table into memory; see iter_table. Raises InputError also if a system has the same id twice."""
    return check_unique(list(iter_table(path)), display_name(path))


def _objects(path: str | PathLike[str], name: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the objects of JSON lines, or of one JSON array, which is held in memory, and where they stand."""
    started = False
    lines = enumerate(iter_lines(path), start=1)
    for number, line in lines:
        if line.lstrip().startswith("[") and not started:
            whole = "\n" * (number - 1) + "\n".join([line, *(rest for _, rest in lines)])  # errors name the line
            values = ((value, f"{name}, entry {i}") for i, value in enumerate(parse_json(whole, name), start=1))
            yield from (_check_object(*value) for value in values)
        elif line.strip():
            started = True
            place = f"{name}, line {number}"
            yield _check_object(parse_json(line, place), place)


def _check_object(value: Any, place: str) -> tuple[dict[str, Any], str]:
    if not isinstance(value, dict):
        raise InputError(f"{place}: a JSON object is expected, not {kind_of(value)}")
    return value, place


def _rows(path: str | PathLike[str], name: str, suffix: str) -> Iterator[tuple[dict[str, Any], str]]:
    header: list[str] = []
    for number, cells in _cells(iter_lines(path), name, suffix):
        if not header:
            header = [cell.strip() for cell in cells]
            repeated = next((cell for cell in header if header.count(cell) > 1), None)
            if repeated is not None:
                raise InputError(f"{name}: column {repeated!r} appears twice")
        elif len(cells) != len(header):
            raise InputError(
                f"{name}, line {number}: {count_noun(len(cells), 'cell')} where {len(header)} columns are named"
            )
        else:
            yield gather_references(dict(zip(header, cells, strict=True))), f"{name}, line {number}"


def _cells(lines: Iterable[str], name: str, suffix: str) -> Iterator[tuple[int, list[str]]]:
    if suffix == "tsv":
        yield from ((number, line.split("\t")) for number, line in enumerate(lines, start=1) if line.strip())
        return
    reader = csv.reader((line + "\n" for line in lines), strict=True)
    try:
        yield from ((reader.line_num, row) for row in reader if any(cell.strip() for cell in row))
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: not a table ({error})") from error


def gather_references(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its numbered references gathered; empty ones are left out."""
    numbered = [name for name in row if _NUMBERED.fullmatch(name.lower())]
    if not numbered:
        return row
    plain = {name: value for name, value in row.items() if name not in numbered}
    given = find_columns(plain, {"reference": TEXT_ROLES["reference"]}).get("reference")
    first = [plain.pop(given)] if given else []
    return {**plain, "references": [text for text in (*first, *(row[name] for name in numbered)) if text]}


def canonical_record(record: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return a record under our own field names; what they are usually called serves where ours are missing."""
    if record.keys() >= _LM_EVAL:
        return _sample(record)
    chosen = {ours: record[column] for ours, column in _columns(tuple(record)).items()}
    if record.get("references") is not None and record.get("reference") is not None:
        raise InputError(f"{place}: both 'references' and 'reference' are given")
    if "hypothesis" not in chosen:
        raise InputError(
            f"{place}: no field 'hypothesis'{suggest('hypothesis', record)}; there are {', '.join(record)}"
        )
    for ours, column in _columns(tuple(record)).items():
        if ours != column and ours == "source" and not isinstance(record[column], str):
            del chosen[ours]  # a field of that name may be anything
    if chosen.get("references") is not None:
        chosen.pop("reference", None)
    return chosen


@functools.lru_cache(maxsize=64)
def _columns(names: tuple[str, ...]) -> dict[str, str]:
    return find_columns(names, _ROLES)


def _sample(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample of lm-eval: the (filtered) answer, its target, and the number of the example."""
    answer: Any = record["filtered_resps"]
    while isinstance(answer, list) and answer:
        answer = answer[0]
    target = record.get("target")
    references = {} if target is None else {"references": target if isinstance(target, list) else str(target)}
    return {"hypothesis": answer, **references, "id": str(record["doc_id"])}
