"""The dark version of a figure: the same drawing, every colour exchanged for its counterpart on a dark page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER, INK = "#16181b", "#e9e9e9"  # nearly those of report/page.css
ON_FILL = "on-fill"  # gid of text that stands on a coloured cell, whose colour stays as it is

# the colours of report/plots.py, lighter: contrast with the dark page at least 4.5
_COUNTERPARTS = {
    "#000000": INK,
    "#ffffff": PAPER,
    "#0072b2": "#56b4e9",
    "#d55e00": "#ff8c42",
    "#009e73": "#3ecfa0",
    "#666666": "#a0a0a0",
    "#e8e8e8": "#34373c",
    "#b0b0b0": "#4a4d52",  # matplotlib's grid
    "#cccccc": "#4a4d52",
}
_FEW = 8  # colours of a map that lists categories
_FILLS = {"#e8e8e8": "#34373c"}  # of cells; strong colours stay, with white text on them
_COLOURS = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")


@contextmanager
def darkened(figure: Figure) -> Iterator[None]:
    """Exchange the colours of every part of *figure* inside; text marked ``ON_FILL`` keeps its own."""
    restore: list[Callable[[], object]] = []
    for part in figure.findobj():
        if part.get_gid() == ON_FILL:
            continue
        for name in (*_COLOURS, "cmap"):
            get, put = (getattr(part, f"{verb}_{name}", None) for verb in ("get", "set"))
            if get is None or put is None:
                continue
            before = get()
            after = _exchange_map(before) if name == "cmap" else _exchange(before)
            if after is not before:
                restore.append(partial(put, before))
                put(after)
    yield
    for step in reversed(restore):
        step()


def _exchange_map(cmap: Any) -> Any:
    """Return a map with few listed colours for a dark page; continuous maps stay, because numbers are read by them."""
    from matplotlib.colors import ListedColormap, to_hex

    listed: Any = cmap.colors if isinstance(cmap, ListedColormap) else ()
    if 0 < len(listed) < _FEW:
        return ListedColormap([_FILLS.get(to_hex(colour), colour) for colour in listed])
    return cmap


def _exchange(colour: Any) -> Any:
    """Return the counterpart of one colour or of an array of colours, with the same transparency."""
    import numpy as np
    from matplotlib.colors import is_color_like, to_hex, to_rgba

    if isinstance(colour, np.ndarray) and colour.ndim == 2:
        return [_exchange(tuple(row)) for row in colour]
    if not is_color_like(colour) or (isinstance(colour, str) and colour == "none"):
        return colour
    rgba = to_rgba(colour)
    found = _COUNTERPARTS.get(to_hex(rgba[:3]).lower())
    return colour if found is None else to_rgba(found, rgba[3])
