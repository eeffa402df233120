"""ROUGE: rouge-score's numbers, and what its tokenizer cannot see."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rouge_score import rouge_scorer

from monge.errors import OptionError
from monge.metrics.lexical.rouge import RougeMetric, make_rouge1, make_rouge2, make_rougel, make_rougelsum
from monge.text import Segment

TARGET = "The quick brown fox jumps over the lazy dog"
PREDICTION = "The quick brown dog jumps on the log."
MAKERS = [(make_rouge1, "rouge1"), (make_rouge2, "rouge2"), (make_rougel, "rougeL")]


@pytest.mark.parametrize(("make", "kind"), MAKERS)
@pytest.mark.parametrize("stemmer", [False, True])
def test_equals_rouge_score(make: Callable[..., RougeMetric], kind: str, stemmer: bool) -> None:
    expected = rouge_scorer.RougeScorer([kind], use_stemmer=stemmer).score(TARGET, PREDICTION)[kind]
    score = make(use_stemmer=stemmer).score([Segment(PREDICTION, (TARGET,))])[0]
    assert score.value == expected.fmeasure
    assert score.parts == {"precision": expected.precision, "recall": expected.recall}


def test_by_hand() -> None:
    """Of 8 and 9 words 6 are shared, of 7 and 8 bigrams 2; the longest common subsequence has 5 words."""
    segment = [Segment(PREDICTION, (TARGET,))]
    assert make_rouge1().score(segment)[0].value == pytest.approx(2 * (6 / 8) * (6 / 9) / (6 / 8 + 6 / 9))
    assert make_rouge2().score(segment)[0].value == pytest.approx(2 * (2 / 7) * (2 / 8) / (2 / 7 + 2 / 8))
    assert make_rougel().score(segment)[0].value == pytest.approx(2 * (5 / 8) * (5 / 9) / (5 / 8 + 5 / 9))


def test_stemming() -> None:
    segment = [Segment("running dogs", ("run dog",))]
    assert make_rouge1().score(segment)[0].value == 0
    assert make_rouge1(use_stemmer=True).score(segment)[0].value == 1


def test_best_reference_counts_and_is_named() -> None:
    score = make_rougel().score([Segment("a b c", ("x y", "a b", "a b c d"))])[0]
    assert score.reference_index == 2
    assert score.value == pytest.approx(2 * 1 * 0.75 / 1.75)


def test_what_rouge_cannot_see_is_told() -> None:
    segment = [Segment("быстрая лиса", ("быстрая лиса",))]
    score = make_rouge1().score(segment)[0]
    assert score.value == 0
    assert score.notes == ("rouge-score's tokenizer sees only a-z and 0-9, none here: use tokenize=words",)
    words = make_rouge1(tokenize="words").score(segment)[0]
    assert (words.value, words.notes) == (1.0, ())


def test_words_are_lower_cased_and_without_punctuation() -> None:
    result = make_rouge1(tokenize="words").compute(["Die Straße, ja!"], ["die straße; nein"])
    assert result["scores"] == [pytest.approx(2 / 3)]


def test_empty_texts() -> None:
    result = make_rouge2().compute(["", "a b"], ["a b", ""])
    assert result["scores"] == [0.0, 0.0]
    assert result["notes"] == {"1": ["empty hypothesis"], "2": ["empty reference"]}


def test_aggregate_is_the_mean() -> None:
    result = make_rouge1().compute(["a", "a b"], ["a", "a c"])
    assert result["mean"] == pytest.approx((1 + 0.5) / 2)


def test_options_and_signature() -> None:
    signatures = {
        str(metric.signature)
        for metric in (make_rouge1(), make_rouge1(use_stemmer=True), make_rouge1(tokenize="words"), make_rouge2())
    }
    assert len(signatures) == 4
    assert str(make_rouge1().signature).startswith("metric:rouge1|stem:no|tok:rouge|references:max|library:")
    with pytest.raises(OptionError, match=r"tokenize='word' is not one of rouge, words \(did you mean 'words'\?\)"):
        make_rouge1(tokenize="word")
    with pytest.raises(OptionError, match="use_stemmer works with tokenize=rouge only"):
        make_rouge1(tokenize="words", use_stemmer=True)


def test_rougelsum_is_that_of_rouge_score() -> None:
    hypothesis, reference = "The rain fell.\nNobody saw the cat.", "A cat was seen.\nThe rain fell on the town."
    theirs = rouge_scorer.RougeScorer(["rougeLsum"]).score(reference, hypothesis)["rougeLsum"]
    score = make_rougelsum().score([Segment(hypothesis, (reference,))])[0]
    assert (score.value, score.parts["precision"], score.parts["recall"]) == (
        theirs.fmeasure, theirs.precision, theirs.recall,
    )  # fmt: skip
    assert score.notes == ()
    joined = Segment(hypothesis.replace("\n", " "), (reference.replace("\n", " "),))
    assert make_rougelsum(split="sentences").score([joined])[0].value == score.value
    alone = make_rougelsum().score([joined])[0]
    assert "split=sentences" in alone.notes[0]
    assert alone.value == make_rougel().score([joined])[0].value
    with pytest.raises(OptionError, match="split"):
        make_rougelsum(split="words")
