"""The vectors of a spaCy pipeline, read from its directory without spaCy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.static.cache import cached_array
from monge.encoders.static.npy import map_matrix
from monge.encoders.stores import digest
from monge.environment import Environment
from monge.errors import ModelError

_MASK = 0xFFFFFFFFFFFFFFFF


class HashedRows(Mapping[str, int]):
    """Rows by the 64-bit hash of the word: all that spaCy stores, and all that a lookup needs.

    ``pairs`` (n, 2) holds hash and row, sorted by hash; rows from ``end`` on do not count.
    """

    def __init__(self, pairs: NDArray[np.uint64], end: int) -> None:
        self._pairs = pairs
        self._end = end

    def __getitem__(self, word: str) -> int:
        key = np.uint64(murmur_hash64(word.encode("utf-8", errors="surrogatepass"), seed=1))
        place = int(np.searchsorted(self._pairs[:, 0], key))
        if place == len(self._pairs) or self._pairs[place, 0] != key or self._pairs[place, 1] >= self._end:
            raise KeyError(word)
        return int(self._pairs[place, 1])

    def __len__(self) -> int:
        return int((self._pairs[:, 1] < self._end).sum())

    def __iter__(self) -> Iterator[str]:
        raise ModelError("spaCy vectors are stored by hash: their words cannot be listed")


def find_spacy_vocab(directory: Path) -> Path | None:
    """Return the ``vocab`` folder of a pipeline at *directory* or in the one folder it packages."""
    for pattern in ("key2row", "vocab/key2row", "*/vocab/key2row"):
        for found in sorted(directory.glob(pattern)):
            return found.parent
    return None


def read_spacy(vocab: Path, limit: int | None, environment: Environment) -> tuple[HashedRows, NDArray[np.float32]]:
    """Read ``vectors`` (an .npy file by another name, memory-mapped) and ``key2row`` (a msgpack map)."""
    mode = read_object(vocab / "vectors.cfg").get("mode", "default")
    if mode != "default":
        raise ModelError(f"{vocab}: spaCy vectors of mode {mode!r} are not supported, only 'default'")
    matrix = map_matrix(vocab / "vectors")
    if matrix.size == 0:
        raise ModelError(f"{vocab}: this spaCy pipeline has no vectors (its names end in _sm): take an _md or _lg one")
    keys = vocab / "key2row"
    try:
        pairs = cached_array(keys, digest([keys], environment), _read_pairs, environment)
    except (OSError, ValueError, IndexError, OverflowError) as error:
        raise ModelError(f"{keys} cannot be read ({error})") from error
    return HashedRows(pairs, len(matrix) if limit is None else min(limit, len(matrix))), matrix


def read_object(file: Path) -> dict[str, Any]:
    """Return the JSON object in *file*, or an empty one where there is no file."""
    if not file.exists():
        return {}
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{file} cannot be read ({error})") from error
    if not isinstance(content, dict):
        raise ModelError(f"{file} must hold a JSON object, not {type(content).__name__}")
    return content


def murmur_hash64(data: bytes, *, seed: int) -> int:
    """Return MurmurHash64A (Appleby), spaCy's hash of a string with seed 1.

    >>> murmur_hash64(b"coffee", seed=1)
    3197928453018144401
    """
    multiplier = 0xC6A4A7935BD1E995
    hashed = seed ^ (len(data) * multiplier & _MASK)
    whole = len(data) // 8 * 8
    for i in range(0, whole, 8):
        k = int.from_bytes(data[i : i + 8], "little") * multiplier & _MASK
        k = (k ^ k >> 47) * multiplier & _MASK
        hashed = (hashed ^ k) * multiplier & _MASK
    if whole < len(data):
        hashed = (hashed ^ int.from_bytes(data[whole:], "little")) * multiplier & _MASK
    hashed = (hashed ^ hashed >> 47) * multiplier & _MASK
    return hashed ^ hashed >> 47


def _read_pairs(file: Path) -> NDArray[np.uint64]:
    """Return (hash, row) of every word, sorted; a word without a vector (row -1) is left out."""
    rows = sorted((key, row) for key, row in _unpack_integer_map(file.read_bytes()) if row >= 0)
    return np.array(rows, dtype=np.uint64).reshape(-1, 2)


def _unpack_integer_map(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the pairs of one msgpack map from integers to integers."""
    kind = data[0]
    if 0x80 <= kind <= 0x8F:
        count, position = kind & 0x0F, 1
    elif kind in (0xDE, 0xDF):
        width = 2 if kind == 0xDE else 4
        count, position = int.from_bytes(data[1 : 1 + width], "big"), 1 + width
    else:
        raise ValueError(f"key2row starts with byte 0x{kind:02x}, not with a map")
    for _ in range(count):
        key, position = _unpack_integer(data, position)
        row, position = _unpack_integer(data, position)
        yield key, row


def _unpack_integer(data: bytes, position: int) -> tuple[int, int]:
    kind = data[position]
    if kind < 0x80:
        return kind, position + 1
    if kind >= 0xE0:
        return kind - 256, position + 1
    if not 0xCC <= kind <= 0xD3:
        raise ValueError(f"key2row holds something that is not a whole number (byte 0x{kind:02x})")
    width = 1 << (kind - 0xCC) % 4
    end = position + 1 + width
    return int.from_bytes(data[position + 1 : end], "big", signed=kind >= 0xD0), end
