"""Files on this machine, or behind a URL that fsspec opens (s3://, gs://, memory://, file:// …)."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from monge.errors import InputError, OptionError
from monge.storage.atomic import open_atomic


def is_url(place: str | os.PathLike[str]) -> bool:
    """Whether *place* is a URL, not a path.

    >>> is_url("s3://bucket/scores"), is_url("scores/part.parquet")
    (True, False)
    """
    return "://" in os.fspath(place)


def open_filesystem(place: str | os.PathLike[str]) -> tuple[Any, str]:
    """Return the file system of a URL (or of a path) and the path within it; raise OptionError if it cannot be had."""
    try:
        fsspec = importlib.import_module("fsspec.core")
    except ImportError as error:
        raise OptionError(f"{os.fspath(place)}: URLs need fsspec; pip install 'monge[dask]'") from error
    try:
        return fsspec.url_to_fs(os.fspath(place))  # type: ignore[no-any-return]
    except (ImportError, ValueError) as error:
        raise OptionError(f"{os.fspath(place)}: {error}") from error


def list_files(pattern: str) -> list[str]:
    """Return the files that a path or URL with ``*`` names, sorted; raise InputError if there is none.

    A name without wildcards is returned as it is.
    """
    if not any(mark in pattern for mark in "*?["):
        return [pattern]
    if is_url(pattern):
        filesystem, path = open_filesystem(pattern)
        found = [filesystem.unstrip_protocol(name) for name in filesystem.glob(path)]
    else:
        import glob

        found = glob.glob(pattern)
    if not found:
        raise InputError(f"no file matches {pattern}")
    return sorted(found)


@contextmanager
def open_to_read(place: str) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes; raise InputError if it cannot be read."""
    try:
        if is_url(place):
            filesystem, path = open_filesystem(place)
            with filesystem.open(path, "rb") as stream:
                yield stream
        else:
            with open(place, "rb") as stream:
                yield stream
    except OSError as error:
        raise InputError(f"cannot read {place}: {error.strerror or error}") from error


@contextmanager
def open_to_write(place: str) -> Iterator[IO[bytes]]:
    """Open a file for writing bytes; it appears whole, when the block succeeds, or not at all."""
    if not is_url(place):
        directory = os.path.dirname(place)
        if directory:
            os.makedirs(directory, exist_ok=True)
        with open_atomic(place) as stream:
            yield stream
        return
    filesystem, path = open_filesystem(place)
    try:
        filesystem.makedirs(filesystem._parent(path), exist_ok=True)
        with filesystem.transaction, filesystem.open(path, "wb") as stream:
            yield stream
    except OSError as error:
        raise InputError(f"cannot write {place}: {error.strerror or error}") from error


def join_place(folder: str, name: str) -> str:
    """Return the place of *name* in a folder or under a URL."""
    return f"{folder.rstrip('/')}/{name}" if is_url(folder) else os.path.join(folder, name)
