"""WMDo: unknown words, as the authors' code treats them."""

from pathlib import Path

import pytest

from monge.errors import InputError
from monge.metrics import load_metric
from monge.text import Segment


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    """Three words that stand at right angles, and one that is written in capitals only."""
    path = tmp_path / "tiny.txt"
    path.write_text("boy 1 0 0 0\nruns 0 1 0 0\nhome 0 0 1 0\nParis 0 0 0 1\n", encoding="utf-8")
    return str(path)


def parts(encoder: str, hypothesis: str, reference: str, **options: str) -> tuple[float, float]:
    score = load_metric("wmdo", encoder=encoder, **options).score([Segment(hypothesis, (reference,))])[0]
    return score.parts["distance"], score.parts["missing"]


def test_an_unknown_word_is_at_1_from_others_and_at_0_from_itself(vectors: str) -> None:
    assert parts(vectors, "boy runs xyzzy", "boy runs home") == pytest.approx((1 / 3, 1 / 3))
    assert parts(vectors, "boy runs xyzzy", "boy runs plugh") == pytest.approx((1 / 3, 1 / 3))
    assert parts(vectors, "boy runs Xyzzy", "boy runs xyzzy") == pytest.approx((0.0, 1 / 3))


def test_unknown_words_may_be_left_out_or_refused(vectors: str) -> None:
    assert parts(vectors, "boy runs xyzzy", "boy runs", oov="skip") == pytest.approx((0.0, 1 / 3))
    with pytest.raises(InputError, match="xyzzy"):
        parts(vectors, "boy runs xyzzy", "boy runs", oov="error")


def test_case_may_be_minded(vectors: str) -> None:
    assert parts(vectors, "paris", "Paris") == pytest.approx((0.0, 0.0))
    assert parts(vectors, "paris", "Paris", fold_case="never") == pytest.approx((1.0, 1.0))


def fragmentation(encoder: str, hypothesis: str, reference: str, bag: str) -> float:
    score = load_metric("wmdo", encoder=encoder, bag=bag).score([Segment(hypothesis, (reference,))])[0]
    return score.parts["fragmentation"]


def test_the_released_bag_leaves_out_punctuation_and_one_letter_words(vectors: str) -> None:
    pair = ("a boy, runs", "boy runs home .")
    # half of the mass of boy and runs goes to home, at 1: 1/3 of all
    assert parts(vectors, *pair, bag="released") == pytest.approx((1 / 3, 2 / 4))  # a and the comma are unknown
    # a, boy, comma, runs against boy, runs, home, full stop: a and the comma go to home and the full stop, at 1
    assert parts(vectors, *pair) == pytest.approx((2 / 4, 1 / 3))  # a is the one unknown word of three


def test_punctuation_keeps_its_place_in_the_released_bag(vectors: str) -> None:
    assert fragmentation(vectors, "boy runs home", "boy runs home", "released") == pytest.approx(1 / 3)
    assert fragmentation(vectors, "boy , runs home", "boy runs home", "released") == pytest.approx(2 / 3)


def test_the_released_code_looks_near_the_last_match(vectors: str) -> None:
    """Home is at 0, 2: after boy (1), place 2 is next. The release takes 0, as near to 1 and smaller."""
    pair = ("home boy home runs", "boy home runs home")
    assert fragmentation(vectors, *pair, "all") == pytest.approx(3 / 4)  # starts at 1, and the last home jumps
    assert fragmentation(vectors, *pair, "released") == pytest.approx(1.0)  # boy 1, home 0, runs 3, home 2


def test_a_text_of_short_words_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("a 1 0 0\nboy 0 1 0\nruns 0 0 1\n", encoding="utf-8")
    score = load_metric("wmdo", encoder=str(path), bag="released").score([Segment("a .", ("boy runs",))])[0]
    assert score.parts["distance"] == pytest.approx(1.0)
    assert "hypothesis: no word of two letters: kept all" in score.notes
