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


def relaxed_gap(plan: TransportPlan) -> float:
    """Duality gap of the unregularised problem with finite, positive rho, as a share of what the plan saves.

    Without the constant rho_a Σa + rho_b Σb, the plan's objective is minus its savings, and every f, g with
    f_i + g_j ≤ c_ij shows that nobody can save more than rho_a Σ a e^(−f/rho_a) + rho_b Σ b e^(−g/rho_b).
    Unlike :func:`relaxed_violation` it serves where some points carry too little for a double.
    """
    problem = plan.problem
    rows, columns = problem.a > 0, problem.b > 0
    cost, flows = problem.cost[np.ix_(rows, columns)], plan.coupling[np.ix_(rows, columns)]
    a, b = problem.a[rows], problem.b[columns]
    carrying = flows.sum(1) > 1e-290
    f = -problem.rho_a * np.log(flows.sum(1)[carrying] / a[carrying])
    enough = problem.rho_b * (60 - np.log(flows.sum()))  # a column with such a g adds e^-60 of the plan
    g = np.minimum((cost[carrying] - f[:, None]).min(0), enough)
    f = (cost - g[None, :]).min(1)
    most = sum(rho * (mass * np.exp(-h / rho)).sum() for rho, mass, h in ((problem.rho_a, a, f), (problem.rho_b, b, g)))
    saved = -(cost * flows).sum()
    for rho, got, want in ((problem.rho_a, flows.sum(1), a), (problem.rho_b, flows.sum(0), b)):
        moved = got > 0
        saved -= rho * (got[moved] * (np.log(got[moved] / want[moved]) - 1)).sum()
    return float((most - saved) / saved)
