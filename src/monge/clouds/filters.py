"""Which tokens of a text are compared: named rules over encoded tokens."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from monge.encoders.ragged import EncodedBatch
from monge.errors import OptionError, suggest

Mask = NDArray[np.bool_]
_SPACE_MARKS = "\u0120\u2581"  # what byte-level BPE and SentencePiece put before a token that follows a space

_ASCII_MARKS = frozenset(string.punctuation)

# Function words of English: articles, pronouns, prepositions, conjunctions, auxiliaries. Own list.
ENGLISH_STOPWORDS = frozenset(
    """a an the this that these those i me my mine we us our ours you your yours he him his she her hers it its they
    them their theirs who whom whose which what and or but nor so yet if then than as because while until although
    of at by for with about against between into through during before after above below to from up down in out on
    off over under again further once here there when where why how all any both each few more most other some such
    no not only own same too very can will just should would could may might must shall do does did doing have has
    had having be am is are was were been being""".split()  # noqa: SIM905  # a list of 130 literals reads worse
)


def _without_mark(token: str) -> str:
    return token.lstrip(_SPACE_MARKS) or token


@lru_cache(maxsize=100_000)
def _is_punctuation(token: str) -> bool:
    return bool(token) and all(unicodedata.category(char)[0] in "PS" for char in _without_mark(token))


@lru_cache(maxsize=100_000)
def _is_ascii_mark(token: str) -> bool:
    return _without_mark(token) in _ASCII_MARKS


class Tokens(Protocol):
    """What filters look at: tokens, which of them are special, and the number of the word each belongs to."""

    @property
    def tokens(self) -> Sequence[str]: ...
    @property
    def special(self) -> Mask: ...
    @property
    def words(self) -> NDArray[np.int64]: ...


@dataclass(frozen=True, eq=False)
class TokenColumns:
    """The tokens of many texts, laid end to end, with the words of all of them numbered differently."""

    batch: EncodedBatch

    @cached_property
    def tokens(self) -> list[str]:
        """The tokens, which many recipes need not look at."""
        return list(chain.from_iterable(self.batch.tokens))

    @property
    def special(self) -> Mask:
        return self.batch.special

    @cached_property
    def words(self) -> NDArray[np.int64]:
        counts = np.diff(self.batch.offsets)
        base = np.repeat(np.arange(len(self.batch)) * (int(counts.max(initial=0)) + 1), counts)
        return np.where(self.batch.words < 0, -1, self.batch.words + base)


def _mask(encoded: Tokens, rule: Callable[[str], bool]) -> Mask:
    hits = np.fromiter(map(rule, encoded.tokens), dtype=np.bool_, count=len(encoded.tokens))
    return hits & ~encoded.special


def _stopwords(encoded: Tokens, stopwords: Collection[str]) -> Mask:
    """Return the tokens that are whole stop words, not pieces of a longer word ("be" of "be ##lieve")."""
    same = encoded.words[1:] == encoded.words[:-1]
    whole = np.ones(len(encoded.tokens), dtype=np.bool_)
    whole[1:] &= ~same
    whole[:-1] &= ~same
    verdicts = {token: _without_mark(token).lower() in stopwords for token in set(encoded.tokens)}
    return _mask(encoded, verdicts.__getitem__) & whole


def _subwords(encoded: Tokens, _: Collection[str]) -> Mask:
    continues = np.zeros(len(encoded.tokens), dtype=np.bool_)
    continues[1:] = (encoded.words[1:] == encoded.words[:-1]) & ~encoded.special[1:]
    return continues


# name → mask of the tokens that the rule matches
FILTERS: dict[str, Callable[[Tokens, Collection[str]], Mask]] = {
    "special": lambda encoded, _: encoded.special,
    "punctuation": lambda encoded, _: _mask(encoded, _is_punctuation),
    # the rule of the released MoverScore: one ASCII mark
    "ascii_punctuation": lambda encoded, _: _mask(encoded, _is_ascii_mark),
    "subwords": _subwords,
    "stopwords": _stopwords,
}


def parse_filters(text: str) -> tuple[str, ...]:
    """Return the names in a ``+``-separated list; ``"none"`` means no filter. Raises OptionError for an unknown name.

    >>> parse_filters("special+punctuation")
    ('special', 'punctuation')
    """
    names = tuple(name.strip() for name in text.split("+") if name.strip() not in ("", "none"))
    for name in names:
        if name not in FILTERS:
            raise OptionError(f"no token filter {name!r}{suggest(name, FILTERS)}; there are {', '.join(FILTERS)}")
    return names


def match_filters(encoded: Tokens, names: Collection[str], stopwords: Collection[str] = ENGLISH_STOPWORDS) -> Mask:
    """Return the mask (n,) of the tokens that any of the named rules matches."""
    matched = np.zeros(len(encoded.special), dtype=np.bool_)
    for name in names:
        matched |= FILTERS[name](encoded, stopwords)
    return matched
