"""Bad translations made from good ones, and metrics that are asked which they prefer."""

import random
from pathlib import Path

import pytest

from monge.cli import main
from monge.crosslingual.dictionaries import BilingualDictionary
from monge.crosslingual.glosses import Glosser
from monge.errors import InputError, OptionError
from monge.explanation.translationese import (
    follow_source,
    measure_preferences,
    shuffle_words,
    translate_words,
)
from monge.metrics import load_metric
from monge.report.translationese import draw_preferences, translationese_table
from monge.text import Segment
from monge.workflows.translationese import unique_inputs

PAIRS = [("ich", "i"), ("habe", "have"), ("den", "the"), ("hund", "dog"), ("gestern", "yesterday"), ("gesehen", "seen")]
GLOSSER = Glosser("de", BilingualDictionary.collect("mine", PAIRS))
SEGMENT = Segment("x", ("Yesterday I have seen the dogs",), "Ich habe gestern den Hund gesehen")
MORE = [
    SEGMENT,
    Segment("x", ("I have the dog",), "Ich habe den Hund"),
    Segment("x", ("I have seen",), "Ich habe gesehen"),
]


def test_rewrites_keep_the_words_and_change_their_order() -> None:
    rng = random.Random(3)
    shuffled = shuffle_words(SEGMENT, GLOSSER, rng)
    assert sorted(shuffled.split()) == sorted(SEGMENT.references[0].split())
    assert shuffled != SEGMENT.references[0]
    assert follow_source(SEGMENT, GLOSSER, rng) == "I have Yesterday the dogs seen"  # an ending is forgiven
    assert translate_words(SEGMENT, GLOSSER, rng) == "i have yesterday the dog seen"


def test_a_language_model_is_not_fooled_by_shuffling() -> None:
    found = {one.kind: one for one in measure_preferences(load_metric("fluency"), MORE, GLOSSER)}
    assert list(found) == ["shuffled", "source-ordered", "word-by-word"]
    assert found["shuffled"].rate.trials == 3
    assert found["shuffled"].rate.share < 0.5
    assert found["word-by-word"].record()["histogram"]["counts"]  # type: ignore[index]
    table = translationese_table(list(found.values()))
    assert "fluency" in table
    assert draw_preferences(list(found.values())).axes
    (alone,) = measure_preferences(load_metric("fluency"), MORE, GLOSSER, kinds=["word-by-word"])
    assert alone.differences.tolist() == found["word-by-word"].differences.tolist()
    assert "shuffled" not in translationese_table([alone])
    assert draw_preferences([alone]).axes


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(OptionError, match="bleu compares with references"):
        measure_preferences(load_metric("bleu"), MORE, GLOSSER)
    with pytest.raises(OptionError, match="did you mean 'shuffled'"):
        measure_preferences(load_metric("fluency"), MORE, GLOSSER, kinds=["shufled"])
    with pytest.raises(InputError, match="segment 1 has no reference"):
        measure_preferences(load_metric("fluency"), [Segment("x", (), "y")], GLOSSER)
    with pytest.raises(InputError, match="both a source and a reference"):
        unique_inputs((Segment("x", (), "y"),), 3)


def test_inputs_are_taken_once_and_spread() -> None:
    segments = tuple(Segment("x", ("r",), str(i // 2)) for i in range(20))
    assert [s.source for s in unique_inputs(segments, 5)] == ["0", "2", "4", "6", "8"]


def test_the_command_prints_shares(
    judgments: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MONGE_DATA", str(judgments))
    assert main(["stress", "dictionary_cloud", "--translationese", "wmt17/de-en", "--most", "20"]) == 0
    assert "word-by-word is the published W2W" in capsys.readouterr().out
    chosen = ["--attacks", "word-by-word"]
    assert main(["stress", "dictionary_cloud", "--translationese", "wmt17/de-en", "--most", "20", *chosen]) == 0
    assert "source-ordered" not in capsys.readouterr().out
    assert main(["stress", "fluency", "--translationese", "wmt17/de-en", "--most", "0"]) == 2
