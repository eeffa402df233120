"""Sets of segments to be scored, and the files they are read from."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from monge.errors import InputError
from monge.text.readers import display_name, iter_lines, system_names
from monge.text.segment import Segment

Path = str | os.PathLike[str]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class TestSet:
    """Segments of one or several systems; raises InputError if a system has the same id twice.

    >>> test_set = TestSet((Segment("a", ("b",), id="1", system="x"), Segment("c", ("b",), id="1", system="y")))
    >>> test_set.systems
    ('x', 'y')
    """

    __test__ = False  # pytest would take the name for a test

    segments: tuple[Segment, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", tuple(self.segments))
        seen: set[tuple[str, str]] = set()
        for segment in self.segments:
            key = (segment.system, segment.id)
            if segment.id and key in seen:
                raise InputError(f"segment id {segment.id!r} appears twice in system {segment.system!r}")
            seen.add(key)

    def __len__(self) -> int:
        return len(self.segments)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, in order of appearance."""
        return tuple(dict.fromkeys(segment.system for segment in self.segments))

    def by_system(self) -> dict[str, list[Segment]]:
        """Return the segments of each system, both in order of appearance."""
        groups: dict[str, list[Segment]] = {}
        for segment in self.segments:
            groups.setdefault(segment.system, []).append(segment)
        return groups

    def records(self) -> list[dict[str, object]]:
        """Return plain dictionaries as read_table reads them, for write_jsonl."""
        return [_record(segment) for segment in self.segments]


def read_parallel(
    hypothesis_paths: Sequence[Path],
    reference_paths: Sequence[Path],
    source_path: Path | None = None,
    document_path: Path | None = None,
) -> TestSet:
    """Read files with one text per line: a hypothesis file per system, any number of reference files, a source file.

    Segment ids are line numbers from 1. Systems are named after their files (see system_names). The file of documents
    has one document id per line. Raises InputError if two files differ in length; the message names the first line
    without a partner.
    """
    lines = list(iter_parallel(hypothesis_paths, reference_paths, source_path, document_path))
    return TestSet(tuple(segment for system in zip(*lines, strict=True) for segment in system))


def iter_parallel(
    hypothesis_paths: Sequence[Path],
    reference_paths: Sequence[Path],
    source_path: Path | None = None,
    document_path: Path | None = None,
) -> Iterator[tuple[Segment, ...]]:
    """Yield the segments of all systems line by line, with one line in memory at a time; see read_parallel."""
    if not hypothesis_paths:
        raise InputError("no hypothesis file given")
    others = [path for path in (source_path, document_path) if path is not None]
    sides = [*hypothesis_paths, *reference_paths, *others]
    if sum(os.fspath(path) == "-" for path in sides) > 1:
        raise InputError("standard input ('-') can be read only once")
    names = system_names(tuple(hypothesis_paths))
    first, last = len(hypothesis_paths), len(hypothesis_paths) + len(reference_paths)
    columns = [iter_lines(path) for path in sides]
    for number, line in enumerate(zip_longest(*columns), start=1):
        if None in line:
            rest = zip(line, columns, strict=True)
            _check_lengths(sides, [number - (text is None) + _count(lines) for text, lines in rest])
        references, source = line[first:last], None if source_path is None else line[last]
        document = "" if document_path is None else line[-1].strip()
        if document_path is not None and not document:
            raise InputError(f"{display_name(document_path)}, line {number}: there is no document id")
        yield tuple(
            Segment(hypothesis, references, source, id=str(number), system=name, document=document)
            for hypothesis, name in zip(line[:first], names, strict=True)
        )


def _check_lengths(paths: Sequence[Path], counts: Sequence[int]) -> None:
    path, count = paths[0], counts[0]
    for other_path, other_count in zip(paths[1:], counts[1:], strict=True):
        if other_count != count:
            first = min(count, other_count) + 1
            longer, shorter = (path, other_path) if count > other_count else (other_path, path)
            lines = "1 line" if count == 1 else f"{count} lines"
            raise InputError(
                f"{display_name(path)} has {lines} but {display_name(other_path)} has {other_count}: "
                f"line {first} of {display_name(longer)} has no partner in {display_name(shorter)}"
            )


def _count(lines: Iterator[str]) -> int:
    return sum(1 for _ in lines)


def make_segment(record: Mapping[str, object], counts: dict[str, int], unnamed: str, place: str) -> Segment:
    """Return the segment of a record; *counts* numbers those of each system, *unnamed* names a system without a name.

    Raises InputError that begins with *place*.
    """
    system = _name(record, "system", place) or unnamed
    counts[system] = counts.get(system, 0) + 1
    source = record.get("source")
    return Segment(
        _text(record["hypothesis"], "hypothesis", place),
        tuple(_references(record, place)),
        None if source is None else _text(source, "source", place),
        id=_name(record, "id", place) or str(counts[system]),
        system=system,
        document=_name(record, "document", place),
    )


def _references(record: Mapping[str, object], place: str) -> Iterator[str]:
    field = "references" if record.get("references") is not None else "reference"
    value = record.get(field)
    if value is None:
        return
    if not isinstance(value, list):
        yield _text(value, field, place)
        return
    for i, reference in enumerate(value, start=1):
        yield _text(reference, f"{field}[{i}]", place)


def _text(value: object, field: str, place: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{place}: field {field!r} must be text, not {kind_of(value)}")
    if not value.isascii() and (found := _LONE_SURROGATE.search(value)):  # JSON can write half a character
        raise InputError(f"{place}: field {field!r} contains a lone surrogate (U+{ord(found[0]):04X})")
    return value


def _name(record: Mapping[str, object], field: str, place: str) -> str:
    value = record.get(field)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{place}: field {field!r} must be text or a whole number, not {kind_of(value)}")
    return _text(str(value), field, place)


def kind_of(value: object) -> str:
    """Return what kind of JSON value something is, in words."""
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def check_unique(segments: list[Segment], name: str) -> TestSet:
    """Return the test set of *segments*; raises InputError that names the file if there is none, or an id repeats."""
    if not segments:
        raise InputError(f"{name} contains no segments")
    try:
        return TestSet(tuple(segments))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def _record(segment: Segment) -> dict[str, object]:
    names = {"id": segment.id, "system": segment.system, "document": segment.document}
    record: dict[str, object] = {key: name for key, name in names.items() if name}
    if segment.source is not None:
        record["source"] = segment.source
    return record | {"hypothesis": segment.hypothesis, "references": list(segment.references)}
