"""What becomes of texts that an encoder cannot read, or only in part."""

import math

import numpy as np
import pytest

from monge.encoders.static import StaticEncoder
from monge.encoders.static.files import VectorTable
from monge.errors import InputError
from monge.explanation import explain_segments
from monge.metrics import load_metric
from monge.metrics.base import bind_to
from monge.metrics.protocols import Metric
from monge.scores import Score
from monge.search.nearest import find_nearest
from monge.text import Segment, make_segments

KNOWN = ["the", "boy", "ran", "home", ".", "in", "a", "red", "boat"]
METRICS = ("wmd", "we", "we_wpi", "wmdo", "emd", "bertscore", "cosine", "smd", "moverscore", "ensemble")
UNREAD = "no score: the encoder can read neither text"
WALK, TAX = "我们去公园散步.", "政府提高税率."


def encoder() -> StaticEncoder:
    vectors = np.random.default_rng(3).standard_normal((len(KNOWN), 8)).astype(np.float32)
    return StaticEncoder(VectorTable({word: row for row, word in enumerate(KNOWN)}, vectors, "tiny", "0" * 64))


def load(name: str, **options: object) -> Metric:
    needed = {"layers": "last"}
    if name == "ensemble":
        needed = {"members": "emd,layers=last + cosine", "constants": "0.5/0.1 0.5/0.1"}
    return load_metric(name, **{"encoder": encoder(), **needed, **options})


def score(name: str, hypothesis: str, *references: str, **options: object) -> Score:
    segment = Segment(hypothesis, references)
    return bind_to(load(name, **options), [segment, Segment("the boy ran", ("a boat",))]).score([segment])[0]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [(WALK, TAX), (WALK, WALK), (WALK, ""), ("", TAX), ("x boy y z.", "boy q r"), ("xyzzy", "plugh")],
)
def test_two_texts_that_cannot_be_read_have_no_score(name: str, hypothesis: str, reference: str) -> None:
    found = score(name, hypothesis, reference)
    assert math.isnan(found.value)
    assert UNREAD in found.notes


@pytest.mark.parametrize("name", METRICS)
def test_a_text_without_a_known_word_is_as_far_as_an_empty_one(name: str) -> None:
    reference = "the boy ran home."
    unread, empty = score(name, WALK, reference), score(name, "", reference)
    if name != "wmdo":  # which also counts the words that it does not know
        assert unread.value == pytest.approx(empty.value)
    else:
        assert unread.value == pytest.approx(empty.value + 0.10)
    assert unread.unknown == 1.0
    assert "hypothesis: 100 % of the words unknown to the encoder" in unread.notes


def test_one_readable_text_is_enough() -> None:
    found = score("wmd", "red xyzzy plugh", "the red boat")
    assert math.isfinite(found.value)
    assert found.unknown == pytest.approx(2 / 3)


@pytest.mark.parametrize(("text", "marked"), [("the boy ran home xyzzy", False), ("the boy ran xyzzy", True)])
def test_more_than_a_fifth_is_marked(text: str, marked: bool) -> None:
    found = score("we", text, "the red boat")
    assert any("% of the words unknown" in note for note in found.notes) == marked
    result = load("we").compute([text] * 2, ["the red boat", "a boat"])
    assert result["notes"].get("score", []) == (["25 % of the words are unknown to the encoder"] if marked else [])


@pytest.mark.parametrize("name", ["emd", "wmdo"])
def test_a_reference_that_cannot_be_read_does_not_decide(name: str) -> None:
    found = score(name, "x boy y z", TAX, "the boy ran")
    assert found.reference_index == 1
    assert math.isfinite(found.value)


def test_references_left_out_are_reported() -> None:
    found = score("emd", "x boy y z", TAX, "the boy ran", references="max")
    assert "1 of 2 references left out: the encoder can read neither text" in found.notes


def test_what_has_no_score_cannot_be_explained() -> None:
    with pytest.raises(InputError, match="can read neither text"):
        explain_segments(load("wmd"), [Segment(WALK, (TAX,))])


def test_a_query_that_cannot_be_read_has_no_neighbours() -> None:
    metric = load("wmd")
    search = find_nearest(metric, ["x boy y z", "the boy"], [TAX, "q r boy s", "the red boat"], k=3)  # type: ignore[arg-type]
    assert search.neighbours[0] == []
    assert {found.place for found in search.neighbours[1]} == {1, 2}
    assert search.skipped == 1


def test_texts_that_differ_in_unknown_words_alone_are_not_called_a_copy():
    metric = load_metric("bertscore", encoder="minilm")
    note = "scored as a copy, but the texts differ in words unknown to the encoder"
    same, other, far = metric.score(
        make_segments(
            ["The boy ran 😀"] * 2 + ["The dog sat 😀"], ["The boy ran 😀", "The boy ran 😢", "The boy ran 😢"]
        )
    )
    assert note not in same.notes
    assert other.value == pytest.approx(1.0)
    assert note in other.notes
    assert note not in far.notes
    words = "The boy ran home to the big red house with his dog"
    (rare,) = metric.score(make_segments([f"{words} 😀"], [f"{words} 😢"]))
    assert note in rare.notes
