"""Damaging texts step by step, and exchanging their words: examples whose order of quality is known without people."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from monge.clouds.filters import ENGLISH_STOPWORDS

_SHORTEST = 4  # letters of a word that carries content
_MARKS = ".,;:!?\"'()[]"
_ENDINGS = ("ing", "ed", "ly", "s")  # words that end alike mostly play the same part in a sentence
_ALIKE = 0.75  # how often words that are alike are exchanged, where there are any


def damage(text: str, edits: int, vocabulary: Sequence[str], rng: np.random.Generator) -> str:
    """Return *text* after *edits* random edits of words.

    An edit deletes a word (25 %), replaces it by one of *vocabulary* (25 %), inserts one (15 %), exchanges two words at
    most three places apart (20 %), repeats a word (8 %) or deletes two to four words (7 %).

    >>> damage("the cat sat on the mat", 2, ["dog"], np.random.default_rng(3))
    'on cat sat the mat'
    """
    words = text.split()
    for _ in range(edits):
        if len(words) < 3:
            break
        i, kind = int(rng.integers(len(words))), rng.random()
        if kind < 0.25:
            del words[i]
        elif kind < 0.5:
            words[i] = vocabulary[int(rng.integers(len(vocabulary)))]
        elif kind < 0.65:
            words.insert(i, vocabulary[int(rng.integers(len(vocabulary)))])
        elif kind < 0.85:
            j = min(len(words) - 1, max(0, i + int(rng.choice([-3, -2, -1, 1, 2, 3]))))
            words[i], words[j] = words[j], words[i]
        elif kind < 0.93:
            words.insert(i, words[i])
        else:
            del words[i : i + int(rng.integers(2, 5))]
    return " ".join(words)


def exchange_words(text: str, rng: np.random.Generator) -> str | None:
    """Return *text* with two words that carry content in each other's place, punctuation apart; None if it has not two.

    One time in four it is done twice. The result says something else in the same words.

    >>> exchange_words("Wolves are chasing the rabbits.", np.random.default_rng(0))
    'chasing are Wolves the rabbits.'
    """
    words = text.split()
    bare = [word.strip(_MARKS) for word in words]
    places = [i for i, word in enumerate(bare) if len(word) >= _SHORTEST and word.lower() not in ENGLISH_STOPWORDS]
    if len({bare[i].lower() for i in places}) < 2:
        return None
    changed = list(words)
    for _ in range(2 if rng.random() < 0.25 else 1):
        i, j = (int(place) for place in rng.choice(places, 2, replace=False))
        changed[i], changed[j] = (
            changed[i].replace(bare[i], bare[j], 1),
            changed[j].replace(bare[j], bare[i], 1),
        )
        bare[i], bare[j] = bare[j], bare[i]
    result = " ".join(changed)
    return None if result.lower() == " ".join(words).lower() else result


def exchange_alike(text: str, rng: np.random.Generator) -> str | None:
    """Return *text* with two names, numbers or other words of one kind in each other's place; None if it has not two.

    Words of content are of one kind if both end in -ing, -ed, -ly or -s, or neither does. A name of several words moves
    as a whole, but for one that starts the text. Such a text mostly reads better than what :func:`exchange_words`
    makes, so it is harder to tell from a paraphrase (Zhang et al. 2019 exchange words of one part of speech); one time
    in four, and where nothing is alike, that is returned.

    >>> exchange_alike("We fly from New York to Paris.", np.random.default_rng(1))
    'We fly from Paris to New York.'
    """
    words = text.split()
    groups: dict[str, list[tuple[int, int]]] = {}
    for start, end in _units(words):
        groups.setdefault(_form(words, start), []).append((start, end))
    pairs = [
        pair
        for form, units in groups.items()
        for pair in itertools.combinations(units, 2)
        if form and _bare(words, *pair[0]).lower() != _bare(words, *pair[1]).lower()
    ]
    if not pairs or rng.random() >= _ALIKE:
        return exchange_words(text, rng)
    (a, b), (c, d) = pairs[int(rng.integers(len(pairs)))]
    first, second = (" ".join(words[start:end]) for start, end in ((a, b), (c, d)))
    one, other = _bare(words, a, b), _bare(words, c, d)
    moved = [first.replace(one, other, 1), second.replace(other, one, 1)]
    result = " ".join([*words[:a], moved[0], *words[b:c], moved[1], *words[d:]])
    return None if result.lower() == " ".join(words).lower() else result


def _units(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of words, and of runs of capitalised words that no mark divides as one."""
    start = 0
    while start < len(words):
        end = start + 1
        if start:
            while end < len(words) and _is_name(words, start) and _is_name(words, end) and words[end - 1][-1].isalnum():
                end += 1
        yield start, end
        start = end


def _is_name(words: Sequence[str], place: int) -> bool:
    return place > 0 and words[place].lstrip(_MARKS)[:1].isupper() and words[place].strip(_MARKS) != "I"


def _form(words: Sequence[str], place: int) -> str:
    """Return what a word is alike with: ``name``, ``number`` or its ending; nothing where it carries no content."""
    word = words[place].strip(_MARKS)
    if any(letter.isdigit() for letter in word):
        return "number"
    if _is_name(words, place):
        return "name"
    if len(word) < _SHORTEST or word.lower() in ENGLISH_STOPWORDS or not place:
        return ""
    return next((ending for ending in _ENDINGS if word.endswith(ending)), "other")


def _bare(words: Sequence[str], start: int, end: int) -> str:
    return " ".join(words[start:end]).strip(_MARKS)
