"""Reading GGUF files: metadata, and weights that are stored in blocks of 32 small integers.

The format is that of llama.cpp (version 3): a header, key-value pairs, descriptions of tensors, then aligned data.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from monge.errors import ModelError

FloatArray = NDArray[np.float32]

_MAGIC = b"GGUF"
_STRING, _ARRAY = 8, 9
# number of a value type → how struct reads it
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_BLOCK = 32
_MOST = 1 << 24  # items of one array; more means a damaged file


def _blocks(raw: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    return raw.reshape(-1, size)


def _half(block: NDArray[np.uint8], start: int) -> FloatArray:
    """Return the half-precision number at byte *start* of every block, as a column."""
    return np.ascontiguousarray(block[:, start : start + 2]).view("<f2").astype(np.float32)


def _nibbles(packed: NDArray[np.uint8]) -> FloatArray:
    """Return 32 numbers per block: the low halves of its 16 bytes, then the high halves."""
    return np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32)


def _q4_0(raw: NDArray[np.uint8]) -> FloatArray:
    block = _blocks(raw, 18)
    return np.asarray(_half(block, 0) * (_nibbles(block[:, 2:]) - 8))


def _q4_1(raw: NDArray[np.uint8]) -> FloatArray:
    block = _blocks(raw, 20)
    return np.asarray(_half(block, 0) * _nibbles(block[:, 4:]) + _half(block, 2))


def _q8_0(raw: NDArray[np.uint8]) -> FloatArray:
    block = _blocks(raw, 34)
    return np.asarray(_half(block, 0) * np.ascontiguousarray(block[:, 2:]).view(np.int8).astype(np.float32))


def _f32(raw: NDArray[np.uint8]) -> FloatArray:
    return np.asarray(raw.view("<f4"))


def _f16(raw: NDArray[np.uint8]) -> FloatArray:
    return np.asarray(raw.view("<f2").astype(np.float32))


# number of a tensor type → name, weights per block, bytes per block, what reads it
_KINDS = {
    0: ("F32", 1, 4, _f32),
    1: ("F16", 1, 2, _f16),
    2: ("Q4_0", _BLOCK, 18, _q4_0),
    3: ("Q4_1", _BLOCK, 20, _q4_1),
    8: ("Q8_0", _BLOCK, 34, _q8_0),
}


@dataclass(frozen=True)
class _Tensor:
    shape: tuple[int, ...]  # as in the file: the fastest axis first
    kind: int
    offset: int


class GgufFile:
    """The metadata of a GGUF file, and its weights on demand as float32.

    Raises ModelError for a file that is no GGUF, that ends early, or whose weights are stored in a way that is not
    read here (F32, F16, Q4_0, Q4_1 and Q8_0 are).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as stream:
                self.metadata, self._tensors, self._start = _read_header(stream)
        except OSError as error:
            raise ModelError(f"{path} cannot be read: {error.strerror or error}") from None
        except (struct.error, UnicodeDecodeError, MemoryError, OverflowError, KeyError) as error:
            raise ModelError(f"{path} is not a whole GGUF file ({error})") from None
        except ValueError as error:
            raise ModelError(f"{path}: {error}") from None

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def get(self, key: str) -> Any:
        """Return one value of the metadata; raises ModelError if there is none."""
        if key not in self.metadata:
            raise ModelError(f"{self.path} does not say {key}")
        return self.metadata[key]

    def read(self, name: str) -> FloatArray:
        """Return the tensor *name* as float32, its axes in the usual order (out, in)."""
        if name not in self._tensors:
            raise ModelError(f"{self.path} has no weight {name}")
        tensor = self._tensors[name]
        if tensor.kind not in _KINDS:
            known = ", ".join(kind for kind, *_ in _KINDS.values())
            raise ModelError(f"{self.path}: {name} is stored as type {tensor.kind}; only {known} are read")
        _, per_block, block_bytes, unpack = _KINDS[tensor.kind]
        count = int(np.prod(tensor.shape, dtype=np.int64))
        length = count // per_block * block_bytes
        place = self._start + tensor.offset
        if count % per_block or place + length > self.path.stat().st_size:
            raise ModelError(f"{self.path} ends before the weight {name}")
        raw = np.fromfile(self.path, dtype=np.uint8, count=length, offset=place)
        return np.ascontiguousarray(unpack(raw).reshape(tensor.shape[::-1]))


def _read_header(stream: BinaryIO) -> tuple[dict[str, Any], dict[str, _Tensor], int]:
    if stream.read(4) != _MAGIC:
        raise ValueError("not a GGUF file")
    version, tensors, pairs = _unpack(stream, "IQQ")
    if version not in (2, 3):
        raise ValueError(f"GGUF version {version} is not read; 2 and 3 are")
    metadata: dict[str, Any] = {}
    for _ in range(pairs):
        key = _read_string(stream)
        metadata[key] = _read_value(stream, _unpack(stream, "I")[0])
    found = {}
    for _ in range(tensors):
        name = _read_string(stream)
        axes = _unpack(stream, "I")[0]
        shape = _unpack(stream, "Q" * axes)
        kind, offset = _unpack(stream, "IQ")
        found[name] = _Tensor(tuple(shape), kind, offset)
    alignment = int(metadata.get("general.alignment", 32))
    return metadata, found, -(-stream.tell() // alignment) * alignment


def _unpack(stream: BinaryIO, layout: str) -> tuple[Any, ...]:
    layout = f"<{layout}"
    return struct.unpack(layout, stream.read(struct.calcsize(layout)))


def _read_string(stream: BinaryIO) -> str:
    length = _unpack(stream, "Q")[0]
    if length > _MOST:
        raise ValueError("not a whole GGUF file (a text of impossible length)")
    return stream.read(length).decode("utf-8")


def _read_value(stream: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _read_string(stream)
    if kind != _ARRAY:
        return _unpack(stream, _SCALARS[kind])[0]
    inner, count = _unpack(stream, "IQ")
    if count > _MOST:
        raise ValueError("not a whole GGUF file (an array of impossible length)")
    if inner in _SCALARS:
        return list(_unpack(stream, _SCALARS[inner] * count))
    return [_read_value(stream, inner) for _ in range(count)]
