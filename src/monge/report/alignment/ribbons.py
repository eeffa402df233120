"""An alignment as ribbons between two texts. Plain SVG, no script, no style sheet.

Elements carry ``data-h`` and ``data-r`` (numbers of hypothesis and reference words), so that a page can highlight
flows. Colours are presentation attributes and text is ``currentColor``: the picture works on light and dark pages under
a strict content security policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from monge.explanation import ExplainedPair, Explanation, Flow, Word
from monge.report.alignment.boxes import MOST_ROWS, Box, Placement, place_columns, place_rows
from monge.report.alignment.layout import Item, PairLayout, lay_out_pair
from monge.report.alignment.parts import LOSS, cost_colour, cost_legend, signed, svg_document, svg_title
from monge.report.alignment.titles import flow_title, word_title

WIDEST = 1080.0  # rows are wrapped at this width, unless another one is given
STUB = 22.0  # length of the stubs that show unmoved mass
THINNER = 0.6  # ribbons between wrapped rows, many of which cross
NUMBER = 11.0  # font size of contributions


def render_ribbons(
    explanation: Explanation,
    *,
    pair: int = 0,
    columns: bool | None = None,
    width: float = WIDEST,
    frame: bool = True,
) -> str:
    """Draw one pair as ribbons: width is mass, colour is cost, boxes are tinted by the mean cost of their flows.

    *pair* is the number of the pair. Words are placed in rows that are wrapped at *width*, or in two columns
    (*columns*; None: columns in a file if there were more than three rows). *frame* adds a title and a white
    background, for use as a separate file.
    """
    chosen = explanation.pairs[pair]
    layout = lay_out_pair(chosen)
    placement = place_columns(layout) if columns else place_rows(layout, chosen, width)
    if columns is None and frame and placement.rows > MOST_ROWS:
        placement = place_columns(layout)
    stage = _Stage(layout, chosen, placement, _scale(layout, chosen, placement))
    stubs = list(stage.stubs())
    sides = ("left", "right") if placement.columns else ("above", "below")
    remarks = [
        f"{sides[0]}: hypothesis; {sides[1]}: {chosen.against}",
        "ribbon width: mass; number: what the word adds",
        "tint of a word: mean cost of its flows",
        *(["dashed: mass left unmoved"] if stubs else []),
    ]
    legend = cost_legend(layout.far, placement.size[1], remarks)
    body = [*stage.ribbons(), *stubs, *stage.words()]
    return svg_document(explanation, placement.size, body, legend, frame)


@dataclass(frozen=True, eq=False)
class _Stage:
    """What is drawn where; ``scale`` is pixels per unit of mass."""

    layout: PairLayout
    pair: ExplainedPair
    placement: Placement
    scale: float

    def _where(self) -> tuple[dict[int, Box], dict[int, Box]]:
        lines = (self.layout.hypothesis, self.layout.reference)
        found = [
            {item.word: box for item, box in zip(line, boxes, strict=True) if item.word is not None}
            for line, boxes in zip(lines, self.placement.boxes, strict=True)
        ]
        return found[0], found[1]

    def _along(self, box: Box) -> tuple[float, float]:
        """Return start and length of a box along its text's line."""
        return (box.y, box.height) if self.placement.columns else (box.x, box.width)

    def _inner(self, box: Box, side: int) -> float:
        """Return where the ribbons of a box begin, across the lines."""
        start, size = (box.x, box.width) if self.placement.columns else (box.y, box.height)
        return start + size if side == 0 else start

    def _point(self, along: float, across: float) -> str:
        return f"{across:.1f},{along:.1f}" if self.placement.columns else f"{along:.1f},{across:.1f}"

    def ribbons(self) -> Iterator[str]:
        """Yield the flows, the widest first so that thin ones stay visible."""
        where = self._where()
        starts = self._dock(where)
        for flow in sorted(self.layout.flows, key=lambda flow: -flow.mass):
            ends = [starts[side, flow.hypothesis, flow.reference] for side in (0, 1)]
            edges = self._inner(where[0][flow.hypothesis], 0), self._inner(where[1][flow.reference], 1)
            yield self._ribbon(flow, (ends[0], ends[1]), edges, max(flow.mass * self.scale, 1.2))

    def _dock(self, where: tuple[dict[int, Box], dict[int, Box]]) -> dict[tuple[int, int, int], float]:
        """Return where each flow begins on either side: side by side, in the order of their other ends."""
        docks: dict[tuple[int, int, int], float] = {}
        for side in (0, 1):
            for word, box in where[side].items():
                start, length = self._along(box)
                own = [flow for flow in self.layout.flows if (flow.hypothesis, flow.reference)[side] == word]
                own.sort(key=lambda flow: self._along(where[1 - side][(flow.reference, flow.hypothesis)[side]])[0])
                place = start + (length - sum(flow.mass for flow in own) * self.scale) / 2
                for flow in own:
                    docks[side, flow.hypothesis, flow.reference] = place
                    place += flow.mass * self.scale
        return docks

    def _ribbon(self, flow: Flow, ends: tuple[float, float], edges: tuple[float, float], width: float) -> str:
        (top, bottom), (first, last) = ends, edges
        middle = (first + last) / 2
        path = (
            f"M{self._point(top, first)} C{self._point(top, middle)} {self._point(bottom, middle)} "
            f"{self._point(bottom, last)} L{self._point(bottom + width, last)} C{self._point(bottom + width, middle)} "
            f"{self._point(top + width, middle)} {self._point(top + width, first)} Z"
        )
        wrapped = not self.placement.columns and self.placement.rows > 1
        quiet = wrapped and self.placement.rows > MOST_ROWS
        return (
            f'<path class="flow{" quiet" if quiet else ""}" data-h="{flow.hypothesis}" data-r="{flow.reference}" '
            f'd="{path}" fill="{cost_colour(flow.cost, self.layout.far)}" fill-opacity="{0.4 if wrapped else 0.62}">'
            f"{flow_title(self.pair, flow)}</path>"
        )

    def stubs(self) -> Iterator[str]:
        """Yield unmoved mass as short dashed stubs."""
        for side, words in enumerate((self.pair.hypothesis.words, self.pair.reference.words)):
            for word, box in self._where()[side].items():
                if words[word].unmoved > 0.02 * max(words[word].mass, 1e-9):
                    yield self._stub(side, word, words[word], box)

    def _stub(self, side: int, number: int, word: Word, box: Box) -> str:
        half = word.unmoved * self.scale / 2
        start, length = self._along(box)
        centre, edge = start + length / 2, self._inner(box, side)
        reach = STUB if self.placement.columns or self.placement.rows == 1 else STUB / 2
        tip = edge + (reach if side == 0 else -reach)
        corners = [(centre - half, edge), (centre + half, edge), (centre + half / 2, tip), (centre - half / 2, tip)]
        points = " ".join(self._point(along, across) for along, across in corners)
        kind = ("addition", "omission")[side]
        title = svg_title(f"{word.text}: {word.unmoved / word.mass:.0%} of its mass is left unmoved ({kind})")
        return (
            f'<polygon class="stub" data-{"hr"[side]}="{number}" points="{points}" fill="none" stroke="{LOSS}" '
            f'stroke-dasharray="3 2">{title}</polygon>'
        )

    def words(self) -> Iterator[str]:
        """Yield the boxes, labels and contributions."""
        for side, line in enumerate((self.layout.hypothesis, self.layout.reference)):
            strain = self.pair.strain(side)
            for item, box in zip(line, self.placement.boxes[side], strict=True):
                if item.word is None:
                    yield self._skipped(item, box)
                else:
                    yield self._word(side, item.word, item, box, float(strain[item.word]))

    def _skipped(self, item: Item, box: Box) -> str:
        x, y = box.centre
        return (
            f'<text class="skipped" x="{x:.1f}" y="{y + 5:.1f}" text-anchor="middle" opacity="0.55">'
            f"{escape(item.label)}</text>"
        )

    def _word(self, side: int, number: int, item: Item, box: Box, strain: float) -> str:
        x, y = box.centre
        inside = not self.placement.columns and not self.placement.compact
        frame = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="6"'
        ground = "" if self.placement.columns else f'<rect class="ground" {frame} fill="#ffffff"/>'
        return (
            f'<g class="word" data-{"hr"[side]}="{number}" tabindex="0" role="img">'
            f'{word_title(self.pair, side, number)}{ground}<rect {frame} fill="{LOSS}" '
            f'fill-opacity="{tint_of(strain):.2f}" stroke="currentColor" stroke-opacity="0.25"/>'
            f'<text x="{x:.1f}" y="{y - 2 if inside else y + 5:.1f}" text-anchor="middle">{escape(item.label)}</text>'
            f"{self._number(side, number, box)}</g>"
        )

    def _number(self, side: int, number: int, box: Box) -> str:
        if self.placement.compact:
            return ""
        x, y = box.centre
        if self.placement.columns:
            place, anchor = (box.x - 6, y + 4) if side == 0 else (box.x + box.width + 6, y + 4), ("end", "start")[side]
        else:
            place, anchor = (x, y + 14), "middle"
        amount = signed(self.pair.sides[side].words[number].contribution)
        return (
            f'<text class="contribution" x="{place[0]:.1f}" y="{place[1]:.1f}" text-anchor="{anchor}" '
            f'font-size="{NUMBER:.0f}" opacity="0.75">{amount}</text>'
        )


def tint_of(strain: float) -> float:
    """Return the opacity of a word's tint: none for a perfect match, dark for a far word."""
    return 0.02 + 0.6 * min(max(strain, 0.0), 1.0)


def _scale(layout: PairLayout, pair: ExplainedPair, placement: Placement) -> float:
    """Return the pixels per unit of mass with which the flows of every word fit its box."""
    best = 4000.0
    lines: Sequence[tuple[Item, ...]] = (layout.hypothesis, layout.reference)
    for side, line in enumerate(lines):
        moved: dict[int, float] = {}
        for flow in layout.flows:
            end = (flow.hypothesis, flow.reference)[side]
            moved[end] = moved.get(end, 0.0) + flow.mass
        for item, box in zip(line, placement.boxes[side], strict=True):
            if item.word is not None:
                length = box.height if placement.columns else box.width
                mass = max(moved.get(item.word, 0.0), pair.sides[side].words[item.word].mass, 1e-9)
                best = min(best, (length - 6) / mass)
    return best * (THINNER if placement.rows > 1 and not placement.columns else 1.0)
