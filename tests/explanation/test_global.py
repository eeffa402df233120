"""Factors and their regression."""

import numpy as np
import pytest

from monge.encoders.static.hashed import HashedEncoder
from monge.errors import InputError
from monge.explanation.factors import (
    Parsed,
    lexical_overlap,
    measure_factors,
    morphological_similarity,
    retrofit,
    syntactic_similarity,
    tree_shape,
)
from monge.explanation.regression import regress_on_factors


def sentence(*heads: int) -> Parsed:
    return Parsed(("w",) * len(heads), ("",) * len(heads), heads)


def test_tree_distance_of_figure_1() -> None:
    """Six nodes against four, two leaves removed: 1 − 2/(6+4) = 0.8 (thesis, ch. 12, figure 1)."""
    six = sentence(1, 1, 1, 5, 5, 2)
    four = sentence(1, 1, 1, 2)
    assert syntactic_similarity(six, four) == pytest.approx(0.8)


def test_only_the_shape_counts() -> None:
    one = Parsed(("a", "b", "c"), ("", "", ""), (1, 1, 1))
    other = Parsed(("x", "y", "z"), ("P", "Q", "R"), (1, 1, 1))
    assert syntactic_similarity(one, other) == 1.0
    assert syntactic_similarity(sentence(1, 2, 2), sentence(0, 0, 0)) < 1.0


def test_shapes() -> None:
    assert tree_shape([0]) == ()
    assert tree_shape([0, 1]) == ((), ())  # two roots
    with pytest.raises(InputError, match="root"):
        tree_shape([1, 0])


def test_words_count_as_often_as_in_the_reference() -> None:
    assert lexical_overlap("a a a b", "a b c d") == 0.5
    assert lexical_overlap("", "x") == 0.0
    assert lexical_overlap("Boat", "boat") == 1.0


def test_retrofitting_converges_to_the_fixed_point() -> None:
    start = {"a": np.array([1.0, 0.0]), "b": np.array([0.0, 1.0]), "c": np.array([5.0, 5.0])}
    pulled = retrofit(start, {"a": "X", "b": "X"}, rounds=100)
    assert pulled["a"] == pytest.approx([2 / 3, 1 / 3])
    assert pulled["c"] == pytest.approx([5.0, 5.0])


def test_words_of_one_kind_come_closer() -> None:
    past, plural = "Tense=Past", "Number=Plur"
    pair = Parsed(("ran", "boats"), (past, plural), (0, 0)), Parsed(("sang", "ships"), (past, plural), (0, 0))
    same = morphological_similarity([pair], HashedEncoder())[0]
    other = Parsed(("sang", "ships"), ("Tense=Pres", "Number=Sing"), (0, 0))
    assert same > morphological_similarity([(pair[0], other)], HashedEncoder())[0]


def test_known_coefficients_are_found() -> None:
    rng = np.random.default_rng(1)
    first, second, noise = rng.standard_normal((3, 4000))
    result = regress_on_factors(0.6 * first + 0.3 * second + 0.1 * noise, {"A": first, "B": second, "C": noise**3})
    assert result.coefficients["A"] == pytest.approx(2 * result.coefficients["B"], rel=0.05)
    assert result.p_values["A"] < 1e-10
    assert result.r_squared > 0.95
    low, high = result.intervals["A"]
    assert low < result.coefficients["A"] < high


def test_missing_rows_are_left_out_and_constants_told() -> None:
    x = np.arange(10.0)
    scores = x.copy()
    scores[3] = np.nan
    assert regress_on_factors(scores, {"x": x}).instances == 9
    with pytest.raises(InputError, match="Y is constant"):
        regress_on_factors(x, {"Y": np.ones(10)})
    with pytest.raises(InputError, match="too few"):
        regress_on_factors(x[:2], {"x": x[:2]})


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_factors_of_real_sentences() -> None:
    pairs = [
        ("The cat sat on the mat.", "The cat sat on the mat."),
        ("The cat sat on the mat.", "A dog lay under a table."),
        ("The cat sat on the mat.", "Because prices rose, nobody who lived there bought anything at all."),
    ]
    factors = measure_factors(pairs, HashedEncoder())
    assert factors["SYN"][0] == 1.0
    assert factors["SYN"][1] > factors["SYN"][2]
    assert factors["LEX"][0] == 1.0
    assert factors["LEX"][1] == pytest.approx(1 / 7)
    assert factors["MOR"][0] == pytest.approx(1.0)
