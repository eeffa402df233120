"""Proofs of optimality that need no second solver."""

import numpy as np

from monge.transport import TransportPlan


def relaxed_violation(plan: TransportPlan) -> float:
    """How far a plan is from the optimality conditions of the unregularised problem with finite, positive rho.

    With f_i = −rho_a log(p_i / a_i) and g_j alike: c_ij ≥ f_i + g_j everywhere, with equality where mass flows.
    """
    problem, coupling = plan.problem, plan.coupling
    rows, columns = problem.a > 0, problem.b > 0
    assert coupling[~rows].sum() == coupling[:, ~columns].sum() == 0
    flows = coupling[np.ix_(rows, columns)]
    f = -problem.rho_a * np.log(flows.sum(1) / problem.a[rows])
    g = -problem.rho_b * np.log(flows.sum(0) / problem.b[columns])
    reduced = problem.cost[np.ix_(rows, columns)] - f[:, None] - g[None, :]
    return max(-reduced.min(), np.abs(reduced[flows > 1e-9 * flows.sum()]).max())


def exact_violation(plan: TransportPlan) -> float:
    """Cost of the best round trip that would improve a balanced plan (0 when it is optimal): no negative cycles.

    Bellman–Ford on the residual graph: row → column costs c, column → row costs −c where mass flows.
    """
    cost, coupling = plan.problem.cost, plan.coupling
    residual = np.where(coupling > 0, -cost, np.inf)
    rows = np.zeros(len(cost))
    change = 0.0
    for _ in range(sum(cost.shape)):
        columns = (rows[:, None] + cost).min(0)
        shorter = np.minimum(rows, (columns[None, :] + residual).min(1))
        change, rows = float(np.abs(shorter - rows).max()), shorter
    return change
