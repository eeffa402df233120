"""Writing results: whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import json
import math
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from monge.errors import InputError


@contextlib.contextmanager
def open_atomic(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open *path* for writing bytes under a temporary name beside it; it takes its name only if the block succeeds.

    ``-`` is standard output. Anything that is not a regular file (``/dev/stdout``, a pipe) is written directly.
    Raises InputError when it cannot be written.
    """
    if os.fspath(path) == "-":
        sys.stdout.flush()  # what was printed before comes first
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))
    with _explained(path):
        if target.is_dir():
            raise IsADirectoryError(None, "it is a directory")
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                yield stream
            return
        temporary = target.with_name(f".{target.name[:40]}.{os.urandom(4).hex()}.tmp")  # 255 bytes are the most
        try:
            with temporary.open("xb") as stream:
                yield stream
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write *text* as UTF-8, compressed when the name ends in ``.gz``."""
    _write_pieces(path, [text])


def _write_pieces(path: str | os.PathLike[str], pieces: Iterable[str]) -> None:
    """Write text as it comes, so that a long result needs no memory; what is not a file gets all of it or nothing."""
    if os.fspath(path) == "-" or (Path(path).exists() and not Path(path).is_file()):
        pieces = [_encode("".join(pieces), path).decode()]
    data = (_encode(piece, path) for piece in pieces)
    with open_atomic(path) as stream:
        if os.fspath(path).endswith(".gz"):
            with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed:
                packed.writelines(data)
        else:
            stream.writelines(data)


def _encode(text: str, path: str | os.PathLike[str]) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        character = f"U+{ord(text[error.start]):04X}"
        raise InputError(f"cannot write {os.fspath(path)}: the text holds a lone surrogate ({character})") from error


def write_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Write one text a line; a text that holds a line break is refused."""
    _write_pieces(path, (_checked(line, f"line {i}", "\n\r") + "\n" for i, line in enumerate(lines, start=1)))


def write_tsv(path: str | os.PathLike[str], header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write tab-separated values without quoting; None and NaN become empty cells.

    A cell that holds a tab or a line break is refused: JSONL can hold it.
    """
    _write_pieces(path, _tsv_lines(header, rows))


def _tsv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield "\t".join(_checked(name, "header", "\t\n\r") for name in header) + "\n"
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise InputError(f"row {number} has {len(row)} cells where {len(header)} columns are named")
        cells = (
            _checked(_cell(value), f"row {number}, column {name!r}", "\t\n\r")
            for name, value in zip(header, row, strict=True)
        )
        yield "\t".join(cells) + "\n"


def write_jsonl(path: str | os.PathLike[str], records: Iterable[Mapping[str, object]]) -> None:
    """Write one JSON object a line, non-ASCII text as it is; NaN becomes null, infinity is refused."""
    _write_pieces(path, _json_lines(records))


def _json_lines(records: Iterable[Mapping[str, object]]) -> Iterator[str]:
    for number, record in enumerate(records, start=1):
        try:
            yield json.dumps(_without_nan(dict(record)), ensure_ascii=False, allow_nan=False) + "\n"
        except (TypeError, ValueError) as error:
            raise InputError(f"record {number} cannot be written as JSON: {error}") from error


@contextlib.contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot write {os.fspath(path)}: {error.strerror or error}") from error


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return float.__repr__(value) if isinstance(value, float) else str(value)  # numpy's own repr names its type


def _checked(text: str, place: str, forbidden: str) -> str:
    for char in forbidden:
        if char in text:
            kind = "tab" if char == "\t" else "line break"
            raise InputError(f"{place}: {text[:40]!r} holds a {kind}, which this format cannot carry; JSONL can")
    return text


def _without_nan(value: object) -> object:
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value
