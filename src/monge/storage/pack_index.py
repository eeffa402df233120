"""The SQLite index of blobs in append-only pack files: what :class:`~monge.storage.store.Store` is made of."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain, groupby
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from monge.storage.packs import Entry, checksum, is_regular, open_pack, read_blobs, write_blobs

FORMAT = 2  # raise it when what is stored changes: files of another format are built again
PACK_BYTES = 64 << 20  # a pack is closed once it is this long; packs are dropped whole
_APPLICATION = 0x4D4F4E47  # "MONG": marks the index as ours
_BUSY_SECONDS = 60.0
_SEQUENCE = "CREATE TABLE sqlite_sequence(name,seq)"  # made by SQLite for AUTOINCREMENT
_MOST_KEYS = 500  # in one query
_SCHEMA = (
    "CREATE TABLE identity(name TEXT NOT NULL)",
    "CREATE TABLE labels(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE packs(id INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL, used INTEGER NOT NULL)",
    "CREATE TABLE entries(key BLOB PRIMARY KEY, label INTEGER NOT NULL, pack INTEGER NOT NULL, "
    "offset INTEGER NOT NULL, size INTEGER NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID",
)
_NAME = re.compile("[0-9a-f]{8}")  # of an index, which begins the names of its packs
_LARGEST = (1 << 63) - 1  # that SQLite holds


class ForeignIndexError(Exception):
    """The index was made by another version, or by another program."""


class DamagedIndexError(Exception):
    """The index says something that no version of monge writes."""


def _count(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise DamagedIndexError(f"it holds {value!r:.40} where a number belongs")
    return value


def _key(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise DamagedIndexError(f"it holds {value!r:.40} where a key belongs")
    return value


def _entry(row: Sequence[object]) -> Entry:
    """Return the place that *row* holds; raise DamagedIndexError if it holds anything else."""
    pack, offset, size, crc = row
    if type(pack) is type(offset) is type(size) is type(crc) is int and min(pack, offset, size, crc) >= 0:
        return Entry(pack, offset, size, crc)  # this is run for every blob that is read
    return Entry(*(_count(value) for value in row))


class PackIndex:
    """A strict store of blobs by key: every fault of disk or database is raised.

    Writers take turns by SQLite's write lock. Within the turn, blobs are written behind the committed end of the
    newest pack, then their places are committed: what a killed writer leaves there is overwritten by the next.
    """

    def __init__(self, directory: Path, *, read_only: bool = False) -> None:
        self.directory = directory
        if read_only:
            try:
                self._connect("?mode=ro")
            except sqlite3.OperationalError:  # SQLite wants to leave a note of its reading, but nobody writes either
                self._connect("?mode=ro&immutable=1")
        else:
            directory.mkdir(parents=True, exist_ok=True)
            self._connect("")

    def close(self) -> None:
        self._connection.close()

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Entry]:
        """Return the places of those *keys* that are stored."""
        found: dict[bytes, Entry] = {}
        for start in range(0, len(keys), _MOST_KEYS):
            stored, places = self._select(keys[start : start + _MOST_KEYS])
            found.update((_key(key), _entry(place)) for key, place in zip(stored, places, strict=True))
        return found

    def locate(self, keys: Sequence[bytes]) -> NDArray[np.int64] | None:
        """Return pack, offset, size and checksum of the blob of every key (K, 4), or None if one is not stored."""
        found: dict[bytes, tuple[Any, ...]] = {}
        for start in range(0, len(keys), _MOST_KEYS):
            found.update(zip(*self._select(keys[start : start + _MOST_KEYS]), strict=True))
        if len(found) < len(keys) or not all(map(found.__contains__, keys)):
            return None
        rows = [found[key] for key in keys]
        values = set(map(type, chain.from_iterable(rows)))
        whole = rows if values <= {int} else [_entry(row) for row in rows]
        places = np.fromiter(chain.from_iterable(whole), dtype=np.int64, count=4 * len(whole)).reshape(-1, 4)
        if (places < 0).any():
            raise DamagedIndexError("it holds a negative place")
        return places

    def _select(self, keys: Sequence[bytes]) -> tuple[list[bytes], list[tuple[Any, ...]]]:
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, pack, offset, size, crc FROM entries WHERE key IN ({marks})"
        rows = self._connection.execute(query, keys).fetchall()
        return [row[0] for row in rows], [row[1:] for row in rows]

    def read(self, entries: Mapping[bytes, Entry]) -> Iterator[tuple[bytes, bytes | None]]:
        """Yield (key, blob) in order of place; a blob that is not what was written comes as None."""
        by_place = sorted(entries.items(), key=lambda item: item[1][:2])
        for pack, group in groupby(by_place, key=lambda item: item[1].pack):
            stream = self.open_to_read(pack)
            if stream is None:
                yield from ((key, None) for key, _ in group)
                continue
            with stream:
                yield from read_blobs(stream, group)

    def has_pack(self, pack: int) -> bool:
        """Whether a pack is still there: another process may have pruned it."""
        return os.path.lexists(self._pack_path(pack))

    def pack_length(self, pack: int) -> int:
        """Return the bytes of a pack; 0 if it is not there."""
        try:
            return self._pack_path(pack).stat().st_size
        except OSError:
            return 0

    def append(self, label: str, blobs: Mapping[bytes, bytes], today: int) -> None:
        """Store *blobs*; those that are there already are left as they are."""
        with self._writing():
            known = self.find(list(blobs))
            fresh = {key: blob for key, blob in blobs.items() if key not in known}
            if not fresh:
                return
            pack, start = self._open_pack(today)
            rows, offset = [], start
            number = self._label(label)
            for key, blob in fresh.items():
                rows.append((key, number, pack, offset, len(blob), checksum(key, blob)))
                offset += len(blob)
            write_blobs(self._pack_path(pack), start, fresh.values())
            self._connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._connection.execute("UPDATE packs SET size = ?, used = ? WHERE id = ?", (offset, today, pack))

    def touch(self, packs: Iterable[int], today: int) -> None:
        """Remember that *packs* were used today; does nothing when that is known."""
        marks = ",".join(str(int(pack)) for pack in packs)
        stale = f"used < {int(today)} AND id IN ({marks})"
        if self._one(f"SELECT EXISTS (SELECT 1 FROM packs WHERE {stale})")[0]:
            with self._writing():
                self._connection.execute(f"UPDATE packs SET used = {int(today)} WHERE {stale}")

    def drop(self, keys: Iterable[bytes]) -> None:
        """Forget entries; their bytes go with their pack."""
        with self._writing():
            self._connection.executemany("DELETE FROM entries WHERE key = ?", [(key,) for key in keys])

    def shrink(self, most: int) -> int:
        """Drop the packs that were not used for longest until at most *most* bytes are left; return the bytes freed."""
        with self._writing():
            packs = self._connection.execute("SELECT id, size FROM packs ORDER BY used DESC, id DESC").fetchall()
            kept = 0
            doomed: list[tuple[int, int]] = []
            for pack, size in ((_count(pack), _count(size)) for pack, size in packs):
                if doomed or kept + size > most:
                    doomed.append((pack, size))
                else:
                    kept += size
            self._connection.executemany("DELETE FROM entries WHERE pack = ?", [(pack,) for pack, _ in doomed])
            self._connection.executemany("DELETE FROM packs WHERE id = ?", [(pack,) for pack, _ in doomed])
        self._unlink_orphans()
        if doomed:
            with suppress(sqlite3.OperationalError):  # others are reading: the index shrinks another time
                self._connection.execute("VACUUM")
        return sum(size for _, size in doomed)

    def size(self) -> int:
        """Return the bytes of all packs."""
        return _count(self._one("SELECT coalesce(sum(size), 0) FROM packs")[0])

    def summary(self) -> list[tuple[str, int, int]]:
        """Return (label, entries, bytes) of every label in use, the largest first."""
        query = """SELECT name, count(*), sum(size) FROM entries JOIN labels ON labels.id = label
                   GROUP BY label ORDER BY sum(size) DESC, name"""
        return [(str(name), _count(n), _count(size)) for name, n, size in self._connection.execute(query)]

    def all_entries(self) -> dict[bytes, Entry]:
        """Return every entry there is."""
        rows = self._connection.execute("SELECT key, pack, offset, size, crc FROM entries")
        return {_key(row[0]): _entry(row[1:]) for row in rows}

    def check(self) -> None:
        """Raise DamagedIndexError if the index itself is damaged."""
        (verdict,) = self._one("PRAGMA quick_check(1)")
        if verdict != "ok":
            raise DamagedIndexError(str(verdict))

    # -- inside --------------------------------------------------------------------------------------------------

    def _connect(self, mode: str) -> None:
        address = (self.directory / "index.sqlite").absolute().as_uri() + mode
        self._connection = sqlite3.connect(
            address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            if not mode:
                self._prepare()
            self._identify()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        """Make the tables of a new index."""
        self._retry("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        if self._one("PRAGMA application_id")[0] == 0:
            with self._writing():
                if self._one("SELECT count(*) FROM sqlite_master")[0] == 0:
                    for statement in _SCHEMA:
                        self._connection.execute(statement)
                    self._connection.execute("INSERT INTO identity VALUES (lower(hex(randomblob(4))))")
                    self._connection.execute(f"PRAGMA user_version = {FORMAT}")
                    self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")

    def _identify(self) -> None:
        if (self._one("PRAGMA application_id")[0], self._one("PRAGMA user_version")[0]) != (_APPLICATION, FORMAT):
            raise ForeignIndexError(f"{self.directory} was made by another version of monge")
        tables = self._connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if {sql for (sql,) in tables} - {_SEQUENCE} != set(_SCHEMA):
            raise DamagedIndexError("its tables are not those of monge")
        (name,) = self._one("SELECT name FROM identity")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise DamagedIndexError("it has no name")
        self._name = name

    def _retry(self, statement: str) -> None:
        """Run what SQLite refuses at once, without waiting, while another process is opening the same file."""
        deadline = time.monotonic() + _BUSY_SECONDS
        while True:
            try:
                self._connection.execute(statement).fetchall()
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _one(self, query: str) -> tuple[Any, ...]:
        with closing(self._connection.execute(query)) as cursor:
            row: tuple[Any, ...] | None = cursor.fetchone()
        if row is None:
            raise DamagedIndexError(f"no answer to {query!r}")
        return row

    def _label(self, name: str) -> int:
        self._connection.execute("INSERT OR IGNORE INTO labels(name) VALUES (?)", (name,))
        row = self._connection.execute("SELECT id FROM labels WHERE name = ?", (name,)).fetchone()
        return _count(None if row is None else row[0])

    def _open_pack(self, today: int) -> tuple[int, int]:
        """Return the newest pack and its committed end; a full one is followed by a new one."""
        row = self._connection.execute("SELECT id, size FROM packs ORDER BY id DESC LIMIT 1").fetchone()
        if row is not None:
            pack, size = _count(row[0]), _count(row[1])
            if size < PACK_BYTES and is_regular(self._pack_path(pack)):
                return pack, size
        cursor = self._connection.execute("INSERT INTO packs(size, used) VALUES (0, ?)", (today,))
        return int(cursor.lastrowid or 0), 0

    def open_to_read(self, pack: int) -> IO[bytes] | None:
        """Open a pack; None if it is not there, or is a link or anything else that this store never makes."""
        return open_pack(self._pack_path(pack))

    def _pack_path(self, pack: int) -> Path:
        return self.directory / f"{self._name}-{pack}.pack"

    def _unlink_orphans(self) -> None:
        with self._writing():  # no pack is being made meanwhile
            known = {self._pack_path(pack) for (pack,) in self._connection.execute("SELECT id FROM packs")}
            for path in self.directory.glob("*.pack"):
                if path not in known:
                    with suppress(OSError):
                        path.unlink()
