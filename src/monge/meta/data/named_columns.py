"""Judgments in any table with a header or any JSON lines: columns have usual names, or the user names them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from monge.errors import InputError, OptionError, suggest
from monge.meta.data.judged_set import JudgedSet, make_judged_set, tabulate
from monge.meta.data.nested import unfold_records
from monge.scores.records import (
    PathLike,
    Record,
    read_csv_records,
    read_jsonl_records,
    read_tsv_records,
)
from monge.text import Segment
from monge.text.columns import PART_NAMES, TEXT_ROLES

# role → the usual names of its column
ROLES: dict[str, tuple[str, ...]] = {
    **TEXT_ROLES,
    "part": PART_NAMES,
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
) -> list[JudgedSet]:
    """Read .tsv (no quoting), .csv or .jsonl, also gzipped: one set per part, or one named after the file.

    *columns* names the column that plays a role (``{"hypothesis": "summary"}``), *human* the columns of judgments (one
    aspect each), *scores* those of metric scores. A column part (or lp) separates parts, such as language pairs.
    Without a hypothesis the sets have judgments only. A missing id is the number of the row among those of its system.
    """
    records = list(open_records(path))
    if not records:
        raise InputError(f"{path}: no row below the header")
    name = Path(path).name.partition(".")[0]
    return judge_records(records, name=name, place=str(path), columns=columns, human=human, scores=scores)


def judge_records(
    records: Sequence[Record],
    *,
    name: str,
    place: str,
    columns: Mapping[str, str] | None = None,
    human: Sequence[str] = (),
    scores: Sequence[str] = (),
) -> list[JudgedSet]:
    """Return the judged sets of rows that have been read already; *place* names their origin in errors."""
    records, nested = unfold_records(records)
    names = list(dict.fromkeys(name for record in records for name in record.fields))
    roles = _find_roles(names, columns or {}, place)
    judged = list(human) or nested or ([roles["human"]] if "human" in roles else [])
    if not judged:
        listed = ", ".join(names)
        raise OptionError(f"{place}: no column of judgments among {listed}; name it with --human COLUMN")
    for column in (*judged, *scores):
        if column not in names:
            raise OptionError(f"{place}: no column {column!r}{suggest(column, names)}; columns are {', '.join(names)}")
    if "part" not in roles:
        return [replace(_make_set(name, records, roles, names, judged, scores, place), whole=True)]
    parts: dict[str, list[Record]] = {}
    for record in records:
        part = _word(record, roles["part"])
        if not part:
            raise InputError(f"{record.place}: column {roles['part']!r} is empty")
        parts.setdefault(part, []).append(record)
    return [_make_set(part, own, roles, names, judged, scores, place) for part, own in parts.items()]


def _make_set(
    name: str,
    records: Sequence[Record],
    roles: Mapping[str, str],
    names: Sequence[str],
    human: Sequence[str],
    scores: Sequence[str],
    place: str,
) -> JudgedSet:
    segments = _segments(records, roles, names)
    keys = [(segment.system, segment.id) for segment in segments]
    result = make_judged_set(name, segments, {a: [r.number(a) for r in records] for a in human}, place=place)
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
