"""Explanations as text for a terminal and as an HTML page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from importlib.resources import files

from monge.explanation import DocumentExplanation, ExplainedPair, Explanation, LocalExplanation, Word, describe_loss
from monge.report.alignment.heatmap import render_heatmap
from monge.report.alignment.layout import list_items
from monge.report.alignment.parts import signed
from monge.report.alignment.ribbons import render_ribbons
from monge.report.alignment.word_effects import effects_sentence, render_effects
from monge.report.documents.page import document_sections
from monge.report.html import escape, html_details, html_list, html_page, html_table
from monge.report.printable import make_printable, shorten
from monge.report.tables import text_table
from monge.scores.direction import describe_direction

SHADES = (250, 223, 216, 209, 202, 196)  # colours 0–255 of a terminal, from pale to red
PARTNERS = 3  # named in a table
POINT = "Point at a word to see what it adds."
LEAST_UNMOVED = 0.02  # share of a word's mass below which unmoved mass is not shown


def render_text(explanation: Explanation, *, colour: bool = False) -> str:
    """Return an explanation as text: words with their partners and contributions, and the sum; *colour* is ANSI."""
    better = describe_direction(explanation.higher_is_better)
    parts = "  ".join(f"{name} {value:.4f}" for name, value in explanation.parts.items())
    lines = [f"{_bold(f'{explanation.metric} {explanation.value:.4f}', colour)}  ({better})  {parts}", ""]
    for pair in explanation.pairs:
        lines += [*_pair_lines(pair, explanation, colour), ""]
    lines += [f"{describe_loss(explanation)}.", *_sum_lines(explanation)]
    lines += [f"note: {make_printable(note)}" for note in explanation.notes]
    return "\n".join([*lines, explanation.signature])


def render_page(explanations: Sequence[Explanation | LocalExplanation | DocumentExplanation]) -> str:
    """Return a self-contained HTML page: scores, interactive ribbons and heat maps, tables, the sum."""
    sections = [section for explanation in explanations for section in _sections(explanation)]
    page = html_page("Why a score is what it is", sections)
    script = (
        f"{_asset('hover.js')}\nfor (const pictures of document.querySelectorAll('.pictures'))\n"
        "  lightUp(pictures, (text) => { pictures.querySelector('.detail').textContent = text; });"
    )
    extra = f'<style>{_asset("hover.css")}</style><script type="module">{script}</script>'
    return page.replace("</body>", f"{extra}</body>")


def _sections(explanation: Explanation | LocalExplanation | DocumentExplanation) -> Iterator[tuple[str, str]]:
    if isinstance(explanation, LocalExplanation):
        return _local_sections(explanation)
    if isinstance(explanation, DocumentExplanation):
        return document_sections(explanation)
    return _additive_sections(explanation)


def _additive_sections(explanation: Explanation) -> Iterator[tuple[str, str]]:
    for place, pair in enumerate(explanation.pairs):
        heading = f"{explanation.metric} {explanation.value:.4f}{_reference_name(pair, explanation)}"
        ribbons = render_ribbons(explanation, pair=place, frame=False)
        heat = render_heatmap(explanation, pair=place, frame=False)
        pictures = (
            f'<div class="pictures"><output class="detail">{POINT}</output><div class="picture">{ribbons}</div>'
            f'<div class="picture">{heat}</div></div>'
        )
        tables = "".join(html_table(*_word_table(pair, side), left=2) for side in (0, 1))
        told = f"<p>{escape(make_printable(describe_loss(explanation)))}.</p>"
        yield heading, f"{told}{pictures}{html_details('the words in tables', tables)}"
    remarks = [*_sum_lines(explanation), *map(make_printable, explanation.notes), explanation.signature]
    yield f"{explanation.metric}: the sum", html_list(remarks)


def _local_sections(explanation: LocalExplanation) -> Iterator[tuple[str, str]]:
    picture = f'<output class="detail">{POINT}</output><div class="picture">{render_effects(explanation)}</div>'
    notes = map(make_printable, explanation.notes)
    remarks = html_list([effects_sentence(explanation), *notes, explanation.signature])
    heading = f"{explanation.metric} {explanation.value:.4f}"
    told = f"<p>{escape(make_printable(describe_loss(explanation)))}.</p>"
    yield heading, f'{told}<div class="pictures">{picture}</div>{remarks}'


def _asset(name: str) -> str:
    return files("monge.report").joinpath("assets", name).read_text(encoding="utf-8")


def _reference_name(pair: ExplainedPair, explanation: Explanation) -> str:
    several = len(explanation.pairs) > 1 or (pair.reference_index or 0) > 0
    return f", reference {pair.reference_index + 1}" if several and pair.reference_index is not None else ""


def _pair_lines(pair: ExplainedPair, explanation: Explanation, colour: bool) -> Iterator[str]:
    name = _reference_name(pair, explanation).removeprefix(", ") or pair.against
    for side, title in enumerate(("hypothesis", name)):
        yield f"{title:<12} {_shaded(pair, side, colour)}"
    for side in (0, 1):
        yield ""
        yield text_table(*_word_table(pair, side), left=2)


def _shaded(pair: ExplainedPair, side: int, colour: bool) -> str:
    """Return the words of a text in order, coloured by their strain; filtered words are dim (or in parentheses)."""
    strain = pair.strain(side)
    shown = []
    for item in list_items(pair.sides[side], set()):
        share = None if item.word is None else float(strain[item.word])
        shown.append(_shade(item.label, share) if colour else item.label if share is not None else f"({item.label})")
    return " ".join(shown)


def _shade(label: str, strain: float | None) -> str:
    if strain is None:
        return f"\x1b[2m{label}\x1b[0m"
    return f"\x1b[38;5;{SHADES[round(min(strain, 1.0) * (len(SHADES) - 1))]}m{label}\x1b[0m"


def _bold(text: str, colour: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if colour else text


def _word_table(pair: ExplainedPair, side: int) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: each word, its partners, what it adds to the score, and its mass."""
    own, other = pair.sides[side], pair.sides[1 - side]
    plan = pair.plans[min(side, len(pair.plans) - 1)]  # precision belongs to the hypothesis, recall to the reference
    mass, cost = (plan.mass, plan.cost) if side == 0 else (plan.mass.T, plan.cost.T)
    left = any(abs(word.unmoved) > LEAST_UNMOVED * word.mass for word in own.words)
    partner = ("goes to", "comes from")[side] + " (mass at cost)"
    header = [("hypothesis word", f"{pair.against} word")[side], partner, "adds", "mass"]
    rows = []
    for i, word in enumerate(own.words):
        if word.end == word.start and word.mass == 0 and word.contribution == 0:
            continue  # a massless special token that nothing was matched to
        best = sorted(range(len(other.words)), key=lambda j: -mass[i, j])[:PARTNERS]
        partners = [
            f"{shorten(make_printable(other.words[j].text), 20)} ({mass[i, j]:.3f} at {cost[i, j]:.3f})"
            for j in best
            if mass[i, j] > 0.03 * max(word.mass, 1e-9)
        ]
        name = shorten(make_printable(word.text), 40) or "(empty)"
        rows.append([name, ", ".join(partners), signed(word.contribution, 4), f"{word.mass:.3f}"])
        if left:
            rows[-1].append(_unmoved(word, side))
    return ([*header, ("added", "omitted")[side]] if left else header), rows


def _unmoved(word: Word, side: int) -> str:
    if word.mass <= 0 or abs(word.unmoved) <= LEAST_UNMOVED * word.mass:
        return ""
    return f"{word.unmoved / word.mass:.0%}" if word.unmoved > 0 else f"moved {1 - word.unmoved / word.mass:.0%}"


def _sum_lines(explanation: Explanation) -> list[str]:
    sums = [
        math.fsum(word.contribution for pair in explanation.pairs for word in pair.sides[side].words) for side in (0, 1)
    ]
    terms = "".join(f" {signed(value, 4)} ({name})" for name, value in explanation.terms.items())
    base = "a perfect match" if explanation.base else "no distance"
    total = f"{explanation.total:.4f}".replace("-", "−")
    return [
        f"{total} = {explanation.base:.4f} ({base}) {signed(sums[0], 4)} (hypothesis words) "
        f"{signed(sums[1], 4)} ({explanation.pairs[0].against if explanation.pairs else 'reference'} words){terms}"
    ]
