"""Reading lines: plain or gzip files and standard input; UTF-8, or UTF-16 and UTF-32 with a byte-order mark."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import sys
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Any, cast

from monge.errors import InputError

_BOM = b"\xef\xbb\xbf"
_UTF_16, _UTF_32 = (b"\xff\xfe", b"\xfe\xff"), (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")
_GZIP_MAGIC = b"\x1f\x8b"


def iter_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    r"""Yield the lines of *path* without their ends, one at a time.

    ``-`` is standard input; gzip is recognised by its first two bytes, whatever the name. Only ``\n`` (or ``\r\n``)
    ends a line: U+2028, U+0085 and the like are part of the text. A byte-order mark is dropped; that of
    UTF-16 or UTF-32, as Windows programs write it, chooses this encoding instead of UTF-8. Raises InputError for a
    missing file, a directory, a file without a single byte, a damaged gzip stream and bytes that cannot be decoded.
    """
    name = display_name(path)
    number = 0
    try:
        with _open_bytes(path) as stream:
            decode = _decode_wide if _is_wide(stream) else _decode_all
            with contextlib.closing(decode(stream, name)) as lines:
                for number, line in enumerate(lines, start=1):  # noqa: B007  # named if the next one is damaged
                    yield line
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"{name}: damaged gzip data after line {number} ({error})") from error
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from error
    if number == 0:
        raise InputError(f"{name} is empty (zero bytes of text)")


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """Return all lines of *path*; see iter_lines for what a line is and which errors are raised."""
    if os.fspath(path) != "-" and os.path.isfile(path):  # what flows through a pipe can be read only once
        with contextlib.suppress(OSError, UnicodeDecodeError), Path(path).open("rb") as stream:
            if not stream.peek(4).startswith((_GZIP_MAGIC, *_UTF_16, *_UTF_32)) and (lines := _split(stream.read())):
                return lines
    return list(iter_lines(path))  # says what is wrong, and where


def _split(raw: bytes) -> list[str]:
    """Return the lines of UTF-8, as _decode_all does, without a loop over lines."""
    lines = raw.removeprefix(_BOM).decode("utf-8").replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()  # what follows the last end of a line
    return lines


def display_name(path: str | os.PathLike[str]) -> str:
    """Return the name of *path* that messages show.

    >>> display_name("-")
    'standard input'
    """
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def system_names(paths: list[str | os.PathLike[str]] | tuple[str | os.PathLike[str], ...]) -> tuple[str, ...]:
    """Name systems after their files: the stem, or as much more of the path as makes the names different.

    A file that is given twice has the same name with a number.

    >>> system_names(["out/a.txt", "out/b.txt.gz"])
    ('a', 'b')
    >>> system_names(["a/out.txt", "b/out.txt", "c.txt"])
    ('a/out', 'b/out', 'c')
    >>> system_names(["news.online-A", "news.online-B"])
    ('news.online-A', 'news.online-B')
    >>> system_names(["a.txt", "./a.txt"])
    ('a', 'a-2')
    """
    files = [os.path.abspath(path) for path in paths]
    ladders = [_name_ladder(path) for path in paths]
    rungs = [0] * len(ladders)
    names = [ladder[0] for ladder in ladders]
    while True:
        taken: dict[str, set[str]] = {}
        for name, file in zip(names, files, strict=True):
            taken.setdefault(name, set()).add(file)
        shared = [i for i, name in enumerate(names) if len(taken[name]) > 1 and rungs[i] + 1 < len(ladders[i])]
        if not shared:
            break
        for i in shared:
            rungs[i] += 1
            names[i] = ladders[i][rungs[i]]
    return tuple(_number_repeats(names))


def _name_ladder(path: str | os.PathLike[str]) -> list[str]:
    """Return longer and longer names of one file: stem, file name, then both with one more parent folder each."""
    if os.fspath(path) == "-":
        return ["stdin"]
    parts = Path(os.path.abspath(path)).parts
    whole = parts[-1].removesuffix(".gz") or parts[-1]
    stem = Path(whole).stem
    parents = [part for part in parts[:-1] if part != os.sep]
    ladder = [stem, whole, parts[-1]]
    for depth in range(1, len(parents) + 1):
        prefix = "/".join(parents[-depth:])
        ladder += [f"{prefix}/{stem}", f"{prefix}/{whole}"]
    return ladder


def _number_repeats(names: list[str]) -> list[str]:
    taken = set(names)
    seen: set[str] = set()
    unique = []
    for name in names:
        fresh, count = name, 1
        while fresh in seen or (count > 1 and fresh in taken):
            count += 1
            fresh = f"{name}-{count}"
        seen.add(fresh)
        unique.append(fresh)
    return unique


@contextlib.contextmanager
def _open_bytes(path: str | os.PathLike[str]) -> Iterator[io.BufferedReader]:
    if os.fspath(path) == "-":
        if sys.stdin is None:  # the caller closed it
            raise InputError("standard input is closed, so '-' cannot be read")
        buffered: io.BufferedReader = io.BufferedReader(cast(io.RawIOBase, sys.stdin.buffer))
        try:
            yield _unzip(buffered)
        finally:
            buffered.detach()  # standard input must stay open
        return
    with Path(path).open("rb") as stream:
        yield _unzip(stream)


def _unzip(stream: io.BufferedReader) -> io.BufferedReader:
    if stream.peek(2)[:2] == _GZIP_MAGIC:
        return io.BufferedReader(gzip.GzipFile(fileobj=stream))
    return stream


def _is_wide(stream: io.BufferedReader) -> bool:
    return stream.peek(4).startswith(_UTF_16 + _UTF_32)


def _decode_wide(stream: io.BufferedReader, name: str) -> Generator[str]:
    """Yield the lines of UTF-16 or UTF-32 that begins with a byte-order mark."""
    encoding = "UTF-32" if stream.peek(4).startswith(_UTF_32) else "UTF-16"
    text = io.TextIOWrapper(stream, encoding=encoding, newline="\n")
    try:
        for line in text:
            yield line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: it begins like {encoding}, but is not ({error.reason})") from error
    finally:
        text.detach()  # who opened the stream closes it


def _decode_all(stream: IO[bytes], name: str) -> Generator[str]:
    return (_decode(raw, name, number) for number, raw in enumerate(_without_bom(stream), start=1))


def _without_bom(stream: IO[bytes]) -> Iterator[bytes]:
    first = stream.readline().removeprefix(_BOM)
    if first:
        yield first
    yield from stream


def _decode(raw: bytes, name: str, number: int) -> str:
    if raw.endswith(b"\n"):
        raw = raw[:-2] if raw.endswith(b"\r\n") else raw[:-1]
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(raw[: error.start].decode("utf-8")) + 1
        byte = raw[error.start]
        raise InputError(f"{name}, line {number}: not UTF-8 (byte 0x{byte:02x} at column {column})") from error


def parse_json(text: str, place: str) -> Any:
    """Return the value of JSON text; raises InputError, whose message begins with *place*, if it is not JSON.

    >>> parse_json('[1, 2]', "here")
    [1, 2]
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text else ""
        raise InputError(f"{place}: not JSON ({error.msg} at {line}column {error.colno})") from error
    except (RecursionError, ValueError) as error:
        what = "a number of thousands of digits" if isinstance(error, ValueError) else "JSON nested too deeply"
        raise InputError(f"{place}: {what}") from error
