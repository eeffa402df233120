"""Costs between points: definitions, exact zeros, precision, WE_WPI's worked example."""

import numpy as np
import pytest

from monge.errors import InputError, OptionError
from monge.transport import RaggedClouds, cost_matrix, reference

NAMES = ["euclidean", "sqeuclidean", "cosine", "position"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dimension", [1, 2, 3, 7, 50, 300, 384])
def test_native_costs_agree_with_the_definitions(name, dimension):
    rng = np.random.default_rng(dimension)
    for n, m in ((1, 1), (1, 5), (6, 1), (4, 3), (13, 22), (67, 130)):
        a = rng.normal(size=(n, dimension)).astype(np.float32)
        b = rng.normal(size=(m, dimension)).astype(np.float32)
        expected = reference.cost_by_definition(a, b, name)
        np.testing.assert_allclose(cost_matrix(a, b, name), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean", "cosine"])
@pytest.mark.parametrize("scale", [1e-15, 1e-3, 1.0, 1e3, 1e15])
@pytest.mark.parametrize("dimension", [1, 5, 384])
def test_equal_vectors_cost_exactly_nothing(name, scale, dimension):
    points = (scale * np.random.default_rng(0).normal(size=(37, dimension))).astype(np.float32)
    cost = cost_matrix(points, points, name)
    assert (cost >= 0).all()
    assert (np.diag(cost) == 0).all()
    assert (np.diag(cost_matrix(points, points[::-1], name)[:, ::-1]) == 0).all()


@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean", "cosine"])
def test_costs_are_symmetric_to_the_last_bit(name):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(9, 48)), rng.normal(size=(14, 48))
    np.testing.assert_array_equal(cost_matrix(a, b, name), cost_matrix(b, a, name).T)


@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean"])
def test_near_vectors_keep_their_digits(name):
    # |a|² + |b|² − 2ab has no digit left here: 384 coordinates near 1, vectors 1 unit in the last place apart
    a = np.ones((1, 384), dtype=np.float32)
    b = a.copy()
    b[0, 0] = np.nextafter(np.float32(1), np.float32(2))
    expected = (float(b[0, 0]) - 1.0) ** (1 if name == "euclidean" else 2)
    assert cost_matrix(a, b, name)[0, 0] == pytest.approx(expected, rel=1e-15, abs=0)


def test_cosine_of_near_vectors_keeps_its_digits():
    angle = np.float32(1e-4)
    a, b = np.array([[1.0, 0.0]], np.float32), np.array([[np.cos(angle), np.sin(angle)]], np.float32)
    exact = 1 - 1 / np.sqrt(1 + (float(b[0, 1]) / float(b[0, 0])) ** 2)
    tangent = (float(b[0, 1]) / float(b[0, 0])) ** 2
    series = tangent / 2 - 3 * tangent**2 / 8
    assert exact == pytest.approx(series, rel=1e-6, abs=0)
    assert cost_matrix(a, b, "cosine")[0, 0] == pytest.approx(series, rel=1e-12, abs=0)


def test_cosine_is_zero_with_a_zero_vector():
    cost = cost_matrix(np.zeros((1, 3)), np.eye(3), "cosine")
    np.testing.assert_array_equal(cost, np.ones((1, 3)))
    assert cost_matrix(np.zeros((1, 3)), np.zeros((1, 3)), "cosine")[0, 0] == 1.0


def test_opposite_vectors_cost_two():
    assert cost_matrix(np.array([[1.0, 2.0]]), np.array([[-2.0, -4.0]]), "cosine")[0, 0] == pytest.approx(2, abs=1e-15)


def words_with_cosines(cosines: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors whose cosines are the given matrix (n, m): the reference words are orthogonal axes."""
    n, m = cosines.shape
    rest = np.sqrt(1 - (cosines**2).sum(1))
    return np.hstack([cosines, np.diag(rest)]), np.hstack([np.eye(m), np.zeros((m, n))])


def test_worked_example_of_we_wpi():
    # Echizen'ya et al. 2019, section 3.2: translation of 10 words, reference of 12. "discuss" (8th) has cosine .460
    # with "talking" (10th) and .477 with "topics" (3rd); places make it talking's: align .445 against .215, d .555.
    # "that" (4th) has its best with "you" (4th), but "you" (5th) is nearer: that corresponds to nothing.
    cosines = np.zeros((10, 12))
    cosines[7, 9], cosines[7, 2] = 0.460, 0.477
    cosines[2, 2] = 0.999
    cosines[3, 3], cosines[4, 3] = 0.478 / (1 - abs(4 / 10 - 4 / 12)), 0.833 / (1 - abs(5 / 10 - 4 / 12))
    cosines[4, 3] = min(cosines[4, 3], 0.9999)
    hypothesis, target = words_with_cosines(cosines)
    cost = cost_matrix(hypothesis, target, "position")
    assert cost[7, 9] == pytest.approx(0.555, abs=5e-4)
    assert cost[7, 2] == 1.0
    assert cost[2, 2] == pytest.approx(0.049, abs=1.5e-3)  # table 3, "topics": equal words at 3/10 and 3/12
    assert cost[3, 3] == 1.0
    assert cost[4, 3] == pytest.approx(0.154, abs=1e-3)  # table 3, "you"
    assert 0.460 * (1 - abs(8 / 10 - 10 / 12)) == pytest.approx(0.445, abs=5e-4)
    assert 0.477 * (1 - abs(8 / 10 - 3 / 12)) == pytest.approx(0.215, abs=5e-4)


def test_positions_may_be_given():
    rng = np.random.default_rng(5)
    for n, m in ((1, 1), (3, 5), (13, 22)):
        a, b = (rng.normal(size=(size, 6)).astype(np.float32) for size in (n, m))
        where = tuple(np.sort(rng.choice(30, size, replace=False) + 1) / 30 for size in (n, m))
        cost = cost_matrix(a, b, "position", positions=where)
        expected = reference.cost_by_definition(a, b, "position", positions=where)
        np.testing.assert_allclose(cost, expected, rtol=1e-12, atol=1e-14)
        usual = tuple(np.arange(1, size + 1) / size for size in (n, m))
        given = cost_matrix(a, b, "position", positions=usual)
        np.testing.assert_array_equal(given, cost_matrix(a, b, "position"))


@pytest.mark.parametrize("wrong", [np.ones(3), np.full(2, 1.5), np.array([0.5, np.nan]), -np.ones(2)])
def test_positions_are_checked(wrong):
    with pytest.raises(InputError, match="2 points need as many positions between 0 and 1"):
        cost_matrix(np.eye(2), np.eye(2), "position", positions=(wrong, np.ones(2)))
    with pytest.raises(InputError, match="2 points need as many positions"):
        RaggedClouds.from_clouds([np.eye(2)], [np.full(2, 0.5)], [wrong])


def test_position_cost_of_a_text_with_itself():
    points = np.random.default_rng(3).normal(size=(8, 40))
    cost = cost_matrix(points, points, "position")
    np.testing.assert_array_equal(cost, 1.0 - np.eye(8))


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (np.ones((2, 3)), np.ones((2, 4)), "one dimension"),
        (np.ones(3), np.ones((2, 3)), "one dimension"),
        (np.ones((0, 3)), np.ones((2, 3)), "one dimension"),
        (np.full((1, 3), np.nan), np.ones((2, 3)), "NaN"),
        (np.full((1, 3), 1e300), np.ones((2, 3)), "too large|NaN or infinite"),
    ],
)
def test_bad_points_are_refused(a, b, message):
    with np.errstate(over="ignore"), pytest.raises(InputError, match=message):
        cost_matrix(a, b, "euclidean")


def test_an_unknown_cost_is_refused():
    with pytest.raises(OptionError, match="did you mean 'euclidean'"):
        cost_matrix(np.ones((1, 1)), np.ones((1, 1)), "euclidian")
