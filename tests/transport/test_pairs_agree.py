"""solve_pairs forms its costs inside; it must agree with cost_matrix and solve for every cost and marginal."""

import itertools
import math

import numpy as np
import pytest

from monge.transport import RaggedClouds, TransportProblem, TransportSetting, cost_matrix, solve, solve_pairs

COSTS = ("euclidean", "sqeuclidean", "cosine", "position")
MARGINALS = ((math.inf, math.inf), (math.inf, 0.0), (0.0, math.inf), (0.7, 0.4), (math.inf, 0.5))


@pytest.mark.parametrize(("cost", "rho"), list(itertools.product(COSTS, MARGINALS)))
@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_batched_equals_single(cost: str, rho: tuple[float, float], epsilon: float) -> None:
    if epsilon and 0.0 in rho:
        return  # one-sided problems have a closed form without smoothing
    generator = np.random.default_rng(7)
    clouds = [generator.normal(size=(n, 5)).astype(np.float32) for n in (1, 2, 3, 7, 12, 20)]
    masses = [generator.dirichlet(np.ones(len(cloud))) for cloud in clouds]
    where = [np.sort(generator.uniform(size=len(cloud))) for cloud in clouds]
    ragged = RaggedClouds.from_clouds(clouds, masses, where)
    pairs = np.array(list(itertools.product(range(6), range(6))))
    setting = TransportSetting(cost=cost, rho_a=rho[0], rho_b=rho[1], epsilon=epsilon)  # type: ignore[arg-type]
    batch = solve_pairs(ragged, ragged, pairs, setting)
    for (i, j), value in zip(pairs, batch.costs, strict=True):
        costs = cost_matrix(clouds[i], clouds[j], cost, positions=(where[i], where[j]))  # type: ignore[arg-type]
        problem = TransportProblem(costs, masses[i], masses[j], *rho)
        single = solve(problem, epsilon=epsilon)
        assert math.isclose(value, single.transport_cost, rel_tol=1e-7, abs_tol=1e-9)
