"""Encoded texts kept in memory."""

import threading

import numpy as np
import pytest

from monge.encoders.recent import RecentEncoder
from monge.encoders.static.hashed import HashedEncoder


class Counting(HashedEncoder):
    """Counts the texts it encodes."""

    def __init__(self) -> None:
        super().__init__(dimension=50)
        self.asked: list[str] = []

    def encode(self, texts, layers=None):
        self.asked += texts
        return super().encode(texts, layers)


@pytest.fixture
def inner():
    return Counting()


def test_texts_are_encoded_once(inner):
    recent = RecentEncoder(inner, most=1_000_000)
    texts = ["one text", "another", "one text"]
    for _ in range(3):
        for mine, plain in zip(recent.encode(texts, [1]), HashedEncoder(dimension=50).encode(texts, [1]), strict=True):
            assert mine.tokens == plain.tokens
            np.testing.assert_array_equal(mine.vectors, plain.vectors)
    assert inner.asked == ["one text", "another"]


def test_layers_are_kept_apart(inner):
    recent = RecentEncoder(inner, most=1_000_000)
    assert recent.encode(["a b"], [0, 1])[0].vectors.shape[0] == 2
    assert recent.encode(["a b"], [1])[0].vectors.shape[0] == 1
    assert recent.encode(["a b"])[0].vectors.shape[0] == recent.layers
    assert inner.asked == ["a b"] * 3


def test_the_oldest_are_dropped(inner):
    one = inner.encode(["word"], [0])[0].vectors.nbytes + 2_000
    recent = RecentEncoder(inner, most=3 * one)
    inner.asked.clear()
    for text in ("a", "b", "c", "a", "d", "a", "b"):
        recent.encode([text], [0])
    assert inner.asked == ["a", "b", "c", "d", "b"]
    assert recent._size <= 3 * one
    assert len(recent._kept) == 3


def test_nothing_is_kept_without_room(inner):
    recent = RecentEncoder(inner, most=0)
    assert recent.encode(["a"], [0])[0].tokens == ("a",)
    assert not recent._kept


def test_it_looks_like_the_encoder_within(inner):
    recent = RecentEncoder(inner, most=100)
    for name in ("signature", "identity", "layers", "dimension"):
        assert getattr(recent, name) == getattr(inner, name)
    assert recent.tokenize(["a b"]) == [("a", "b")]


def test_threads_share_it(inner):
    recent = RecentEncoder(inner, most=20_000)
    texts = [f"text number {n}" for n in range(40)]
    wrong = []

    def read(start):
        for n in range(200):
            text = texts[(start * 7 + n) % len(texts)]
            if recent.encode([text], [0])[0].text != text:
                wrong.append(text)

    threads = [threading.Thread(target=read, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert recent._size == sum(one.vectors.nbytes + 2_000 for one in recent._kept.values()) <= 20_000
