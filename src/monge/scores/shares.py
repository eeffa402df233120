"""A score as a sum over the words of one text."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass(frozen=True)
class WordShare:
    """What the word at characters ``start:end`` adds to a score."""

    start: int
    end: int
    value: float


@dataclass(frozen=True)
class WordShares:
    """value = base + Σ words, exactly; every word of the hypothesis has its share."""

    value: float
    words: tuple[WordShare, ...]
    base: float = 0.0
    notes: tuple[str, ...] = field(default=())

    @property
    def total(self) -> float:
        """The sum of base and shares; equals ``value``."""
        return math.fsum([self.base, *(word.value for word in self.words)])
