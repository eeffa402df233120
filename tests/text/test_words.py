"""Words and sentences."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monge.text import sentence_spans, split_sentences, word_spans


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in word_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\u3000\u200b ", []),
        ("The boy's dog.", ["The", "boy's", "dog", "."]),
        ("don’t 'quote' rock'n'roll", ["don’t", "'", "quote", "'", "rock'n'roll"]),
        ("well-known", ["well", "-", "known"]),
        ("$1,000.50 3rd 2.", ["$", "1,000.50", "3rd", "2", "."]),
        ("U.S. e.g. A.", ["U.S.", "e.g.", "A", "."]),
        ("end.Start a.b.c.", ["end", ".", "Start", "a.b.c."]),
        ("wait... what?! --", ["wait", "...", "what", "?", "!", "--"]),
        ("snake_case", ["snake_case"]),
        ("naïve cafe\u0301", ["naïve", "cafe\u0301"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Привет, мир!", ["Привет", ",", "мир", "!"]),
        ("私はラーメンA1を食べた。", [*"私はラーメン", "A1", *"を食べた。"]),
        ("中文，ok", ["中", "文", "，", "ok"]),
        ("안녕 하세요", ["안녕", "하세요"]),
        ("👩‍👩‍👧 ok 🇩🇪+", ["👩‍👩‍👧", "ok", "🇩🇪", "+"]),
        ("x²≤y", ["x²", "≤", "y"]),
        ("l'homme d'État", ["l'homme", "d'État"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(st.text())
def test_spans_are_ordered_and_cover_all_letters_and_digits(text: str) -> None:
    spans = word_spans(text)
    previous = 0
    for start, end in spans:
        assert previous <= start < end <= len(text)
        assert not any(char.isalnum() for char in text[previous:start])
        previous = end
    assert not any(char.isalnum() for char in text[previous:])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n ", []),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. A. Smith vs. Mr. B. He won.", ["Dr. A. Smith vs. Mr. B. He won."]),
        ("It cost $3.50. He paid.", ["It cost $3.50.", "He paid."]),
        ('"Go!" he said. "Now." (She went.)', ['"Go!" he said.', '"Now."', "(She went.)"]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("He left in 1999. She stayed.", ["He left in 1999.", "She stayed."]),
        ("1. First point. 2 apples.", ["1. First point.", "2 apples."]),
        ("Title\n\nBody text", ["Title", "Body text"]),
        ("今日は晴れ。「はい！」と言った。", ["今日は晴れ。", "「はい！」", "と言った。"]),
        ("Das ist z.B. gut. Ja.", ["Das ist z.B. gut.", "Ja."]),
        ("So did I. Then we went.", ["So did I.", "Then we went."]),
        ("no end", ["no end"]),
        ("नमस्ते। आप कैसे हैं", ["नमस्ते।", "आप कैसे हैं"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


@given(st.text(alphabet=st.sampled_from(list("aB. !?。\n\"'1"))))
def test_sentences_lose_nothing_but_space(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in spans)


def test_sentences_of_a_book_take_no_time() -> None:
    """Looking through all of the text again at every full stop took minutes here, and hours for 100,000 sentences."""
    text = "The cat of Mr. Smith sat. " * 5_000
    start = time.perf_counter()
    assert len(sentence_spans(text)) == 5_000
    assert time.perf_counter() - start < 10
