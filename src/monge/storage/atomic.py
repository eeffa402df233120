"""Writing files: whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
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
    write_pieces(path, [text])


def write_pieces(path: str | os.PathLike[str], pieces: Iterable[str]) -> None:
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


@contextlib.contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot write {os.fspath(path)}: {error.strerror or error}") from error
