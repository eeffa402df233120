"""The part of `monge compare` that looks further: diagnostics, several runs, costs."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from monge.cli.values import add_theme_argument

if TYPE_CHECKING:
    from monge.comparison import Comparison
    from monge.workflows.analyse_comparison import ComparisonAnalyses


def add_analysis_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be reported besides the decision."""
    group = parser.add_argument_group("further analyses")
    group.add_argument(
        "--diagnose",
        action="store_true",
        help="describe the scores (outliers, spreads, τ between systems), which tests agree, and how mean, median and "
        "Bradley–Terry disagree as the test set grows",
    )
    group.add_argument(
        "--runs",
        metavar="MARK",
        help="systems were run several times: MARK stands before the run in names (/ for big/1, big/2); adds score "
        "distributions and almost stochastic order",
    )
    group.add_argument(
        "--budget", metavar="FILE", help="costs beside scores: a table with a column system and columns such as seconds"
    )
    add_theme_argument(group)


def analyse_all(args: argparse.Namespace, comparisons: Mapping[str, Comparison]) -> dict[str, ComparisonAnalyses]:
    """Return what the arguments ask for, by metric; nothing if they ask for nothing."""
    from monge.workflows.analyse_comparison import AnalysisOptions, analyse_comparison

    if not (args.diagnose or args.runs or args.budget):
        return {}
    options = AnalysisOptions(args.diagnose, args.runs or "", args.budget or "")
    return {name: analyse_comparison(comparison, options) for name, comparison in comparisons.items()}


def analysis_text(analyses: Mapping[str, ComparisonAnalyses], style: str) -> str:
    """Return the tables of all analyses as text, Markdown or LaTeX."""
    from monge.report.compare.analyses import analysis_tables
    from monge.report.tables import latex_table, markdown_table, text_table

    render: Any = {"text": text_table, "markdown": markdown_table, "latex": latex_table}[style]
    parts = []
    for name, found in analyses.items():
        prefix = f"{name}: " if len(analyses) > 1 else ""
        for table in analysis_tables(found):
            gap = "\n\n" if style == "markdown" else "\n"
            title = f"{prefix}{table.title}"
            shown = textwrap.fill(title, 80) if style == "text" else title
            parts.append(f"{shown}{gap}{render(table.header, table.rows, left=table.left)}")
    return "\n\n".join(parts)
