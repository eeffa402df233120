"""BLEU, chrF, chrF++ and TER: sacrebleu's numbers, whatever the shape of the input."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from monge.errors import InputError, ModelError, OptionError
from monge.metrics.lexical.sacrebleu import (
    SacrebleuMetric,
    choose_tokenizer,
    make_bleu,
    make_chrf,
    make_chrfpp,
    make_ter,
    make_tokenizer,
)
from monge.metrics.protocols import Metric
from monge.text import Segment, make_segments

# The example of sacrebleu's own documentation ("Using SacreBLEU from Python").
HYPOTHESES = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
FIRST = ["The dog bit the man.", "It was not unexpected.", "The man bit him first."]
SECOND = ["The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."]
REFERENCES = [list(pair) for pair in zip(FIRST, SECOND, strict=True)]

SPACED_CHRF = sacrebleu.CHRF(beta=3, whitespace=True)
CASED_TER = sacrebleu.TER(normalized=True, case_sensitive=True)
Maker = Callable[..., SacrebleuMetric]
PEERS: list[tuple[Maker, dict[str, Any], Any, Any]] = [
    (make_bleu, {}, sacrebleu.BLEU(effective_order=True), sacrebleu.BLEU()),
    (
        make_bleu,
        {"lowercase": True, "tokenize": "intl", "smooth_method": "add-k"},
        sacrebleu.BLEU(lowercase=True, tokenize="intl", smooth_method="add-k", effective_order=True),
        sacrebleu.BLEU(lowercase=True, tokenize="intl", smooth_method="add-k"),
    ),
    (make_chrf, {}, sacrebleu.CHRF(), sacrebleu.CHRF()),
    (make_chrf, {"beta": 3, "whitespace": True}, SPACED_CHRF, SPACED_CHRF),
    (make_chrfpp, {}, sacrebleu.CHRF(word_order=2), sacrebleu.CHRF(word_order=2)),
    (make_ter, {}, sacrebleu.TER(), sacrebleu.TER()),
    (make_ter, {"normalized": True, "case_sensitive": True}, CASED_TER, CASED_TER),
]


@pytest.mark.parametrize(("make", "options", "sentence", "corpus"), PEERS)
def test_equals_sacrebleu_exactly(make: Maker, options: dict[str, Any], sentence: Any, corpus: Any) -> None:
    result = make(**options).compute(HYPOTHESES, REFERENCES)
    expected = [sentence.sentence_score(h, r).score for h, r in zip(HYPOTHESES, REFERENCES, strict=True)]
    assert result["scores"] == expected
    assert result["score"] == corpus.corpus_score(HYPOTHESES, [FIRST, SECOND]).score


@pytest.mark.parametrize(("make", "options", "sentence", "corpus"), PEERS)
def test_parts_of_a_set_and_resamples_equal_sacrebleu(
    make: Maker, options: dict[str, Any], sentence: Any, corpus: Any
) -> None:
    metric = make(**options)
    segments = make_segments(HYPOTHESES, REFERENCES)
    halves = [metric.sum_statistics(part) for part in (segments[:1], segments[1:])]
    sums = [sum(pair) for pair in zip(*halves, strict=True)]
    assert metric.score_of_sums(sums) == corpus.corpus_score(HYPOTHESES, [FIRST, SECOND]).score
    draws = np.array([[0, 1, 2], [2, 2, 1]])
    expected = [
        corpus.corpus_score(take(draw, HYPOTHESES), [take(draw, FIRST), take(draw, SECOND)]).score for draw in draws
    ]
    assert metric.resample(segments, draws) == pytest.approx(expected, rel=1e-12)


def take(places: Iterable[int], texts: list[str]) -> list[str]:
    return [texts[place] for place in places]


def test_documented_values() -> None:
    """Printed in sacrebleu's README: BLEU 48.53, chrF2 59.73."""
    assert make_bleu().compute(HYPOTHESES, REFERENCES)["score"] == pytest.approx(48.530827009929865, abs=1e-10)
    assert make_chrf().compute(HYPOTHESES, REFERENCES)["score"] == pytest.approx(59.73, abs=0.005)


def test_effective_order_is_for_segments_only() -> None:
    result = make_bleu().compute(["a b"], ["a b"])
    assert result["scores"] == [sacrebleu.sentence_bleu("a b", ["a b"]).score]
    assert result["score"] == sacrebleu.corpus_bleu(["a b"], [["a b"]]).score
    assert (result["scores"][0], result["score"]) == (pytest.approx(100), 0)


