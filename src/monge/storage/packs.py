"""Pack files: blobs one behind the other, written at the end and read in runs."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_RUN_BYTES = 4 << 20  # read at once


class Entry(NamedTuple):
    """Where a blob lies, and the checksum it must have."""

    pack: int
    offset: int
    size: int
    crc: int


def checksum(key: bytes, blob: bytes | memoryview) -> int:
    """Return the checksum of *blob* as the blob of *key*: another blob, or a part of one, has another."""
    start = zlib.crc32(b"%d:%b%d:" % (len(key), key, len(blob)))
    return zlib.crc32(blob, start)


def write_blobs(path: Path, start: int, blobs: Iterable[bytes]) -> None:
    """Write *blobs* behind the first *start* bytes of a pack; what is there is overwritten. 0 makes a new pack."""
    create = 0
    if not start:  # whatever has this name is not a pack of ours
        path.unlink(missing_ok=True)
        create = os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(path, os.O_RDWR | create | _NO_LINKS, 0o666), "r+b", 0) as stream:
        stream.truncate(start)  # a file that lost its end grows by zeros, which fail their checksums
        stream.seek(start)
        for blob in blobs:
            rest = memoryview(blob)
            while rest:
                rest = rest[stream.write(rest) :]


def open_pack(path: Path) -> IO[bytes] | None:
    """Open a pack to read; None if it is not there, or is a link or anything else that is never made here."""
    if not is_regular(path):
        return None
    try:
        return os.fdopen(os.open(path, os.O_RDONLY | _NO_LINKS), "rb", 0)
    except FileNotFoundError:
        return None


def is_regular(path: Path) -> bool:
    """Whether *path* is a file, not a link or a folder."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def read_blobs(stream: IO[bytes], places: Iterable[tuple[bytes, Entry]]) -> Iterator[tuple[bytes, bytes | None]]:
    """Yield (key, blob) of entries in order of place; a blob that is not what was written comes as None."""
    end = os.fstat(stream.fileno()).st_size
    for run in _runs(places):
        yield from _read_run(stream, end, run)


def _runs(group: Iterable[tuple[bytes, Entry]]) -> Iterator[list[tuple[bytes, Entry]]]:
    """Divide entries of a pack, in order of place, into runs that are read at once: no gaps, not too long."""
    run: list[tuple[bytes, Entry]] = []
    start = stop = 0
    for key, entry in group:
        if run and (entry.offset != stop or entry.offset + entry.size - start > _RUN_BYTES):
            yield run
            run = []
        if not run:
            start = entry.offset
        run.append((key, entry))
        stop = entry.offset + entry.size
    if run:
        yield run


def _read_run(stream: IO[bytes], end: int, run: Sequence[tuple[bytes, Entry]]) -> Iterator[tuple[bytes, bytes | None]]:
    """Yield the blobs of a run from a pack of *end* bytes; None for one that is not what was written for its key."""
    start = run[0][1].offset
    data = memoryview(b"")
    if start < end:
        stream.seek(start)
        data = memoryview(stream.read(min(run[-1][1].offset + run[-1][1].size, end) - start))
    for key, entry in run:
        blob = bytes(data[entry.offset - start : entry.offset - start + entry.size])
        yield key, blob if len(blob) == entry.size and checksum(key, blob) == entry.crc else None
