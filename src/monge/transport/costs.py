"""Costs between points."""

from __future__ import annotations

from typing import get_args

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError
from monge.transport import reference
from monge.transport.problem import Array
from monge.transport.ragged import CostName, check_name


def cost_matrix(points_a: NDArray[np.floating], points_b: NDArray[np.floating], cost: CostName) -> Array:
    """Cost (n, m) float64 between points (n, d) and (m, d)."""
    check_name(cost, get_args(CostName), "cost")
    if points_a.ndim != 2 or points_b.ndim != 2 or points_a.shape[1] != points_b.shape[1]:
        raise InputError(f"points {points_a.shape} and {points_b.shape} do not have one dimension")
    return reference.cost_by_definition(points_a, points_b, cost)
