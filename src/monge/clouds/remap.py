"""Maps that every vector of a text goes through before it becomes a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Remapping(Protocol):
    """A map of vectors, such as a rotation into the space of another language.

    ``digest`` identifies the map in signatures and in the keys of stored scores; that of the identity is empty.
    """

    @property
    def digest(self) -> str: ...

    def apply(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the vectors (n, d) mapped to (n, d')."""
        ...


@runtime_checkable
class BatchRemapping(Remapping, Protocol):
    """A map that depends on the other texts of a batch of ``size``."""

    @property
    def size(self) -> int: ...

    def apply_batch(self, texts: Sequence[NDArray[np.float32]]) -> list[NDArray[np.float32]]:
        """Return the vectors (n, d) of every text of one batch, mapped."""
        ...


@dataclass(frozen=True)
class Identity:
    """The map that changes nothing."""

    @property
    def digest(self) -> str:
        return ""

    def apply(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return *vectors* as they are."""
        return vectors


IDENTITY = Identity()
