"""Vectors of length 1."""

import numpy as np
import pytest

from monge.encoders.unit import unit_vectors


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lengths_are_one_zeros_stay_and_the_precision_is_kept(dtype):
    vectors = np.random.default_rng(0).normal(size=(2, 3, 5)).astype(dtype)
    vectors[1, 2] = 0
    made = unit_vectors(vectors)
    assert made.dtype == dtype
    lengths = np.linalg.norm(made, axis=-1)
    np.testing.assert_allclose(lengths, [[1, 1, 1], [1, 1, 0]], rtol=1e-6)
    assert np.all(np.sum(made * vectors, axis=-1) >= 0)


def test_what_is_not_a_number_stays_visible():
    assert np.isnan(unit_vectors(np.array([[np.nan, 1.0]]))).all()
