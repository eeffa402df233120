"""Discourse metrics against examples worked by hand."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from monge.annotate import AnnotatedText
from monge.encoders import EncodedText
from monge.errors import OptionError
from monge.metrics import load_metric
from monge.metrics.discourse.sentences import is_spelt
from monge.text import Segment

VECTORS = "boat 1 0\ncrew 0 2\ncoast 0.6 0.8\n"
HYPOTHESIS, REFERENCE = "boat boat crew", "boat coast"


class Words:
    """Every word is a noun; sentences end at full stops, which are no words."""

    signature = "words"

    def annotate(self, texts: Sequence[str]) -> list[AnnotatedText]:
        return [self._annotate(text) for text in texts]

    def _annotate(self, text: str) -> AnnotatedText:
        words, spans, sentences, place = [], [], [], 0
        for number, sentence in enumerate(text.split(".")):
            for word in sentence.split():
                place = text.index(word, place)
                words.append(word)
                spans.append((place, place + len(word)))
                sentences.append(number)
                place += len(word)
        places = np.array(spans, dtype=np.int64).reshape(-1, 2)
        return AnnotatedText(text, tuple(words), tuple(words), ("NOUN",) * len(words), places, np.array(sentences, int))


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    (tmp_path / "vectors.txt").write_text(VECTORS, encoding="utf-8")
    return str(tmp_path / "vectors.txt")


def value(name: str, hypothesis: str, *references: str, **options: object) -> float:
    metric = load_metric(name, annotator=Words(), **options)
    return metric.score([Segment(hypothesis, references)])[0].value


@pytest.mark.parametrize(
    ("options", "expected"),
    [  # vectors of mentions have length 1, so F_boat = (2, 0) and (1, 0), F_crew = (0, 1), F_coast = (.6, .8)
        ({"form": "text"}, 1 / 2),  # only boat is in both; two foci in the hypothesis
        ({"form": "text", "average": "recall"}, 1 / 2),
        ({"form": "union"}, (1 + 1 + 1) / 2),
        ({"form": "union", "order": 1.0}, 3 / 2),
        ({"form": "released"}, 1 / 2),
    ],
)
def test_ds_focus_by_hand(vectors: str, options: dict[str, object], expected: float) -> None:
    found = value("ds_focus", HYPOTHESIS, REFERENCE, encoder=vectors, layers="last", **options)
    assert found == pytest.approx(expected)
    assert value("focus_frequency", HYPOTHESIS, REFERENCE, **options) == pytest.approx(expected)


def test_precision_recall_and_their_mean_differ_with_the_number_of_foci() -> None:
    text, other = "boat boat boat crew", "boat deck coast"
    found = [value("focus_frequency", text, other, form="text", average=a) for a in ("precision", "recall", "f")]
    assert found == pytest.approx([2 / 2, 2 / 3, (2 / 2 + 2 / 3) / 2])
    assert value("focus_frequency", text, other, form="union") == pytest.approx((4 + 1 + 1 + 1) / 2)


def test_vectors_count_where_mentions_mean_different_things(vectors: str) -> None:
    """The encoder sees tokens, not foci: here both words are mentions of one focus."""
    joined = {"focus": lambda text: {"thing": tuple(range(len(text.words)))}, "encoder": vectors, "layers": "last"}
    assert value("ds_focus", "boat", "coast", form="text", **joined) == pytest.approx(math.sqrt(0.4**2 + 0.8**2))
    assert value("ds_focus", "boat", "coast", **joined) == pytest.approx(0.8)  # squared
    assert value("focus_frequency", "boat", "coast", focus=joined["focus"]) == 0


def test_no_common_focus() -> None:
    def score(form: str) -> tuple[float, tuple[str, ...]]:
        metric = load_metric("focus_frequency", annotator=Words(), form=form)
        found = metric.score([Segment("boat", ("coast",))])[0]
        return found.value, found.notes

    assert math.isnan(score("text")[0])
    assert "no focus in common" in score("text")[1][0]
    assert score("released")[0] == 0
    assert "distance 0" in score("released")[1][0]
    assert score("union") == (2.0, ())


def test_references_are_averaged_and_those_without_a_common_focus_left_out() -> None:
    metric = load_metric("focus_frequency", annotator=Words(), form="text")
    found = metric.score([Segment("boat boat", ("coast", "boat", "boat boat"))])[0]
    assert found.value == pytest.approx((1 + 0) / 2)
    assert found.notes == ("hypothesis and reference have no focus in common: reference 1 left out",)


def test_saying_nothing_is_far_from_everything() -> None:
    assert value("focus_frequency", "", "boat crew") == 2
    assert math.isnan(value("focus_frequency", "", ""))
    assert value("ds_sent", "", "boat", encoder="hashed") == 0


def test_ds_sent_by_hand(vectors: str) -> None:
    """Two sentences of the hypothesis share boat: S = [(1, 0), (.5, 1)], A_12 = 1, so Ŝ = [(1.5, 1), (.5, 1)]."""
    options = {"encoder": vectors, "layers": "last", "normalise": False}
    pooled = np.array([0.5, 1, 1, 1, 1.5, 1, 2, 2])  # min, mean, max, sum
    reference = np.array([0, 2] * 4)  # crew: one sentence
    expected = pooled @ reference / np.linalg.norm(pooled) / np.linalg.norm(reference)
    assert value("ds_sent", "boat. boat crew.", "crew", **options) == pytest.approx(expected)
    plain = np.array([0.5, 0, 0.75, 0.5, 1, 1, 1.5, 1])
    expected = plain @ reference / np.linalg.norm(plain) / np.linalg.norm(reference)
    assert value("ds_sent", "boat. boat crew.", "crew", graph=False, **options) == pytest.approx(expected)


def test_sentences_aligned_by_transport(vectors: str) -> None:
    options = {"encoder": vectors, "layers": "last", "graph": False}
    # hypothesis boat | crew, reference boat: precision (1 + 0)/2, recall 1; all mass moves: 1 − (0 + 1)/2
    assert value("ds_sent", "boat. crew.", "boat", align="greedy", **options) == pytest.approx(2 * 0.5 / 1.5)
    assert value("ds_sent", "boat. crew.", "boat", align="optimal", **options) == pytest.approx(0.5)


def test_weighted_links_count_shared_foci(vectors: str) -> None:
    options = {"encoder": vectors, "layers": "last", "normalise": False}
    one = value("ds_sent", "boat crew. boat crew.", "crew. boat.", weighted=True, **options)
    other = value("ds_sent", "boat crew. boat crew.", "crew. boat.", weighted=False, **options)
    rows = [np.array([[1.5, 3], [0.5, 1]]), np.array([[1.0, 2], [0.5, 1]])]
    reference = np.array([0, 0, 0.5, 1, 1, 2, 1, 2])
    for found, s in zip((one, other), rows, strict=True):
        pooled = np.concatenate([s.min(0), s.mean(0), s.max(0), s.sum(0)])
        assert found == pytest.approx(pooled @ reference / np.linalg.norm(pooled) / np.linalg.norm(reference))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["b|o|a|t|s", "s|a|il"], True),  # 8 characters in 8 pieces
        (["boat|s", "sail"], False),
        (["a", "b", "c", "s|a|i|l"], True),
        (["a", "b", "c", "d", "s|a|i"], False),  # short words are most of it
        (["政", "府", "宣|布|提"], False),  # a character of Chinese says much
        ([], False),
    ],
)
def test_what_is_read_letter_by_letter(words: list[str], expected: bool) -> None:
    pieces = [(piece, number) for number, word in enumerate(words) for piece in word.split("|")]
    ends = np.cumsum([len(piece) for piece, _ in pieces], dtype=np.int64)
    spans = np.array([(end - len(piece), end) for (piece, _), end in zip(pieces, ends, strict=True)])
    encoded = EncodedText(
        "".join(words).replace("|", ""),
        tuple(piece for piece, _ in pieces),
        spans.reshape(-1, 2).astype(np.int64),
        np.zeros((1, len(pieces), 2), dtype=np.float32),
        np.zeros(len(pieces), dtype=bool),
        np.array([number for _, number in pieces], dtype=np.int64),
    )
    assert is_spelt(encoded) == expected


def test_features_by_hand() -> None:
    text = "boat crew. boat. deck. boat crew."
    expected = {
        "rc": 5 / 3, "lc": 2 / 3, "freq": 5 / 2, "entity_graph": (1 + 1 / 3 + 1 / 2) / 4,
        "conn": (1 + 1 / 3 + 1 / 2) / 16, "length": 6.0,
    }  # fmt: skip
    assert {name: value(name, text) for name in expected} == pytest.approx(expected)
    assert value("entity_graph", text, weighted=True) == pytest.approx((1 + 2 / 3 + 1 / 2) / 4)
    assert value("lexical_chain", text, "boat. boat.", "x. boat crew. y. crew.") == pytest.approx(1.0)
    assert value("noun_recall", text, "boat coast", "crew") == pytest.approx((1 / 2 + 1) / 2)
    assert value("lexical_graph", text, vectors="hashed", threshold=0.999) == pytest.approx(expected["entity_graph"])


def test_a_document_longer_than_the_window() -> None:
    """10,000 words: encoded in windows, which the notes say."""
    text = "The boat sailed to the coast and the crew slept. " * 1000
    assert load_metric("rc").score([Segment(text)])[0].value == 1000
    for name, same in (("focus_frequency", 0.0), ("ds_focus", 0.0), ("ds_sent", 1.0)):
        found = load_metric(name).score([Segment(text, (text,)), Segment(text + "A storm came.", (text,))])
        assert found[0].value == pytest.approx(same, abs=1e-9)
        assert abs(found[1].value - same) > 1e-6
        assert any("windows" in note for note in found[0].notes) == (name != "focus_frequency"), found[0].notes


def test_english_nouns_of_the_released_form() -> None:
    """Plurals are lost: boats is not spelt as its lemma."""
    text, other = "Boats sail. The boat sinks.", "A boat sinks."
    released, ours = (load_metric("focus_frequency", form=form) for form in ("released", "text"))
    assert released.score([Segment(text, (other,))])[0].value == 0
    assert ours.score([Segment(text, (other,))])[0].value == 1


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("ds_focus", {"form": "texts"}, "did you mean 'text'"),
        ("ds_focus", {"average": "mean"}, "precision, recall, f"),
        ("ds_focus", {"order": -1.0}, "must be a positive number"),
        ("ds_focus", {"focus": "verb"}, "noun, entity, surface, or a function"),
        ("ds_focus", {"pieces": "first"}, "last, mean"),
        ("ds_sent", {"align": "best"}, "pool, greedy, optimal"),
        ("ds_sent", {"focus": "entity", "threshold": 2.0, "vectors": "hashed"}, "between -1 and 1"),
        ("rc", {"language": "sw"}, "no annotator for Swahili"),
    ],
)
def test_wrong_options_are_named(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        load_metric(name, **options)


def test_features_have_no_direction_anywhere() -> None:
    assert load_metric("rc").spec.higher_is_better is None
    metric = load_metric("ensemble", members="rc + length", constants="0/1 0/1")
    with pytest.raises(OptionError, match="neither a higher nor a lower value is better"):
        metric.score([Segment("A boat.", ())])


def test_a_function_of_the_users_own_is_not_stored() -> None:
    metric = load_metric("rc", annotator=Words())
    assert metric.identity is None
    assert load_metric("rc").identity is not None
    assert load_metric("freq", focus=lambda text: {}).identity is None
