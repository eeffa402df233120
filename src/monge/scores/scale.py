"""Where a score lies: what unrelated texts score, and what a copy scores."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """What unrelated texts score on average by a metric, and what a copy of the reference scores."""

    unrelated: float
    copy: float

    def place(self, value: float) -> float:
        """Return (value − unrelated) / (copy − unrelated): 0 is unrelated, 1 is a copy, also for distances.

        >>> Scale(unrelated=0.5, copy=0.0).place(0.125)
        0.75
        """
        return (value - self.unrelated) / (self.copy - self.unrelated)

    def record(self) -> dict[str, float]:
        """Return plain JSON values."""
        return {"unrelated": self.unrelated, "copy": self.copy}
