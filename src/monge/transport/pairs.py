"""Many transport problems in one native call."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from monge.errors import InputError, OptionError
from monge.transport import _native
from monge.transport.problem import LARGEST_COST
from monge.transport.ragged import BatchSolution, RaggedClouds, TransportSetting

_TOLERANCE = 1e-10
_WORTH_A_THREAD = 500_000  # multiplications of cost formation that pay for starting a thread


def solve_pairs(
    left: RaggedClouds,
    right: RaggedClouds,
    pairs: ArrayLike,
    setting: TransportSetting,
    *,
    keep_couplings: bool = False,
    threads: int | None = None,
) -> BatchSolution:
    r"""Solve the problem of every pair (i, j): cloud i of *left* (rows) against cloud j of *right* (columns).

    Costs (see :func:`cost_matrix`) are formed inside the call, and raised to the order of the setting. The result of a
    pair depends neither on its position in the batch nor on the number of threads.

    Parameters
    ----------
    pairs
        Whole numbers (P, 2): which cloud of *left* and which of *right*.
    keep_couplings
        Whether the plans are returned too.
    threads
        How many threads share the work, without the GIL (None: one per core of this process where that pays).

    Raises
    ------
    InputError
        When a pair names a cloud that does not exist or has no points, when its masses cannot meet the marginals that
        must hold, or when a cost to the power of the order is beyond 1e150.

    >>> clouds = RaggedClouds.from_clouds([np.eye(2), np.ones((1, 2))], [np.full(2, 0.5), np.ones(1)])
    >>> solve_pairs(clouds, clouds, [(0, 0), (0, 1)], TransportSetting("sqeuclidean")).costs.tolist()
    [0.0, 1.0]
    """
    index = _check_pairs(left, right, np.asarray(pairs), setting)
    cells = left.sizes[index[:, 0]] * right.sizes[index[:, 1]]
    starts = np.concatenate([[0], np.cumsum(cells)]) if keep_couplings else None
    costs, masses, iterations, converged, flat = _native.solve_pairs(
        left.points,
        left.weights,
        left.offsets,
        left.positions,
        right.points,
        right.weights,
        right.offsets,
        right.positions,
        index,
        setting.cost,
        float(setting.order),
        float(setting.rho_a),
        float(setting.rho_b),
        float(setting.epsilon),
        setting.regulariser == "kl",
        _TOLERANCE,
        starts,
        _thread_count(threads, len(index), int(cells.sum()) * left.points.shape[1]),
    )
    too_large = np.isnan(costs)
    if too_large.any():
        raise InputError(
            f"pair {int(too_large.argmax())}: a cost to the power {setting.order} is too large (at most {LARGEST_COST})"
        )
    return BatchSolution(costs, masses, iterations, converged, _split(left, right, index, starts, flat))


def _check_pairs(
    left: RaggedClouds, right: RaggedClouds, pairs: NDArray[Any], setting: TransportSetting
) -> NDArray[np.int64]:
    """Return *pairs* as whole numbers (P, 2); refuse clouds that are not there or cannot be transported."""
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise InputError(f"pairs must be whole numbers (P, 2), not {pairs.dtype} {pairs.shape}")
    if left.points.shape[1] != right.points.shape[1]:
        raise InputError(f"clouds of dimension {left.points.shape[1]} and {right.points.shape[1]} cannot be compared")
    index = np.ascontiguousarray(pairs, dtype=np.int64)
    for side, name, clouds in ((0, "left", left), (1, "right", right)):
        column = index[:, side]
        if column.min() < 0 or column.max() >= len(clouds):
            p = int(((column < 0) | (column >= len(clouds))).argmax())
            raise InputError(f"pair {p} names {name} cloud {column[p]}, but there are {len(clouds)}")
        if clouds.sizes[column].min() == 0:
            p = int(clouds.sizes[column].argmin())
            raise InputError(f"pair {p}: {name} cloud {column[p]} has no points")
    _check_masses(left, right, index, setting)
    return index


def _check_masses(left: RaggedClouds, right: RaggedClouds, index: NDArray[np.int64], setting: TransportSetting) -> None:
    """Marginals that must hold have to be possible to meet, pair by pair."""
    if not (np.isinf(setting.rho_a) or np.isinf(setting.rho_b)):
        return
    a, b = left.masses[index[:, 0]], right.masses[index[:, 1]]
    if np.isinf(setting.rho_a) and np.isinf(setting.rho_b):
        bad = np.abs(a - b) > 1e-9 * b
        if bad.any():
            p = int(bad.argmax())
            raise InputError(f"pair {p}: balanced transport needs equal masses, not {a[p]} and {b[p]}")
        return
    relative = setting.epsilon > 0 and setting.regulariser == "kl"
    for rho, mass, other_rho, other in ((setting.rho_a, a, setting.rho_b, b), (setting.rho_b, b, setting.rho_a, a)):
        bad = (mass > 0) & (other == 0) & (np.isinf(rho) and (other_rho > 0 or relative))
        if bad.any():
            raise InputError(f"pair {int(bad.argmax())}: one side must be moved in full, but the other has no mass")


def _thread_count(threads: int | None, pairs: int, work: int) -> int:
    if threads is not None and threads < 1:
        raise OptionError(f"threads must be at least 1, not {threads}")
    if threads is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        threads = min(cores, 1 + work // _WORTH_A_THREAD)
    return max(1, min(threads, pairs))


def _split(
    left: RaggedClouds,
    right: RaggedClouds,
    index: NDArray[np.int64],
    starts: NDArray[np.int64] | None,
    flat: NDArray[np.float64] | None,
) -> tuple[NDArray[np.float64], ...] | None:
    """Views of the plans that the native call laid end to end."""
    if starts is None or flat is None:
        return None
    shapes = zip(left.sizes[index[:, 0]].tolist(), right.sizes[index[:, 1]].tolist(), strict=True)
    return tuple(flat[starts[p] : starts[p + 1]].reshape(shape) for p, shape in enumerate(shapes))
