"""Choosing layers and joining them: closed forms, hand examples, and a slow transcription of the routing algorithm."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monge.encoders import aggregate_layers, parse_layers
from monge.encoders.layers.aggregate import power_mean
from monge.encoders.layers.routing import Routing, route_layers
from monge.errors import OptionError

STATES = arrays(np.float64, (4, 3, 5), elements=st.floats(-50, 50, width=32))


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ("4", (4,)),
        ("-1", (12,)),
        (" 6-8 ", (6, 7, 8)),
        ("last5", (8, 9, 10, 11, 12)),
        ("last", (12,)),
        ("last14", tuple(range(13))),
        ("middle", (7,)),
        ("all", tuple(range(13))),
        ("0,last2", (0, 11, 12)),
        (7, (7,)),
        (-13, (0,)),
        ([3, -2], (3, 11)),
    ],
)
def test_layers_are_read(layers, expected):
    assert parse_layers(layers, 13) == expected


@pytest.mark.parametrize("layers", ["13", "-14", "8-6", "last0", "first", "", "6-13", [], 13, "4;5"])
def test_wrong_layers_are_refused(layers):
    with pytest.raises(OptionError):
        parse_layers(layers, 13)


def test_mean_concat_and_single():
    states = np.arange(12, dtype=float).reshape(2, 3, 2)
    assert aggregate_layers(states, "mean").tolist() == [[3, 4], [5, 6], [7, 8]]
    assert aggregate_layers(states, "concat").tolist() == [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]
    assert aggregate_layers(states[1:], "single").tolist() == states[1].tolist()
    with pytest.raises(OptionError, match="2 layers"):
        aggregate_layers(states, "single")


def test_pmeans_of_moverscore_are_mean_max_and_min():
    states = np.random.default_rng(0).standard_normal((5, 7, 11))
    joined = aggregate_layers(states, "pmeans:1,inf,-inf")
    expected = np.concatenate([states.mean(0), states.max(0), states.min(0)], axis=1)
    assert joined.shape == (7, 33)
    np.testing.assert_allclose(joined, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("power", "values", "expected"),
    [
        (2, [3.0, 4.0], math.sqrt(12.5)),
        (-1, [1.0, 3.0], 1.5),  # harmonic
        (0, [2.0, 8.0], 4.0),  # geometric
        (0, [-2.0, -8.0], -4.0),
        (0, [-2.0, 8.0], 0.0),  # the limit of the signed mean
        (3, [-1.0, 2.0], 3.5 ** (1 / 3)),
        (0.5, [4.0, 16.0], 9.0),
        (0.5, [-4.0, 16.0], 1.0),  # ((−2 + 4) / 2)²
        (2, [-3.0, 1.0], -2.0),  # −√((9 − 1) / 2)
        (-1, [0.0, 3.0], 0.0),
        (400, [1.0, 30.0], 30 * 0.5 ** (1 / 400)),
    ],
)
def test_power_means_by_hand(power, values, expected):
    assert power_mean(np.array(values)[:, None], power)[0] == pytest.approx(expected, rel=1e-12)


def test_undefined_power_mean_is_refused():
    with pytest.raises(OptionError, match="p = -1"):
        power_mean(np.array([[1.0], [-1.0]]), -1)


@settings(deadline=None)
@given(STATES.map(lambda states: np.abs(states) + 0.1))
def test_power_means_of_positive_values_grow_with_p(states):
    means = [power_mean(states, p) for p in (-np.inf, -5, -1, 0, 0.5, 1, 2, 7, np.inf)]
    for low, high in pairwise(means):
        assert np.all(low <= high * (1 + 1e-9))


@settings(deadline=None)
@given(STATES)
def test_power_means_are_odd(states):
    for power in (0, 0.5, 1, 2, 3):
        np.testing.assert_allclose(power_mean(-states, power), -power_mean(states, power), atol=1e-12)


def test_normalise_scales_every_layer_first():
    states = np.array([[[3.0, 4.0], [0.0, 0.0]], [[0.0, 10.0], [1.0, 0.0]]])
    np.testing.assert_allclose(aggregate_layers(states, "mean", normalise=True), [[0.3, 0.9], [0.5, 0.0]], rtol=1e-6)


def route_one_by_one(states, kernel, slope, alpha, epsilon):
    """Algorithm 1 of MoverScore's appendix, token by token and layer by layer."""
    count, tokens, _ = states.shape
    width = [max(math.dist(a, b) ** 2 for a in states[:, j] for b in states[:, j]) for j in range(tokens)]
    vectors = [states[:, j].mean(axis=0) for j in range(tokens)]
    gamma = np.zeros((count, tokens))
    previous = None
    while True:
        loss = 0.0
        for j in range(tokens):
            powers = [math.exp(gamma[i, j]) for i in range(count)]
            share = [power / sum(powers) for power in powers]
            slopes = [slope(math.dist(vectors[j], states[i, j]) ** 2 / width[j]) for i in range(count)]
            total = sum(share[i] * slopes[i] for i in range(count))
            vectors[j] = sum(share[i] * slopes[i] * states[i, j] for i in range(count)) / total
            for i in range(count):
                near = kernel(math.dist(vectors[j], states[i, j]) ** 2 / width[j])
                gamma[i, j] = share[i] + alpha * near
                loss += gamma[i, j] * near
        if previous is not None and abs(math.log(loss) - previous) < epsilon:
            return np.array(vectors)
        previous = math.log(loss)


