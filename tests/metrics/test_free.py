"""Metrics without references: sums over words, matches through a dictionary, and what if parts are missing."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

from monge.encoders.static.hashed import HashedEncoder
from monge.environment import Environment
from monge.errors import InputError, ModelError, OptionError, UnboundMetricError
from monge.explanation import explain_segments
from monge.lm import Continuation, load_language_model
from monge.lm.unigrams import WordFrequencies
from monge.metrics import load_metric
from monge.metrics.protocols import WordSharing
from monge.text import Segment
from monge.workflows.explain import explain

GERMAN = "Der Hund schläft im Garten."
GOOD = Segment("The dog sleeps in the garden.", (), GERMAN)
WRONG = Segment("The train leaves at eight.", (), GERMAN)
BROKEN = Segment("Garden the in dog sleeps the.", (), GERMAN)


@pytest.fixture
def dictionary(tmp_path: Path) -> str:
    path = tmp_path / "de-en.tsv"
    path.write_text(
        "der\tthe\nhund\tdog;hound\nschlafen\tsleep\nschläft\tsleeps\nim\tin\ngarten\tgarden\n", encoding="utf-8"
    )
    return str(path)


def test_fluency_is_the_mean_log_probability_without_the_first_token() -> None:
    metric = load_metric("fluency")
    score = metric.score([GOOD])[0]
    (read,) = load_language_model().score([Continuation(GOOD.hypothesis)])
    assert score.value == pytest.approx(read.values[1:].mean(), abs=1e-12)
    assert score.parts["tokens"] == len(read.values) - 1
    assert score.value > metric.score([BROKEN])[0].value
    assert metric.score([Segment("the dog sleeps in the garden.", ())])[0].value == pytest.approx(score.value, abs=1e-4)
    empty = metric.score([Segment(" ", ())])[0]
    assert empty.value < -15
    assert empty.notes == ("empty hypothesis",)


def test_slor_takes_off_what_words_have_by_themselves() -> None:
    plain, slor = load_metric("fluency"), load_metric("fluency", slor=True)
    frequencies = WordFrequencies()
    words = ["dog", "sleeps", "in", "the", "garden", "."]  # the first token is the first word, and is not counted
    alone = sum(frequencies.log_probability(word) for word in words)
    tokens = plain.score([GOOD])[0].parts["tokens"]
    assert slor.score([GOOD])[0].value == pytest.approx(plain.score([GOOD])[0].value - alone / tokens, abs=1e-9)


@pytest.mark.parametrize("name", ["fluency", "gloss_lm"])
def test_words_add_up_to_the_score(name: str, dictionary: str) -> None:
    options = {} if name == "fluency" else {"source_language": "de", "dictionary": dictionary}
    for slor in (False, True):
        metric = load_metric(name, slor=slor, **options)
        assert isinstance(metric, WordSharing)
        for text in (GOOD.hypothesis, "  Odd — 日本語 spaces  ", "x", "..."):
            segment = Segment(text, (), GERMAN)
            shares, score = metric.share_words(segment), metric.score([segment])[0]
            assert shares.total == pytest.approx(shares.value, abs=1e-12)
            assert shares.value == pytest.approx(score.value, abs=1e-12)
    found = explain(GOOD.hypothesis, metric=name, source=GERMAN, **options)
    assert [word.text for word in found.words] == ["The", "dog", "sleeps", "in", "the", "garden", "."]


def test_the_gloss_tells_the_right_translation_from_a_fluent_one(dictionary: str) -> None:
    given = load_metric("gloss_lm", source_language="de", dictionary=dictionary)
    good, wrong, broken = (score.value for score in given.score([GOOD, WRONG, BROKEN]))
    assert good > max(broken, wrong)


def test_dictionary_cloud_by_hand(dictionary: str) -> None:
    """Hashed vectors of different words are below the threshold or exact: P and R are shares of mass."""
    metric = load_metric(
        "dictionary_cloud", source_language="de", dictionary=dictionary, encoder=HashedEncoder(dimension=300),
        threshold=0.9, alpha=0.5,
    )  # fmt: skip
    info = {
        word: -WordFrequencies().log_probability(word)
        for word in ("the", "dog", "hound", "barks", "in", "sleeps", "garden")
    }
    score = metric.score([Segment("The dog barks", (), GERMAN)])[0]
    precision = (info["the"] + info["dog"]) / (info["the"] + info["dog"] + info["barks"])
    hund = (info["dog"] + info["hound"]) / 2
    recall = (info["the"] + hund) / (info["the"] + hund + info["in"] + info["sleeps"] + info["garden"])
    assert score.parts["precision"] == pytest.approx(precision, abs=1e-9)
    assert score.parts["recall"] == pytest.approx(recall, abs=1e-9)
    assert score.value == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-9)
    assert metric.score([GOOD])[0].value == pytest.approx(1.0)


def test_dictionary_cloud_is_explained_word_by_word(dictionary: str) -> None:
    metric = load_metric("dictionary_cloud", source_language="de", dictionary=dictionary)
    for segment in (GOOD, WRONG, BROKEN):
        explanation = explain_segments(metric, [segment])[0]
        assert explanation.total == pytest.approx(explanation.value, abs=1e-12)
    pair = explain_segments(metric, [GOOD])[0].pairs[0]
    (flow,) = [f for f in pair.plans[0].flows() if pair.hypothesis.words[f.hypothesis].text == "dog"]
    assert pair.reference.words[flow.reference].text == "Hund"


def test_what_the_dictionary_lacks_is_reported(dictionary: str) -> None:
    metric = load_metric("dictionary_cloud", source_language="de", dictionary=dictionary)
    none, few, empty = metric.score(
        [Segment("a dog", (), "lorem ipsum"), Segment("a dog", (), "hund lorem ipsum dolor"), Segment("", (), "hund")]
    )
    assert math.isnan(none.value)
    assert "2 of 2 source words are not in the dictionary: lorem, ipsum" in none.notes
    assert few.notes == ("3 of 4 source words are not in the dictionary: lorem, ipsum, dolor",)
    assert (empty.value, empty.notes) == (0.0, ("empty hypothesis",))


def test_the_language_is_guessed_from_all_sources(dictionary: str) -> None:
    text = (
        "Der Hund und die Katze sind nicht in dem Garten, und es ist auch nicht das Haus, das wir von hier aus sehen."
    )
    metric = load_metric("dictionary_cloud", dictionary=dictionary)
    assert not metric.bound
    with pytest.raises(UnboundMetricError, match="source_language"):
        metric.score([GOOD])
    bound = metric.bind([Segment("x", (), text * 2)])
    assert bound.binding_notes == ("sources read as German",)
    assert bound.signature["source_language"] == "de"
    with pytest.raises(InputError, match="is not recognised"):
        metric.bind([GOOD])
    english = (
        "The dog and the cat are not in the garden, and it is not the house that we have seen from here by the way."
    )
    with pytest.raises(InputError, match="exchanged"):
        metric.bind([Segment("x", (), english * 2)])


def test_the_free_score_works_without_any_one_part(dictionary: str, tmp_path: Path) -> None:
    whole = load_metric("mongescore_free", source_language="de", dictionary=dictionary, encoder="none")
    good, wrong, broken = (score.value for score in whole.score([GOOD, WRONG, BROKEN]))
    assert good > broken
    assert good > wrong
    score = whole.score([GOOD])[0]
    assert set(score.parts) == {"dictionary_cloud", "gloss_lm", "fluency"}
    silent = load_metric("mongescore_free", source_language="de", dictionary=dictionary, lm="none", encoder="none")
    assert set(silent.score([GOOD])[0].parts) == {"dictionary_cloud"}
    bare = dataclasses.replace(Environment.read(), data_folders=())
    swahili = load_metric("mongescore_free", source_language="sw", encoder="none", environment=bare)
    assert set(swahili.score([GOOD])[0].parts) == {"fluency"}
    assert any("dictionary=FILE" in note for note in swahili.binding_notes)
    offline = Environment(cache_directory=tmp_path, offline=True)
    with pytest.raises(ModelError, match="monge models fetch smollm2"):
        load_metric("mongescore_free", source_language="ru", encoder="none", environment=offline)
    partial = whole.score([Segment("a dog", (), "lorem ipsum")])[0]
    assert math.isfinite(partial.value)
    assert "without dictionary_cloud" in partial.notes


def test_a_word_by_word_translation_gains_little_from_being_shown(dictionary: str) -> None:
    """GOOD and the word-by-word translation that the language model is shown."""
    copy = Segment("the dog sleeps in garden .", (), GERMAN)
    options = {"source_language": "de", "dictionary": dictionary, "encoder": "none"}
    limited, free = (load_metric("mongescore_free", **options, gain=gain) for gain in (1.0, math.inf))
    (held, good), (raw, same) = (metric.score([copy, GOOD]) for metric in (limited, free))
    gain = raw.parts["gloss_lm"] - raw.parts["fluency"]
    assert gain > 1
    assert held.parts == raw.parts
    lost = (gain - 1.0) / 1.05 / 3  # its spread on MLQE; one of three parts
    assert raw.value - held.value == pytest.approx(lost, abs=1e-9)
    assert any("word-by-word" in note for note in held.notes)
    assert same.value >= good.value
    with pytest.raises(OptionError, match="gain"):
        load_metric("mongescore_free", gain=-1)


def test_a_composite_adds_scores_as_they_are(dictionary: str) -> None:
    part = f"dictionary_cloud,source_language=de,dictionary={dictionary}"
    both = load_metric("composite", terms=f"{part} + 0.1*fluency")
    score = both.score([GOOD])[0]
    cloud, fluency = (load_metric(*call[:1], **call[1]).score([GOOD])[0].value for call in (
        ("dictionary_cloud", {"source_language": "de", "dictionary": dictionary}), ("fluency", {})))  # fmt: skip
    assert score.value == pytest.approx(cloud + 0.1 * fluency, abs=1e-12)
    assert list(score.parts.values()) == pytest.approx([cloud, fluency])
    assert both.spec.needs == ("source",)
    less = load_metric("composite", terms="rouge1 + 0.5*emd", encoder=HashedEncoder())
    pair = Segment("a red boat", ("a blue boat",))
    rouge, emd = (
        m.score([pair])[0].value for m in (load_metric("rouge1"), load_metric("emd", encoder=HashedEncoder()))
    )
    assert less.score([pair])[0].value == pytest.approx(rouge - 0.5 * emd)
    assert np.isfinite(less.score([pair])[0].value)


def test_mongescore_fluent_is_a_sum_that_one_segment_has_by_itself() -> None:
    reference = ("The boat left the harbour at noon.",)
    segments = [Segment(text, reference) for text in (reference[0], "The ship left port at noon.", "Boat the noon at.")]
    both = load_metric("mongescore_fluent", encoder="minilm").score(segments)
    matching = load_metric("mongescore", encoder="minilm").score(segments)
    alone = load_metric("fluency", slor=True).score(segments)
    for one, first, second in zip(both, matching, alone, strict=True):
        assert one.value == pytest.approx(first.value + 0.023 * second.value, abs=1e-9)
        assert one.parts == {"mongescore": first.value, "fluency": second.value}
    (lonely,) = load_metric("mongescore_fluent", encoder="minilm").score(segments[1:2])
    assert lonely.value == pytest.approx(both[1].value, abs=1e-6)
    with pytest.raises(OptionError, match="must be positive"):
        load_metric("mongescore_fluent", encoder="minilm", fluency=0.0)
