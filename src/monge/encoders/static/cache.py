"""Word vectors converted once, so that the second start is fast."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError, ModelError
from monge.storage.atomic import open_atomic

Block = tuple[list[str], NDArray[np.float32]]
_FORMAT = "1"  # part of every key: raise it when what is stored changes
_HEADER_BYTES = 128  # an .npy header, padded so that the row count can be written last
_SHOW_PROGRESS_FROM = 50_000_000


def cache_directory() -> Path:
    """Return ``$MONGE_CACHE``, or ``monge`` in the user's cache directory."""
    chosen = os.environ.get("MONGE_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "monge"


def is_cache_enabled() -> bool:
    """Tell whether anything is to be kept: not if the environment variable ``MONGE_NO_CACHE`` is set."""
    return os.environ.get("MONGE_NO_CACHE", "0") in ("", "0")


def cached_table(
    file: Path, limit: int | None, read_blocks: Callable[[Path, int | None], Iterator[Block]]
) -> tuple[list[str], NDArray[np.float32]]:
    """Return (words, matrix) of *file*, converted on first use and memory-mapped from the cache ever after.

    The cache knows a file by its path, size and time of change. Where the cache is off or cannot be written, the
    vectors are read into memory every time.
    """
    kept = None
    if is_cache_enabled():
        folder = cache_directory() / "vectors" / _key([file], str(limit))
        kept = _read_table(folder)
        if kept is None:
            with contextlib.suppress(OSError):  # no room, not ours to write, or someone else was faster
                _make_table(folder, _with_progress(file, read_blocks(file, limit)))
            kept = _read_table(folder)
    return _gather(_with_progress(file, read_blocks(file, limit))) if kept is None else kept


def cached_words(file: Path, read: Callable[[Path], list[str]]) -> list[str]:
    """Return the words that *read* takes from *file*, kept as plain lines since parsing is slow."""
    if not is_cache_enabled():
        return read(file)
    store = cache_directory() / "words" / _key([file])
    with contextlib.suppress(OSError):
        return _split_words(store.read_bytes())
    words = read(file)
    _keep(store, lambda stream: stream.write(_join_words(words)))
    return words


def cached_array(file: Path, read: Callable[[Path], NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Return the array that *read* makes of *file*, memory-mapped from the cache."""
    if not is_cache_enabled():
        return read(file)
    store = cache_directory() / "arrays" / f"{_key([file])}.npy"
    if store.exists():
        with contextlib.suppress(OSError, ValueError, EOFError):
            kept: NDArray[np.uint64] = np.load(store, mmap_mode="r", allow_pickle=False)
            return kept
        _tell_damage(store)
    array = read(file)
    _keep(store, lambda stream: np.save(stream, array))
    return array


def cached_digest(files: Sequence[Path]) -> str:
    """Return the SHA-256 of the contents of *files*, remembered as long as they do not change."""
    note = cache_directory() / "digests" / _key(files)
    if is_cache_enabled():
        with contextlib.suppress(OSError, UnicodeDecodeError):
            known = note.read_text(encoding="ascii")
            if len(known) == 64:
                return known
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
    if is_cache_enabled():
        _keep(note, lambda stream: stream.write(digest.hexdigest().encode("ascii")))
    return digest.hexdigest()


def _keep(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file of the cache, if that can be done: whoever needs it can make it again."""
    with contextlib.suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_atomic(path) as stream:
            write(stream)


def _read_table(folder: Path) -> tuple[list[str], NDArray[np.float32]] | None:
    """Return the table in *folder*, or None if there is none; a damaged one is told and removed."""
    if not folder.exists():
        return None
    with contextlib.suppress(OSError, ValueError, EOFError):
        matrix = np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)
        words = _split_words((folder / "words.txt").read_bytes())
        if len(words) == len(matrix):
            return words, matrix
    _tell_damage(folder)
    shutil.rmtree(folder, ignore_errors=True)
    return None


def _tell_damage(path: Path) -> None:
    print(f"monge: cache: {path} is damaged; it is made anew", file=sys.stderr)


def _make_table(folder: Path, blocks: Iterable[Block]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    try:
        _store(scratch, blocks)
        scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _key(files: Sequence[Path], *more: str) -> str:
    parts = [_FORMAT, *more]
    for file in files:
        status = file.stat()
        parts += [str(file.resolve()), str(status.st_size), str(status.st_mtime_ns)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", errors="surrogateescape")).hexdigest()[:24]


def _store(folder: Path, blocks: Iterable[Block]) -> None:
    count, dimension = 0, 0
    with (folder / "vectors.npy").open("wb") as vectors, (folder / "words.txt").open("wb") as words:
        vectors.write(b"\0" * _HEADER_BYTES)
        for names, rows in blocks:
            vectors.write(np.ascontiguousarray(rows, dtype="<f4").data)
            words.write(_join_words(names))
            count, dimension = count + len(names), rows.shape[1]
        _write_header(vectors, count, dimension)


def _write_header(stream: IO[bytes], count: int, dimension: int) -> None:
    stream.seek(0)
    fields = {"descr": "<f4", "fortran_order": False, "shape": (count, dimension)}
    np.lib.format.write_array_header_1_0(stream, fields)
    if stream.tell() != _HEADER_BYTES:
        raise ModelError(f"numpy wrote a header of {stream.tell()} bytes where {_HEADER_BYTES} were expected")


def _join_words(words: Iterable[str]) -> bytes:
    return "".join(word.replace("\n", " ") + "\n" for word in words).encode("utf-8", errors="surrogatepass")


def _split_words(data: bytes) -> list[str]:
    return data.decode("utf-8", errors="surrogatepass").split("\n")[:-1]


def _gather(blocks: Iterable[Block]) -> tuple[list[str], NDArray[np.float32]]:
    names: list[str] = []
    parts = []
    for block_names, rows in blocks:
        names += block_names
        parts.append(rows)
    return names, np.concatenate(parts)


def _with_progress(file: Path, blocks: Iterator[Block]) -> Iterator[Block]:
    if file.stat().st_size < _SHOW_PROGRESS_FROM:
        yield from blocks
        return
    from tqdm import tqdm

    with tqdm(desc=f"converting {file.name}, once", unit=" words", unit_scale=True, disable=None) as bar:
        for block in blocks:
            bar.update(len(block[0]))
            yield block
