"""Many transport problems in one call."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from monge.errors import InputError
from monge.transport.costs import cost_matrix
from monge.transport.problem import TransportProblem
from monge.transport.ragged import BatchSolution, RaggedClouds, TransportSetting
from monge.transport.solvers import solve


def solve_pairs(
    left: RaggedClouds,
    right: RaggedClouds,
    pairs: ArrayLike,
    setting: TransportSetting,
    *,
    keep_couplings: bool = False,
    threads: int | None = None,
) -> BatchSolution:
    """Solve the problem of every pair (cloud of left, cloud of right)."""
    index = np.asarray(pairs, dtype=np.int64)
    if index.ndim != 2 or index.shape[1] != 2:
        raise InputError(f"pairs must be (P, 2), not {index.shape}")
    plans = []
    for i, j in index.tolist():
        rows = slice(left.offsets[i], left.offsets[i + 1])
        columns = slice(right.offsets[j], right.offsets[j + 1])
        cost = cost_matrix(left.points[rows], right.points[columns], setting.cost)
        problem = TransportProblem(cost, left.weights[rows], right.weights[columns], setting.rho_a, setting.rho_b)
        plans.append(solve(problem, epsilon=setting.epsilon, regulariser=setting.regulariser))
    return BatchSolution(
        costs=np.array([plan.transport_cost for plan in plans]),
        masses=np.array([plan.coupling.sum() for plan in plans]),
        iterations=np.array([plan.iterations for plan in plans], dtype=np.int64),
        converged=np.array([plan.converged for plan in plans], dtype=bool),
        couplings=tuple(plan.coupling for plan in plans) if keep_couplings else None,
    )
