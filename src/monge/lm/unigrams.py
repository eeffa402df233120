"""How frequent words are, whatever their context."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

from monge.errors import ModelError, OptionError

ALGORITHM = 1  # raise it when a word gets another frequency
UNKNOWN = 1e-8  # of a word that the list does not have: the rarest in it have this frequency
MARK = 0.02  # of a mark of punctuation: the list has none
_WORDS = 0.88  # of all tokens are words; the rest are marks


@dataclass(frozen=True)
class WordFrequencies:
    """log p(word) in a *language*, from the package wordfreq (Speer 2022), which counts words of many sources.

    wordfreq has no marks of punctuation: each is given 2 %, and words share 88 %. A word that is not in its list has
    the frequency 1e-8.

    >>> frequencies = WordFrequencies("en")
    >>> frequencies.log_probability("The") > frequencies.log_probability("boat") > math.log(1e-8)
    True
    """

    language: str = "en"

    def __post_init__(self) -> None:
        _read(self.language)

    @property
    def identity(self) -> str:
        """The list, its version and the code that reads it."""
        return f"unigrams={ALGORITHM},wordfreq={version('wordfreq')},{self.language}"

    def log_probability(self, word: str) -> float:
        """Return the natural logarithm of the word's frequency."""
        if not any(char.isalnum() for char in word):
            return math.log(MARK)
        return math.log(_WORDS * _read(self.language).get(word.lower(), UNKNOWN))


@cache
def _read(language: str) -> dict[str, float]:
    try:
        import wordfreq
    except ImportError:
        raise ModelError("word frequencies need wordfreq: pip install 'monge[dictionary]'") from None
    lists: Any = wordfreq.available_languages("best")
    if language not in lists:
        raise OptionError(f"no word frequencies for the language {language!r}; wordfreq has {', '.join(sorted(lists))}")
    found: dict[str, float] = wordfreq.get_frequency_dict(language)
    return found
