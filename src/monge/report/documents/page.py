"""Explained documents as text for a terminal and as sections of a page."""

from __future__ import annotations

from collections.abc import Iterator

from monge.explanation.documents import DocumentExplanation, DocumentPair, DocumentText
from monge.report.alignment.parts import signed
from monge.report.documents.picture import colour_foci, render_document
from monge.report.html import html_list, html_table
from monge.report.printable import make_printable, shorten
from monge.report.tables import text_table
from monge.scores.direction import describe_direction

_MOST_ROWS = 40  # foci that a table names
_TERMINAL = {  # colours 0–255 of a terminal, in the order of the palette
    "#e69f00": 214, "#56b4e9": 75, "#009e73": 36, "#cc79a7": 175, "#d55e00": 166, "#0072b2": 25, "#b5a90f": 142,
    "#8a8f98": 245,
}  # fmt: skip


def render_document_text(explanation: DocumentExplanation, *, colour: bool = False) -> str:
    """Return the texts with their foci marked, the links between sentences, and what every focus adds."""
    better = describe_direction(explanation.higher_is_better)
    lines = [f"{explanation.metric} {explanation.value:.4f}  ({better})", ""]
    for pair in explanation.pairs:
        lines += [*_pair_lines(pair, len(explanation.pairs), colour), ""]
    lines += [make_sum_line(explanation)] if explanation.additive else []
    lines += [f"note: {make_printable(note)}" for note in explanation.notes]
    return "\n".join([*lines, explanation.signature])


def document_sections(explanation: DocumentExplanation) -> Iterator[tuple[str, str]]:
    """Yield headings and HTML: one picture and one table per reference, then the sum."""
    for place, pair in enumerate(explanation.pairs):
        number = f", reference {place + 1}" if len(explanation.pairs) > 1 else ""
        picture = render_document(explanation, pair=place, frame=False)
        table = html_table(*focus_table(pair))
        yield (
            f"{explanation.metric} {explanation.value:.4f}{number}",
            f'<div class="pictures"><div class="picture">{picture}</div><output class="detail"></output></div>{table}',
        )
    total = [make_sum_line(explanation)] if explanation.additive else []
    yield f"{explanation.metric}: the sum", html_list([*total, *explanation.notes, explanation.signature])


def focus_table(pair: DocumentPair) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: each focus, how often both texts mention it, and what it adds."""
    additive = any(focus.contribution is not None for focus in pair.foci)
    compared = pair.reference is not None
    header = ["focus", *(["adds"] if additive else []), "hypothesis", *(["reference", ""] if compared else [])]
    rows = []
    for focus in pair.foci[:_MOST_ROWS]:
        row = [shorten(make_printable(focus.name), 40)]
        if additive:
            row.append("" if focus.contribution is None else signed(focus.contribution, 4))
        row.append(str(len(focus.hypothesis)))
        if compared:
            lonely = "hypothesis" if not focus.reference else "reference" if not focus.hypothesis else ""
            row += [str(len(focus.reference)), f"only in the {lonely}" if lonely else ""]
        rows.append(row)
    if len(pair.foci) > _MOST_ROWS:
        rows.append([f"… and {len(pair.foci) - _MOST_ROWS} more", *[""] * (len(header) - 1)])
    return header, rows


def make_sum_line(explanation: DocumentExplanation) -> str:
    """Return the sentence that adds the contributions up."""
    names = {focus.name for pair in explanation.pairs for focus in pair.foci if focus.contribution}
    per = f", the mean over {len(explanation.pairs)} references" if len(explanation.pairs) > 1 else ""
    return f"{explanation.total:.4f} = the sum of what {len(names)} foci add{per}".replace("-", "−")


def _pair_lines(pair: DocumentPair, pairs: int, colour: bool) -> Iterator[str]:
    colours = colour_foci(pair)
    for title, text, side in (("hypothesis", pair.hypothesis, 0), ("reference", pair.reference, 1)):
        if text is None:
            continue
        number = f" {(pair.reference_index or 0) + 1}" if side and pairs > 1 else ""
        yield f"{title}{number}:"
        spans = {
            span: colours[focus.name] for focus in pair.foci for span in (focus.reference if side else focus.hypothesis)
        }
        for k, (start, end) in enumerate(text.sentences):
            yield f"  {k + 1:>3}  {_mark(text.text, start, end, spans, colour)}"
        yield from _link_lines(text)
    yield ""
    yield text_table(*focus_table(pair))


def _mark(text: str, start: int, end: int, spans: dict[tuple[int, int], str], colour: bool) -> str:
    parts, place = [], start
    for a, b in sorted(span for span in spans if start <= span[0] and span[1] <= end):
        parts.append(make_printable(text[place:a]))
        word = make_printable(text[a:b])
        parts.append(f"\x1b[1;38;5;{_TERMINAL[spans[a, b]]}m{word}\x1b[0m" if colour else f"[{word}]")
        place = b
    return "".join([*parts, make_printable(text[place:end])])


def _link_lines(text: DocumentText) -> Iterator[str]:
    if not text.links:
        yield "       no two sentences share a focus"
        return
    shown = [f"{link.first + 1}–{link.second + 1} {link.weight:.2f} ({', '.join(link.foci)})" for link in text.links]
    yield "       links: " + "; ".join(shown[:20]) + (f" … and {len(shown) - 20} more" if len(shown) > 20 else "")
