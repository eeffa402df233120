"""Transport of order p: distances are raised to a power before they are moved, as in Wasserstein's W_p."""

from __future__ import annotations

import dataclasses

import numpy as np

from monge.transport.problem import Array, TransportProblem


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
