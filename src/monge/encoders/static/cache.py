"""Word vectors converted once, so that the second start is fast."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from monge.encoders.stores import converted_vectors
from monge.environment import Environment
from monge.errors import ModelError
from monge.storage.store import make_label

Block = tuple[list[str], NDArray[np.float32]]
ALGORITHM = 1  # raise it when what is made of a file changes
_HEADER_BYTES = 128  # an .npy header, padded so that the row count can be written last
_SHOW_PROGRESS_FROM = 50_000_000


def cached_table(
    file: Path,
    content: str,
    limit: int | None,
    read_blocks: Callable[[Path, int | None], Iterator[Block]],
    environment: Environment,
) -> tuple[list[str], NDArray[np.float32]]:
    """Return (words, matrix) of *file*, converted on first use and memory-mapped from the cache ever after.

    The cache knows a file by *content*, its SHA-256. Where the cache is off or cannot be written, the vectors are
    read into memory every time.
    """

    def write(folder: Path) -> None:
        _write_table(folder, _with_progress(file, read_blocks(file, limit)))

    folder = _find_or_make(f"table {content} {limit}", file.name, write, environment)
    if folder is not None:
        with contextlib.suppress(OSError):  # pruned by another process this very moment
            matrix = np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)
            return _split_words((folder / "words.txt").read_bytes()), matrix
    return _gather(_with_progress(file, read_blocks(file, limit)))


def cached_array(
    file: Path, content: str, read: Callable[[Path], NDArray[np.uint64]], environment: Environment
) -> NDArray[np.uint64]:
    """Return the array that *read* makes of *file* (whose SHA-256 is *content*), memory-mapped from the cache."""

    def write(folder: Path) -> None:
        np.save(folder / "array.npy", read(file))

    folder = _find_or_make(f"array {content}", file.name, write, environment)
    if folder is not None:
        with contextlib.suppress(OSError):
            kept: NDArray[np.uint64] = np.load(folder / "array.npy", mmap_mode="r", allow_pickle=False)
            return kept
    return read(file)


def _find_or_make(what: str, name: str, write: Callable[[Path], None], environment: Environment) -> Path | None:
    if not environment.cache:
        return None
    shelf = converted_vectors(environment)
    key = hashlib.sha256(f"{ALGORITHM} {what}".encode()).hexdigest()
    label = make_label(f"word vectors of {name}", f"converted={ALGORITHM}")
    return shelf.get(key) or shelf.make(key, label, write)


def _write_table(folder: Path, blocks: Iterable[Block]) -> None:
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
