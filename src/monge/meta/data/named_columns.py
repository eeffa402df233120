"""Judgments in any table with a header or any JSON lines: columns are found by their usual names, or named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from monge.errors import InputError, OptionError, suggest
from monge.meta.data.judged_set import JudgedSet, make_judged_set, tabulate
from monge.scores.records import (
    PathLike,
    Record,
    read_csv_records,
    read_jsonl_records,
    read_tsv_records,
)
from monge.scores.rows import DOCUMENT_NAMES, ID_NAMES, SYSTEM_NAMES
from monge.text import Segment

# role → the names under which it is found when it is not named
ROLES: dict[str, tuple[str, ...]] = {
    "hypothesis": ("hypothesis", "hyp", "output", "system_output", "summary", "translation", "candidate", "prediction"),
    "reference": ("reference", "references", "ref", "refs", "target", "gold"),
    "source": ("source", "src", "input", "article", "original"),
    "id": ID_NAMES,
    "system": SYSTEM_NAMES,
    "document": DOCUMENT_NAMES,
    "human": ("human", "rating", "judgment", "judgement", "human_score", "da", "mqm", "quality", "score"),
}
_NUMBERED = re.compile(r"(?:reference|ref)[ _-]?\d+")
_READERS: dict[str, Callable[[PathLike], Iterator[Record]]] = {
    ".tsv": read_tsv_records,
    ".csv": read_csv_records,
    ".jsonl": read_jsonl_records,
}


def read_named_columns(
    path: PathLike, *, columns: Mapping[str, str] | None = None, human: Sequence[str] = (), scores: Sequence[str] = ()
) -> JudgedSet:
    """Read .tsv (no quoting), .csv or .jsonl, also gzipped, into one set called after the file.

    *columns* says which column plays a role (``{"hypothesis": "summary"}``), *human* which columns are judgments (each
    an aspect), *scores* which are scores of metrics. Without a hypothesis the set has judgments only. A missing id is
    the row number, or the place among a system's rows when there are systems.
    """
    records = list(open_records(path))
    if not records:
        raise InputError(f"{path}: no row below the header")
    names = list(dict.fromkeys(name for record in records for name in record.fields))
    roles = _find_roles(names, columns or {}, str(path))
    judged = list(human) or ([roles["human"]] if "human" in roles else [])
    if not judged:
        listed = ", ".join(names)
        raise OptionError(f"{path}: which column holds the judgments? Columns are {listed}; say --human COLUMN")
    for name in (*judged, *scores):
        if name not in names:
            raise OptionError(f"{path}: no column {name!r}{suggest(name, names)}; columns are {', '.join(names)}")
    segments = _segments(records, roles, names)
    keys = [(segment.system, segment.id) for segment in segments]
    name = Path(path).name.partition(".")[0]
    result = make_judged_set(name, segments, {a: [r.number(a) for r in records] for a in judged}, place=str(path))
    shipped = {s: tabulate(keys, [r.number(s) for r in records], signature=s) for s in scores}
    if "hypothesis" in roles:
        return JudgedSet(name, result.segments, result.judgments, scores=shipped)
    return JudgedSet(name, (), result.judgments, scores=shipped, document_of=result.documents)


def open_records(path: PathLike) -> Iterator[Record]:
    """Return the rows of a .tsv, .csv or .jsonl file, by its name."""
    suffix = Path(str(path).removesuffix(".gz")).suffix.lower()
    if suffix not in _READERS:
        raise InputError(f"{path}: the name must end in {', '.join(_READERS)} (or .gz after that)")
    return _READERS[suffix](path)


def _find_roles(names: Sequence[str], chosen: Mapping[str, str], place: str) -> dict[str, str]:
    lowered = {name.strip().lower(): name for name in reversed(names)}
    roles = {}
    for role, usual in ROLES.items():
        if role in chosen:
            if chosen[role] not in names:
                hint = f"{suggest(chosen[role], names)}; columns are {', '.join(names)}"
                raise OptionError(f"{place}: no column {chosen[role]!r}{hint}")
            roles[role] = chosen[role]
            continue
        found = next((lowered[name] for name in usual if name in lowered), None)
        if found is not None:
            roles[role] = found
    for role in chosen:
        if role not in ROLES:
            raise OptionError(f"no role {role!r}{suggest(role, ROLES)}; roles are {', '.join(ROLES)}")
    return roles


def _segments(records: Sequence[Record], roles: Mapping[str, str], names: Sequence[str]) -> list[Segment]:
    numbered = [name for name in names if _NUMBERED.fullmatch(name.strip().lower())]
    counts: dict[str, int] = {}
    segments = []
    for record in records:
        system = _word(record, roles.get("system"))
        counts[system] = counts.get(system, 0) + 1
        segments.append(
            Segment(
                record.text(roles["hypothesis"]) if "hypothesis" in roles else "",
                _references(record, roles.get("reference"), numbered),
                record.text(roles["source"]) if record.fields.get(roles.get("source", ""), None) is not None else None,
                id=_word(record, roles.get("id")) or str(counts[system]),
                system=system,
                document=_word(record, roles.get("document")),
            )
        )
    return segments


def _references(record: Record, column: str | None, numbered: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    value = record.fields.get(column) if column else None
    if isinstance(value, list):
        if not all(isinstance(v, str) for v in value):
            raise InputError(f"{record.place}: every reference must be text")
        found += value
    elif value is not None and column is not None:
        found.append(record.text(column))
    return (*found, *(record.text(name) for name in numbered if record.fields.get(name)))


def _word(record: Record, column: str | None) -> str:
    value = record.fields.get(column) if column else None
    return "" if value is None else str(value)
