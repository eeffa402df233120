"""Damaging texts step by step, and exchanging their words: examples whose order of quality is known without people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from monge.clouds.filters import ENGLISH_STOPWORDS

_SHORTEST = 4  # letters of a word that carries content
_MARKS = ".,;:!?\"'()[]"


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
