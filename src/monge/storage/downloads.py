"""Getting files: whole, checked and once, however often it takes and however many processes want them."""

from __future__ import annotations

import http.client
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from monge.errors import InputError
from monge.storage.digests import hash_files
from monge.storage.notices import report

_BLOCK = 1 << 16
_TIMEOUT = 30.0  # seconds without a byte


@contextmanager
def one_at_a_time(lock: Path) -> Iterator[None]:
    """Hold *lock*, a file, against other processes; one that has to wait says so."""
    import filelock

    lock.parent.mkdir(parents=True, exist_ok=True)
    held = filelock.FileLock(lock)
    try:
        held.acquire(timeout=0)
    except filelock.Timeout:
        report(f"another process is fetching {lock.stem}; waiting for it")
        held.acquire()
    try:
        yield
    finally:
        held.release()


def download(address: str, target: Path, *, sha256: str, parts: Path) -> None:
    """Fetch *address* into *target*, unless the file is there and right already.

    Bytes arrive in the folder *parts*, where an interrupted download is taken up again; *target* appears in one step
    and only if its SHA-256 is *sha256*. Callers that share *parts* take turns (:func:`one_at_a_time`).
    Raises InputError when the address cannot be read or holds something else.
    """
    if target.is_file() and hash_files([target]) == sha256:
        return
    part = parts / f"{sha256}.part"
    try:
        for folder in (parts, target.parent):
            folder.mkdir(parents=True, exist_ok=True)
        resumed = _receive(address, part, target.name)
        found = hash_files([part])
        if found != sha256 and resumed:  # what was there from before may have been something else
            part.unlink()
            _receive(address, part, target.name)
            found = hash_files([part])
        if found != sha256:
            part.unlink()
            raise InputError(f"{address}: SHA-256 is {found}, not {sha256}; nothing was kept")
        part.replace(target)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(f"{address} cannot be fetched: {reason}") from error


def _receive(address: str, part: Path, title: str) -> bool:
    """Append to *part* what it lacks; return whether its beginning was there before."""
    start = part.stat().st_size if part.exists() else 0
    try:
        answer = _ask(address, start)
    except urllib.error.HTTPError as error:
        if not (start and error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE):
            raise
        answer, start = _ask(address, 0), 0  # nothing more to come, or another file
    with answer:
        if getattr(answer, "status", None) != http.HTTPStatus.PARTIAL_CONTENT:
            start = 0
        with part.open("r+b" if start else "wb") as stream:
            stream.seek(start)
            _copy(answer, stream, title, start)
    return start > 0


def _ask(address: str, start: int) -> Any:
    headers = {"Range": f"bytes={start}-"} if start else {}
    return urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=_TIMEOUT)


def _copy(answer: Any, stream: IO[bytes], title: str, start: int) -> None:
    from tqdm import tqdm

    length = int(answer.headers.get("Content-Length") or 0) or None
    total = None if length is None else start + length
    with tqdm(
        total=total, initial=start, unit="B", unit_scale=True, desc=title, file=sys.stderr, leave=False, disable=None
    ) as bar:
        while block := answer.read(_BLOCK):
            stream.write(block)
            bar.update(len(block))
    if total is not None and stream.tell() < total:
        raise OSError(f"the connection ended after {stream.tell()} of {total} bytes; try again to go on from there")
    os.ftruncate(stream.fileno(), stream.tell())
