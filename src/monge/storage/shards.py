"""Blobs as single files in a folder that many machines see: a shared disk, or a URL that fsspec opens."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from monge.errors import MongeError
from monge.storage.notices import report
from monge.storage.urls import open_filesystem


class ShardStore:
    """Blobs by key, one file each, under a path or URL.

    A blob is written under a temporary name and renamed, so that it is there whole or not at all; one that is there is
    never written again. Names come from the key alone and no clock is read, so writers need not agree on the time. Each
    file starts with the digest of its blob: a damaged one counts as absent. What cannot be written is reported once on
    stderr and left out.

    >>> store = ShardStore("memory://doctest")
    >>> store.put("", {b"k": b"hello"})
    >>> store.get([b"k", b"other"])
    {b'k': b'hello'}
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self._opened: tuple[Any, str] | None = None
        self._lock = threading.Lock()
        self._failed = False

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the blobs of those *keys* that are stored whole."""
        filesystem, root = self._open()
        found = {}
        for key in keys:
            try:
                content = filesystem.cat_file(_name(root, key))
            except FileNotFoundError:
                continue
            except OSError as error:
                self._report(error)
                continue
            blob = content[32:]
            if hashlib.sha256(blob).digest() == content[:32]:
                found[key] = blob
        return found

    def put(self, label: str, blobs: Mapping[bytes, bytes]) -> None:
        """Store *blobs* that are not stored yet; *label* is not kept."""
        filesystem, root = self._open()
        for key, blob in blobs.items():
            if key in self.get([key]):
                continue
            name = _name(root, key)
            temporary = f"{name}.{os.urandom(6).hex()}.tmp"
            try:
                filesystem.makedirs(filesystem._parent(name), exist_ok=True)
                filesystem.pipe_file(temporary, hashlib.sha256(blob).digest() + blob)
                if hasattr(filesystem, "auto_mkdir"):  # local: a rename replaces in one step
                    os.replace(temporary, name)
                else:
                    filesystem.mv(temporary, name)
            except OSError as error:
                self._report(error)
                with contextlib.suppress(OSError):  # half of a file, where the disk is full
                    filesystem.rm_file(temporary)

    def __getstate__(self) -> dict[str, Any]:
        return {"place": self.place}

    def __setstate__(self, state: dict[str, Any]) -> None:
        ShardStore.__init__(self, state["place"])

    def _open(self) -> tuple[Any, str]:
        with self._lock:
            if self._opened is None:
                self._opened = open_filesystem(self.place)
            return self._opened

    def _report(self, error: OSError | MongeError) -> None:
        if not self._failed:
            self._failed = True
            report(f"{self.place}: {getattr(error, 'strerror', None) or error}; going on without")


def _name(root: str, key: bytes) -> str:
    digest = key.hex()
    return f"{root}/{digest[:2]}/{digest}"
