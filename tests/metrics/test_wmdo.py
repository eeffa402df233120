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
    assert parts(vectors, "", "") == pytest.approx((1.0, 0.0))  # nothing is no word


def test_unknown_words_may_be_left_out_or_refused(vectors: str) -> None:
    assert parts(vectors, "boy runs xyzzy", "boy runs", oov="skip") == pytest.approx((0.0, 1 / 3))
    with pytest.raises(InputError, match="xyzzy"):
        parts(vectors, "boy runs xyzzy", "boy runs", oov="error")


def test_case_may_be_minded(vectors: str) -> None:
    assert parts(vectors, "paris", "Paris") == pytest.approx((0.0, 0.0))
    assert parts(vectors, "paris", "Paris", fold_case="never") == pytest.approx((1.0, 1.0))
