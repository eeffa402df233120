"""Many problems in one call: equal to one by one, whatever the order and the threads; bad input is named."""

import subprocess
import sys
import threading

import numpy as np
import pytest

from monge.errors import InputError, OptionError
from monge.transport import (
    RaggedClouds,
    TransportProblem,
    TransportSetting,
    cost_matrix,
    solve,
    solve_pairs,
)

INF = np.inf
COSTS = ["euclidean", "sqeuclidean", "cosine", "position"]
RELAXATIONS = [
    (INF, INF, 0.0),
    (INF, 0.0, 0.0),
    (0.0, INF, 0.0),
    (0.23, 0.31, 0.009),
    (0.23, 0.31, 0.0),
    (0.3, 0.0, 0.0),
]


def make_clouds(seed: int, sizes: list[int], dimension: int = 48) -> RaggedClouds:
    """Clouds that share vectors with one another, some points without mass."""
    rng = np.random.default_rng(seed)
    words = np.random.default_rng(99).normal(size=(40, dimension)).astype(np.float32)
    points = [
        words[rng.integers(0, 40, n)] + (rng.random((n, 1)) < 0.5) * rng.normal(size=(n, dimension)) for n in sizes
    ]
    weights = [rng.random(n) * (rng.random(n) < 0.8) for n in sizes]
    weights = [np.ones(n) / n if not w.any() else w / w.sum() for n, w in zip(sizes, weights, strict=True)]
    return RaggedClouds.from_clouds([cloud.astype(np.float32) for cloud in points], weights)


LEFT = make_clouds(0, [1, 2, 5, 22, 33, 64, 90])
RIGHT = make_clouds(1, [1, 3, 8, 22, 30, 70, 65])
PAIRS = [(i, j) for i in range(7) for j in range(7)]


def cloud(clouds: RaggedClouds, k: int) -> tuple[np.ndarray, np.ndarray]:
    part = slice(clouds.offsets[k], clouds.offsets[k + 1])
    return clouds.points[part], clouds.weights[part]


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(("rho_a", "rho_b", "epsilon"), RELAXATIONS)
def test_a_batch_is_its_pairs_one_by_one(cost, rho_a, rho_b, epsilon):
    setting = TransportSetting(cost, rho_a=rho_a, rho_b=rho_b, epsilon=epsilon)
    batch = solve_pairs(LEFT, RIGHT, PAIRS, setting, keep_couplings=True)
    assert len(batch) == 49
    assert batch.couplings is not None
    assert batch.converged.all()
    for p, (i, j) in enumerate(PAIRS):
        (points_a, a), (points_b, b) = cloud(LEFT, i), cloud(RIGHT, j)
        problem = TransportProblem(cost_matrix(points_a, points_b, cost), a, b, rho_a, rho_b)
        plan = solve(problem, epsilon=epsilon)
        assert batch.costs[p] == pytest.approx(plan.transport_cost, abs=1e-9, rel=1e-9)
        assert batch.masses[p] == pytest.approx(plan.coupling.sum(), rel=1e-9)
        assert batch.couplings[p].shape == problem.cost.shape
        assert np.sum(batch.couplings[p] * problem.cost) == pytest.approx(batch.costs[p], abs=1e-12, rel=1e-12)
        if rho_a == INF:
            np.testing.assert_allclose(batch.couplings[p].sum(1), a, atol=1e-12)
        if rho_b == INF:
            np.testing.assert_allclose(batch.couplings[p].sum(0), b, atol=1e-12)


@pytest.mark.parametrize(("rho_a", "rho_b", "epsilon"), RELAXATIONS)
def test_threads_and_order_change_nothing(rho_a, rho_b, epsilon):
    setting = TransportSetting("cosine", rho_a=rho_a, rho_b=rho_b, epsilon=epsilon)
    order = np.random.default_rng(0).permutation(len(PAIRS))
    one = solve_pairs(LEFT, RIGHT, PAIRS, setting, threads=1)
    many = solve_pairs(LEFT, RIGHT, np.array(PAIRS)[order], setting, threads=4)
    np.testing.assert_array_equal(one.costs[order], many.costs)
    np.testing.assert_array_equal(one.masses[order], many.masses)


