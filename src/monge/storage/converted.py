"""Folders of files that were made from other files: kept whole with checksums, and made again when damaged."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from monge.environment import CACHE_BYTES
from monge.storage.notices import report
from monge.storage.store import LabelSummary

_MANIFEST = "contents.json"
_CHUNK = 1 << 20
_ABANDONED = 86_400  # seconds after which a folder in the making is taken for that of a killed process


class ConvertedFiles:
    """Folders by key in a directory, each with a list of its files, their sizes and their checksums.

    The promise is that of :class:`~monge.storage.store.Store`: a folder is read whole and checked before it is
    handed out (80 MB in 30 ms), a damaged one is reported on stderr and removed, and what cannot be written is not an
    error, because all that is lost is time. When a new folder takes the directory beyond *most* bytes, the folders
    that were not used for longest go; the new one stays.
    """

    def __init__(self, directory: Path, *, most: int = CACHE_BYTES) -> None:
        self.directory = directory
        self.most = most

    def get(self, key: str) -> Path | None:
        """Return the folder of *key* if all its files are what was written, else None."""
        folder = self.directory / key
        if not os.path.lexists(folder):
            return None
        if not _is_intact(folder):
            report(f"cache: {folder} is damaged; it is removed and made again")
            _remove(folder)
            return None
        with contextlib.suppress(OSError):  # not ours to write: it is then not ours to prune either
            os.utime(folder / _MANIFEST)
        return folder

    def make(self, key: str, label: str, write: Callable[[Path], None]) -> Path | None:
        """Let *write* fill a folder for *key*; None when there is no room or no right to write here."""
        folder = self.directory / key
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            scratch = Path(tempfile.mkdtemp(prefix=".making-", dir=self.directory))
        except OSError:
            return None
        try:
            write(scratch)
            _write_manifest(scratch, key, label)
            scratch.chmod(0o755)  # mkdtemp allows nobody else to read
            scratch.rename(folder)
        except OSError:
            return self.get(key)  # of another process, which was faster
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        self._shrink(self.most, keep=folder)
        return folder

    def summary(self) -> list[LabelSummary]:
        """Return what is kept by label, the largest first; a folder without a readable list counts as damaged."""
        sizes: dict[str, tuple[int, int]] = {}
        for folder in self._folders():
            manifest = _read_manifest(folder)
            label = "damaged" if manifest is None else str(manifest["label"])
            count, size = sizes.get(label, (0, 0))
            sizes[label] = (count + 1, size + _size_of(folder))
        rows = [LabelSummary(label, count, size) for label, (count, size) in sizes.items()]
        return sorted(rows, key=lambda row: (-row.bytes, row.label))

    def size(self) -> int:
        """Return the bytes that all folders take."""
        return sum(map(_size_of, self._folders()))

    def prune(self, most: int) -> int:
        """Remove the folders that were not used for longest until *most* bytes are left; return the bytes freed."""
        return self._shrink(most, keep=None)

    def verify(self) -> tuple[int, int]:
        """Read every file; return how many folders there were and how many were damaged, which are removed."""
        folders = self._folders()
        damaged = [folder for folder in folders if not _is_intact(folder)]
        for folder in damaged:
            _remove(folder)
        return len(folders), len(damaged)

    def _shrink(self, most: int, *, keep: Path | None) -> int:
        for scratch in self.directory.glob(".making-*"):
            if time.time() - _changed(scratch) > _ABANDONED:
                _remove(scratch)
        freed, left = 0, 0 if keep is None else _size_of(keep)
        for folder in sorted((f for f in self._folders() if f != keep), key=_last_use, reverse=True):
            size = _size_of(folder)
            if freed or left + size > most:
                _remove(folder)
                freed += size
            else:
                left += size
        return freed

    def _folders(self) -> list[Path]:
        with contextlib.suppress(OSError):
            return sorted(path for path in self.directory.iterdir() if not path.name.startswith("."))
        return []


def _write_manifest(folder: Path, key: str, label: str) -> None:
    files = {path.name: [path.stat().st_size, _checksum(path)] for path in sorted(folder.iterdir())}
    body = json.dumps({"key": key, "label": label, "files": files})
    (folder / _MANIFEST).write_text(f"{body}\n{zlib.crc32(body.encode()):08x}\n", encoding="ascii")


def _read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the list of files in *folder*, or None if there is none that was written for this folder."""
    path = folder / _MANIFEST
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        body, checksum, end = path.read_text(encoding="ascii").split("\n")
    except (OSError, ValueError):
        return None
    if end or checksum != f"{zlib.crc32(body.encode()):08x}":
        return None
    manifest: dict[str, Any] = json.loads(body)
    return manifest if manifest["key"] == folder.name else None


def _is_intact(folder: Path) -> bool:
    manifest = _read_manifest(folder) if not folder.is_symlink() else None
    if manifest is None:
        return False
    try:
        return all(_matches(folder / name, *facts) for name, facts in manifest["files"].items())
    except OSError:
        return False


def _matches(path: Path, size: int, checksum: int) -> bool:
    status = path.lstat()  # a link is not followed
    return stat.S_ISREG(status.st_mode) and status.st_size == size and _checksum(path) == checksum


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb", buffering=0) as stream:
        while chunk := stream.read(_CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return checksum


def _size_of(folder: Path) -> int:
    return sum(path.lstat().st_size for path in _files(folder))


def _files(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from list(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else [folder]


def _last_use(folder: Path) -> float:
    return _changed(folder / _MANIFEST)


def _changed(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
