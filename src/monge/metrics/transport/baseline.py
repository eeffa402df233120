"""Rescaling against what unrelated texts score."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError
from monge.storage.atomic import write_text


@dataclass(frozen=True)
class Baseline:
    """Mean parts of a metric on unrelated text pairs; ``signature`` is that of the metric it was measured with."""

    signature: str
    parts: Mapping[str, float]
    pairs: int

    @property
    def digest(self) -> str:
        """The SHA-256 of the values; signatures show its first eight digits."""
        return hashlib.sha256(self._json().encode()).hexdigest()

    @property
    def hash(self) -> str:
        """Eight hexadecimal digits that name the values."""
        return self.digest[:8]

    def rescale(self, parts: Mapping[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
        """Return (x − b) / (1 − b) for every part: 0 is chance, 1 is identity (Zhang et al. 2020, §A)."""
        return {
            name: (value - self.parts[name]) / (1 - self.parts[name]) if name in self.parts else value
            for name, value in parts.items()
        }

    def save(self, path: str | Path) -> None:
        """Write as JSON, atomically."""
        write_text(path, self._json() + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Baseline:
        """Read what :meth:`save` wrote."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            parts = {str(name): float(value) for name, value in content["parts"].items()}
            baseline = cls(str(content["signature"]), parts, int(content["pairs"]))
        except OSError as error:
            raise InputError(f"{path}: cannot read the baseline ({error.strerror})") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: not a baseline made by `monge calibrate` ({error})") from error
        if any(not value < 1 for value in parts.values()):
            raise InputError(f"{path}: a baseline must lie below 1")
        return baseline

    def _json(self) -> str:
        return json.dumps({"signature": self.signature, "parts": dict(self.parts), "pairs": self.pairs}, indent=1)
