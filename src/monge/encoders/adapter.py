"""Low-rank adapters: small files that change the weights of an encoder, merged when it is loaded. No torch needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.checkpoint import NAMINGS
from monge.encoders.onnx.graph import MATRICES
from monge.errors import ModelError
from monge.storage.artifact import Artifact

KIND = "adapter"
SUFFIX = ".safetensors"
FloatArray = NDArray[np.float32]


@dataclass(frozen=True)
class ShippedAdapter:
    """An adapter that comes with monge: the name of the encoder it makes, and what it was made from."""

    name: str
    base: str
    licence: str

    @property
    def path(self) -> Path:
        """The file, part of the package."""
        return Path(str(files("monge.encoders").joinpath("adapters", self.name + SUFFIX)))


# taught by texts alone, without human labels: docs/results-adapters.md
SHIPPED: tuple[ShippedAdapter, ...] = (
    ShippedAdapter("minilm-distilled", base="minilm", licence="Apache-2.0"),
    ShippedAdapter("mpnet-ranked", base="mpnet", licence="Apache-2.0"),
)


@dataclass(frozen=True, eq=False)
class Adapter:
    """W + U·D for some matrices W of an encoder (Hu et al. 2022): ``up`` is U (out, rank), ``down`` D (rank, in).

    ``base`` names the encoder that it was trained for, ``weights`` is the SHA-256 of that encoder's weight files.
    """

    base: str
    weights: str
    factors: Mapping[str, NDArray[Any]]  # "layer.role.up" and "layer.role.down"
    digest: str
    path: str = ""
    history: Mapping[str, Any] | None = None

    @classmethod
    def load(cls, path: str | Path) -> Adapter:
        """Read the file that ``monge train adapter`` wrote.

        Raises InputError for a file that is not an artifact of monge, OptionError for one of another kind, and
        ModelError if its arrays are not those of an adapter.
        """
        artifact = Artifact.load(path, kind=KIND)
        try:
            base, weights = str(artifact.settings["base"]), str(artifact.settings["weights"])
        except KeyError as error:
            raise ModelError(f"{path}: the adapter does not say what it changes ({error} is missing)") from None
        for name, array in artifact.arrays.items():
            layer, _, rest = name.partition(".")
            role, _, part = rest.partition(".")
            if not layer.isdigit() or role not in MATRICES or part not in ("up", "down") or array.ndim != 2:
                raise ModelError(f"{path}: {name!r} is not a factor of an adapter")
        return cls(base, weights, artifact.arrays, artifact.digest, str(path), artifact.history)

    def check_base(self, weights: str, directory: Path) -> None:
        """Raise ModelError unless *weights*, the digest of the weights in *directory*, is that of the base encoder."""
        if weights != self.weights:
            raise ModelError(
                f"{self.path}: this adapter changes the weights {self.weights[:8]} of {self.base}; "
                f"those of {directory} are {weights[:8]}"
            )

    def change(self, layer: int, role: str) -> FloatArray | None:
        """Return U·D for the matrix *role* of a layer (from 0), in the checkpoint's (out, in) shape; None if unchanged.

        Raises ModelError if only one factor is there.
        """
        up, down = (self.factors.get(f"{layer}.{role}.{part}") for part in ("up", "down"))
        if up is None and down is None:
            return None
        if up is None or down is None or up.shape[1] != down.shape[0]:
            raise ModelError(f"{self.path}: the factors of layer {layer}, {role}, do not fit each other")
        return np.asarray(up.astype(np.float32) @ down.astype(np.float32))

    def merge(self, layer: int, role: str, weight: FloatArray) -> FloatArray:
        """Return *weight* with the change added; raises ModelError if the shapes differ."""
        change = self.change(layer, role)
        if change is None:
            return weight
        if change.shape != weight.shape:
            raise ModelError(
                f"{self.path}: the change of layer {layer}, {role}, has the shape {change.shape}, not {weight.shape}"
            )
        return np.asarray(weight + change)

    def weight_names(self, model_type: str) -> dict[tuple[int, str], str]:
        """Return the checkpoint's name of every matrix that is changed, by layer and role."""
        naming = NAMINGS[model_type]
        found = {tuple(name.split(".")[:2]) for name in self.factors}
        return {(int(i), role): naming.layer[role].format(i=i) + ".weight" for i, role in sorted(found)}


def find_shipped(name: str) -> ShippedAdapter | None:
    """Return the adapter that comes with monge under *name*, or None."""
    return next((shipped for shipped in SHIPPED if shipped.name == name), None)


def is_adapter(path: Path) -> bool:
    """Whether *path* is the file of an adapter; raises InputError for a safetensors file that is not an artifact."""
    return path.is_file() and path.suffix == SUFFIX and Artifact.kind_of(path) == KIND
