"""A bounded store of blobs on disk that never fails its user: what cannot be kept is made again."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from monge.environment import CACHE_BYTES
from monge.storage.gather import LaidBlobs, gather_blobs
from monge.storage.notices import report
from monge.storage.pack_index import DamagedIndexError, ForeignIndexError, PackIndex

T = TypeVar("T")

_BATCH_BYTES = 32 << 20  # written in one turn, so that other processes get theirs
_SLACK = 0.9  # a full store is emptied to this share, so that not every write prunes
_DAY = 86_400
_DAMAGE = (
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_TOOBIG,
    sqlite3.SQLITE_INTERNAL,
)
_REFUSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


@dataclass(frozen=True)
class LabelSummary:
    """How much is stored under one label."""

    label: str
    entries: int
    bytes: int


class _OpenFiles:
    """The open index of a store, apart from the store so that it can be closed when the store is gone."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._index: PackIndex | None = None
        self._owner = 0

    def open(self, directory: Path, *, read_only: bool) -> PackIndex:
        """Return the index, opened once per process: a forked child must not use its parent's connection."""
        if self._index is None or self._owner != os.getpid():
            self._index, self._owner = PackIndex(directory, read_only=read_only), os.getpid()
        return self._index

    def close(self, *, wait: bool = True) -> None:
        """Close the index; without *wait* only if no thread is at work on it, which at exit may never end."""
        if self.lock.acquire(blocking=wait):
            try:
                if self._index is not None and self._owner == os.getpid():
                    self._index.close()
                self._index = None
            finally:
                self.lock.release()


