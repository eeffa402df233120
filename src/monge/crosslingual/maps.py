"""Maps of vectors: what re-mappings consist of, each with the numbers that were fitted.

Every map follows :class:`monge.clouds.Remapping`. Vectors are rows, so a linear map is ``x W``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from monge.clouds.remap import Remapping
from monge.encoders.unit import unit_vectors
from monge.errors import InputError

Array = NDArray[np.float64]
Vectors = NDArray[np.floating]
EPSILON = 1e-9  # added to variances, as in the released code of Zhao et al. (2021)
ALGORITHM = 1  # raise it when a map of this room changes what it does to vectors


class StoredMap(Remapping, Protocol):
    """A map that can be written: its ``kind`` and its ``arrays`` by name make it again."""

    kind: ClassVar[str]

    @property
    def arrays(self) -> Mapping[str, Array]: ...

    def transform(self, vectors: Vectors) -> Array:
        """Return the vectors (n, d) mapped, in double precision."""
        ...

    @classmethod
    def of(cls, arrays: Mapping[str, Array]) -> Self:
        """Return the map with these arrays; raises KeyError if one is missing."""
        ...


class BaseMap:
    """What all maps share: the digest of their kind and arrays, and single precision for clouds."""

    kind: ClassVar[str]

    @property
    def arrays(self) -> Mapping[str, Array]:
        return {}

    @property
    def digest(self) -> str:
        """The SHA-256 of the kind and the arrays of this map."""
        found = hashlib.sha256(f"{self.kind}={ALGORITHM}".encode())
        for name, array in self.arrays.items():
            found.update(f"{name}{array.shape}".encode() + np.ascontiguousarray(array, dtype="<f8").tobytes())
        return found.hexdigest()

    def transform(self, vectors: Vectors) -> Array:
        raise NotImplementedError

    def apply(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the vectors (n, d) mapped, in single precision."""
        return self.transform(vectors).astype(np.float32)

    @classmethod
    def of(cls, arrays: Mapping[str, Array]) -> Self:
        return cls(**{name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()})


@dataclass(frozen=True, eq=False)
class Linear(BaseMap):
    """x ↦ x W, a rotation (CLP) or any matrix (d, d)."""

    kind = "linear"
    matrix: Array

    @property
    def arrays(self) -> Mapping[str, Array]:
        return {"matrix": self.matrix}

    def transform(self, vectors: Vectors) -> Array:
        return np.asarray(vectors @ self.matrix, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class WithoutDirection(BaseMap):
    """x ↦ x − (x·v) v with a unit vector v (d,): what points along v is removed (UMD).

    Idempotent; the result is orthogonal to v; the sign of v does not matter.
    """

    kind = "without-direction"
    direction: Array

    @property
    def arrays(self) -> Mapping[str, Array]:
        return {"direction": self.direction}

    def transform(self, vectors: Vectors) -> Array:
        values = np.asarray(vectors, dtype=np.float64)
        return values - np.outer(values @ self.direction, self.direction)


@dataclass(frozen=True, eq=False)
class Shift(BaseMap):
    """x ↦ x − m."""

    kind = "shift"
    mean: Array

    @property
    def arrays(self) -> Mapping[str, Array]:
        return {"mean": self.mean}

    def transform(self, vectors: Vectors) -> Array:
        return np.asarray(vectors, dtype=np.float64) - self.mean


@dataclass(frozen=True, eq=False)
class Standardise(BaseMap):
    """x ↦ (x − m) / √(variance + 1e-9), dimension by dimension (NORM with the statistics of a corpus)."""

    kind = "standardise"
    mean: Array
    variance: Array

    @property
    def arrays(self) -> Mapping[str, Array]:
        return {"mean": self.mean, "variance": self.variance}

    def transform(self, vectors: Vectors) -> Array:
        return np.asarray((vectors - self.mean) / np.sqrt(self.variance + EPSILON), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class UnitLength(BaseMap):
    """x ↦ x / ‖x‖; zero stays zero."""

    kind = "unit"

    def transform(self, vectors: Vectors) -> Array:
        return unit_vectors(np.asarray(vectors, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class LayerNormalisation(BaseMap):
    """x ↦ (x − mean of x) / √(variance of x + 1e-9), vector by vector: the contrast to NORM that does not help."""

    kind = "layer"

    def transform(self, vectors: Vectors) -> Array:
        values = np.asarray(vectors, dtype=np.float64)
        centred = values - values.mean(axis=1, keepdims=True)
        return np.asarray(centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON))


@dataclass(frozen=True, eq=False)
class Chain(BaseMap):
    """Several maps, applied in order; a chain of none changes nothing."""

    kind = "chain"
    maps: tuple[StoredMap, ...] = ()

    @property
    def digest(self) -> str:
        if not self.maps:
            return ""
        return hashlib.sha256(" ".join(one.digest for one in self.maps).encode()).hexdigest()

    def transform(self, vectors: Vectors) -> Array:
        values = np.asarray(vectors, dtype=np.float64)
        for one in self.maps:
            values = one.transform(values)
        return values


KINDS: Mapping[str, type[StoredMap]] = {
    kind.kind: kind for kind in (Linear, WithoutDirection, Shift, Standardise, UnitLength, LayerNormalisation)
}


@dataclass(frozen=True)
class BatchNormalisation:
    """NORM as in the paper: statistics over the texts of a batch, place by place and dimension by dimension.

    Place t of every text of a batch of ``size`` is normalised by the mean and the variance (with 1e-9 added) of all the
    batch's texts at t; a shorter text counts as zero there, as the padding of the released code does. The score of a
    text therefore depends on its neighbours (Zhao et al. 2021, eq. 4, and release).
    """

    size: int = 8

    @property
    def digest(self) -> str:
        return hashlib.sha256(f"batch={ALGORITHM} {self.size}".encode()).hexdigest()

    def apply(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Refuse: one text has no batch."""
        raise InputError("the statistics of a batch need a batch of texts")

    def apply_batch(self, texts: Sequence[NDArray[np.float32]]) -> list[NDArray[np.float32]]:
        """Return the vectors (n, d) of every text of one batch, normalised by the statistics of the batch."""
        longest = max(len(text) for text in texts)
        padded = np.zeros((len(texts), longest, texts[0].shape[1]))
        for row, text in enumerate(texts):
            padded[row, : len(text)] = text
        centred = padded - padded.mean(axis=0)
        normed = centred / np.sqrt((centred**2).mean(axis=0) + EPSILON)
        return [normed[row, : len(text)].astype(np.float32) for row, text in enumerate(texts)]
