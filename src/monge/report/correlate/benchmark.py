"""The report of a benchmark: tables, matrices, distributions, curves over layers and ablations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from monge.report.correlate.page import study_sections
from monge.report.correlate.plots import draw_curves
from monge.report.correlate.text import show_number, study_heading, study_markup, study_record
from monge.report.html import html_details, html_figure, html_list, html_page, html_table
from monge.report.plots import figure_bytes
from monge.report.tables import markdown_table

Part = Mapping[str, Any]  # data, level, tasks, studies, signatures, curves, ablations


def benchmark_page(title: str, parts: Sequence[Part], *, correction: str) -> str:
    """Return the whole report as one HTML page that needs nothing but itself."""
    sections: list[tuple[str, str]] = []
    for part in parts:
        sections += study_sections(part["studies"], part["tasks"], data=part["data"], correction=correction)
        label = part["studies"][0].statistic.title
        if part["curves"]:
            figure = draw_curves(part["curves"], x_label="layer", y_label=label)
            caption = f"Which layer agrees best: {label} on {part['data']}"
            sections.append((f"{part['data']}: layers", html_figure(figure_bytes(figure), caption)))
        for ablation in part["ablations"]:
            header, rows = ablation_table(ablation, label)
            heading = f"{part['data']}: from {ablation['from']} to {ablation['to']}, one switch at a time"
            sections.append((heading, html_table(header, rows)))
        listed = html_list([f"{metric}: {signature}" for metric, signature in part["signatures"].items()])
        sections.append((f"{part['data']}: signatures", html_details("how the scores were made", listed)))
    return html_page(title, sections)


def benchmark_markdown(title: str, parts: Sequence[Part], *, correction: str) -> str:
    """Return the report as Markdown."""
    blocks = [f"# {title}"]
    for part in parts:
        for study in part["studies"]:
            blocks.append(f"## {study_heading(study, part['data'])}")
            blocks.append(study_markup(study, data=part["data"], correction=correction))
        label = part["studies"][0].statistic.title
        if part["curves"]:
            blocks.append(f"## {part['data']}: layers\n\n{markdown_table(*curve_table(part['curves']))}")
        for ablation in part["ablations"]:
            heading = f"## {part['data']}: from {ablation['from']} to {ablation['to']}, one switch at a time"
            blocks.append(f"{heading}\n\n{markdown_table(*ablation_table(ablation, label))}")
    return "\n\n".join(blocks) + "\n"


def benchmark_record(name: str, title: str, parts: Sequence[Part]) -> dict[str, Any]:
    """Return every number of the report as plain JSON values."""
    return {
        "suite": name,
        "title": title,
        "data": [
            {
                "data": part["data"],
                "studies": [
                    study_record(study, data=part["data"], signatures=part["signatures"]) for study in part["studies"]
                ],
                "curves": {
                    metric: {f"{layer:g}": _plain(value) for layer, value in points.items()}
                    for metric, points in part["curves"].items()
                },
                "ablations": [
                    {**ablation, "steps": {step: _plain(value) for step, value in ablation["steps"].items()}}
                    for ablation in part["ablations"]
                ],
            }
            for part in parts
        ],
    }


def curve_table(curves: Mapping[str, Mapping[float, float]]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: a line a layer, a column a metric."""
    layers = sorted({layer for points in curves.values() for layer in points})
    lines = [(layer, [points.get(layer, math.nan) for points in curves.values()]) for layer in layers]
    return ["layer", *curves], [[f"{layer:g}", *map(show_number, values)] for layer, values in lines]


def ablation_table(ablation: Mapping[str, Any], label: str) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: the value after each switch and what the switch changed."""
    rows = []
    before = math.nan
    for step, value in ablation["steps"].items():
        change = value - before
        sign = "" if math.isnan(change) else ("+" if change >= 0 else "−") + show_number(abs(change))
        rows.append([step, show_number(value), sign])
        before = value
    return ["metric, then switches", label, "change"], rows


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
