"""A study of metrics as text for terminals, Markdown and LaTeX."""

from __future__ import annotations

import math
import textwrap

from monge.meta.agreement import Agreement
from monge.meta.study import AgreementStudy
from monge.meta.wording import show_number, study_heading, study_notes, study_verdict
from monge.report.tables import display_width, latex_table, markdown_table, text_table

TEST_TITLES = {
    "williams": "Williams' test",
    "permutation": "permutation test (PERM-BOTH)",
    "bootstrap": "paired bootstrap test",
}


def study_table(study: AgreementStudy, *, width: int | None = None) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: metrics from best to worst; one column per task, average, interval, cluster.

    Tasks are left out when they do not fit in *width* columns; their average stays.
    """
    several = len(study.tasks) > 1
    confidence = f"{100 * study.plan.resampling.confidence:g} % interval"
    for shown in (study.tasks if several else (), ()):
        header = ["metric", *shown, "average" if several else study.statistic.title, confidence, "cluster"]
        rows = [
            [
                metric,
                *(show_number(study.agreements[metric][task].value) for task in shown),
                show_number(study.averages[metric].value),
                show_interval(study.averages[metric]),
                str(study.ranking.clusters[i]) if math.isfinite(study.averages[metric].value) else "–",
            ]
            for i, metric in enumerate(study.ranking.metrics)
        ]
        if width is None or max(map(display_width, text_table(header, rows).split("\n"))) <= width:
            break
    return header, rows


def study_matrix(study: AgreementStudy) -> str:
    """Return which metric is significantly better than which, as characters: > better, = no significant difference."""
    names = study.ranking.metrics
    size = max(display_width(name) for name in names)
    lines = [" " * (size + 4) + " ".join(f"{j + 1:>2}" for j in range(len(names)))]
    for i, name in enumerate(names):
        cells = ["  "] * i + [" ·"] + [" >" if study.ranking.beats[i, j] else " =" for j in range(i + 1, len(names))]
        lines.append(f"{i + 1:>2} {name}{' ' * (size - display_width(name))} {' '.join(cells)}".rstrip())
    return "\n".join(lines)


def study_text(study: AgreementStudy, *, data: str, width: int = 80) -> str:
    """Return the report for a terminal: the answer, the table, the matrix, and what the numbers are based on."""
    header, rows = study_table(study, width=width)
    heading = textwrap.fill(study_heading(study, data), width)
    parts = [heading, textwrap.fill(" ".join(study_verdict(study)), width), text_table(header, rows)]
    if len(study.ranking.metrics) > 1:
        parts.append(f"{study_matrix(study)}\n{textwrap.fill(matrix_legend(study), width)}")
    notes = study_notes(study)
    if len(study.tasks) > 1 and len(header) <= 4:
        notes.append(f"{len(study.tasks)} tasks do not fit the screen; -f json, markdown or --html shows them")
    parts.append("\n".join(textwrap.fill(note, width, subsequent_indent="  ") for note in notes))
    return "\n\n".join(parts)


def matrix_legend(study: AgreementStudy, *, signs: tuple[str, str] = (">", "=")) -> str:
    """Return what the signs of the matrix mean; a figure has colours for them."""
    corrected = {"holm": "Holm-corrected", "fdr": "FDR-corrected", "none": "not corrected"}[study.plan.correction]
    return (
        f"{signs[0]} the row's metric agrees better than the column's, {signs[1]} no significant difference "
        f"({TEST_TITLES[study.test]}, two-sided, {corrected}, p ≤ {study.plan.alpha:g})"
    )


def study_markup(study: AgreementStudy, *, data: str, latex: bool = False) -> str:
    """Return the report as Markdown, or its table as LaTeX."""
    header, rows = study_table(study)
    if latex:
        return latex_table(header, rows)
    parts = [f"**{study_heading(study, data)}**", " ".join(study_verdict(study)), markdown_table(header, rows)]
    if len(study.ranking.metrics) > 1:
        parts.append(f"```\n{study_matrix(study)}\n```\n\n{matrix_legend(study)}")
    parts.append("\n".join(f"- {note}" for note in study_notes(study)))
    return "\n\n".join(parts)


def show_interval(agreement: Agreement) -> str:
    """Return the interval as tables show it, a dash where there is none."""
    if math.isnan(agreement.low):
        return "–"
    return f"[{show_number(agreement.low)}, {show_number(agreement.high)}]"
