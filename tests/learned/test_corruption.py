"""Damaged texts: how much changes is what was asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monge.learned.corruption import damage, exchange_alike, exchange_words

WORDS = st.lists(
    st.sampled_from(["alpha", "beta,", "gamma", "delta", "the", "of", "a", "Omega."]), min_size=1, max_size=12
)


@given(words=WORDS, edits=st.integers(0, 8), seed=st.integers(0, 1000))
def test_damage(words, edits, seed):
    text = " ".join(words)
    damaged = damage(text, edits, ["new"], np.random.default_rng(seed))
    assert damaged == damage(text, edits, ["new"], np.random.default_rng(seed))
    if edits == 0:
        assert damaged == text
    assert set(damaged.split()) <= {*words, "new"}
    assert len(damaged.split()) >= min(len(words), 1)


@pytest.mark.parametrize("exchange", [exchange_words, exchange_alike])
@given(words=WORDS, seed=st.integers(0, 1000))
def test_exchanged_words_are_the_same_words_elsewhere(exchange, words, seed):
    text = " ".join(words)
    other = exchange(text, np.random.default_rng(seed))
    content = {word.strip(".,").lower() for word in words} - {"the", "of", "a"}
    if other is None:
        return
    assert len(content) >= 2
    assert other != text
    assert sorted(word.strip(".,") for word in other.split()) == sorted(word.strip(".,") for word in words)
    marks = [[word[len(word.rstrip(".,")) :] for word in one.split()] for one in (text, other)]
    assert marks[0] == marks[1]  # punctuation stays where it is


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("We fly from New York to Paris.", {"We fly from Paris to New York."}),
        ("Born in 1960, he died in 2001.", {"Born in 2001, he died in 1960."}),
        ("The dogs saw our rabbits quickly.", {"The rabbits saw our dogs quickly."}),
    ],
)
def test_alike_words_are_exchanged(text, others, monkeypatch):
    """Names as a whole, numbers, and words of one ending; marks stay in place."""
    monkeypatch.setattr("monge.learned.corruption._ALIKE", 1.0)
    assert {exchange_alike(text, np.random.default_rng(seed)) for seed in range(20)} == others
