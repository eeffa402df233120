"""The semantic criterion: guessed translations agree more in a space that is well aligned."""

import math

import numpy as np

from monge.crosslingual.induction import semantic_criterion


def test_it_falls_with_noise_and_not_with_order():
    random = np.random.default_rng(0)
    words = random.standard_normal((200, 20))
    order = random.permutation(200)
    values = [semantic_criterion(words + s * random.standard_normal(words.shape), words[order]) for s in (0, 0.5, 2)]
    assert math.isclose(values[0], 1)
    assert values[0] > values[1] > values[2]


def test_a_space_that_shrinks_to_a_point_gains_nothing():
    random = np.random.default_rng(1)
    source, target = random.standard_normal((100, 10)), random.standard_normal((100, 10))
    far = np.full(10, 50.0)
    assert math.isclose(
        semantic_criterion(source + far, target + far), semantic_criterion(source, target), abs_tol=1e-9
    )
