"""Transport of order p: distances are raised to a power before they are moved, as in Wasserstein's W_p."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from monge.errors import OptionError
from monge.transport.costs import cost_matrix
from monge.transport.pairs import check_pairs
from monge.transport.problem import Array, TransportProblem
from monge.transport.ragged import BatchSolution, RaggedClouds, TransportSetting
from monge.transport.solvers import solve


def solve_powered_pairs(
    left: RaggedClouds,
    right: RaggedClouds,
    pairs: ArrayLike,
    setting: TransportSetting,
    *,
    order: float,
    keep_couplings: bool = False,
) -> BatchSolution:
    r"""Solve every pair with cost C^p and return (<C^p, P*>)^{1/p}, in the unit of C (Villani 2009, Def. 6.1).

    With p > 1 a few far points weigh more than many near ones; p = 1 is :func:`solve_pairs`, which is faster.

    >>> clouds = RaggedClouds.from_clouds([np.zeros((1, 1)), np.array([[0.0], [2.0]])], [np.ones(1), np.full(2, 0.5)])
    >>> solve_powered_pairs(clouds, clouds, [(0, 1)], TransportSetting("euclidean"), order=2).costs.round(6).tolist()
    [1.414214]
    """
    if not 0 < order < np.inf:
        raise OptionError(f"the order of transport must be positive and finite, not {order}")
    plans = []
    for i, j in check_pairs(left, right, np.asarray(pairs), setting).tolist():
        rows = slice(left.offsets[i], left.offsets[i + 1])
        columns = slice(right.offsets[j], right.offsets[j + 1])
        cost = cost_matrix(left.points[rows], right.points[columns], setting.cost)
        raised = np.maximum(cost, 0.0) ** order  # 1 − cos may round below 0
        problem = TransportProblem(raised, left.weights[rows], right.weights[columns], setting.rho_a, setting.rho_b)
        plans.append(solve(problem, epsilon=setting.epsilon, regulariser=setting.regulariser))
    return BatchSolution(
        costs=np.array([plan.transport_cost for plan in plans]) ** (1 / order),
        masses=np.array([plan.coupling.sum() for plan in plans]),
        iterations=np.array([plan.iterations for plan in plans], dtype=np.int64),
        converged=np.array([plan.converged for plan in plans], dtype=bool),
        couplings=tuple(plan.coupling for plan in plans) if keep_couplings else None,
    )


def share_root(problem: TransportProblem, coupling: Array, order: float) -> TransportProblem:
    """Return *problem* (cost C) with cost C^p·W^{1−p}, so that contributions add up to W = (<C^p, P>)^{1/p}.

    Each pair gets its share of <C^p, P>: the only split that is proportional to what the pair adds there.

    >>> problem = TransportProblem(np.array([[3.0, 4.0]]), np.array([2.0]), np.array([1.0, 1.0]))
    >>> share_root(problem, np.array([[1.0, 1.0]]), 2.0).cost.tolist()
    [[1.8, 3.2]]
    """
    raised = np.maximum(problem.cost, 0.0) ** order
    total = float((raised * coupling).sum())
    scale = total ** (1 / order - 1) if total > 1e-120 else 0.0  # below that next to nothing moved
    return dataclasses.replace(problem, cost=raised * scale)