@pytest.mark.parametrize(
    ("name", "kernel", "slope"),
    [
        ("epanechnikov", lambda x: max(0.0, 1 - x), lambda x: float(x < 1)),
        ("gaussian", lambda x: math.exp(-x / 2), lambda x: math.exp(-x / 2) / 2),
    ],
)
@pytest.mark.parametrize(("alpha", "epsilon"), [(1.0, 1e-4), (0.3, 1e-9), (2.5, 1e-6)])
def test_routing_is_the_algorithm(name, kernel, slope, alpha, epsilon):
    states = np.random.default_rng(3).standard_normal((5, 6, 8)) * 4
    routed = aggregate_layers(states, f"routing:{name}:alpha={alpha}:epsilon={epsilon}")
    np.testing.assert_allclose(routed, route_one_by_one(states, kernel, slope, alpha, epsilon), rtol=1e-5, atol=1e-6)


def test_routing_by_hand():
    """Layers 0, 0, 3: round one keeps the mean 1; the kernels are 8/9, 8/9, 5/9; so round two weighs e^⅓ : e^⅓ : 1."""
    states = np.array([[[0.0]], [[0.0]], [[3.0]]])
    routed = route_layers(states, Routing(epsilon=1e9))  # stops after two rounds
    assert routed[0, 0] == pytest.approx(3 / (2 * math.exp(1 / 3) + 1), rel=1e-12)


def test_leaky_softmax_by_hand():
    """With a fourth logit of 0 the first shares are 1/4 each; the kernel values are as above."""
    states = np.array([[[0.0]], [[0.0]], [[3.0]]])
    routed = route_layers(states, Routing(epsilon=1e9, leaky=True))
    assert routed[0, 0] == pytest.approx(3 / (2 * math.exp(1 / 3) + 1), rel=1e-12)
    deeper = route_layers(states, Routing(epsilon=1e-12, leaky=True))
    assert deeper[0, 0] != pytest.approx(route_layers(states, Routing(epsilon=1e-12))[0, 0], rel=1e-6)


@settings(deadline=None)
@given(STATES)
def test_routing_stays_among_the_layers(states):
    for kernel in ("epanechnikov", "gaussian"):
        routed = aggregate_layers(states, f"routing:{kernel}")
        slack = 1e-5 * (1 + np.abs(states).max())
        assert np.all(routed <= states.max(axis=0) + slack)
        assert np.all(routed >= states.min(axis=0) - slack)


def test_routing_leaves_equal_layers_and_outliers_alone():
    same = np.repeat(np.random.default_rng(0).standard_normal((1, 3, 4)), 5, axis=0)
    np.testing.assert_allclose(aggregate_layers(same, "routing:epanechnikov"), same[0], rtol=1e-6)
    outlier = np.zeros((5, 1, 2))
    outlier[4] = 10
    assert np.all(aggregate_layers(outlier, "routing:gaussian") < outlier.mean(axis=0))


@pytest.mark.parametrize(
    "aggregation",
    [
        *("median", "pmeans", "pmeans:", "pmeans:a", "pmeans:nan", "mean:2", "single:1", "concat:x", "routing:box"),
        *(f"routing:gaussian:{wrong}" for wrong in ("beta=2", "alpha=x", "alpha=-1", "epsilon=0")),
        "routing:gaussian,alpha=1",
    ],
)
def test_wrong_aggregations_are_refused(aggregation):
    with pytest.raises(OptionError):
        aggregate_layers(np.ones((2, 1, 1)), aggregation)


def test_nearest_aggregation_is_offered():
    with pytest.raises(OptionError, match="did you mean 'pmeans'"):
        aggregate_layers(np.ones((2, 1, 1)), "pmean:1")


def test_an_empty_text_aggregates_to_nothing():
    for aggregation in ("mean", "concat", "pmeans:1,0,inf", "routing:gaussian"):
        assert aggregate_layers(np.ones((3, 0, 4)), aggregation).shape[0] == 0