class Store:
    """Blobs by key in a directory, shared by threads and processes and bounded to *most* bytes.

    Every blob is checked against its checksum when it is read. A damaged blob is dropped, a damaged or foreign index
    is built again, a directory that cannot be written is only read, and a full disk turns the store off for this
    process; each of these is reported once on stderr and none is an error, because all that is lost is time. What was
    not used for longest goes first when the store is full (by whole days and packs). To make room in a full store one
    process drops at most *most* bytes per day: a job larger than the store would only push itself out.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "blobs")
    ...     store.put("greetings", {b"k": b"hello"})
    ...     found = store.get([b"k", b"unknown"])
    ...     store.close()
    >>> found
    {b'k': b'hello'}
    """

    def __init__(self, directory: Path, *, most: int = CACHE_BYTES) -> None:
        self.directory = directory
        self.most = most
        self._open_files = _OpenFiles()
        weakref.finalize(self, self._open_files.close, wait=False)  # also at exit, while modules are still whole
        self._off = False  # nothing works here: a process says so once and goes on without
        self._read_only = False
        self._written = (0, 0)  # day, bytes
        self._reported: set[str] = set()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the blobs of those *keys* that are stored whole."""
        return self._guarded(lambda index: self._get(index, keys), {})

    def gather(self, keys: Sequence[bytes]) -> LaidBlobs | None:
        """Return the blobs of *keys*, all different, laid end to end in their order; None unless all are stored whole.

        Much faster than ``get`` for large blobs: they are read once, to where they stay. Other threads can use the
        store meanwhile.
        """
        found = self._guarded(lambda index: self._locate(index, keys), None)
        if found is None:
            return None
        index, places = found
        try:
            return gather_blobs(index, keys, places)
        except OSError as error:
            return self._guarded(partial(_fail, error), None)

    def put(self, label: str, blobs: Mapping[bytes, bytes]) -> None:
        """Store *blobs* under *label*, unless the disk or this process's share is full."""
        for batch in _batches(blobs):
            self._guarded(partial(self._put, label=label, blobs=batch), None)

    def summary(self) -> list[LabelSummary]:
        """Return what is stored by label, the largest first."""
        return self._guarded(lambda index: [LabelSummary(*row) for row in index.summary()], [])

    def size(self) -> int:
        """Return the bytes that blobs take, those forgotten but not yet freed included."""
        return self._guarded(lambda index: index.size(), 0)

    def prune(self, most: int) -> int:
        """Drop what was not used for longest until *most* bytes are left; return the bytes freed."""
        return self._guarded(lambda index: index.shrink(most), 0)

    def verify(self) -> tuple[int, int]:
        """Read every blob; return how many there were and how many were damaged, which are dropped."""
        return self._guarded(self._verify, (0, 0))

    def close(self) -> None:
        """Let go of the files; the next use opens them again."""
        self._open_files.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"directory": self.directory, "most": self.most}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Store.__init__(self, state["directory"], most=state["most"])

    # -- inside --------------------------------------------------------------------------------------------------

    def _get(self, index: PackIndex, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        places = index.find(keys)
        blobs: dict[bytes, bytes] = {}
        damaged = []
        for key, blob in index.read(places):
            if blob is None:
                damaged.append(key)
            else:
                blobs[key] = blob
        if damaged and not self._read_only:
            index.drop(damaged)
        broken = sum(index.has_pack(places[key].pack) for key in damaged)
        if broken:
            self._report_once(f"{broken} damaged entries in {self.directory} were dropped and are made again")
        if blobs and not self._read_only:
            index.touch({place.pack for place in places.values()}, _today())
        return blobs

    def _locate(self, index: PackIndex, keys: Sequence[bytes]) -> tuple[PackIndex, NDArray[np.int64]] | None:
        """Return where the blobs of *keys* lie if all are stored, which then count as used."""
        places = index.locate(keys)
        if places is None:
            return None
        if len(places) and not self._read_only:
            index.touch(np.unique(places[:, 0]).tolist(), _today())
        return index, places

    def _put(self, index: PackIndex, label: str, blobs: Mapping[bytes, bytes]) -> None:
        if self._read_only:
            return
        today, amount = _today(), sum(map(len, blobs.values()))
        written = self._written[1] if self._written[0] == today else 0
        if written + amount > self.most and index.size() + amount > self.most:
            self._report_once(
                f"this job needs more than the {format_bytes(self.most)} of the cache; the rest is not kept"
            )
            return
        index.append(label, blobs, today)
        self._written = (today, written + amount)
        if index.size() > self.most:
            index.shrink(int(self.most * _SLACK))

    def _verify(self, index: PackIndex) -> tuple[int, int]:
        index.check()
        entries = index.all_entries()
        damaged = [key for key, blob in index.read(entries) if blob is None]
        if not self._read_only:
            index.drop(damaged)
            index.shrink(self.most)
        return len(entries), len(damaged)

    def _guarded(self, action: Callable[[PackIndex], T], otherwise: T) -> T:
        """Do *action* on the index; on a fault report it, mend what can be mended and return *otherwise*."""
        with self._open_files.lock:
            if self._off:
                return otherwise
            try:
                return action(self._open_files.open(self.directory, read_only=self._read_only))
            except ForeignIndexError as error:
                self._rebuild(str(error))
            except (DamagedIndexError, UnicodeDecodeError) as error:  # SQLite quotes a damaged schema as it is
                self._rebuild(f"{self.directory} is damaged ({error})")
            except (sqlite3.Error, OSError) as error:
                if self._turn_read_only(error):
                    return self._guarded(action, otherwise)
                if isinstance(error, sqlite3.Error) and _is_damage(error):
                    self._rebuild(f"{self.directory} is damaged ({error})")
                else:
                    self._give_up(getattr(error, "strerror", None) or str(error))
        return otherwise

    def _turn_read_only(self, error: sqlite3.Error | OSError) -> bool:
        """Only read from now on, if *error* says that there is something to read but nothing may be written."""
        refused = _code(error) in _REFUSED if isinstance(error, sqlite3.Error) else error.errno in _FORBIDDEN
        if self._read_only or not refused or not os.path.exists(self.directory / "index.sqlite"):
            return False
        self.close()
        self._read_only = True
        self._report_once(f"{self.directory} cannot be written: what is there is used, and nothing new is kept")
        return True

    def _rebuild(self, reason: str) -> None:
        """Move the whole directory away in one step, so that no other process pairs an old file with a new one."""
        self.close()
        aside = self.directory.with_name(f"{self.directory.name}.discarded-{os.urandom(4).hex()}")
        try:
            self.directory.rename(aside)
        except OSError as error:
            self._give_up(f"{reason}, and cannot be removed: {error.strerror}")
            return
        self._report_once(f"{reason}; it was removed and is built again")
        shutil.rmtree(aside, ignore_errors=True)

    def _give_up(self, reason: str) -> None:
        self.close()
        self._off = True
        self._report_once(f"going on without {self.directory}: {reason}")

    def _report_once(self, message: str) -> None:
        if message not in self._reported:
            self._reported.add(message)
            report(f"cache: {message}")


def make_label(what: str, maker: str) -> str:
    """Return the label of blobs that hold *what*, computed by *maker*.

    >>> split_label(make_label("vectors of minilm", "onnx=1"))
    ('vectors of minilm', 'onnx=1')
    """
    return f"{what}|{maker}"


def split_label(label: str) -> tuple[str, str]:
    """Return what a label names and who computed it (empty if the label does not say)."""
    what, separator, maker = label.rpartition("|")
    return (what, maker) if separator else (label, "")


def format_bytes(count: float) -> str:
    """Return a size for people.

    >>> format_bytes(1536), format_bytes(20), format_bytes(4 << 30)
    ('1.5 KB', '20 bytes', '4.0 GB')
    """
    if count < 1024:
        return f"{count:.0f} bytes"
    for unit in ("KB", "MB", "GB"):
        count /= 1024
        if count < 1024:
            return f"{count:.1f} {unit}"
    return f"{count / 1024:.1f} TB"


def _fail(error: OSError, _: PackIndex) -> None:
    raise error


def _batches(blobs: Mapping[bytes, bytes]) -> Iterator[dict[bytes, bytes]]:
    batch: dict[bytes, bytes] = {}
    size = 0
    for key, blob in blobs.items():
        if batch and size + len(blob) > _BATCH_BYTES:
            yield batch
            batch, size = {}, 0
        batch[key] = blob
        size += len(blob)
    if batch:
        yield batch


def _is_damage(error: sqlite3.Error) -> bool:
    if hasattr(error, "sqlite_errorcode"):
        return _code(error) in _DAMAGE
    return not isinstance(error, sqlite3.ProgrammingError)  # text that is not UTF-8, say; not a closed connection


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _today() -> int:
    return int(time.time() // _DAY)
