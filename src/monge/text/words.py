"""Word boundaries, found by Unicode rules alone."""

from __future__ import annotations

from functools import cache
from typing import Any

# In order: scripts without spaces, one character per word; dotted abbreviations (U.S., e.g.); numbers with
# separators; words with inner apostrophes; repeated punctuation (... -- !!); one symbol, emoji sequences whole.
_WORD = r"""
    [\p{Han}\p{Hiragana}\p{Katakana}\u30FC\uFF70]\p{M}*
  | (?<![\p{L}\p{M}\p{N}_])(?:\p{L}\.){2,}
  | \p{N}+(?:[.,]\p{N}+)+(?![\p{L}\p{M}_])
  | [[\p{L}\p{M}\p{N}_]--[\p{Han}\p{Hiragana}\p{Katakana}\u30FC\uFF70]]+
    (?:['’][[\p{L}\p{M}]--[\p{Han}\p{Hiragana}\p{Katakana}\u30FC\uFF70]]+)*
  | (\p{P})\1*
  | (?=[^\s\p{Cc}\p{Cf}])\X
"""


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of every word and punctuation mark of *text*, in order.

    A word is a run of letters, combining marks and digits, apostrophes inside it included (``don't``); numbers keep
    their separators (``1,000.5``), abbreviations their dots (``U.S.``). Hyphens separate words. Each Han or kana
    character is one word; a run of Thai, Lao or Khmer, which are written without spaces, is not split. Any other
    character is one word; repeated punctuation (``...``) and emoji sequences count as one.

    >>> text = "Don't pay 1,000.5 well-known U.S. boys..."
    >>> [text[start:end] for start, end in word_spans(text)]
    ["Don't", 'pay', '1,000.5', 'well', '-', 'known', 'U.S.', 'boys', '...']
    >>> [text[start:end] for text in ["猫がいるABC。"] for start, end in word_spans(text)]
    ['猫', 'が', 'い', 'る', 'ABC', '。']
    """
    return [match.span() for match in _pattern().finditer(text)]


@cache
def _pattern() -> Any:
    import regex  # deferred; the standard module re supports neither scripts nor combining marks

    return regex.compile(_WORD, regex.VERBOSE | regex.VERSION1)
