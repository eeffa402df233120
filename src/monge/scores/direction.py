"""Whether a higher score is better; a descriptive feature of texts has no such direction (None)."""

from __future__ import annotations

from monge.errors import OptionError


def describe_direction(higher_is_better: bool | None) -> str:
    """Return the direction in words.

    >>> describe_direction(False), describe_direction(None)
    ('lower is better', 'neither direction is better')
    """
    if higher_is_better is None:
        return "neither direction is better"
    return "higher is better" if higher_is_better else "lower is better"


def direction_mark(higher_is_better: bool | None) -> str:
    """Return an arrow towards better scores, or nothing.

    >>> direction_mark(True), direction_mark(None)
    ('↑', '')
    """
    return "" if higher_is_better is None else "↑" if higher_is_better else "↓"


def require_direction(name: str, higher_is_better: bool | None) -> bool:
    """Return the direction of scores that decide what is better.

    Raises OptionError if *name* has none: a guess would turn better into worse.
    """
    if higher_is_better is None:
        raise OptionError(
            f"{name} describes texts: neither a higher nor a lower value is better, so it cannot say which text or "
            "system is better"
        )
    return higher_is_better
