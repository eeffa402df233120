"""A comparison for papers and pages: Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from monge.comparison import Comparison, Findings, MetricAgreement
from monge.report.compare.instances import instances_markdown
from monge.report.compare.tables import Table, agreement_tables
from monge.report.compare.text import agreement_sentences, comparison_heading, comparison_tables
from monge.report.tables import escape_latex, latex_table, markdown_table
from monge.workflows.instances import ShownPair


def comparison_markup(
    comparison: Comparison,
    findings: Findings,
    *,
    name: str = "",
    latex: bool = False,
    all_pairs: bool = False,
    quiet: bool = False,
    more: Sequence[Table] = (),
    shown: Sequence[ShownPair] = (),
) -> str:
    """Return conclusions, tables and notes as Markdown, or the tables as LaTeX; *quiet* leaves sentences only.

    *more* tables follow the usual ones; *shown* are instances to print (in Markdown).
    """
    sentences = [*findings.conclusions, *(f"**Warning:** {warning}" for warning in findings.warnings)]
    tables = [] if quiet else [*comparison_tables(comparison, all_pairs=all_pairs), *more]
    heading = comparison_heading(comparison, name)
    if latex:
        plain = [sentence.replace("**Warning:**", "Warning:") for sentence in sentences]
        return _latex(heading, plain if quiet else [], tables)
    notes = [] if quiet else ["\n".join(f"- {note}" for note in findings.notes)]
    told = [] if quiet else [instances_markdown(pair) for pair in shown]
    return "\n\n".join([_markdown(heading, sentences, tables), *notes, *filter(None, told)])


def agreement_markup(agreement: MetricAgreement, *, latex: bool = False, quiet: bool = False) -> str:
    """Return what several metrics say together, as Markdown or LaTeX; *quiet* leaves sentences only."""
    heading, sentences = f"{len(agreement.comparisons)} metrics together", agreement_sentences(agreement)
    tables = [] if quiet else agreement_tables(agreement)
    return _latex(heading, sentences if quiet else [], tables) if latex else _markdown(heading, sentences, tables)


def _markdown(heading: str, sentences: Sequence[str], tables: Sequence[Table]) -> str:
    parts = [f"### {heading}", "\n".join(f"- {sentence}" for sentence in sentences)]
    parts += [f"**{t.title}**\n\n{markdown_table(t.header, t.rows, left=t.left)}" for t in tables]
    return "\n\n".join(parts)


def _latex(heading: str, sentences: Sequence[str], tables: Sequence[Table]) -> str:
    items = [rf"  \item {escape_latex(sentence)}" for sentence in sentences]
    parts = ["\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])] if items else []
    parts += [f"% {t.title}\n{latex_table(t.header, t.rows, left=t.left)}" for t in tables]
    return "\n\n".join([f"% {heading}", *parts])
