"""An alignment as a heat map: every pair of words, coloured by cost, with a dot where mass moves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.sax.saxutils import escape

from monge.explanation import ExplainedPair, Explanation
from monge.report.alignment.layout import Item, PairLayout, label_width, lay_out_pair, reads_leftwards
from monge.report.alignment.parts import MARGIN, cost_colour, cost_legend, svg_document, svg_title
from monge.report.alignment.titles import word_title

CELL = 28.0
SLOPE = 50.0  # degrees by which reference words are rotated


def render_heatmap(explanation: Explanation, *, pair: int = 0, frame: bool = True) -> str:
    """Draw one pair as a matrix: rows are hypothesis words, columns reference words, the area of a dot is mass.

    *pair* is the number of the pair; *frame* adds a title and a white background, for use as a separate file.
    """
    chosen = explanation.pairs[pair]
    layout = lay_out_pair(chosen)
    rows = [item for item in layout.hypothesis if item.word is not None]
    columns = [item for item in layout.reference if item.word is not None]
    if reads_leftwards(chosen.reference.text):
        columns.reverse()
    left = MARGIN + max(label_width(item.label, 13) for item in rows) + 8
    tilt = math.radians(SLOPE)
    longest = max(label_width(item.label, 13) for item in columns)
    top = longest * math.sin(tilt) + 14
    overhang = label_width(columns[-1].label, 13) * math.cos(tilt)
    size = (left + CELL * len(columns) + overhang + MARGIN, top + CELL * len(rows) + 12)
    heads = [
        _head(chosen, item, 0, f'x="{left - 8:.1f}" y="{top + CELL * (i + 0.5) + 4:.1f}" text-anchor="end"')
        for i, item in enumerate(rows)
    ]
    heads += [
        _head(
            chosen, item, 1, f'transform="translate({left + CELL * (j + 0.6):.1f} {top - 6:.1f}) rotate(-{SLOPE:.0f})"'
        )
        for j, item in enumerate(columns)
    ]
    legend = cost_legend(
        layout.far, size[1], [f"rows: hypothesis; columns: {chosen.against}", "area of a dot: mass moved"]
    )
    numbers = [item.word for item in rows if item.word is not None], [c.word for c in columns if c.word is not None]
    cells = _cells(layout, chosen, numbers, (left, top))
    return svg_document(explanation, size, [*heads, *cells], legend, frame)


def _head(pair: ExplainedPair, item: Item, side: int, place: str) -> str:
    assert item.word is not None
    return (
        f'<text class="head" data-{"hr"[side]}="{item.word}" {place} font-size="13" tabindex="0" role="img">'
        f"{word_title(pair, side, item.word)}{escape(item.label)}</text>"
    )


def _cells(
    layout: PairLayout, pair: ExplainedPair, numbers: tuple[list[int], list[int]], corner: tuple[float, float]
) -> Iterator[str]:
    moved = {(flow.hypothesis, flow.reference): flow.mass for flow in layout.flows}
    most = max(moved.values(), default=1.0)
    for i, row in enumerate(numbers[0]):
        for j, column in enumerate(numbers[1]):
            x, y = corner[0] + CELL * j, corner[1] + CELL * i
            cost, mass = float(layout.cost[row, column]), moved.get((row, column), 0.0)
            names = pair.hypothesis.words[row].text, pair.reference.words[column].text
            radius = max(2.0, 10 * math.sqrt(mass / most))
            dot = (
                f'<circle cx="{x + CELL / 2:.1f}" cy="{y + CELL / 2:.1f}" r="{radius:.1f}" '
                'fill="#ffffff" stroke="#1f2328" stroke-width="1.2"/>'
                if mass
                else ""
            )
            yield (
                f'<g class="cell{" moved" if mass else ""}" data-h="{row}" data-r="{column}">'
                f"{svg_title(f'{names[0]}, {names[1]}: cost {cost:.4f}, mass {mass:.4f}')}"
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{CELL - 1:.0f}" height="{CELL - 1:.0f}" rx="3" '
                f'fill="{cost_colour(cost, layout.far)}" fill-opacity="{0.9 if mass else 0.5}"/>{dot}</g>'
            )