def test_sentence_bleu_is_sacrebleus_function() -> None:
    score = make_bleu().score([Segment(HYPOTHESES[2], tuple(REFERENCES[2]))])[0]
    expected = sacrebleu.sentence_bleu(HYPOTHESES[2], REFERENCES[2])
    assert score.value == expected.score
    assert [score.parts[f"precision{n}"] for n in (1, 2, 3, 4)] == expected.precisions
    assert score.parts["brevity_penalty"] == expected.bp


@pytest.mark.parametrize("make", [make_bleu, make_chrf, make_chrfpp, make_ter])
def test_numbers_of_references_may_differ(make: Maker) -> None:
    mixed = [REFERENCES[0], REFERENCES[1], REFERENCES[2][:1]]
    result = make().compute(HYPOTHESES, mixed)
    whole = make().compute(HYPOTHESES, REFERENCES)
    assert result["scores"][0] == whole["scores"][0]
    assert result["score"] != whole["score"]
    if make is make_bleu:
        columns = [FIRST, [*SECOND[:2], None]]
        assert result["score"] == sacrebleu.BLEU().corpus_score(HYPOTHESES, columns).score  # type: ignore[arg-type]


def test_ter_parts_and_direction() -> None:
    metric = make_ter()
    score = metric.score([Segment("a b c d", ("a b x d e f g h",))])[0]
    assert score.parts == {"edits": 5.0, "reference_length": 8.0}
    assert score.value == 62.5
    assert not metric.spec.higher_is_better


@pytest.mark.parametrize("make", [make_bleu, make_chrf, make_chrfpp, make_ter])
def test_empty_texts_are_noted(make: Maker) -> None:
    result = make().compute(["", "  ", "a b", "", "fine"], [["a"], ["a"], ["", "a b"], [""], ["fine"]])
    assert result["notes"] == {
        "1": ["empty hypothesis"],
        "2": ["empty hypothesis"],
        "3": ["empty reference 1"],
        "4": ["empty hypothesis", "empty reference", "no score: both texts are empty"],
        "score": ["1 of 5 scores are missing and left out of the mean"],
    }
    assert [math.isfinite(score) for score in result["scores"]] == [True, True, True, False, True]
    assert math.isfinite(result["score"])


def test_missing_reference_names_the_segment() -> None:
    segments = [Segment("a", ("b",), id="7", system="x"), Segment("a", (), id="8", system="x")]
    for call in (lambda: make_bleu().score(segments), lambda: make_bleu().aggregate(segments, [])):
        with pytest.raises(InputError, match="segment 8 of system 'x' has no reference, which bleu needs"):
            call()


def test_no_segment_has_no_score() -> None:
    assert make_bleu().score([]) == []
    assert math.isnan(make_bleu().aggregate([], []))


