"""The score of one segment, and the transport that explains it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from monge.clouds.cloud import PointCloud
from monge.transport.problem import TransportPlan


@dataclass(frozen=True, eq=False)
class Alignment:
    """Two clouds (hypothesis, reference) and the plan between them; ``role`` names the part it explains."""

    hypothesis: PointCloud
    reference: PointCloud
    plan: TransportPlan
    role: str = "transport"

    def contributions(self) -> NDArray[np.float64]:
        """Return cost × mass of every pair (n, m); the sum is the transport cost."""
        return self.plan.problem.cost * self.plan.coupling


@dataclass(frozen=True, eq=False)
class Score:
    """A value, the parts it consists of, the reference that decided it, and notes on fallbacks and empty texts.

    ``unknown`` is the share of the words that the encoder does not know, in the text that has more of them.
    """

    value: float
    parts: Mapping[str, float] = field(default_factory=dict)
    alignments: tuple[Alignment, ...] = ()
    reference_index: int | None = None
    notes: tuple[str, ...] = ()
    unknown: float = 0.0
