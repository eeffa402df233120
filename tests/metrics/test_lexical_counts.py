"""CIDEr, JS-n, WER, PER and BLEU-n: worked by hand and beside other packages."""

import math

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.distance import edit_distance

from monge.errors import OptionError, UnboundMetricError
from monge.metrics import load_metric
from monge.metrics.base import bind_to
from monge.metrics.lexical.edits import count_edits
from monge.text import Segment

CORPUS = [
    Segment(
        "a dog runs on the grass", ("a dog is running on grass", "the dog runs over the grass", "a brown dog plays")
    ),
    Segment("two people ride a horse", ("two people are riding a horse on a beach", "people on horses", "two riders")),
    Segment("a man is cooking", ("a man cooks food in a kitchen", "someone is cooking", "a chef prepares a meal")),
]


def test_cider_by_hand() -> None:
    """Two sets of references, unigrams only: idf is log 2 for words of one set and 0 for words of both."""
    segments = [Segment("a b b", ("a b c",)), Segment("a d", ("a d e",))]
    first, second = bind_to(load_metric("cider", n=1), segments).score(segments)
    assert first.value == pytest.approx(10 * 2 / math.sqrt(4 * 2))  # (0, 2) against (0, 1, 1), times log 2
    assert second.value == pytest.approx(10 * 1 / math.sqrt(1 * 2))


def test_cider_d_is_that_of_the_authors_code() -> None:
    """Values of pycocoevalcap 1.2's Cider on the same tokens (n = 4, σ = 6), computed outside this repository."""
    metric = bind_to(load_metric("cider", released=True), CORPUS)
    assert [score.value for score in metric.score(CORPUS)] == pytest.approx(PYCOCOEVALCAP, abs=1e-6)


PYCOCOEVALCAP = (1.9319918978671093, 1.1696654096310848, 1.170996471698446)


def test_cider_needs_a_corpus() -> None:
    with pytest.raises(UnboundMetricError, match="bind"):
        load_metric("cider").score(CORPUS)
    alone = bind_to(load_metric("cider"), CORPUS[:1])
    assert alone.score(CORPUS[:1])[0].value == 0
    assert "one set of references" in alone.binding_notes[0]
    assert str(alone.signature) != str(bind_to(load_metric("cider"), CORPUS).signature)


def test_divergence_is_that_of_scipy() -> None:
    from scipy.spatial.distance import jensenshannon

    value = load_metric("js", n=1).score([Segment("a a b c", ("a b b d", "c d"))])[0].value
    p, q = [0.5, 0.25, 0.25, 0], [1 / 6, 2 / 6, 1 / 6, 2 / 6]
    assert value == pytest.approx(jensenshannon(p, q, base=2) ** 2)
    short = load_metric("js").score([Segment("a", ("a",))])[0]
    assert short.value == 0
    assert "fewer than 2 words" in short.notes[0]
    assert load_metric("js").score([Segment("", ("a",))])[0].value == 1


def test_error_rates_by_hand() -> None:
    segment = Segment("the cat the mat sat on", ("the cat sat on the mat", "a dog"))
    wer, per = (load_metric(name).score([segment])[0] for name in ("wer", "per"))
    assert wer.value == pytest.approx(4 / 6)
    assert per.value == 0
    assert wer.parts == {"edits": 4.0, "reference_length": 6.0}
    more = [segment, Segment("x", ("x y",))]
    assert (
        load_metric("wer").compute([s.hypothesis for s in more], [list(s.references) for s in more])["score"] == 5 / 8
    )
    assert math.isnan(load_metric("per").score([Segment("a", ("",))])[0].value)


WORDS = st.lists(st.sampled_from("abcd"), max_size=12) | st.lists(st.sampled_from("ab"), min_size=60, max_size=80)


@given(WORDS, WORDS)
def test_edits_are_those_of_nltk(hypothesis: list[str], reference: list[str]) -> None:
    """Longer than a machine word too: the bits of a column must not be lost at 64."""
    assert count_edits(hypothesis, reference) == edit_distance(hypothesis, reference)


def test_bleu_of_lower_order_is_that_of_sacrebleu() -> None:
    hypotheses = ["the cat sat on a mat", "rain is expected"]
    references = ["the cat sat on the mat", "heavy rain is expected"]
    for n in (1, 2, 3):
        expected = sacrebleu.BLEU(max_ngram_order=n).corpus_score(hypotheses, [references]).score
        metric = load_metric("bleu", n=n)
        assert metric.compute(hypotheses, references)["score"] == pytest.approx(expected)
        assert metric.signature["n"] == str(n)
    assert "n" not in load_metric("bleu").signature.fields
    with pytest.raises(OptionError, match="n must be"):
        load_metric("bleu", n=0)


def test_rouge_we_matches_near_words() -> None:
    metric = load_metric("rouge_we", encoder="hashed")
    same, other = metric.score([Segment("red boat", ("boat red",)), Segment("red boat", ("green car",))])
    assert same.value == pytest.approx(1)
    assert other.value < same.value
