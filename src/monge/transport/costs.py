"""Costs between points."""

from __future__ import annotations

from typing import get_args

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError
from monge.transport import _native
from monge.transport.problem import Array
from monge.transport.ragged import CostName, check_name, check_positions


def cost_matrix(
    points_a: NDArray[np.floating],
    points_b: NDArray[np.floating],
    cost: CostName,
    *,
    positions: tuple[NDArray[np.floating], NDArray[np.floating]] | None = None,
) -> Array:
    r"""Cost (n, m), float64, between points (n, d) and (m, d), which are taken as float32.

    ``euclidean`` ‖x−y‖, ``sqeuclidean`` ‖x−y‖², ``cosine`` 1 − cos(x, y) with cos = 0 for a zero vector, and
    ``position``, the distance of WE_WPI (Echizen'ya et al. 2019, eqs. 7, 8, 12): with positions i of n and j of m and
    apart = |i/n − j/m|, words correspond when j is i's best by cos·(1 − apart) and no other row does better with j;
    then the distance is 1 − cos·exp(−apart), else 1. *positions* gives i/n and j/m of the points on both sides where
    words without a point lie between them; by default there are none. Products and sums are float64; equal vectors have
    cost exactly 0 (``position``: at equal relative positions).

    >>> cost_matrix(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]), "euclidean").tolist()
    [[5.0]]
    """
    check_name(cost, get_args(CostName), "cost")
    a = np.ascontiguousarray(points_a, dtype=np.float32)
    b = np.ascontiguousarray(points_b, dtype=np.float32)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1] or a.size == 0 or b.size == 0:
        raise InputError(f"points {a.shape} and {b.shape} are not two clouds of one dimension")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InputError("points have NaN or infinite values")
    where = (None, None) if positions is None else positions
    left, right = (
        None if own is None else check_positions(own, len(cloud)) for own, cloud in zip(where, (a, b), strict=True)
    )
    return np.asarray(_native.cost_matrix(a, b, cost, left, right))
