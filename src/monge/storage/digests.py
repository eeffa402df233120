"""SHA-256 of files, remembered for as long as the files stay untouched."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

from monge.storage.store import Store, make_label

ALGORITHM = 1  # raise it when the same files must get another digest
_SETTLED_NS = 2_000_000_000  # a file changed more recently could change again without its times showing it
_TIMES_SHOW_CHANGES = os.name == "posix"  # elsewhere st_ctime is the time of creation


def hash_files(files: Sequence[Path]) -> str:
    """Return the SHA-256 (64 hexadecimal digits) of the contents of *files*, read one after another."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
    return digest.hexdigest()


def digest_files(files: Sequence[Path], notes: Store | None) -> str:
    """Return :func:`hash_files` of *files*, remembered in *notes* (None: always computed).

    A note is found by path, inode, size and both times of every file. The time of the last status change (ctime)
    cannot be set by a program, so a file rewritten with its old size and its old time of modification is read again.
    """
    if notes is None or not _TIMES_SHOW_CHANGES:
        return hash_files(files)
    state, newest = _describe(files)
    key = hashlib.sha256(state.encode("utf-8", errors="surrogateescape")).digest()
    known = notes.get([key]).get(key)
    if known is not None and len(known) == 64:
        return known.decode("ascii", errors="replace")
    began = time.time_ns()
    digest = hash_files(files)
    if newest + _SETTLED_NS < began and _describe(files)[0] == state:
        notes.put(make_label("digests of files", f"digests={ALGORITHM}"), {key: digest.encode("ascii")})
    return digest


def _describe(files: Sequence[Path]) -> tuple[str, int]:
    """Return what changes whenever a file does, and the time of the latest change."""
    parts, newest = ["digest"], 0
    for file in files:
        status = file.stat()
        numbers = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        parts += [str(file.resolve()), *map(str, numbers)]
        newest = max(newest, status.st_ctime_ns)
    return "\0".join(parts), newest
