"""Transport of order p against its definition."""

import itertools

import numpy as np
import ot
import pytest

from monge.errors import InputError, OptionError
from monge.transport import (
    BatchSolution,
    RaggedClouds,
    TransportPlan,
    TransportProblem,
    TransportSetting,
    cost_matrix,
    share_root,
    solve,
    solve_pairs,
)

INF = np.inf
COSTS = ("euclidean", "sqeuclidean", "cosine", "position")
SIZES = (1, 2, 5, 9, 22)
PAIRS = list(itertools.product(range(5), range(5)))


def make_clouds(dimension: int) -> RaggedClouds:
    """Clouds that share words, some of them without mass; from 16 dimensions on costs start as bounds."""
    rng = np.random.default_rng(dimension)
    words = rng.normal(size=(30, dimension))
    points = [0.2 * (words[rng.integers(0, 30, n)] + (rng.random((n, 1)) < 0.5) * 0.3) for n in SIZES]
    masses = [rng.random(n) * (rng.random(n) < 0.8) + 1e-3 * (np.arange(n) == 0) for n in SIZES]
    return RaggedClouds.from_clouds(points, [mass / mass.sum() for mass in masses])


CLOUDS = make_clouds(3)


def cloud(clouds: RaggedClouds, k: int) -> tuple[np.ndarray, np.ndarray]:
    part = slice(clouds.offsets[k], clouds.offsets[k + 1])
    return clouds.points[part], clouds.weights[part]


def cost(i: int, j: int) -> np.ndarray:
    return cost_matrix(cloud(CLOUDS, i)[0], cloud(CLOUDS, j)[0], "euclidean")


def solve_by_definition(clouds: RaggedClouds, setting: TransportSetting) -> list[TransportPlan]:
    """Costs raised in numpy, one problem after the other."""
    plans = []
    for i, j in PAIRS:
        (x, a), (y, b) = cloud(clouds, i), cloud(clouds, j)
        raised = np.maximum(cost_matrix(x, y, setting.cost), 0.0) ** setting.order
        problem = TransportProblem(raised, a, b, setting.rho_a, setting.rho_b)
        plans.append(solve(problem, epsilon=setting.epsilon, regulariser=setting.regulariser))
    return plans


def solve_all(clouds: RaggedClouds, setting: TransportSetting) -> BatchSolution:
    return solve_pairs(clouds, clouds, PAIRS, setting, keep_couplings=True)


@pytest.mark.parametrize("dimension", [3, 48])
@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("order", [0.5, 2.0, 2.7, 3.0])
@pytest.mark.parametrize(
    ("rho_a", "rho_b", "epsilon"),
    [
        (INF, INF, 0.0),
        (INF, 0.0, 0.0),
        (0.0, INF, 0.0),
        (0.3, 0.4, 0.0),
        (0.3, INF, 0.0),
        (0.3, 0.0, 0.0),
        (0.3, 0.4, 0.1),
    ],
)
def test_every_order_is_transport_of_raised_costs(dimension, name, order, rho_a, rho_b, epsilon):
    clouds = make_clouds(dimension)
    setting = TransportSetting(name, order=order, rho_a=rho_a, rho_b=rho_b, epsilon=epsilon)
    batch, plans = solve_all(clouds, setting), solve_by_definition(clouds, setting)
    assert batch.couplings is not None
    assert batch.converged.all()
    for found, mass, coupling, plan in zip(batch.costs, batch.masses, batch.couplings, plans, strict=True):
        assert mass == pytest.approx(plan.coupling.sum(), rel=1e-11)
        assert found**order == pytest.approx(plan.transport_cost, rel=1e-11 if epsilon else 1e-12, abs=1e-15)
        assert np.sum(coupling * plan.problem.cost) == pytest.approx(found**order, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("order", [0.5, 2.0, 3.0])
def test_balanced_is_the_wasserstein_distance_of_that_order(order):
    ours = solve_all(CLOUDS, TransportSetting("euclidean", order=order)).costs
    masses = [cloud(CLOUDS, k)[1] for k in range(5)]
    theirs = [ot.emd2(masses[i], masses[j], cost(i, j) ** order) ** (1 / order) for i, j in PAIRS]
    # <C^p, P> of a cloud with itself is 0 but for rounding, which the root enlarges
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("order", [2.0, 4.0])
def test_one_sided_is_the_power_mean_of_the_nearest(order):
    ours = solve_all(CLOUDS, TransportSetting("euclidean", order=order, rho_b=0.0)).costs
    expected = [(cloud(CLOUDS, i)[1] @ cost(i, j).min(axis=1) ** order) ** (1 / order) for i, j in PAIRS]
    np.testing.assert_allclose(ours, expected, atol=1e-12)


def test_order_one_is_plain_transport():
    plain = solve_all(CLOUDS, TransportSetting("cosine", rho_a=0.3, rho_b=0.4)).costs
    ordered = solve_all(CLOUDS, TransportSetting("cosine", order=1.0, rho_a=0.3, rho_b=0.4)).costs
    np.testing.assert_array_equal(ordered, plain)


def test_order_never_lowers_the_distance():
    values = [solve_all(CLOUDS, TransportSetting("euclidean", order=p, rho_b=0.0)).costs for p in (1.0, 2.0, 4.0)]
    assert (values[0] <= values[1] + 1e-12).all()
    assert (values[1] <= values[2] + 1e-12).all()


def test_threads_change_nothing():
    setting = TransportSetting("cosine", order=3.0)
    clouds = make_clouds(48)
    one, many = (solve_pairs(clouds, clouds, PAIRS, setting, threads=threads).costs for threads in (1, 4))
    np.testing.assert_array_equal(one, many)


def test_shares_add_up_to_the_root():
    found = solve_all(CLOUDS, TransportSetting("euclidean", order=3.0))
    assert found.couplings is not None
    for (i, j), total, coupling in zip(PAIRS, found.costs, found.couplings, strict=True):
        problem = TransportProblem(cost(i, j), coupling.sum(1), coupling.sum(0))
        assert (share_root(problem, coupling, 3).cost * coupling).sum() == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("order", [0.0, -1.0, np.inf, np.nan])
def test_a_wrong_order_is_refused(order):
    with pytest.raises(OptionError, match="order"):
        TransportSetting(order=order)


@pytest.mark.parametrize("dimension", [3, 48])
@pytest.mark.parametrize("rho_b", [INF, 0.0, 0.3])
def test_costs_that_become_too_large_are_refused(dimension, rho_b):
    points = np.full((1, dimension), 1e10)
    clouds = RaggedClouds.from_clouds([np.zeros((1, dimension)), points], [np.ones(1), np.ones(1)])
    setting = TransportSetting("euclidean", order=20.0, rho_b=rho_b)
    with pytest.raises(InputError, match=r"pair 1: a cost to the power 20.0 is too large \(at most 1e\+150\)"):
        solve_pairs(clouds, clouds, [(0, 0), (0, 1)], setting)
