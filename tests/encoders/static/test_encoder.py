"""The static encoder: spelling, parting, out-of-vocabulary policies, notes and signature."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monge.encoders.base import Encoder
from monge.encoders.static import StaticEncoder
from monge.encoders.static.files import VectorTable
from monge.errors import InputError, ModelError, OptionError

DATA = Path(__file__).parent / "data"
WORDS = ["the", "boy", "'s", "do", "n't", "Paris", "US", "us", "!", "##,###", "l'", "homme", "猫", "it's"]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))


def make_encoder(**options: Any) -> StaticEncoder:
    matrix = np.arange(1, 2 * len(WORDS) + 1, dtype=np.float32).reshape(-1, 2)
    table = VectorTable({word: row for row, word in enumerate(WORDS)}, matrix, "tiny.txt", "0123456789abcdef")
    return StaticEncoder(table, **options)


def found(text: str, **options: Any) -> list[str]:
    """Return the vocabulary words whose vectors the text got."""
    encoded = make_encoder(**options).encode([text])[0]
    return [WORDS[int(row[0] - 1) // 2] for row in encoded.vectors[0]]


def test_follows_the_protocol() -> None:
    encoder = make_encoder()
    assert isinstance(encoder, Encoder)
    assert (encoder.layers, encoder.dimension) == (1, 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("THE boy", ["the", "boy"]),
        ("paris US us Us", ["Paris", "US", "us", "us"]),
        ("boy's", ["boy", "'s"]),
        ("boy’s", ["boy", "'s"]),
        ("Don't", ["do", "n't"]),
        ("l'homme", ["l'", "homme"]),
        ("it's It’s", ["it's", "it's"]),
        ("!!! 12,345", ["!", "##,###"]),
        ("猫猫", ["猫", "猫"]),
    ],
)
def test_spellings(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("policy", "expected"), [("auto", ["the", "Paris", "US"]), ("always", ["the", "us"]), ("never", ["US"])]
)
def test_case_folding(policy: str, expected: list[str]) -> None:
    assert found("The PARIS US", fold_case=policy) == expected


def test_parts_share_the_word_and_split_its_span() -> None:
    encoded = make_encoder().encode(["A boy's"])[0]
    assert encoded.tokens == ("boy", "'s")
    assert encoded.spans.tolist() == [[2, 5], [5, 7]]
    assert encoded.words.tolist() == [1, 1]
    assert not encoded.special.any()


def test_skip_drops_and_reports() -> None:
    encoded = make_encoder().encode(["the Xyzzy boy plugh plugh"])[0]
    assert encoded.tokens == ("the", "boy")
    assert encoded.notes == ("3 of 5 words unknown, left out: Xyzzy, plugh",)
    assert encoded.vectors.shape == (1, 2, 2)


def test_long_lists_are_cut_in_the_note() -> None:
    note = make_encoder().encode(["q w e r t y the"])[0].notes[0]
    assert note == "6 of 7 words unknown, left out: q, w, e, r, t and 1 more"


def test_zero_and_hash_keep_the_word() -> None:
    zero = make_encoder(oov="zero").encode(["the xyzzy"])[0]
    assert zero.tokens == ("the", "xyzzy")
    assert zero.vectors[0, 1].tolist() == [0.0, 0.0]
    assert zero.notes == ("1 of 2 words unknown, given zero vectors: xyzzy",)
    hashed = make_encoder(oov="hash").encode(["xyzzy plugh", "XYZZY"])
    first, second = hashed[0].vectors[0]
    assert np.array_equal(first, hashed[1].vectors[0, 0])
    assert not np.allclose(first, second)
    typical = np.linalg.norm(np.arange(1, 2 * len(WORDS) + 1).reshape(-1, 2), axis=1).mean()
    assert np.linalg.norm(first) == pytest.approx(typical, rel=1e-5)


def test_error_policy_names_word_and_text() -> None:
    with pytest.raises(InputError, match=r"'xyzzy' in 'the xyzzy' is not among the words of tiny\.txt"):
        make_encoder(oov="error").encode(["the xyzzy"])


def test_nothing_known_is_an_empty_text_with_a_note() -> None:
    encoded = make_encoder().encode(["xyzzy", ""])
    assert [e.vectors.shape for e in encoded] == [(1, 0, 2)] * 2
    assert encoded[0].notes == ("1 of 1 words unknown, left out: xyzzy",)
    assert encoded[1].notes == ()


def test_nan_names_the_word() -> None:
    table = VectorTable({"bad": 0}, np.array([[np.nan, 1]], dtype=np.float32), "v.npy", "0" * 64)
    with pytest.raises(ModelError, match=r"v\.npy: NaN or infinity in the vector of 'bad'"):
        StaticEncoder(table).encode(["bad"])


def test_layers() -> None:
    encoder = make_encoder()
    assert encoder.encode(["the"], [0])[0].vectors.shape == (1, 1, 2)
    assert encoder.encode(["the"], [-1, 0])[0].vectors.shape == (2, 1, 2)
    with pytest.raises(OptionError, match="layer 3: static vectors have one layer"):
        encoder.encode(["the"], [3])


def test_options_are_checked_and_signed() -> None:
    assert make_encoder().signature == "tiny.txt@01234567,oov=skip,case=auto"
    assert make_encoder(oov="zero", fold_case="never", limit=9).signature.endswith("oov=zero,case=never,limit=9")
    with pytest.raises(OptionError, match=r"oov='skipp' is not one of skip, .* \(did you mean 'skip'\?\)"):
        make_encoder(oov="skipp")
    with pytest.raises(OptionError, match="fold_case="):
        StaticEncoder.load(DATA / "word2vec.txt", fold_case="sometimes")  # type: ignore[arg-type]


def test_load_signature_changes_with_content_and_limit() -> None:
    encoders = [StaticEncoder.load(DATA / "word2vec.txt", limit=limit) for limit in (None, 2)]
    assert encoders[0].signature.startswith("word2vec.txt@")
    assert [len(e.encode(["the boy naïve 猫"])[0].tokens) for e in encoders] == [4, 2]
    assert encoders[0].signature != encoders[1].signature


def test_fasttext_composes_unknown_words() -> None:
    encoded = StaticEncoder.load(DATA / "fasttext.bin", oov="error").encode(["The boys"])[0]
    assert encoded.tokens == ("The", "boys")
    assert encoded.notes == ()
    assert encoded.vectors[0, 1] == pytest.approx([0.10983258, 0.01669586, 0.06721115, 0.01320907], abs=1e-7)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(alphabet=st.sampled_from(list("the boy's US!猫x ")), max_size=20), max_size=4))
def test_batch_equals_one_by_one(texts: list[str]) -> None:
    encoder = make_encoder(oov="hash")
    together = encoder.encode(texts)
    assert [e.tokens for e in together] == encoder.tokenize(texts)
    for text, encoded in zip(texts, together, strict=True):
        assert np.array_equal(encoded.vectors, make_encoder(oov="hash").encode([text])[0].vectors)
        assert all(text[a:b] == token for (a, b), token in zip(encoded.spans, encoded.tokens, strict=True))
