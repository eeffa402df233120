"""Word alignment and its error rate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monge.crosslingual.words import align_words, alignment_error_rate, read_gold
from monge.errors import InputError


@given(order=st.permutations(range(5)))
@settings(max_examples=20)
def test_copies_in_any_order_are_found(order: list[int]) -> None:
    words = np.random.default_rng(0).standard_normal((5, 8))
    assert align_words(words, words[order]) == sorted((i, order.index(i)) for i in range(5))


def test_only_mutual_neighbours_are_linked() -> None:
    source = np.array([[1.0, 0.0], [0.9, 0.1]])
    assert align_words(source, np.array([[1.0, 0.0]])) == [(0, 0)]
    assert align_words(source, np.empty((0, 2))) == []


def test_error_rate_of_a_worked_example() -> None:
    """A = {1, 2, 3}, S = {1, 4}, P = S ∪ {2}: AER = 1 − (1 + 2) / (3 + 2)."""
    a, s, p = {(1, 1), (2, 2), (3, 3)}, {(1, 1), (4, 4)}, {(2, 2)}
    quality = alignment_error_rate([a], [s], [p])
    assert quality.error_rate == pytest.approx(1 - 3 / 5)
    assert quality.precision == pytest.approx(2 / 3)
    assert quality.recall == pytest.approx(1 / 2)
    assert quality.f == pytest.approx(2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2))


def test_links_are_read_from_one() -> None:
    ((sure, possible),) = read_gold(["1-2 3p4"], name="gold")
    assert sure == {(0, 1)}
    assert possible == {(0, 1), (2, 3)}
    for wrong in ("0-1", "a-b", "12"):
        with pytest.raises(InputError, match="gold, line 1"):
            read_gold([wrong], name="gold")
    with pytest.raises(InputError, match="no sure link"):
        alignment_error_rate([set()], [set()])
