"""Pictures of alignments as PNG and PDF: the SVG that this package draws, drawn again with matplotlib.

Only what the pictures use is understood: groups that are moved or rotated, rectangles, circles, polygons, paths of
straight lines and cubic curves, text, and the colour scale of the legend.
"""

from __future__ import annotations

import io
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from monge.report.alignment.parts import cost_colour
from monge.report.plots import figure_style, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

KINDS = ("png", "pdf")
PIXELS_PER_INCH = 96.0
SHARPNESS = 2.0  # pixels of a PNG per pixel of the picture
INK = "#1f2328"
NARROWER = 0.93  # matplotlib's sans-serif font is wider than those of browsers, for which boxes are measured
FONTS = ("Noto Sans", "DejaVu Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans Arabic", "Noto Sans Hebrew")
METADATA: Mapping[str, Mapping[str, Any]] = {"png": {"Software": None}, "pdf": {"CreationDate": None}}


@dataclass(frozen=True)
class _Place:
    """What an element inherits: where it is, how opaque, and the size of its text."""

    transform: Transform
    opacity: float = 1.0
    size: float = 15.0


def render_image(svg: str, kind: str) -> bytes:
    """Return a picture as a PNG or PDF file; raises OptionError, which says what to install, without matplotlib."""
    root = ET.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    with figure_style():
        import matplotlib
        from matplotlib.transforms import IdentityTransform

        with matplotlib.rc_context({"savefig.bbox": None, "font.family": _known_fonts()}):
            figure = new_figure(width / PIXELS_PER_INCH, height / PIXELS_PER_INCH)
            figure.set_layout_engine("none")
            axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, width), ylim=(height, 0))
            axes.axis("off")
            _draw(axes, root, _Place(IdentityTransform()))
            return _save(figure, kind)


def _save(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=PIXELS_PER_INCH * SHARPNESS, metadata=dict(METADATA[kind]))
    return buffer.getvalue()


def _known_fonts() -> list[str]:
    from matplotlib.font_manager import fontManager

    names = set(fontManager.get_font_names())
    return [name for name in FONTS if name in names]


def _draw(axes: Axes, element: ET.Element, place: _Place) -> None:
    name = element.tag.rpartition("}")[2]
    if name in ("title", "defs"):
        return
    own = _descend(element, place)
    if name == "text":
        _draw_text(axes, element, own)
        return
    patch = _patch(name, element)
    if patch is not None:
        if element.get("fill") == "url(#cost)":
            _draw_scale(axes, element, own)
        else:
            patch.set(**_paint(element, own), transform=own.transform + axes.transData)
            axes.add_patch(patch)
    for child in element:
        _draw(axes, child, own)


def _descend(element: ET.Element, place: _Place) -> _Place:
    from matplotlib.transforms import Affine2D

    here = Affine2D()
    for kind, values in reversed(re.findall(r"(translate|rotate)\(([^)]*)\)", element.get("transform", ""))):
        numbers = [float(number) for number in re.split(r"[ ,]+", values.strip())]
        here = here.translate(*numbers) if kind == "translate" else here.rotate_deg(numbers[0])
    return replace(
        place,
        transform=here + place.transform,
        opacity=place.opacity * float(element.get("opacity", 1)),
        size=float(element.get("font-size", place.size)),
    )


def _patch(name: str, element: ET.Element) -> Any:
    from matplotlib import patches
    from matplotlib.path import Path

    if name == "rect":
        x, y, width, height, radius = (float(element.get(key, 0)) for key in ("x", "y", "width", "height", "rx"))
        style = f"round,pad=0,rounding_size={radius}"
        return patches.FancyBboxPatch((x, y), width, height, boxstyle=style)
    if name == "circle":
        return patches.Circle((float(element.attrib["cx"]), float(element.attrib["cy"])), float(element.attrib["r"]))
    if name == "polygon":
        numbers = [float(number) for number in re.split(r"[ ,]+", element.attrib["points"])]
        return patches.Polygon(list(zip(numbers[::2], numbers[1::2], strict=True)))
    if name == "path":
        points, codes = _read_path(element.attrib["d"])
        return patches.PathPatch(Path(points, codes))
    return None


def _read_path(text: str) -> tuple[list[tuple[float, float]], list[int]]:
    """Return points and matplotlib's codes of a path of M, L, C and Z."""
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    for command, values in re.findall(r"([MLCZ])([^MLCZ]*)", text):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", values)]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True)) or [points[0]]
        points += pairs
        codes += [{"M": 1, "L": 2, "C": 4, "Z": 79}[command]] * len(pairs)
    return points, codes


def _paint(element: ET.Element, place: _Place) -> dict[str, Any]:
    fill, stroke = element.get("fill", INK), element.get("stroke", "none")
    shades = [float(element.get(key, 1)) * place.opacity for key in ("fill-opacity", "stroke-opacity")]
    return {
        "facecolor": "none" if fill == "none" else (_ink(fill), shades[0]),
        "edgecolor": "none" if stroke == "none" else (_ink(stroke), shades[1]),
        "linewidth": 0.0 if stroke == "none" else 0.75 * float(element.get("stroke-width", 1)),
        "linestyle": (0, (3, 2)) if element.get("stroke-dasharray") else "solid",
    }


def _ink(colour: str) -> str:
    return INK if colour == "currentColor" else colour


def _draw_text(axes: Axes, element: ET.Element, place: _Place) -> None:
    anchors = {"middle": "center", "end": "right"}
    x, y = float(element.get("x", 0)), float(element.get("y", 0))
    (left, top), (right, bottom) = place.transform.transform([(x, y), (x + 1, y)])
    slope = -math.degrees(math.atan2(bottom - top, right - left))
    shown = axes.text(
        left,
        top,
        _plain(element.text or ""),
        ha=anchors.get(element.get("text-anchor", ""), "left"),
        va="baseline",
        rotation=slope,
        rotation_mode="anchor",
        fontsize=place.size * NARROWER * 72 / PIXELS_PER_INCH,
        fontweight=element.get("font-weight", "normal"),
        color=INK,
        alpha=place.opacity,
    )
    for part in element:
        if part.tag.endswith("tspan") and part.text:
            shown = axes.annotate(
                _plain(part.text), (1, 0), xycoords=shown, xytext=(8, 2), textcoords="offset points", va="bottom",
                fontsize=float(part.get("font-size", place.size)) * NARROWER * 72 / PIXELS_PER_INCH, color=INK,
                alpha=place.opacity * float(part.get("opacity", 1)),
            )  # fmt: skip


def _plain(text: str) -> str:
    """Return text that matplotlib shows literally: a dollar sign would begin a formula."""
    return text.replace("$", r"\$")


def _draw_scale(axes: Axes, element: ET.Element, place: _Place) -> None:
    """Draw the colour scale of the legend in steps."""
    from matplotlib.patches import Rectangle

    x, y, width, height = (float(element.attrib[key]) for key in ("x", "y", "width", "height"))
    steps = 60
    for step in range(steps):
        colour = (cost_colour(step, steps - 1), place.opacity)
        strip = Rectangle((x + width * step / steps, y), width / steps * 1.05, height, facecolor=colour, linewidth=0)
        strip.set_transform(place.transform + axes.transData)
        axes.add_patch(strip)
