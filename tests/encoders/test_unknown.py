"""The share of a text that an encoder does not know."""

from pathlib import Path

import numpy as np
import pytest

from monge.encoders import load_encoder
from monge.encoders.static import StaticEncoder
from monge.encoders.static.files import VectorTable
from monge.encoders.unknown import unknown_share
from monge.errors import ModelError
from monge.text import word_spans

WORDS = ("the", "boy", "ran", ".", "do", "n't")


def share_of(text: str, oov: str = "skip") -> float:
    table = VectorTable({word: row for row, word in enumerate(WORDS)}, np.eye(6, dtype=np.float32), "tiny", "0" * 64)
    return StaticEncoder(table, oov=oov).encode([text])[0].unknown  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("The boy ran.", 0.0),
        ("The boy swam.", 1 / 3),
        ("Xyzzy.", 1.0),  # a known full stop makes nothing readable
        ("我们去公园。", 1.0),
        ("The boy — ran, too!", 0.25),  # unknown punctuation does not count
        ("Don't", 0.0),  # known in two parts
        (".", 0.0),
        ("!?", 1.0),  # nothing but punctuation
        ("", 0.0),
        (" \u200b", 0.0),
    ],
)
@pytest.mark.parametrize("oov", ["skip", "zero"])
def test_static_vectors_count_the_words_they_lack(text: str, share: float, oov: str) -> None:
    assert share_of(text, oov) == share


def test_a_hashed_vector_of_its_own_makes_a_word_known() -> None:
    assert share_of("Xyzzy plugh.", "hash") == 0.0


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("The boy ran.", 0.0),
        ("The boy 🙂 ran 🙃.", 0.4),
        ("วันนี้อากาศดีมาก", 1.0),  # one word, one [UNK]
        ("Қайырлы таң. Тұратын уақыт болды.", 0.8),  # the last word has five tokens, the others one
        ("", 0.0),
    ],
)
def test_transformers_count_the_words_they_cannot_spell(text: str, share: float, minilm_directory: Path) -> None:
    for _ in range(2):  # computed, then from the cache
        assert load_encoder("minilm", cache=True).encode([text], [0])[0].unknown == pytest.approx(share)


def test_every_word_is_looked_at_in_long_texts() -> None:
    text = "known unknown, " * 5000
    spans = [span for span in word_spans(text) if text[slice(*span)] == "unknown"]
    assert unknown_share(text, spans) == 0.5


def test_a_share_lies_between_0_and_1() -> None:
    from monge.encoders import EncodedText

    none = np.zeros((0, 2), np.int64)
    with pytest.raises(ModelError, match="between 0 and 1"):
        EncodedText("", (), none, np.zeros((1, 0, 2), np.float32), none[:, 0] > 0, none[:, 0], (), 1.5)