@pytest.mark.parametrize(
    ("make", "options", "complaint"),
    [
        (make_bleu, {"tokenize": "13b"}, r"tokenize='13b' is not one of .*\(did you mean '13a'\?\)"),
        (make_bleu, {"smooth_method": "laplace"}, "smooth_method='laplace' is not one of exp, floor, add-k, none"),
        (make_chrf, {"char_order": 0}, "char_order must be from 1 to 100, not 0"),
        (make_chrfpp, {"beta": 0}, "beta must be from 1"),
    ],
)
def test_wrong_options_are_told(make: Maker, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(OptionError, match=complaint):
        make(**options)


def test_signatures_hold_sacrebleus_fields() -> None:
    signature = str(make_bleu(lowercase=True, smooth_method="floor").signature)
    assert signature.startswith("metric:bleu|case:lc|eff:no, segments yes|tok:13a|smooth:floor[0.10]|")
    assert f"library:sacrebleu-{sacrebleu.__version__}" in signature
    assert "nrefs" not in signature
    assert str(make_ter(no_punct=True).signature).startswith("metric:ter|case:lc|tok:tercom|norm:no|punct:no|asian:no|")


OPTIONS = [
    (make_bleu, [{}, {"tokenize": "none"}, {"lowercase": True}, {"smooth_method": "none"}]),
    (make_chrf, [{}, {"char_order": 5}, {"word_order": 1}, {"beta": 1}, {"lowercase": True}, {"whitespace": True}]),
    (make_ter, [{}, {"normalized": True}, {"no_punct": True}, {"asian_support": True}, {"case_sensitive": True}]),
]


@pytest.mark.parametrize(("make", "choices"), OPTIONS)
def test_every_option_changes_the_signature(make: Maker, choices: list[dict[str, Any]]) -> None:
    assert len({str(make(**choice).signature) for choice in choices}) == len(choices)


@pytest.mark.parametrize("language", ["en", "de-AT", "zh", "zh_TW", "ja", "ko"])
def test_the_language_chooses_sacrebleus_tokenizer(language: str) -> None:
    expected = sacrebleu.BLEU._TOKENIZER_MAP.get(language[:2], sacrebleu.BLEU.TOKENIZER_DEFAULT)
    assert choose_tokenizer("auto", language) == expected
    assert choose_tokenizer("intl", language) == "intl"


def test_chinese_is_scored_as_sacrebleu_scores_it() -> None:
    metric = make_bleu(language="zh")
    expected = sacrebleu.BLEU(trg_lang="zh").corpus_score(["今天天气不好"], [["今天天气很好"]]).score
    assert metric.compute(["今天天气不好"], ["今天天气很好"])["score"] == pytest.approx(expected)
    assert "|tok:zh|" in str(metric.signature)
    assert "|tok:char|" in str(make_bleu(language="zh", tokenize="char").signature)


def test_signature_is_the_same_before_and_after_scoring() -> None:
    metric = make_bleu()
    before = metric.signature
    metric.compute(HYPOTHESES, REFERENCES)
    assert metric.signature == before


def test_follows_the_protocol() -> None:
    assert isinstance(make_bleu(), Metric)
    assert make_bleu().bound
    metric = make_ter()
    assert metric.bind([]) is metric


def test_tokenizer() -> None:
    assert make_tokenizer("13a")("Hello, World!") == ["Hello", ",", "World", "!"]
    assert make_tokenizer("none", lowercase=True)("Hello, World!") == ["hello,", "world!"]
    assert make_tokenizer("zh")("你好a b") == ["你", "好", "a", "b"]


@given(st.lists(st.tuples(st.text(max_size=15), st.lists(st.text(max_size=15), min_size=1, max_size=3)), min_size=1))
def test_any_text_scores_within_bounds(pairs: list[tuple[str, list[str]]]) -> None:
    segments = make_segments([h for h, _ in pairs], [r for _, r in pairs])
    for make in (make_bleu, make_chrf, make_ter):
        metric = make()
        scores = metric.score(segments)
        low, high = metric.spec.bounds
        told = [score.value for score in scores if "no score: both texts are empty" not in score.notes]
        whole = metric.aggregate(segments, scores)
        assert math.isnan(whole) is not any(metric.sum_statistics(segments))
        for value in [*told, *([] if math.isnan(whole) else [whole])]:
            assert low <= value <= high + 1e-9


@pytest.mark.parametrize("make", [make_bleu, make_chrf, make_ter])
def test_a_set_of_empty_texts_has_no_score(make: Callable[[], Any]) -> None:
    segments = make_segments(["", " "], [[""], [""]])
    metric = make()
    assert math.isnan(metric.aggregate(segments, metric.score(segments)))
    assert math.isfinite(metric.compute(["", "a"], ["", "b"])["score"])


@pytest.mark.parametrize("tokenize", ["flores101", "flores200"])
def test_no_model_of_a_tokenizer_is_fetched_offline(
    tokenize: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MONGE_OFFLINE", "1")
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path))
    with pytest.raises(ModelError, match=f"'{tokenize}' needs a model that is not here, and this is offline"):
        make_bleu(tokenize=tokenize)


def test_a_missing_package_of_a_tokenizer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sentencepiece", "sacrebleu.tokenizers.tokenizer_spm"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(ModelError, match=r"'flores200' cannot be used: .*[^:] \(pip install sentencepiece, or choose"):
        make_bleu(tokenize="flores200")


def test_the_counts_kept_stay_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("monge.metrics.lexical.sacrebleu._KEPT", 3)
    metric = make_bleu()
    metric._counted.update({bytes([n]): (0.0,) for n in range(4)})  # as two threads at once may leave it
    for n in range(5):
        metric.score([Segment(f"text {n}", (f"reference {n}",))])
        assert len(metric._counted) <= 3
