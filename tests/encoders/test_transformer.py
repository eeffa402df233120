"""The embedded encoder: tokens, layers, batches and windows, on its real weights."""

import gc
import re
import weakref
from pathlib import Path

import numpy as np
import pytest

from monge.encoders import Encoder, load_encoder
from monge.encoders.models import find_model, locate_model
from monge.encoders.plan import plan_transformer
from monge.encoders.transformer import load_transformer
from monge.encoders.windows import plan_windows
from monge.environment import Environment
from monge.errors import InputError, ModelError, OptionError

TEXTS = [
    "The cat sat on the mat.",
    "",
    "Ünïcödé “quotes” — naïve 漢字, ﬁne 😀!",
    "A rather longer sentence, with several clauses, was written so that lengths differ; it does its duty.",
    "x",
    "unbelievable antidisestablishmentarianism",
    " leading and trailing ",
    "The cat sat on the mat.",
]


@pytest.fixture(scope="module")
def minilm(minilm_directory):
    return load_encoder("minilm")


def largest_difference(left, right):
    """The largest distance of two vectors of a token, relative to their length."""
    return max(
        float((np.linalg.norm(a.vectors - b.vectors, axis=-1) / np.linalg.norm(a.vectors, axis=-1)).max())
        for a, b in zip(left, right, strict=True)
    )


def test_it_is_an_encoder(minilm):
    assert isinstance(minilm, Encoder)
    assert (minilm.layers, minilm.dimension) == (7, 384)
    assert minilm.signature == "all-MiniLM-L6-v2@53aa5117.aea5"
    assert load_encoder(minilm) is minilm
    assert not set(":|") & set(minilm.signature)


def test_spans_point_into_the_text_as_it_is(minilm):
    text = "Ünïcödé “quotes” — naïve 漢字, ﬁne 😀!"
    encoded = minilm.encode([text], [0])[0]
    parts = [text[start:stop] for start, stop in encoded.spans]
    assert parts[0] == parts[-1] == ""
    assert "".join(parts) == text.replace(" ", "")
    assert parts[parts.index("漢") + 1] == "字"
    assert encoded.tokens[1:3] == ("unicode", "“")


def test_subwords_share_a_word_and_special_tokens_have_none(minilm):
    encoded = minilm.encode(["unbelievable antidisestablishmentarianism"], [0])[0]
    assert encoded.special.tolist() == [True] + [False] * (len(encoded.tokens) - 2) + [True]
    assert encoded.words[0] == encoded.words[-1] == -1
    assert sorted(set(encoded.words[1:-1].tolist())) == [0, 1]
    for token, word in zip(encoded.tokens[2:-1], encoded.words[2:-1], strict=True):
        assert token.startswith("##") == (word == 1 and token != encoded.tokens[list(encoded.words).index(1)])


def test_an_empty_text_is_its_special_tokens(minilm):
    encoded = minilm.encode([""])[0]
    assert encoded.tokens == ("[CLS]", "[SEP]")
    assert encoded.vectors.shape == (7, 2, 384)
    assert minilm.encode([]) == []


def test_tokenize_gives_what_encode_returns(minilm):
    assert minilm.tokenize(TEXTS) == [encoded.tokens for encoded in minilm.encode(TEXTS, [0])]


