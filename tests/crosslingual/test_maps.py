"""Re-mappings: closed forms and invariants."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monge.clouds import BatchRemapping, Remapping
from monge.crosslingual import METHODS, VectorPairs, fit_remap
from monge.crosslingual.fit import (
    fit_bias_direction,
    fit_centring,
    fit_least_squares,
    fit_rotation,
    fit_standardisation,
    parse_methods,
)
from monge.crosslingual.maps import (
    BatchNormalisation,
    Chain,
    LayerNormalisation,
    Linear,
    Standardise,
    UnitLength,
    WithoutDirection,
)
from monge.errors import InputError, OptionError

seeds = st.integers(0, 10_000)
DIMENSION = 6


def rotation(seed: int, dimension: int = DIMENSION) -> np.ndarray:
    matrix, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((dimension, dimension)))
    return matrix


def points(seed: int, count: int = 40) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, DIMENSION))


@given(seed=seeds)
@settings(max_examples=20)
def test_a_rotation_is_recovered_in_the_right_direction(seed: int) -> None:
    turn, x = rotation(seed), points(seed + 1)
    source, target = fit_rotation(VectorPairs(x, x @ turn))
    assert isinstance(source, Linear)
    assert np.abs(source.matrix - turn).max() < 1e-10  # not its transpose
    assert np.abs(source.transform(x) - x @ turn).max() < 1e-10
    assert target.digest == ""  # the target language stays where it is


@given(seed=seeds)
@settings(max_examples=20)
def test_no_other_rotation_is_nearer(seed: int) -> None:
    x, z = points(seed), points(seed + 1)
    source, _ = fit_rotation(VectorPairs(x, z))
    assert isinstance(source, Linear)
    assert np.allclose(source.matrix.T @ source.matrix, np.eye(DIMENSION))
    best = np.linalg.norm(x @ source.matrix - z)
    assert all(best <= np.linalg.norm(x @ rotation(seed + k) - z) + 1e-9 for k in range(10))


def test_least_squares_solves_the_normal_equations() -> None:
    x, z = points(1), points(2)
    source, _ = fit_least_squares(VectorPairs(x, z))
    assert isinstance(source, Linear)
    assert np.allclose(x.T @ (x @ source.matrix - z), 0, atol=1e-9)


@given(seed=seeds)
@settings(max_examples=20)
def test_umd_is_an_orthogonal_projection(seed: int) -> None:
    x, z = points(seed), points(seed + 1) + 3 * rotation(seed)[0]
    source, target = fit_bias_direction(VectorPairs(x, z))
    assert source is target  # both languages lose it
    assert isinstance(source, WithoutDirection)
    assert np.linalg.norm(source.direction) == pytest.approx(1, abs=1e-12)
    once = source.transform(x)
    assert np.allclose(source.transform(once), once, atol=1e-12)  # idempotent
    assert np.abs(once @ source.direction).max() < 1e-12  # orthogonal
    turned = WithoutDirection(-source.direction)
    assert np.allclose(turned.transform(x), once)  # whatever the sign


def test_umd_finds_the_direction_of_a_constant_difference() -> None:
    bias = np.array([3.0, 0, 4, 0, 0, 0])
    x = points(5)
    source, _ = fit_bias_direction(VectorPairs(x, x + bias))
    assert isinstance(source, WithoutDirection)
    assert np.allclose(source.direction, bias / 5)
    assert np.allclose(source.transform(x), source.transform(x + bias))  # nothing else differs


def test_umd_is_the_right_singular_vector() -> None:
    x, z = points(6), points(7)
    source, _ = fit_bias_direction(VectorPairs(x, z))
    _, _, right = np.linalg.svd(x - z)
    assert isinstance(source, WithoutDirection)
    assert abs(float(source.direction @ right[0])) == pytest.approx(1, abs=1e-10)


@given(seed=seeds, scale=st.floats(0.1, 10), shift=st.floats(-5, 5))
@settings(max_examples=20)
def test_norm_forgets_scale_and_place_of_a_language(seed: int, scale: float, shift: float) -> None:
    x, z = points(seed), points(seed + 1)
    source, target = fit_standardisation(VectorPairs(x, z))
    moved, _ = fit_standardisation(VectorPairs(scale * x + shift, z))
    once = source.transform(x)
    assert np.allclose(once.mean(axis=0), 0, atol=1e-9)
    assert np.allclose(once.var(axis=0), 1, atol=1e-6)
    assert np.allclose(moved.transform(scale * x + shift), once, atol=1e-5)
    assert np.allclose(target.transform(z).mean(axis=0), 0, atol=1e-9)


def test_statistics_come_from_all_vectors_of_a_language() -> None:
    x, z, everything = points(1), points(2), points(3, 200) + 7
    source, _ = fit_standardisation(VectorPairs(x, z, everything, z))
    assert isinstance(source, Standardise)
    assert np.allclose(source.mean, everything.mean(axis=0))
    centred, _ = fit_centring(VectorPairs(x, z, everything, z))
    assert np.allclose(centred.transform(everything).mean(axis=0), 0)


def test_layer_normalisation_and_unit_length_look_at_one_vector() -> None:
    x = points(4)
    layer = LayerNormalisation().transform(x)
    assert np.allclose(layer.mean(axis=1), 0)
    assert np.allclose(layer.var(axis=1), 1, atol=1e-6)
    assert np.allclose(np.linalg.norm(UnitLength().transform(x), axis=1), 1)
    assert not UnitLength().transform(np.zeros((1, 3))).any()


def test_batches_are_normalised_place_by_place() -> None:
    """Worked by hand: place 1 has the values 1 and 3, place 2 the value 4 and the padding 0."""
    one, two = BatchNormalisation(2).apply_batch([np.array([[1.0], [4.0]]), np.array([[3.0]])])
    assert one.ravel() == pytest.approx([-1, 1], abs=1e-6)
    assert two.ravel() == pytest.approx([1], abs=1e-6)
    assert isinstance(BatchNormalisation(8), BatchRemapping)
    with pytest.raises(InputError, match="batch"):
        BatchNormalisation(8).apply(np.zeros((1, 1), dtype=np.float32))


def test_methods_are_applied_in_the_order_given() -> None:
    turn, x = rotation(1), points(2)
    z = x @ turn + np.array([0, 0, 5.0, 0, 0, 0])
    for names, kinds in (
        (("umd", "clp"), ["without-direction", "linear"]),
        (("clp", "umd"), ["linear", "without-direction"]),
    ):
        source, target = fit_remap(VectorPairs(x, z), names)
        assert [one.kind for one in source.maps] == kinds
        assert [one.kind for one in target.maps] == ["without-direction"]
    after_umd, _ = fit_remap(VectorPairs(x, z), ("umd", "clp"))
    projection = after_umd.maps[0]
    alone, _ = fit_rotation(VectorPairs(projection.transform(x), projection.transform(z)))
    assert np.allclose(after_umd.maps[1].arrays["matrix"], alone.arrays["matrix"])  # fitted on what umd left


def test_centring_before_a_rotation_undoes_a_rigid_motion() -> None:
    turn, x = rotation(3), points(4)
    z = x @ turn + 5
    source, target = fit_remap(VectorPairs(x, z), ("centre", "clp"))
    assert np.allclose(source.transform(x), target.transform(z), atol=1e-9)
    plain, _ = fit_remap(VectorPairs(x, z), ("clp",))
    assert not np.allclose(plain.transform(x), z, atol=0.1)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_gives_remappings_with_digests(name: str) -> None:
    maps = METHODS[name](VectorPairs(points(1), points(2)))
    others = METHODS[name](VectorPairs(points(3), points(4)))
    for one in maps:
        assert isinstance(one, Remapping)
        assert one.apply(points(5).astype(np.float32)).dtype == np.float32
    fitted = name not in ("unit", "layer")
    assert (maps[0].digest != others[0].digest) is fitted
    assert Chain().digest == ""


def test_samples_that_say_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="3 pairs, too few"):
        VectorPairs(points(1, 3), points(2, 3))
    with pytest.raises(InputError, match="equal vectors"):
        VectorPairs(points(1), points(1))
    with pytest.raises(InputError, match="equal shapes"):
        VectorPairs(points(1), points(1, 39))
    with pytest.raises(OptionError, match="clp"):
        parse_methods("clap")
    with pytest.raises(OptionError, match="no method"):
        parse_methods(" , ")
