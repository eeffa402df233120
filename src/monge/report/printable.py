"""Texts made safe to show: nothing in them may control a terminal, a page or the reading direction."""

from __future__ import annotations

import unicodedata

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def make_printable(text: str) -> str:
    r"""Return *text* with control characters as visible signs, direction overrides by name, stray surrogates as U+FFFD.

    >>> make_printable("a\x00b\x1b[31m\u202ec")
    'a␀b␛[31m⟨U+202E⟩c'
    """
    return "".join(map(_visible, text))


def shorten(text: str, width: int) -> str:
    """Return at most *width* characters, the last an ellipsis where some were cut.

    >>> shorten("unbelievable", 7)
    'unbeli…'
    """
    return text if len(text) <= width else text[: width - 1] + "…"


def _visible(char: str) -> str:
    code = ord(char)
    if char in _BIDI:
        return f"⟨U+{code:04X}⟩"
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    illegal = 0x80 <= code < 0xA0 or unicodedata.category(char) in ("Cs", "Cn", "Co") or code in (0x2028, 0x2029)
    return "\ufffd" if illegal else char