def test_layers_are_those_asked_for_in_that_order(minilm):
    every = minilm.encode(TEXTS)
    some = minilm.encode(TEXTS, [4, 0, 2])
    for all_layers, three in zip(every, some, strict=True):
        np.testing.assert_allclose(three.vectors, all_layers.vectors[[4, 0, 2]], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(minilm.encode(["x"], [-1])[0].vectors, minilm.encode(["x"], [6])[0].vectors)
    for wrong in ([7], [-8], []):
        with pytest.raises(OptionError):
            minilm.encode(TEXTS, wrong)


def test_deeper_layers_are_not_even_loaded(minilm_directory):
    encoder = load_transformer(plan_transformer(minilm_directory, title="nobody else's"))
    encoder.encode(["x"], [2])
    assert len(encoder._backend._sessions) == 2


def test_equal_texts_are_encoded_once(minilm):
    encoded = minilm.encode(TEXTS, [1])
    assert encoded[0] is encoded[-1]


def test_the_batch_does_not_matter(minilm):
    texts = TEXTS + [" ".join(["word"] * n) + "." for n in range(1, 60)]
    together = minilm.encode(texts)
    alone = [minilm.encode([text])[0] for text in texts]
    backwards = minilm.encode(texts[::-1])[::-1]
    assert largest_difference(together, alone) < 1e-6
    assert largest_difference(together, backwards) < 1e-6
    assert [e.text for e in together] == texts


def test_sentence_vectors_know_meaning(minilm):
    """all-MiniLM's own use: the mean of the last layer; its card's example is of this kind."""
    texts = ["That is a happy person", "That is a very happy person", "Today is a sunny day"]
    vectors = [encoded.vectors[0].mean(axis=0) for encoded in minilm.encode(texts, [6])]
    unit = [v / np.linalg.norm(v) for v in vectors]
    assert unit[0] @ unit[1] == pytest.approx(0.943, abs=0.005)
    assert unit[0] @ unit[2] == pytest.approx(0.257, abs=0.005)


LONG = " ".join(f"Sentence number {i} tells about the weather of day {i}." for i in range(120))


def test_long_texts_are_encoded_in_windows_and_say_so(minilm):
    encoded = minilm.encode([LONG, "short"], [0, 6])
    count = len(encoded[0].tokens)
    assert count > 1200
    assert encoded[0].notes == ("encoded in 4 windows",)
    assert encoded[1].notes == ()
    assert encoded[0].special.sum() == 2
    assert "".join(LONG[a:b] for a, b in encoded[0].spans) == LONG.replace(" ", "")


def test_stitched_vectors_are_those_of_their_window(minilm):
    """Each window, encoded as a text of its own, gives the vectors that are kept of it."""
    whole = minilm.encode([LONG], [0, 6])[0]
    for window in plan_windows(len(whole.tokens) - 2, 510):
        spans = whole.spans[1:-1]
        alone = minilm.encode([LONG[spans[window.start][0] : spans[window.stop - 1][1]]], [0, 6])[0]
        assert alone.tokens[1:-1] == whole.tokens[1:-1][window.start : window.stop]
        kept = alone.vectors[:, 1 + window.keep_start - window.start : 1 + window.keep_stop - window.start]
        stitched = whole.vectors[:, 1 + window.keep_start : 1 + window.keep_stop]
        np.testing.assert_allclose(stitched, kept, atol=1e-5)
    np.testing.assert_allclose(whole.vectors[:, -1], alone.vectors[:, -1], atol=1e-5)


def test_long_texts_can_be_cut_or_refused(minilm_directory):
    cut = load_encoder("minilm", long="truncate")
    assert cut.signature == "all-MiniLM-L6-v2@53aa5117.aea5/long-truncate"
    encoded = cut.encode([LONG], [0])[0]
    assert len(encoded.tokens) == 512
    assert encoded.tokens[-1] == "[SEP]"
    assert re.fullmatch(r"cut at 510 of \d+ tokens", encoded.notes[0])
    strict = load_encoder("minilm", long="error")
    with pytest.raises(InputError, match=r"Sentence number 0.*tokens.*510"):
        strict.encode(["short", LONG], [0])
    assert strict.encode(["short"], [0])[0].notes == ()


def test_a_text_that_just_fits_is_one_window(minilm):
    assert minilm.encode(["word " * 510], [0])[0].notes == ()
    assert minilm.encode(["word " * 511], [0])[0].notes == ("encoded in 2 windows",)


@pytest.mark.parametrize("text", [None, 3, b"bytes", "half \ud800 pair"])
def test_what_is_no_text_is_refused(minilm, text):
    with pytest.raises(InputError):
        minilm.encode(["fine", text], [0])


def test_odd_characters_pass(minilm):
    for text in ["\x00\x01", "\u200b", "\n\t ", "e\u0301", "🏳️‍🌈" * 30, "[SEP] [MASK]", "a" * 3000]:
        encoded = minilm.encode([text], [6])[0]
        assert encoded.vectors.shape[1] == len(encoded.tokens) >= 2
        assert np.all(encoded.spans <= len(text))


@pytest.mark.mpnet
def test_mpnet_has_its_own_shape():
    mpnet = load_encoder("mpnet")
    assert (mpnet.layers, mpnet.dimension, mpnet.signature) == (13, 768, "all-mpnet-base-v2@78c0197b.663d")
    encoded = mpnet.encode(["Hello world", LONG], [0, 7])
    assert encoded[0].tokens == ("<s>", "hello", "world", "</s>")
    assert encoded[1].notes == ("encoded in 4 windows",)
    together = mpnet.encode(TEXTS[:4], [12])
    assert largest_difference(together, [mpnet.encode([text], [12])[0] for text in TEXTS[:4]]) < 1e-6


def test_broken_directories_are_reported(tmp_path, minilm_directory):
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelError, match=r"config\.json"):
        load_encoder(tmp_path)
    (tmp_path / "config.json").write_text((minilm_directory / "config.json").read_text())
    with pytest.raises(ModelError, match=r"no model\.safetensors"):
        load_encoder(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match=r"model\.safetensors cannot be read"):
        load_encoder(tmp_path)


def test_weights_that_do_not_fit_the_configuration_are_reported(tmp_path, minilm_directory):
    config = (minilm_directory / "config.json").read_text().replace('"hidden_size": 384', '"hidden_size": 192')
    (tmp_path / "config.json").write_text(config)
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).symlink_to(minilm_directory / name)
    with pytest.raises(ModelError, match="implies"):
        load_encoder(tmp_path).encode(["x"])


def test_the_same_weights_by_path_have_the_same_hash(minilm_directory, minilm):
    by_path = load_encoder(str(minilm_directory))
    assert by_path.signature.partition("@")[2] == minilm.signature.partition("@")[2]
    assert locate_model(find_model("minilm"), Environment.read()) == minilm_directory


def test_another_tokenizer_is_another_encoder(minilm_directory: Path, tmp_path: Path) -> None:
    """The same weights behind a tokenizer that keeps case must not share a signature, and so no stored vectors."""
    for file in minilm_directory.iterdir():
        if file.is_file():
            (tmp_path / file.name).symlink_to(file)
    text = (minilm_directory / "tokenizer.json").read_text(encoding="utf-8")
    (tmp_path / "tokenizer.json").unlink()
    (tmp_path / "tokenizer.json").write_text(text.replace('"lowercase":true', '"lowercase":false'), encoding="utf-8")
    assert text.count('"lowercase":true') == 1
    same, other = load_encoder(minilm_directory), load_encoder(tmp_path)
    assert same.signature.split("@")[1] != other.signature.split("@")[1]
    assert same.signature.split("@")[1][:8] == other.signature.split("@")[1][:8]


def test_a_model_in_use_is_loaded_once_and_let_go_with_its_last_user(minilm_directory: Path) -> None:
    plan = plan_transformer(minilm_directory, title="shared")
    first, second = load_transformer(plan), load_transformer(plan)
    assert first is second
    assert load_transformer(plan_transformer(minilm_directory, title="shared", long="truncate")) is not first
    seen = weakref.ref(first)
    del first, second
    gc.collect()
    assert seen() is None
