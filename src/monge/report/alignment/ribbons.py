"""An alignment as ribbons between two lines of words. Plain SVG, no script, no style sheet.

Elements carry ``data-h`` and ``data-r`` (numbers of hypothesis and reference words), so that a page can highlight
flows. Colours are presentation attributes and text is ``currentColor``: the picture works on light and dark pages under
a strict content security policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np

from monge.explanation import ExplainedPair, Explanation, Flow, Word
from monge.report.alignment.layout import Item, PairLayout, label_width, lay_out_pair, reads_leftwards
from monge.report.alignment.parts import (
    LOSS,
    MARGIN,
    SIZE,
    SMALL,
    cost_colour,
    cost_legend,
    signed,
    svg_document,
    svg_title,
    word_title,
)

PADDING, GAP, BOX = 9.0, 9.0, 30.0
ACROSS, ACROSS_COLUMNS = 150.0, 92.0  # between the two lines of words
WIDEST = 1080.0  # a line longer than this is set as columns
STUB = 22.0  # length of the stubs that show unmoved mass


def render_ribbons(explanation: Explanation, *, pair: int = 0, columns: bool | None = None, frame: bool = True) -> str:
    """Draw one pair as ribbons: width is mass, colour is cost, boxes are tinted by what a word loses.

    *pair* is the number of the pair. Words are placed on two lines, or in two columns (*columns*; None: if lines would
    be too long). *frame* adds a title and a white background, for use as a separate file.
    """
    chosen = explanation.pairs[pair]
    layout = lay_out_pair(chosen)
    if columns is None:
        columns = max(_line_length(side) for side in (layout.hypothesis, layout.reference)) > WIDEST
    stage = _Stage.build(layout, chosen, columns)
    stubs = list(stage.stubs())
    remarks = ["ribbon width: mass; tint: loss", *(["dashed: mass left unmoved"] if stubs else [])]
    legend = cost_legend(layout.far, stage.size[1], remarks)
    return svg_document(explanation, stage.size, [*stage.ribbons(), *stubs, *stage.words()], legend, frame)


def _line_length(items: Sequence[Item]) -> float:
    return sum(_item_length(item) + GAP for item in items)


def _item_length(item: Item) -> float:
    smallest = 44.0 if item.word is not None else 0.0
    return max(label_width(item.label, SIZE) + 2 * PADDING, smallest)


@dataclass(frozen=True, eq=False)
class _Stage:
    """Positions in (along, across) coordinates: lines run along, ribbons across; columns swap the two axes."""

    layout: PairLayout
    pair: ExplainedPair
    columns: bool
    places: tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]]  # start, length of each item
    reach: tuple[float, float]  # width of a box across, one per side
    scale: float  # pixels per unit of mass

    @classmethod
    def build(cls, layout: PairLayout, pair: ExplainedPair, columns: bool) -> _Stage:
        lines = (layout.hypothesis, layout.reference)
        lengths = [[BOX if columns else _item_length(item) for item in line] for line in lines]
        totals = [sum(line) + GAP * max(len(line) - 1, 0) for line in lengths]
        places = []
        for line, total, side in zip(lengths, totals, (pair.hypothesis, pair.reference), strict=True):
            start = MARGIN + (0.0 if columns else (max(totals) - total) / 2)
            ends = np.cumsum([0.0, *(length + GAP for length in line)])
            spots = [(float(end), length) for end, length in zip(ends[:-1], line, strict=True)]
            if not columns and reads_leftwards(side.text):
                spots = [(total - place - length, length) for place, length in spots]
            places.append(tuple((start + place, length) for place, length in spots))
        reach = tuple(max([_item_length(item) for item in line], default=0.0) if columns else BOX for line in lines)
        return cls(layout, pair, columns, (places[0], places[1]), (reach[0], reach[1]), _scale(layout, pair, lengths))

    @property
    def size(self) -> tuple[float, float]:
        along = max((start + length for line in self.places for start, length in line), default=0.0) + MARGIN
        across = self._edge(1) + self.reach[1] + self._outer
        return (across, along) if self.columns else (along, across)

    @property
    def _outer(self) -> float:
        """Space for the contributions outside the words."""
        return 50.0 if self.columns else MARGIN + 16

    def _edge(self, side: int) -> float:
        """Return where the boxes of a side begin, across."""
        return self._outer if side == 0 else self._outer + self.reach[0] + (ACROSS_COLUMNS if self.columns else ACROSS)

    def _inner(self, side: int) -> float:
        """Return where the ribbons of a side begin, across."""
        return self._edge(0) + self.reach[0] if side == 0 else self._edge(1)

    def _point(self, along: float, across: float) -> str:
        return f"{across:.1f},{along:.1f}" if self.columns else f"{along:.1f},{across:.1f}"

    def _where(self) -> tuple[dict[int, tuple[float, float]], dict[int, tuple[float, float]]]:
        lines = (self.layout.hypothesis, self.layout.reference)
        found = [
            {item.word: place for item, place in zip(line, spots, strict=True) if item.word is not None}
            for line, spots in zip(lines, self.places, strict=True)
        ]
        return found[0], found[1]

    def ribbons(self) -> Iterator[str]:
        """Yield the flows, the widest first so that thin ones stay visible."""
        starts = self._dock()
        for flow in sorted(self.layout.flows, key=lambda flow: -flow.mass):
            width = max(flow.mass * self.scale, 1.2)
            top, bottom = starts[0, flow.hypothesis, flow.reference], starts[1, flow.hypothesis, flow.reference]
            yield self._ribbon(flow, top, bottom, width)

    def _dock(self) -> dict[tuple[int, int, int], float]:
        """Return where each flow begins on either side: side by side, in the order of their other ends."""
        where = self._where()
        docks: dict[tuple[int, int, int], float] = {}
        for side in (0, 1):
            for word, (start, length) in where[side].items():
                own = [flow for flow in self.layout.flows if (flow.hypothesis, flow.reference)[side] == word]
                own.sort(key=lambda flow: where[1 - side][(flow.reference, flow.hypothesis)[side]][0])
                place = start + (length - sum(flow.mass for flow in own) * self.scale) / 2
                for flow in own:
                    docks[side, flow.hypothesis, flow.reference] = place
                    place += flow.mass * self.scale
        return docks

    def _ribbon(self, flow: Flow, top: float, bottom: float, width: float) -> str:
        first, last = self._inner(0), self._inner(1)
        middle = (first + last) / 2
        path = (
            f"M{self._point(top, first)} C{self._point(top, middle)} {self._point(bottom, middle)} "
            f"{self._point(bottom, last)} L{self._point(bottom + width, last)} C{self._point(bottom + width, middle)} "
            f"{self._point(top + width, middle)} {self._point(top + width, first)} Z"
        )
        names = self.pair.hypothesis.words[flow.hypothesis].text, self.pair.reference.words[flow.reference].text
        title = svg_title(
            f"{names[0]} → {names[1]}: mass {flow.mass:.4f}, cost {flow.cost:.4f}, adds {signed(flow.contribution, 4)}"
        )
        colour = cost_colour(flow.cost, self.layout.far)
        return (
            f'<path class="flow" data-h="{flow.hypothesis}" data-r="{flow.reference}" d="{path}" fill="{colour}" '
            f'fill-opacity="0.62">{title}</path>'
        )

    def stubs(self) -> Iterator[str]:
        """Yield unmoved mass as short dashed stubs."""
        for side, words in enumerate((self.pair.hypothesis.words, self.pair.reference.words)):
            for word, (start, length) in self._where()[side].items():
                left = words[word].unmoved
                if left > 0.02 * max(words[word].mass, 1e-9):
                    yield self._stub(side, word, words[word], start + length / 2)

    def _stub(self, side: int, number: int, word: Word, centre: float) -> str:
        half = word.unmoved * self.scale / 2
        edge = self._inner(side)
        tip = edge + (STUB if side == 0 else -STUB)
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
        worst = max(
            (abs(word.contribution) for side in (self.pair.hypothesis, self.pair.reference) for word in side.words),
            default=0.0,
        )
        for side, line in enumerate((self.layout.hypothesis, self.layout.reference)):
            words = (self.pair.hypothesis, self.pair.reference)[side].words
            for item, place in zip(line, self.places[side], strict=True):
                yield self._word(side, item, place, None if item.word is None else words[item.word], worst)

    def _word(self, side: int, item: Item, place: tuple[float, float], word: Word | None, worst: float) -> str:
        start, length = place
        edge = self._edge(side)
        x, y, width, height = (edge, start, self.reach[side], length) if self.columns else (start, edge, length, BOX)
        centre = f'x="{x + width / 2:.1f}" y="{y + height / 2 + 5:.1f}"'
        if word is None:
            return f'<text class="skipped" {centre} text-anchor="middle" opacity="0.45">{escape(item.label)}</text>'
        tint = 0.08 + 0.5 * (abs(word.contribution) / worst if worst > 0 else 0.0)
        outside = (
            f'x="{x - 6 if side == 0 else x + width + 6:.1f}" y="{y + height / 2 + 4:.1f}" '
            f'text-anchor="{"end" if side == 0 else "start"}"'
            if self.columns
            else f'x="{x + width / 2:.1f}" y="{y - 6 if side == 0 else y + height + 14:.1f}" text-anchor="middle"'
        )
        return (
            f'<g class="word" data-{"hr"[side]}="{item.word}" tabindex="0" role="img">{word_title(word)}'
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6" fill="{LOSS}" '
            f'fill-opacity="{tint:.2f}" stroke="currentColor" stroke-opacity="0.25"/>'
            f'<text {centre} text-anchor="middle">{escape(item.label)}</text>'
            f'<text class="contribution" {outside} font-size="{SMALL:.0f}" opacity="0.75">'
            f"{signed(word.contribution)}</text></g>"
        )


def _scale(layout: PairLayout, pair: ExplainedPair, lengths: Sequence[Sequence[float]]) -> float:
    """Return the pixels per unit of mass with which the flows of every word fit its box."""
    best = 4000.0
    for side, (line, words) in enumerate(
        ((layout.hypothesis, pair.hypothesis.words), (layout.reference, pair.reference.words))
    ):
        for item, length in zip(line, lengths[side], strict=True):
            if item.word is not None:
                moved = sum(f.mass for f in layout.flows if (f.hypothesis, f.reference)[side] == item.word)
                best = min(best, (length - 6) / max(moved, words[item.word].mass, 1e-9))
    return best
