"""Numbers and names as they appear in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def percent(share: float) -> str:
    """Return a share as whole percents, one decimal near the ends and near one half.

    >>> percent(0.62), percent(0.502), percent(0.9991)
    ('62 %', '50.2 %', '99.9 %')
    """
    value = 100 * share
    fine = abs(value - 50) < 1 or value < 1 or value > 99
    return f"{value:.1f} %" if fine and value not in (0, 50, 100) else f"{value:.0f} %"


def p_value(p: float) -> str:
    """Return a p-value in the usual notation.

    >>> p_value(0.00012), p_value(0.0312), p_value(0.4)
    ('p < 0.001', 'p = 0.031', 'p = 0.40')
    """
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def amount(value: float) -> str:
    """Return a score difference with three significant digits.

    >>> amount(0.02134), amount(12.0), amount(-0.5)
    ('0.0213', '12', '-0.5')
    """
    return f"{value:.3g}"


def listed(names: Sequence[str], *, limit: int = 4) -> str:
    """Join names as a sentence does, cutting long lists short.

    >>> listed(["A", "B", "C"]), listed(list("ABCDEF"))
    ('A, B and C', 'A, B, C and 3 more')
    """
    if len(names) > limit:
        return f"{', '.join(names[: limit - 1])} and {len(names) - limit + 1} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