@pytest.mark.parametrize("cost", ["euclidean", "sqeuclidean", "cosine"])
@pytest.mark.parametrize("offset", [0.0, 1.0, 10.0])
def test_points_too_near_for_single_precision_are_told_apart(cost, offset):
    # the native search looks at single-precision bounds first: here these say nothing, and the answer must not show it
    rng = np.random.default_rng(7)
    points = [(offset + 0.01 * rng.normal(size=(n, 48))).astype(np.float32) for n in (40, 31, 17)]
    masses = [rng.random(len(cloud)) for cloud in points]
    clouds = RaggedClouds.from_clouds(points, [mass / mass.sum() for mass in masses])
    for rho_a, rho_b in ((INF, INF), (INF, 0.0), (0.0, INF)):
        pairs = [(0, 1), (1, 2), (2, 0)]
        setting = TransportSetting(cost, rho_a=rho_a, rho_b=rho_b)
        found = solve_pairs(clouds, clouds, pairs, setting, keep_couplings=True)
        assert found.couplings is not None
        for p, (i, j) in enumerate(pairs):
            (points_a, a), (points_b, b) = cloud(clouds, i), cloud(clouds, j)
            plan = solve(TransportProblem(cost_matrix(points_a, points_b, cost), a, b, rho_a, rho_b))
            assert found.costs[p] == pytest.approx(plan.transport_cost, rel=1e-11, abs=0)
            np.testing.assert_allclose(found.couplings[p], plan.coupling, atol=1e-12)


def test_huge_and_tiny_points():
    for scale in (1e-30, 1e-18, 1e17, 1e30):
        points = (scale * np.random.default_rng(8).normal(size=(9, 48))).astype(np.float32)
        clouds = RaggedClouds.from_clouds([points[:4], points[4:]], [np.full(4, 0.25), np.full(5, 0.2)])
        cost = cost_matrix(points[:4], points[4:], "euclidean")
        expected = solve(TransportProblem(cost, np.full(4, 0.25), np.full(5, 0.2))).transport_cost
        assert solve_pairs(clouds, clouds, [(0, 1)], TransportSetting()).costs[0] == pytest.approx(expected, rel=1e-12)


def test_kernels_without_special_instructions_agree(tmp_path):
    code = (
        "import numpy as np, sys\n"
        "from monge.transport import RaggedClouds, TransportSetting, solve_pairs, _native\n"
        "_native.use_portable_kernels()\n"
        "assert _native.instruction_set() == 'portable'\n"
        "data = np.load(sys.argv[1])\n"
        "clouds = RaggedClouds(data['points'], data['weights'], data['offsets'])\n"
        "settings = [TransportSetting('cosine', rho_a=a, rho_b=b, epsilon=e) for a, b, e in data['settings']]\n"
        "np.save(sys.argv[2], [solve_pairs(clouds, clouds, data['pairs'], s).costs for s in settings])\n"
    )
    np.savez(
        tmp_path / "in.npz",
        points=LEFT.points,
        weights=LEFT.weights,
        offsets=LEFT.offsets,
        pairs=PAIRS,
        settings=RELAXATIONS,
    )
    command = [sys.executable, "-c", code, str(tmp_path / "in.npz"), str(tmp_path / "out.npy")]
    subprocess.run(command, check=True)
    settings = [TransportSetting("cosine", rho_a=a, rho_b=b, epsilon=epsilon) for a, b, epsilon in RELAXATIONS]
    ours = [solve_pairs(LEFT, LEFT, PAIRS, setting).costs for setting in settings]
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), ours, atol=1e-9)


def test_inputs_are_not_modified():
    before = [array.copy() for array in (LEFT.points, LEFT.weights, LEFT.offsets)]
    solve_pairs(LEFT, LEFT, PAIRS, TransportSetting("euclidean"))
    for array, old in zip((LEFT.points, LEFT.weights, LEFT.offsets), before, strict=True):
        np.testing.assert_array_equal(array, old)


def test_python_runs_while_the_batch_does():
    clouds = make_clouds(2, [300] * 4, 256)
    done = threading.Event()
    worker = threading.Thread(
        target=lambda: (
            solve_pairs(clouds, clouds, [(0, 1), (1, 2), (2, 3)] * 4, TransportSetting(), threads=1),
            done.set(),
        )
    )
    worker.start()
    ticks = 0
    while not done.wait(0.001):
        ticks += 1
    worker.join()
    assert ticks > 3


