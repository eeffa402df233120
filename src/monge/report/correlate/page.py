"""A study as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from monge.meta.intercorrelation import correlate_all
from monge.meta.judged import JudgedScores
from monge.meta.study import AgreementStudy
from monge.meta.wording import study_heading, study_notes, study_verdict
from monge.report.correlate.heatmap import draw_correlation_matrix
from monge.report.correlate.plots import draw_agreement, draw_distributions, draw_significance_matrix
from monge.report.correlate.text import matrix_legend, study_table
from monge.report.html import html_details, html_figure, html_list, html_page, html_table
from monge.report.plots import figure_bytes
from monge.workflows.correlate import CorrelateResult


def study_sections(
    studies: Sequence[AgreementStudy], tasks: Sequence[JudgedScores], *, data: str
) -> list[tuple[str, str]]:
    """Return (heading, HTML) of every study, with the distributions of scores by quality after the first."""
    sections = []
    for number, study in enumerate(studies):
        header, rows = study_table(study)
        body = [html_list(study_verdict(study)), html_table(header, rows)]
        body.append(html_figure(figure_bytes(draw_agreement(study)), "Agreement of every metric, with its interval"))
        if len(study.ranking.metrics) > 1:
            figure = figure_bytes(draw_significance_matrix(study))
            body.append(html_figure(figure, matrix_legend(study)))
            found = correlate_all(tasks, statistic=study.statistic, level=study.plan.level)
            figure = figure_bytes(draw_correlation_matrix(found))
            body.append(html_figure(figure, "Correlations between all metrics and judgments: blue agrees, red opposes"))
        if number == 0 and any(np.isfinite(task.human[task.used]).all() for task in tasks):
            caption = "Scores of outputs from worst to best judged: a good metric keeps the groups apart"
            body.append(html_figure(figure_bytes(draw_distributions(tasks)), caption))
        body.append(html_list(study_notes(study), kind="note"))
        sections.append((study_heading(study, data), "".join(body)))
    return sections


def study_page(result: CorrelateResult) -> str:
    """Return the page of all studies of one result."""
    sections = study_sections(result.studies, result.tasks, data=result.data)
    listed = html_details("Signatures", html_list([f"{m}: {s}" for m, s in result.signatures.items()]))
    return html_page(f"Which metric to trust: {result.data}", [*sections, ("How the scores were made", listed)])
