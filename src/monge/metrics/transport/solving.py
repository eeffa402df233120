"""Solving the transport problems of pairs of clouds: marginals, empty texts, dropped flows."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.metrics.transport.pairs import CloudPairs
from monge.metrics.transport.readout import PRECISION, RECALL
from monge.metrics.transport.settings import TransportChoice
from monge.scores import Alignment
from monge.transport import (
    BatchSolution,
    TransportPlan,
    TransportProblem,
    TransportSetting,
    cost_matrix,
    drop_smallest,
    share_root,
    solve_pairs,
)


@dataclass(frozen=True)
class PairSolver:
    """Solves pairs of clouds as *choice* says; penalties that are relative are multiples of ``typical_cost``.

    A role is one problem of the readout: ``transport`` with the penalties of *choice*, or ``precision`` and ``recall``,
    which keep one marginal. ``drop_flows`` is the share of the flows, the smallest ones, that are left out of a cost.
    """

    choice: TransportChoice
    drop_flows: float
    typical_cost: float | None

    def solve(self, role: str, problems: CloudPairs, *, keep_couplings: bool) -> BatchSolution:
        """Solve all pairs; from and to an empty text all mass moves, or saying nothing would cost nothing."""
        kept = keep_couplings or self.drop_flows > 0
        rho_a, rho_b = self._marginals(role)
        setting = TransportSetting(
            cost=self.choice.cost,
            order=self.choice.order,
            rho_a=rho_a,
            rho_b=rho_b,
            epsilon=self.choice.epsilon if role == "transport" else 0.0,
            regulariser=self.choice.regulariser,
        )
        left, right, pairs = problems.left, problems.right, problems.pairs
        solution = solve_pairs(left, right, pairs, setting, keep_couplings=kept)
        if role == "transport" and not rho_a == rho_b == math.inf and problems.empty.any():
            whole = dataclasses.replace(setting, rho_a=math.inf, rho_b=math.inf)
            empty = np.flatnonzero(problems.empty)
            solution = solution.replaced(empty, solve_pairs(left, right, pairs[empty], whole, keep_couplings=kept))
        return self._drop_flows(problems, solution) if self.drop_flows else solution

    def align(self, role: str, solution: BatchSolution, problems: CloudPairs, i: int) -> Alignment:
        """Return the plan of one pair with its clouds, from a solution that keeps its couplings."""
        hypothesis, other = problems.clouds(i)
        rho_a, rho_b = self._marginals(role)
        if role == "transport" and problems.empty[i]:
            rho_a = rho_b = math.inf
        cost = self._cost(problems, i) * problems.stretch(self.choice.cost)[i]
        problem = TransportProblem(cost, hypothesis.weights, other.weights, rho_a, rho_b)
        assert solution.couplings is not None
        if self.choice.order != 1:
            problem = share_root(problem, solution.couplings[i], self.choice.order)
        plan = TransportPlan(problem, solution.couplings[i], int(solution.iterations[i]), bool(solution.converged[i]))
        return Alignment(hypothesis, other, plan, role)

    def _marginals(self, role: str) -> tuple[float, float]:
        scale = self.typical_cost if self.choice.relative else 1.0
        assert scale is not None
        named = {"precision": PRECISION, "recall": RECALL}
        return named.get(role, (self.choice.lambda_c * scale, self.choice.lambda_r * scale))

    def _drop_flows(self, problems: CloudPairs, solution: BatchSolution) -> BatchSolution:
        """Leave the smallest flows of every pair out of its cost, as in the later release of XMoverScore."""
        assert solution.couplings is not None
        kept = tuple(drop_smallest(plan, self.drop_flows) for plan in solution.couplings)
        costs = [float(np.sum(self._cost(problems, i) * plan)) for i, plan in enumerate(kept)]
        return dataclasses.replace(solution, costs=np.array(costs), couplings=kept)

    def _cost(self, problems: CloudPairs, i: int) -> NDArray[np.float64]:
        """Return the costs between the points of a pair; they are not stretched for an empty text."""
        hypothesis, other = problems.clouds(i)
        cost = self.choice.cost
        positions = (hypothesis.positions, other.positions) if cost == "position" else None
        return cost_matrix(hypothesis.points, other.points, cost, positions=positions)
