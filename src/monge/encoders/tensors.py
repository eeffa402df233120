"""Weights in safetensors files, memory-mapped: only what is used is read, and processes share it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.errors import ModelError


class TensorFiles:
    """The tensors of one model, in one file or several shards."""

    def __init__(self, paths: Sequence[Path]) -> None:
        from safetensors import SafetensorError, safe_open

        self._paths: dict[str, Path] = {}
        self._offsets: dict[str, int] = {}
        for path in paths:
            try:
                with safe_open(path, "np") as file:  # checks the header: sizes, bounds, overlaps
                    self._paths.update(dict.fromkeys(file.keys(), path))
                self._offsets.update(_float32_offsets(path))
            except (OSError, SafetensorError) as error:
                raise ModelError(f"{path} cannot be read: {error}") from None

    def __contains__(self, name: str) -> bool:
        return name in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def read(self, name: str) -> NDArray[np.float32]:
        """Return a tensor as float32: a read-only view of the file if it is stored so, else converted."""
        from safetensors import safe_open

        with safe_open(self._paths[name], "np") as file:
            part = file.get_slice(name)
            kind, shape = part.get_dtype(), tuple(part.get_shape())
            if kind != "F32":
                if kind == "BF16":
                    import ml_dtypes  # noqa: F401  (teaches numpy the type)
                return np.ascontiguousarray(file.get_tensor(name), dtype=np.float32)
        return np.memmap(self._paths[name], dtype="<f4", mode="r", offset=self._offsets[name], shape=shape)


def _float32_offsets(path: Path) -> dict[str, int]:
    """Return where in the file each float32 tensor begins (8 bytes of header length, JSON header, data)."""
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        header = json.loads(stream.read(length))
    facts = {name: fact for name, fact in header.items() if name != "__metadata__"}
    return {name: 8 + length + fact["data_offsets"][0] for name, fact in facts.items() if fact["dtype"] == "F32"}
