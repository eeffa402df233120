"""How a score is made of transport costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class LinearForm:
    """value = base + Σ terms + Σ rates[k] · transport cost of alignment k."""

    base: float
    rates: tuple[float, ...]
    terms: Mapping[str, float] = field(default_factory=dict)
