"""A document beside its reference: foci coloured, sentences linked by arcs with their weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from monge.explanation.documents import DocumentExplanation, DocumentPair, DocumentText, FocusShare
from monge.report.alignment.layout import label_width
from monge.report.alignment.parts import FONT, MARGIN, SIZE, SMALL, signed, svg_title
from monge.report.printable import make_printable, shorten
from monge.scores.direction import describe_direction
from monge.text import word_spans

WIDTH = 860  # pixels, unless another width is asked for
MOST_ARCS, ARCS_SHARE = 150.0, 0.2  # the column of arcs: its greatest width, and its share of a narrow picture
LINE, GAP = 26.0, 14.0  # between lines of a sentence, and between sentences
# Okabe and Ito's colours without black, so that colour-blind readers can tell them apart; further foci are grey
PALETTE = ("#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#d55e00", "#0072b2", "#b5a90f")
OTHER = "#8a8f98"
MOST_SENTENCES = 60  # of a text that are drawn


def colour_foci(pair: DocumentPair) -> dict[str, str]:
    """Return a colour for the foci that matter most: by contribution, else by the number of mentions."""
    order = sorted(
        pair.foci, key=lambda focus: (-(focus.contribution or 0.0), -len(focus.hypothesis) - len(focus.reference))
    )
    return {focus.name: PALETTE[rank] if rank < len(PALETTE) else OTHER for rank, focus in enumerate(order)}


@dataclass(frozen=True)
class _Block:
    """A text laid out: its SVG, the height it takes, and the middle of every sentence."""

    svg: str
    height: float
    middles: tuple[float, ...]


def render_document(
    explanation: DocumentExplanation, *, pair: int = 0, frame: bool = True, width: int | None = None
) -> str:
    """Draw one pair: hypothesis above, reference below; *frame* adds a heading and a white background.

    Foci are coloured alike in both texts; a dashed box marks a focus that only one text has. Arcs on the left link
    sentences that share foci and carry the weight of the link. Words carry the number of their focus in
    ``data-focus``, links those of all their foci in ``data-foci``, so that a page can light them up together.
    """
    shown = explanation.pairs[pair]
    wide = float(width or WIDTH)
    colours = colour_foci(shown)
    numbers = {focus.name: number for number, focus in enumerate(shown.foci)}
    top = 40.0 if frame else 8.0
    parts = []
    for title, side, text in _sides(shown, len(explanation.pairs)):
        marks = [_marks(number, focus, side, colours) for number, focus in enumerate(shown.foci)]
        block = _lay_out(text, marks, wide)
        parts.append(
            f'<g transform="translate(0 {top:.1f})"><text x="{MARGIN:.0f}" y="16" font-weight="600">{title}</text>'
            f'<g transform="translate(0 26)">{"".join(_draw_arcs(text, block.middles, _arcs(wide), numbers))}'
            f"{block.svg}</g></g>"
        )
        top += 26 + block.height + 16
    heading = f"{explanation.metric} {explanation.value:.4f}".replace("-", "−")
    remark = f"{describe_direction(explanation.higher_is_better)}; arcs link sentences that share foci"
    label = quoteattr(f"Foci and linked sentences behind {heading}")
    ground = ""
    if frame:
        ground = (
            f'<rect width="{wide:.0f}" height="{top:.0f}" rx="8" fill="#ffffff"/><text x="{MARGIN:.0f}" y="26" '
            f'font-weight="600">{escape(heading)}<tspan font-weight="400" font-size="12" opacity="0.7" dx="8">'
            f"{escape(remark)}</tspan></text>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="wide" viewBox="0 0 {wide:.0f} {top:.0f}" '
        f'width="{wide:.0f}" height="{top:.0f}" font-family="{escape(FONT)}" font-size="{SIZE:.0f}" '
        f'{"color=" + quoteattr("#1f2328") + " " if frame else ""}fill="currentColor" '
        f'role="{"img" if frame else "group"}" aria-label={label}>{ground}{"".join(parts)}</svg>'
    )


def _sides(pair: DocumentPair, pairs: int) -> Iterator[tuple[str, int, DocumentText]]:
    yield "hypothesis", 0, pair.hypothesis
    if pair.reference is not None:
        number = f" {(pair.reference_index or 0) + 1}" if pairs > 1 else ""
        yield f"reference{number}", 1, pair.reference


def _arcs(wide: float) -> float:
    return min(MOST_ARCS, ARCS_SHARE * wide)


@dataclass(frozen=True)
class _Mark:
    number: int
    spans: tuple[tuple[int, int], ...]
    colour: str
    lonely: bool
    title: str


def _marks(number: int, focus: FocusShare, side: int, colours: Mapping[str, str]) -> _Mark:
    spans = focus.reference if side else focus.hypothesis
    added = "" if focus.contribution is None else f": adds {signed(focus.contribution, 4)}"
    counts = f" ({len(focus.hypothesis)} / {len(focus.reference)} mentions)"
    only = not focus.hypothesis or not focus.reference
    return _Mark(number, spans, colours[focus.name], only, focus.name + added + counts)


def _lay_out(text: DocumentText, marks: Sequence[_Mark], width: float) -> _Block:
    at = {span: mark for mark in marks for span in mark.spans}
    body: list[str] = []
    middles: list[float] = []
    y, left = 0.0, _arcs(width) + 30
    for number, (start, end) in enumerate(text.sentences[:MOST_SENTENCES]):
        first = y
        x = left
        body.append(
            f'<text x="{left - 22:.0f}" y="{y + 17:.1f}" font-size="{SMALL:.0f}" opacity="0.6">{number + 1}</text>'
        )
        for span in _pieces(text.text, start, end, at):
            label = make_printable(text.text[span[0] : span[1]])
            wide = label_width(label, SIZE)
            if x > left and x + wide > width - MARGIN:
                x, y = left, y + LINE
            body.append(_draw_word(label, x, y, wide, at.get(span)))
            x += wide + (5.5 if text.text[span[1] : span[1] + 1].isspace() else 1.5)
        middles.append((first + y) / 2 + 12)
        y += LINE + GAP
    if len(text.sentences) > MOST_SENTENCES:
        more = len(text.sentences) - MOST_SENTENCES
        body.append(f'<text x="{left:.0f}" y="{y + 17:.1f}" opacity="0.6">… and {more} more sentences</text>')
        y += LINE
    return _Block("".join(body), y, tuple(middles))


def _pieces(text: str, start: int, end: int, marks: Mapping[tuple[int, int], _Mark]) -> list[tuple[int, int]]:
    """Return the mentions of foci and the words between them, in order."""
    own = sorted(span for span in marks if start <= span[0] and span[1] <= end)
    others = [(start + a, start + b) for a, b in word_spans(text[start:end])]
    free = [span for span in others if not any(span[0] < b and a < span[1] for a, b in own)]
    return sorted([*own, *free])


def _draw_word(label: str, x: float, y: float, wide: float, mark: _Mark | None) -> str:
    # the width of a font is estimated; the browser fits the word into it, so that words neither touch nor drift apart
    size = f'textLength="{wide:.1f}" lengthAdjust="spacingAndGlyphs"'
    text = f'<text x="{x:.1f}" y="{y + 17:.1f}" {size}>{escape(label)}</text>'
    if mark is None:
        return text
    dashes = ' stroke-dasharray="3 2"' if mark.lonely else ""
    return (
        f'<g class="word" data-focus="{mark.number}" tabindex="0" role="img">{svg_title(mark.title)}'
        f'<rect x="{x - 2:.1f}" y="{y + 1:.1f}" width="{wide + 4:.1f}" height="22" rx="4" '
        f'fill="{mark.colour}" fill-opacity="0.28" stroke="{mark.colour}"'
        f"{dashes}/>{text}</g>"
    )


def _draw_arcs(text: DocumentText, middles: Sequence[float], room: float, numbers: Mapping[str, int]) -> Iterator[str]:
    most = max((link.weight for link in text.links), default=1.0)
    shown = len(middles)
    for link in text.links:
        if link.second >= shown:
            continue
        a, b = middles[link.first], middles[link.second]
        reach = min(24.0 + room / 6 * (link.second - link.first), room - 24)
        x = room - 4
        foci = " ".join(str(numbers[name]) for name in link.foci)
        weight = f"{link.weight:.2f}".rstrip("0").rstrip(".")
        title = f"sentences {link.first + 1} and {link.second + 1}: {weight} ({', '.join(link.foci)})"
        yield (
            f'<g class="link" data-foci="{foci}">{svg_title(shorten(title, 200))}'
            f'<path d="M{x:.0f} {a:.1f} C{x - reach:.1f} {a:.1f} {x - reach:.1f} {b:.1f} {x:.0f} {b:.1f}" fill="none" '
            'stroke="currentColor" stroke-opacity="0.45" '
            f'stroke-width="{0.8 + 2.4 * link.weight / most:.1f}"/><text x="{x - 0.75 * reach - 4:.1f}" '
            f'y="{(a + b) / 2 + 4:.1f}" class="weight" font-size="11" text-anchor="end" '
            f'opacity="0.8">{weight}</text></g>'
        )