def test_one_sided_ties_and_massless_partners():
    points = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    left = RaggedClouds.from_clouds([points[:1]], [np.ones(1)])
    right = RaggedClouds.from_clouds([points], [np.array([0.0, 0.5, 0.5])])
    found = solve_pairs(left, right, [(0, 0)], TransportSetting("cosine", rho_b=0.0), keep_couplings=True)
    assert found.couplings is not None
    np.testing.assert_array_equal(found.couplings[0], [[1.0, 0.0, 0.0]])
    back = solve_pairs(right, left, [(0, 0)], TransportSetting("cosine", rho_a=0.0), keep_couplings=True)
    assert back.couplings is not None
    np.testing.assert_array_equal(back.couplings[0], [[1.0], [0.0], [0.0]])


def test_no_pairs():
    found = solve_pairs(LEFT, RIGHT, [], TransportSetting(), keep_couplings=True)
    assert len(found) == 0
    assert found.couplings == ()


def test_totals_that_differ_by_rounding():
    right = RaggedClouds(RIGHT.points, RIGHT.weights * (1 + 1e-12), RIGHT.offsets)
    assert solve_pairs(LEFT, right, PAIRS, TransportSetting()).converged.all()


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 7)], "pair 0 names right cloud 7, but there are 7"),
        ([(0, 0), (-1, 0)], "pair 1 names left cloud -1"),
        ([0, 1], "whole numbers"),
        ([(0.5, 1.0)], "whole numbers"),
    ],
)
def test_bad_pairs_are_named(pairs, message):
    with pytest.raises(InputError, match=message):
        solve_pairs(LEFT, RIGHT, pairs, TransportSetting())


def test_clouds_that_do_not_fit_are_named():
    with pytest.raises(InputError, match="dimension 48 and 3"):
        solve_pairs(LEFT, make_clouds(0, [4], 3), [(0, 0)], TransportSetting())
    heavy = RaggedClouds(RIGHT.points, 2 * RIGHT.weights, RIGHT.offsets)
    with pytest.raises(InputError, match="pair 0: balanced transport needs equal masses"):
        solve_pairs(LEFT, heavy, PAIRS, TransportSetting())
    empty = RaggedClouds(np.ones((1, 48), np.float32), np.ones(1), np.array([0, 1, 1]))
    with pytest.raises(InputError, match="pair 1: right cloud 1 has no points"):
        solve_pairs(LEFT, empty, [(0, 0), (0, 1)], TransportSetting())
    massless = RaggedClouds(np.ones((1, 48), np.float32), np.zeros(1), np.array([0, 1]))
    with pytest.raises(InputError, match=r"pair 0: .* no mass"):
        solve_pairs(LEFT, massless, [(0, 0)], TransportSetting("cosine", rho_b=0.3))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0, 1e200])
def test_bad_masses_and_points_are_named(bad):
    weights = RIGHT.weights.copy()
    weights[int(RIGHT.offsets[2]) + 3] = bad
    with pytest.raises(InputError, match="cloud 2 has a NaN, infinite, negative or huge mass"):
        RaggedClouds(RIGHT.points, weights, RIGHT.offsets)
    if not np.isfinite(bad):
        points = RIGHT.points.copy()
        points[int(RIGHT.offsets[4]), 7] = bad
        with pytest.raises(InputError, match="cloud 4 has NaN or infinite points"):
            RaggedClouds(points, RIGHT.weights, RIGHT.offsets)


@pytest.mark.parametrize("offsets", [[0, 2], [1, 3], [0, 2, 1, 3], [], [[0, 3]]])
def test_bad_offsets_are_refused(offsets):
    with pytest.raises(InputError, match="offsets"):
        RaggedClouds(np.ones((3, 2)), np.ones(3), np.array(offsets, dtype=np.int64))


def test_clouds_of_different_dimension_are_refused():
    with pytest.raises(InputError, match="differ in dimension"):
        RaggedClouds.from_clouds([np.ones((1, 2)), np.ones((1, 3))], [np.ones(1), np.ones(1)])
    with pytest.raises(InputError, match="cloud 1: points"):
        RaggedClouds.from_clouds([np.ones((1, 2)), np.ones((1, 2))], [np.ones(1), np.ones(2)])
    with pytest.raises(InputError, match="no clouds"):
        RaggedClouds.from_clouds([], [])


def test_wrong_settings_are_refused():
    with pytest.raises(OptionError, match="unknown cost"):
        TransportSetting("manhattan")
    with pytest.raises(OptionError, match="penalties"):
        TransportSetting(rho_a=-1.0)
    with pytest.raises(OptionError, match="epsilon"):
        TransportSetting(epsilon=INF)
    with pytest.raises(OptionError, match="threads"):
        solve_pairs(LEFT, RIGHT, PAIRS, TransportSetting(), threads=0)
