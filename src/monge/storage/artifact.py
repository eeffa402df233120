"""What was learned, as one file: arrays in safetensors, with a manifest in its header. No pickle is read or written."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError, OptionError
from monge.storage.atomic import open_atomic

FORMAT = "monge-artifact-1"


@dataclass(frozen=True, eq=False)
class Artifact:
    """Learned arrays and what they are.

    ``kind`` says what reads them (``adapter``, ``capsules`` …). ``settings`` are what a reader needs to use the arrays
    as they were trained (sizes, vocabulary, the digest of the encoder). ``history`` says where they come from: data
    with digests and licences, seed, steps, measured figures. The digest covers kind, settings and arrays, not the
    history.

    >>> import tempfile, os
    >>> made = Artifact("example", {"w": np.ones(2, dtype=np.float32)}, {"size": 2}, {"seed": 1})
    >>> path = os.path.join(tempfile.mkdtemp(), "w.safetensors")
    >>> made.save(path)
    >>> Artifact.load(path, kind="example").digest == made.digest
    True
    """

    kind: str
    arrays: Mapping[str, NDArray[Any]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    history: Mapping[str, Any] = field(default_factory=dict)
    path: str = field(default="", compare=False)

    @property
    def digest(self) -> str:
        """The SHA-256 of kind, settings and arrays."""
        found = hashlib.sha256(json.dumps([self.kind, self.settings], sort_keys=True).encode())
        for name in sorted(self.arrays):
            array = np.ascontiguousarray(self.arrays[name])
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            found.update(f"{name} {array.dtype.name} {array.shape}".encode() + little.tobytes())
        return found.hexdigest()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file whole or not at all; raises InputError where it cannot be written."""
        from safetensors.numpy import save

        manifest = {
            "format": FORMAT,
            "kind": self.kind,
            "settings": dict(self.settings),
            "history": dict(self.history),
            "digest": self.digest,
        }
        arrays = {name: np.ascontiguousarray(array) for name, array in self.arrays.items()}
        with open_atomic(path) as stream:
            stream.write(save(arrays, {"manifest": json.dumps(manifest, ensure_ascii=False, sort_keys=True)}))

    @staticmethod
    def kind_of(path: str | os.PathLike[str]) -> str:
        """Return what a file holds; raises InputError if it is not an artifact."""
        return str(_read_manifest(path)["kind"])

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, kind: str) -> Self:
        """Read what :meth:`save` wrote.

        Raises InputError if the file is missing, damaged or of another format (a pickle, say), and OptionError if it
        holds another kind of artifact.
        """
        from safetensors import safe_open

        manifest = _read_manifest(path)
        if manifest["kind"] != kind:
            raise OptionError(f"{path}: holds {manifest['kind']}, not {kind}")
        with safe_open(os.fspath(path), "np") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no mapping
        made = cls(kind, arrays, manifest["settings"], manifest["history"], os.fspath(path))
        if made.digest != manifest["digest"]:
            raise InputError(f"{path}: damaged (its digest is not the one it states)")
        return made


def _read_manifest(path: str | os.PathLike[str]) -> dict[str, Any]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(os.fspath(path), "np") as file:
            manifest: dict[str, Any] = json.loads((file.metadata() or {}).get("manifest", "{}"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, SafetensorError, ValueError) as error:
        raise InputError(f"{path}: not a safetensors file ({error})") from None
    if manifest.get("format") != FORMAT:
        raise InputError(f"{path}: a safetensors file that monge did not make (its header holds no manifest)")
    return manifest
