"""The vectors of a spaCy pipeline, read from its directory without spaCy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.errors import ModelError

_MASK = 0xFFFFFFFFFFFFFFFF


class HashedRows(Mapping[str, int]):
    """Rows by the 64-bit hash of the word: all that spaCy stores, and all that a lookup needs."""

    def __init__(self, rows: dict[int, int]) -> None:
        self._rows = rows

    def __getitem__(self, word: str) -> int:
        return self._rows[murmur_hash64(word.encode("utf-8", errors="surrogatepass"), seed=1)]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[str]:
        raise ModelError("spaCy vectors are stored by hash: their words cannot be listed")


def find_spacy_vocab(directory: Path) -> Path | None:
    """Return the ``vocab`` folder of a pipeline at *directory* or in the one folder it packages."""
    for pattern in ("key2row", "vocab/key2row", "*/vocab/key2row"):
        for found in sorted(directory.glob(pattern)):
            return found.parent
    return None


def read_spacy(vocab: Path, limit: int | None) -> tuple[HashedRows, NDArray[np.float32]]:
    """Read ``vectors`` (an .npy file by another name, memory-mapped) and ``key2row`` (a msgpack map)."""
    config = vocab / "vectors.cfg"
    mode = json.loads(config.read_text(encoding="utf-8")).get("mode", "default") if config.exists() else "default"
    if mode != "default":
        raise ModelError(f"{vocab}: spaCy vectors of mode {mode!r} are not supported, only 'default'")
    try:
        matrix = np.load(vocab / "vectors", mmap_mode="r", allow_pickle=False)
        rows = dict(_unpack_integer_map((vocab / "key2row").read_bytes()))
    except (OSError, ValueError, IndexError) as error:
        raise ModelError(f"{vocab}: spaCy vectors cannot be read ({error})") from error
    if matrix.ndim != 2 or matrix.size == 0:
        raise ModelError(f"{vocab}: this spaCy pipeline has no vectors (its names end in _sm): take an _md or _lg one")
    last = len(matrix) if limit is None else min(limit, len(matrix))
    return HashedRows({key: row for key, row in rows.items() if 0 <= row < last}), matrix


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
