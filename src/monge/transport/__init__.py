"""Optimal transport between weighted points; knows nothing of text."""

from monge.transport.costs import cost_matrix
from monge.transport.pairs import solve_pairs
from monge.transport.powered import share_root, solve_powered_pairs
from monge.transport.problem import TransportPlan, TransportProblem, kl_divergence
from monge.transport.ragged import BatchSolution, CostName, RaggedClouds, RegulariserName, TransportSetting
from monge.transport.solvers import solve, solve_exact, solve_one_sided, solve_unbalanced

__all__ = [
    "BatchSolution",
    "CostName",
    "RaggedClouds",
    "RegulariserName",
    "TransportPlan",
    "TransportProblem",
    "TransportSetting",
    "cost_matrix",
    "kl_divergence",
    "share_root",
    "solve",
    "solve_exact",
    "solve_one_sided",
    "solve_pairs",
    "solve_powered_pairs",
    "solve_unbalanced",
]

ALGORITHM = 1  # raise it when results of the solvers change on purpose: stored scores are keyed by it
