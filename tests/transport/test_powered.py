"""Transport of order p against its definition."""

import numpy as np
import ot
import pytest

from monge.errors import InputError, OptionError
from monge.transport import (
    RaggedClouds,
    TransportProblem,
    TransportSetting,
    cost_matrix,
    share_root,
    solve_pairs,
    solve_powered_pairs,
)

rng = np.random.default_rng(0)
SIZES = (1, 2, 5, 9)
CLOUDS = RaggedClouds.from_clouds(
    [rng.normal(size=(n, 3)).astype(np.float32) for n in SIZES], [np.full(n, 1 / n) for n in SIZES]
)
PAIRS = [(i, j) for i in range(4) for j in range(4)]


def cost(i, j):
    points = np.split(CLOUDS.points, CLOUDS.offsets[1:-1])
    return cost_matrix(points[i], points[j], "euclidean")


@pytest.mark.parametrize("order", [0.5, 2.0, 3.0])
def test_balanced_is_the_wasserstein_distance_of_that_order(order):
    ours = solve_powered_pairs(CLOUDS, CLOUDS, PAIRS, TransportSetting("euclidean"), order=order).costs
    masses = np.split(CLOUDS.weights, CLOUDS.offsets[1:-1])
    theirs = [ot.emd2(masses[i], masses[j], cost(i, j) ** order) ** (1 / order) for i, j in PAIRS]
    # <C^p, P> of a cloud with itself is 0 but for rounding, which the root enlarges
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("order", [2.0, 4.0])
def test_one_sided_is_the_power_mean_of_the_nearest(order):
    setting = TransportSetting("euclidean", rho_b=0.0)
    ours = solve_powered_pairs(CLOUDS, CLOUDS, PAIRS, setting, order=order).costs
    expected = [np.mean(cost(i, j).min(axis=1) ** order) ** (1 / order) for i, j in PAIRS]
    np.testing.assert_allclose(ours, expected, atol=1e-12)


def test_order_one_is_plain_transport():
    setting = TransportSetting("cosine", 0.3, 0.4)
    plain = solve_pairs(CLOUDS, CLOUDS, PAIRS, setting).costs
    np.testing.assert_allclose(solve_powered_pairs(CLOUDS, CLOUDS, PAIRS, setting, order=1).costs, plain, atol=1e-12)


def test_order_never_lowers_the_distance():
    setting = TransportSetting("euclidean", rho_b=0.0)
    values = [solve_powered_pairs(CLOUDS, CLOUDS, PAIRS, setting, order=p).costs for p in (1, 2, 4)]
    assert (values[0] <= values[1] + 1e-12).all()
    assert (values[1] <= values[2] + 1e-12).all()


def test_shares_add_up_to_the_root():
    found = solve_powered_pairs(CLOUDS, CLOUDS, PAIRS, TransportSetting("euclidean"), order=3, keep_couplings=True)
    for (i, j), total, coupling in zip(PAIRS, found.costs, found.couplings, strict=True):
        problem = TransportProblem(cost(i, j), coupling.sum(1), coupling.sum(0))
        assert (share_root(problem, coupling, 3).cost * coupling).sum() == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("order", [0.0, -1.0, np.inf, np.nan])
def test_a_wrong_order_is_refused(order):
    with pytest.raises(OptionError, match="order"):
        solve_powered_pairs(CLOUDS, CLOUDS, PAIRS, TransportSetting(), order=order)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 1), (0, 9)], "pair 1 names right cloud 9"),
        ([(-1, 0)], "pair 0 names left cloud -1"),
        ([(0.7, 0.0)], "whole numbers"),
    ],
)
def test_bad_pairs_are_named(pairs, message):
    with pytest.raises(InputError, match=message):
        solve_powered_pairs(CLOUDS, CLOUDS, pairs, TransportSetting(), order=2)
