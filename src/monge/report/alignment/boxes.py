"""Where the words of a picture stand: in rows that are wrapped like text, or in two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from monge.explanation import ExplainedPair
from monge.report.alignment.layout import Item, PairLayout, label_width, reads_leftwards
from monge.report.alignment.parts import MARGIN, SIZE

PADDING, GAP = 9.0, 8.0
SMALLEST = 50.0  # width of a box; a contribution must fit in
TALL, LOW = 42.0, 26.0  # height of a box with its contribution inside, and without
ROW_GAP = 12.0
MOST_ROWS = 3  # of a text; ribbons across more are shown for the word under the pointer only
ACROSS, ACROSS_QUIET, ACROSS_COLUMNS = 130.0, 48.0, 92.0  # between the two texts
OUTSIDE = 52.0  # space beside columns for contributions
MANY_ITEMS = 70  # of one text; more are set without their contributions


@dataclass(frozen=True)
class Box:
    """A rectangle, in pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the box."""
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True)
class Placement:
    """The boxes of both texts, the size of all, and how they stand: in columns, or in ``rows`` rows per text.

    ``compact`` boxes have no room for contributions.
    """

    boxes: tuple[tuple[Box, ...], tuple[Box, ...]]
    size: tuple[float, float]
    columns: bool = False
    rows: int = 1
    compact: bool = False


def item_width(item: Item, *, compact: bool = False) -> float:
    """Return the width of the box of an item."""
    smallest = 0.0 if item.word is None or compact else SMALLEST
    return max(label_width(item.label, SIZE) + 2 * PADDING, smallest)


def place_columns(layout: PairLayout) -> Placement:
    """Place each text in a column, one word below the other."""
    lines = (layout.hypothesis, layout.reference)
    wide = [max(map(item_width, line), default=0.0) for line in lines]
    starts = (OUTSIDE, OUTSIDE + wide[0] + ACROSS_COLUMNS)
    height = 30.0
    boxes = [
        tuple(Box(start, MARGIN + k * (height + GAP), width, height) for k in range(len(line)))
        for start, width, line in zip(starts, wide, lines, strict=True)
    ]
    longest = max(len(line) for line in lines)
    size = (starts[1] + wide[1] + OUTSIDE, 2 * MARGIN + longest * (height + GAP) - GAP)
    return Placement((boxes[0], boxes[1]), size, columns=True, rows=longest)


def place_rows(layout: PairLayout, pair: ExplainedPair, width: float) -> Placement:
    """Place each text in rows, wrapped at *width*: the hypothesis above, the other text below."""
    lines = (layout.hypothesis, layout.reference)
    compact = max(map(len, lines)) > MANY_ITEMS
    inner = max(width - 2 * MARGIN, SMALLEST)
    wrapped = [wrap([item_width(item, compact=compact) for item in line], inner) for line in lines]
    reach = max((_length(row) for rows in wrapped for row in rows), default=SMALLEST)
    height, gap = (LOW, 6.0) if compact else (TALL, ROW_GAP)
    most = max(map(len, wrapped))
    across = ACROSS if most <= MOST_ROWS else ACROSS_QUIET
    top, boxes = MARGIN, []
    for rows, side in zip(wrapped, pair.sides, strict=True):
        leftwards = reads_leftwards(side.text)
        boxes.append(tuple(_place(rows, top, height, gap, reach=reach, leftwards=leftwards)))
        top += len(rows) * (height + gap) - gap + across
    size = (reach + 2 * MARGIN, top - across + MARGIN)
    return Placement((boxes[0], boxes[1]), size, rows=most, compact=compact)


def wrap(widths: Sequence[float], room: float) -> list[list[float]]:
    """Divide widths into rows that fit into *room*, as a line of text is broken.

    >>> wrap([40, 40, 40, 200], 100)
    [[40, 40], [40], [200]]
    """
    rows: list[list[float]] = [[]]
    for width in widths:
        if rows[-1] and _length(rows[-1]) + GAP + width > room:
            rows.append([])
        rows[-1].append(width)
    return rows


def _length(row: Sequence[float]) -> float:
    return sum(row) + GAP * max(len(row) - 1, 0)


def _place(
    rows: Sequence[Sequence[float]], top: float, height: float, gap: float, *, reach: float, leftwards: bool
) -> list[Box]:
    """Return the boxes of one text; a single row is centred, several start at the edge where reading starts."""
    boxes = []
    for row in rows:
        x = MARGIN + ((reach - _length(row)) / 2 if len(rows) == 1 else 0.0)
        for width in row:
            boxes.append(Box(2 * MARGIN + reach - x - width if leftwards else x, top, width, height))
            x += width + GAP
        top += height + gap
    return boxes
