"""The parts that pictures of alignments share: colours, titles, legend, the SVG document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from monge.explanation import Explanation
from monge.report.alignment.layout import label_width
from monge.report.printable import make_printable
from monge.scores.direction import describe_direction

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
# from near to far: blue, pale, amber, red; colour-blind readers can distinguish them too
RAMP = ((38, 128, 160), (140, 180, 166), (226, 176, 74), (221, 122, 58), (204, 58, 44))
LOSS = "#cc3a2c"
SIZE, SMALL = 15.0, 12.0
MARGIN = 12.0
NARROW = 440.0  # a wider picture is scrolled on a phone, because its words would be too small to read


def cost_colour(cost: float, far: float) -> str:
    """Return the colour of a cost: blue at 0, red at *far* and beyond.

    >>> cost_colour(0.0, 1.0), cost_colour(2.0, 1.0)
    ('#2680a0', '#cc3a2c')
    """
    place = min(max(cost / far, 0.0), 1.0) * (len(RAMP) - 1)
    step = min(int(place), len(RAMP) - 2)
    mixed = (a + (b - a) * (place - step) for a, b in zip(RAMP[step], RAMP[step + 1], strict=True))
    return "#" + "".join(f"{round(value):02x}" for value in mixed)


def svg_title(text: str) -> str:
    """Return a tooltip that shows *text* literally."""
    return svg_title_lines([text])


def svg_title_lines(lines: Sequence[str]) -> str:
    """Return a tooltip of several lines, each shown literally."""
    shown = "\n".join(make_printable(line) for line in lines)
    return f"<title>{escape(shown)}</title>"


def signed(value: float, digits: int = 3) -> str:
    """Return a number with its sign and a true minus; what rounds to 0 becomes plain 0.

    >>> signed(-0.0123), signed(0.0001), signed(0.5)
    ('−0.012', '0', '+0.500')
    """
    text = f"{value:+.{digits}f}"
    return "0" if float(text) == 0 else text.replace("-", "−")


@dataclass(frozen=True)
class Legend:
    """The lines below a picture, as SVG, and the space they need."""

    svg: str
    width: float
    height: float


def cost_legend(far: float, top: float, remarks: Sequence[str]) -> Legend:
    """Return the colour scale of costs at height *top*, and the remarks below it, one per line."""
    stops = "".join(f'<stop offset="{share / 4:.0%}" stop-color="{cost_colour(share, 4)}"/>' for share in range(5))
    lines = "".join(
        f'<text x="0" y="{9 + SMALL * 1.4 * place:.1f}">{escape(remark)}</text>'
        for place, remark in enumerate(remarks, start=1)
    )
    svg = (
        f'<defs><linearGradient id="cost">{stops}</linearGradient></defs>'
        f'<g class="legend" font-size="{SMALL:.0f}" opacity="0.75" transform="translate({MARGIN:.0f} {top:.1f})">'
        '<text x="0" y="9">cost 0</text>'
        '<rect x="46" y="0" width="90" height="10" rx="2" fill="url(#cost)"/>'
        f'<text x="142" y="9">{far:.2f} or more</text>{lines}</g>'
    )
    width = max(240.0, *(label_width(remark, SMALL) for remark in remarks))
    return Legend(svg, 2 * MARGIN + width, 24 + SMALL * 1.4 * len(remarks))


def svg_document(
    explanation: Explanation,
    size: tuple[float, float],
    body: Sequence[str],
    legend: Legend,
    frame: bool,
) -> str:
    """Return the whole picture; *frame* adds a heading and a white background, for use as a separate file.

    A picture without a frame is part of a page, where the keyboard reaches its words one by one.
    """
    better = describe_direction(explanation.higher_is_better)
    heading = f"{explanation.metric} {explanation.value:.4f}".replace("-", "−")
    label = quoteattr(f"Alignment behind {heading} ({better})")
    needed = 2 * MARGIN + label_width(heading, SIZE * 1.2) + label_width(better, 14) if frame else 0.0
    top = 30.0 if frame else 0.0
    width, height = max(size[0], legend.width, needed), size[1] + legend.height + top
    wide = "" if width <= NARROW else ' class="wide"'
    ground = title = ""
    if frame:
        ground = f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#ffffff"/>'
        title = (
            f'<text x="{MARGIN:.0f}" y="24" font-weight="600">{escape(heading)}<tspan font-weight="400" font-size="12" '
            f'opacity="0.7" dx="8">{better}</tspan></text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{wide} viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="{escape(FONT)}" font-size="{SIZE:.0f}" '
        f'{"color=" + quoteattr("#1f2328") + " " if frame else ""}fill="currentColor" '
        f'role="{"img" if frame else "group"}" aria-label={label}>'
        f'{ground}{title}<g transform="translate(0 {top:.0f})">{"".join(body)}{legend.svg}</g></svg>'
    )
