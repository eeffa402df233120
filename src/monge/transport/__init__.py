"""Optimal transport between weighted points; knows nothing of text."""

from monge.transport.costs import cost_matrix
from monge.transport.flows import drop_smallest
from monge.transport.order import share_root
from monge.transport.pairs import solve_pairs
from monge.transport.problem import TransportPlan, TransportProblem, kl_divergence
from monge.transport.ragged import BatchSolution, CostName, RaggedClouds, RegulariserName, TransportSetting
from monge.transport.solvers import solve, solve_exact, solve_one_sided, solve_unbalanced

# Raised whenever results of a solver change on purpose: caches of scores are keyed by it.
ALGORITHM = 1

__all__ = [
    "ALGORITHM",
    "BatchSolution",
    "CostName",
    "RaggedClouds",
    "RegulariserName",
    "TransportPlan",
    "TransportProblem",
    "TransportSetting",
    "cost_matrix",
    "drop_smallest",
    "kl_divergence",
    "share_root",
    "solve",
    "solve_exact",
    "solve_one_sided",
    "solve_pairs",
    "solve_unbalanced",
]
