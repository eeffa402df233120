"""Figures in one style, light or dark; the same figure always gives the same file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from monge.errors import OptionError
from monge.report.dark import darkened
from monge.storage.atomic import open_atomic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "png", "pdf")
THEMES = ("light", "dark")

# colours that stay apart in grey and for colour-blind readers (Okabe and Ito 2008)
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#666666"

_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.bbox": "tight",
    "savefig.dpi": 150,
    "svg.fonttype": "path",  # looks the same wherever it is opened
    "svg.hashsalt": "monge",  # the same figure gives the same file
}


@contextmanager
def figure_style() -> Iterator[None]:
    """Apply the common style to every figure drawn or saved inside.

    Raises OptionError, which names what to install, when matplotlib is missing.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise OptionError("figures need matplotlib: pip install 'monge[plot]'") from error
    with matplotlib.rc_context(_STYLE):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches, without a window."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def figure_bytes(figure: Figure, *, kind: str = "svg", theme: str = "light") -> bytes:
    """Return a figure as an SVG, PNG or PDF file, the same bytes every time; *theme* is ``light`` or ``dark``."""
    if kind not in FORMATS:
        raise OptionError(f"no figure format {kind!r}; there are {', '.join(FORMATS)}")
    if theme not in THEMES:
        raise OptionError(f"no theme {theme!r}; there are {', '.join(THEMES)}")
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[kind]
    buffer = io.BytesIO()
    with figure_style(), darkened(figure) if theme == "dark" else nullcontext():
        figure.savefig(buffer, format=kind, metadata=metadata, facecolor=figure.get_facecolor())
    return buffer.getvalue()


def save_figure(figure: Figure, path: str | Path, *, theme: str = "light") -> None:
    """Write a figure to a file; the ending of its name gives the format (.svg, .png, .pdf)."""
    kind = Path(path).suffix.removeprefix(".").lower()
    data = figure_bytes(figure, kind=kind, theme=theme)
    with open_atomic(path) as stream:
        stream.write(data)
