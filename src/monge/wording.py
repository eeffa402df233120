"""Words for numbers, in messages and reports of every room."""

from __future__ import annotations


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun, in the singular for 1.

    >>> count_noun(1, "tie"), count_noun(2500, "instance"), count_noun(2, "loss")
    ('1 tie', '2,500 instances', '2 losses')
    """
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{number:,} {noun if number == 1 else plural}"
