"""Results as pieces of HTML for notebooks: a table and the sentences that matter, in the colours of the notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch

from monge.comparison import Comparison, explain_comparison
from monge.explanation import DocumentExplanation, Explanation, LocalExplanation
from monge.meta.wording import study_heading, study_notes, study_verdict
from monge.report.alignment.ribbons import render_ribbons
from monge.report.alignment.word_effects import effects_sentence, render_effects
from monge.report.compare.tables import ranking_table
from monge.report.compare.text import agreement_sentences, comparison_heading
from monge.report.correlate.text import study_table
from monge.report.documents.page import make_sum_line
from monge.report.documents.picture import render_document
from monge.report.html import escape, html_details, html_list, html_table
from monge.report.printable import make_printable
from monge.scores.direction import direction_mark
from monge.workflows.compare import CompareResult
from monge.workflows.correlate import CorrelateResult
from monge.workflows.scored import ScoredMetrics, ScoredTexts, count_texts

_LOWEST = 5  # texts with the worst scores that are shown
_STYLE = (
    "<style>.monge{max-width:60rem;line-height:1.45}.monge table{border-collapse:collapse;font-variant-numeric:"
    "tabular-nums;margin:.4em 0}.monge th,.monge td{padding:.2em .7em;text-align:right;border-bottom:1px solid "
    "color-mix(in srgb,currentColor 20%,transparent)}.monge .l{text-align:left}.monge .scroll{overflow-x:auto}"
    ".monge ul{margin:.3em 0;padding-left:1.2em}.monge .note,.monge details{opacity:.75;font-size:.9em;"
    "overflow-wrap:anywhere}.monge svg{max-width:100%;height:auto}.monge p{margin:.3em 0}</style>"
)


@singledispatch
def render(result: object) -> str:
    """Return *result* as a piece of HTML; anything that is not a result of monge is shown as its text."""
    return f"<pre>{escape(repr(result))}</pre>"


@render.register
def _(result: ScoredTexts) -> str:
    low, high = result.interval() if len(result.segments) > 1 else (result.score, result.score)
    row = [result.metric, _number(result.score, result), _number(low, result), _number(high, result)]
    header = ["metric", f"score {_arrow(result.higher_is_better)}", "95 % from", "to", *result.parts]
    body = [html_table(header, [[*row, *(f"{value:.4g}" for value in result.parts.values())]])]
    return _frame(f"{count_texts(len(result.segments))} scored", [*body, _lowest(result), *_remarks({"": result})])


@render.register
def _(result: ScoredMetrics) -> str:
    rows = [[name, _arrow(own.higher_is_better), _number(own.score, own), _pair(own)] for name, own in result.items()]
    size = len(next(iter(result.values())).segments)
    table = html_table(["metric", "better", "score", "95 % interval"], rows)
    return _frame(f"{count_texts(size)} scored", [table, *_remarks(result)])


@render.register
def _(result: CompareResult) -> str:
    sentences = [] if result.agreement is None else [html_list(agreement_sentences(result.agreement))]
    warnings = html_list(result.warnings, kind="note")
    return _frame("", [*sentences, *(_comparison(c, name) for name, c in result.comparisons.items()), warnings])


@render.register
def _(result: Comparison) -> str:
    return _frame("", [_comparison(result, "")])


@render.register
def _(result: CorrelateResult) -> str:
    parts = []
    for study in result.studies:
        header, rows = study_table(study)
        parts += [f"<p><b>{escape(study_heading(study, result.data))}</b></p>", html_list(study_verdict(study))]
        parts += [html_table(header, rows), html_details("How it was done", html_list(study_notes(study)))]
    return _frame("", parts)


@render.register
def _(result: Explanation) -> str:
    pictures = [render_ribbons(result, pair=place, frame=False) for place in range(len(result.pairs))]
    parts = "  ".join(f"{name} {value:.4f}" for name, value in result.parts.items())
    heading = f"{result.metric} {result.value:.4f} {_arrow(result.higher_is_better)}  {parts}"
    notes = [make_printable(note) for note in result.notes]
    return _frame(heading, [*pictures, html_list(notes, kind="note"), _signatures([result.signature])])


@render.register
def _(result: LocalExplanation) -> str:
    heading = f"{result.metric} {result.value:.4f} {_arrow(result.higher_is_better)}"
    notes = [effects_sentence(result), *map(make_printable, result.notes)]
    return _frame(heading, [render_effects(result), html_list(notes, kind="note"), _signatures([result.signature])])


@render.register
def _(result: DocumentExplanation) -> str:
    heading = f"{result.metric} {result.value:.4f} {_arrow(result.higher_is_better)}"
    pictures = [render_document(result, pair=place, frame=False) for place in range(len(result.pairs))]
    notes = [*([make_sum_line(result)] if result.additive else []), *map(make_printable, result.notes)]
    return _frame(heading, [*pictures, html_list(notes, kind="note"), _signatures([result.signature])])


def _frame(heading: str, parts: Sequence[str]) -> str:
    title = f"<p><b>{escape(heading)}</b></p>" if heading else ""
    return f'{_STYLE}<div class="monge">{title}{"".join(parts)}</div>'


def _comparison(comparison: Comparison, name: str) -> str:
    findings = explain_comparison(comparison)
    table = ranking_table(comparison, width=40)
    return "".join(
        [
            f"<p><b>{escape(comparison_heading(comparison, name))}</b></p>",
            html_list(findings.conclusions),
            html_list([f"Warning: {warning}" for warning in findings.warnings]),
            html_table(table.header, table.rows, left=table.left),
            html_details("How it was done", html_list([table.title, *findings.notes])),
        ]
    )


def _lowest(result: ScoredTexts) -> str:
    """Return the texts with the worst scores, folded."""
    order = result.scores.argsort(kind="stable")
    worst = (order[::-1] if result.higher_is_better is False else order)[:_LOWEST]
    if len(result.segments) < 2:
        return ""
    rows = [
        [result.segments[i].id, _number(result.scores[i], result), make_printable(result.segments[i].hypothesis)]
        for i in worst
    ]
    flush = "".join(
        f'<tr><td class="l">{escape(name)}</td><td>{escape(score)}</td><td class="l">{escape(text)}</td></tr>'
        for name, score, text in rows
    )
    return html_details(f"the {len(rows)} worst", f"<table><tbody>{flush}</tbody></table>")


def _remarks(results: Mapping[str, ScoredTexts]) -> list[str]:
    """Return notes that concern all texts, how many single texts have notes, and the signatures, folded."""
    notes: list[str] = []
    for name, result in results.items():
        label = f"{name}: " if name else ""
        notes += [label + note for note in result.notes.get("score", [])]
        single = len(result.notes.keys() - {"score"})
        notes += [f"{label}{count_texts(single)} with notes, see .notes"] if single else []
    return [html_list(notes, kind="note"), _signatures([result.signature for result in results.values()])]


def _signatures(lines: Sequence[str]) -> str:
    return html_details("signature" if len(lines) == 1 else "signatures", html_list(lines))


def _arrow(higher_is_better: bool | None) -> str:
    return direction_mark(higher_is_better)


def _number(value: float, result: ScoredTexts) -> str:
    return f"{value:.{result.digits}f}"


def _pair(result: ScoredTexts) -> str:
    if len(result.segments) < 2:
        return "–"
    low, high = result.interval()
    return f"[{_number(low, result)}, {_number(high, result)}]"
