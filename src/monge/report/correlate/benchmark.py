"""The report of a benchmark: tables, matrices, distributions, curves over layers and ablations."""

from __future__ import annotations

import math
from collections.abc import Mapping

from monge.meta.wording import show_number, study_heading
from monge.report.correlate.page import study_sections
from monge.report.correlate.plots import draw_curves
from monge.report.correlate.text import study_markup
from monge.report.html import html_details, html_figure, html_list, html_page, html_table
from monge.report.plots import figure_bytes
from monge.report.tables import markdown_table
from monge.workflows.benchmark import AblationResult, BenchmarkResult


def benchmark_page(result: BenchmarkResult) -> str:
    """Return the whole report as one self-contained HTML page."""
    sections: list[tuple[str, str]] = []
    for part in result.parts:
        sections += study_sections(part.studies, part.tasks, data=part.data)
        label = part.studies[0].statistic.title
        if part.curves:
            figure = draw_curves(part.curves, x_label="layer", y_label=label)
            caption = f"Which layer agrees best: {label} on {part.data}"
            sections.append((f"{part.data}: layers", html_figure(figure_bytes(figure), caption)))
        for ablation in part.ablations:
            header, rows = ablation_table(ablation, label)
            heading = f"{part.data}: from {ablation.start} to {ablation.end}, one switch at a time"
            sections.append((heading, html_table(header, rows)))
        listed = html_list([f"{metric}: {signature}" for metric, signature in part.signatures.items()])
        sections.append((f"{part.data}: signatures", html_details("how the scores were made", listed)))
    return html_page(result.suite.title, sections)


def benchmark_markdown(result: BenchmarkResult) -> str:
    """Return the report as Markdown."""
    blocks = [f"# {result.suite.title}"]
    for part in result.parts:
        for study in part.studies:
            blocks.append(f"## {study_heading(study, part.data)}")
            blocks.append(study_markup(study, data=part.data))
        label = part.studies[0].statistic.title
        if part.curves:
            blocks.append(f"## {part.data}: layers\n\n{markdown_table(*curve_table(part.curves))}")
        for ablation in part.ablations:
            heading = f"## {part.data}: from {ablation.start} to {ablation.end}, one switch at a time"
            blocks.append(f"{heading}\n\n{markdown_table(*ablation_table(ablation, label))}")
    return "\n\n".join(blocks) + "\n"


def curve_table(curves: Mapping[str, Mapping[float, float]]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: one row per layer, one column per metric."""
    layers = sorted({layer for points in curves.values() for layer in points})
    lines = [(layer, [points.get(layer, math.nan) for points in curves.values()]) for layer in layers]
    return ["layer", *curves], [[f"{layer:g}", *map(show_number, values)] for layer, values in lines]


def ablation_table(ablation: AblationResult, label: str) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: the value after each switch and what the switch changed."""
    rows = []
    before = math.nan
    for step, value in ablation.steps.items():
        change = value - before
        sign = "" if math.isnan(change) else ("+" if change >= 0 else "−") + show_number(abs(change))
        rows.append([step, show_number(value), sign])
        before = value
    return ["metric, then switches", label, "change"], rows
