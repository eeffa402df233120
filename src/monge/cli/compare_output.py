"""What ``monge compare`` prints and draws."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from monge.cli.compare_analyses import analysis_text
from monge.cli.explain import use_colour
from monge.errors import InputError

if TYPE_CHECKING:
    from monge.comparison import Comparison
    from monge.workflows.analyse_comparison import ComparisonAnalyses
    from monge.workflows.compare import CompareResult


def write_plots(
    comparisons: Mapping[str, Comparison], analyses: Mapping[str, ComparisonAnalyses], args: argparse.Namespace
) -> None:
    """Write every figure of every metric to the folder that the arguments name."""
    from monge.report.compare.analyses import analysis_figures
    from monge.report.compare.text import comparison_figures
    from monge.report.plots import save_figure

    folder = Path(args.plots)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror}") from error
    for name, comparison in comparisons.items():
        prefix = f"{name}-" if len(comparisons) > 1 else ""
        further = analysis_figures(analyses[name]) if name in analyses else []
        for stem, _, draw in [*comparison_figures(comparison), *further]:
            save_figure(draw(), folder / f"{prefix}{stem}.{args.plot_format}", theme=args.theme)


def print_comparison(
    args: argparse.Namespace,
    explained: Mapping[str, Any],
    result: CompareResult,
    analyses: Mapping[str, ComparisonAnalyses],
) -> None:
    """Print the comparisons, in the format that the arguments name."""
    from monge.report.compare import text as report
    from monge.report.compare.bucket_tables import bucket_tables
    from monge.report.compare.markup import agreement_markup, comparison_markup

    agreement = result.agreement
    all_pairs = args.pairs == "all"
    width = max(60, min(100, shutil.get_terminal_size((80, 24)).columns))
    if args.format == "json":
        records = {
            name: report.comparison_record(*pair, instances=result.instances[name], buckets=result.buckets[name])
            for name, pair in explained.items()
        }
        if args.quiet:
            kept = ("systems", "conclusions", "warnings")
            records = {name: {key: record[key] for key in kept} for name, record in records.items()}
        records = {name: record | (analyses[name].record() if analyses else {}) for name, record in records.items()}
        content: Any = records if agreement is not None else next(iter(records.values()))
        if agreement is not None:
            verdicts = report.agreement_sentences(agreement, limit=len(agreement.verdicts))
            content = {"metrics": records, "verdicts": verdicts}
        print(json.dumps(content, ensure_ascii=False, indent=1))
        return
    parts = []
    for name, (comparison, explanation) in explained.items():
        if args.format == "text":
            text = report.quiet_text if args.quiet else report.comparison_text
            parts.append(text(comparison, explanation, name=name, all_pairs=all_pairs, width=width))
            if not args.quiet:
                parts[-1] += _write_details(args, name, result, width)
        else:
            options = {"latex": args.format == "latex", "quiet": args.quiet}
            tables = bucket_tables(result.buckets[name]) if args.buckets else []
            shown = result.instances[name] if args.show else ()
            parts.append(
                comparison_markup(
                    comparison, explanation, name=name, all_pairs=all_pairs, more=tables, shown=shown, **options
                )
            )
    if agreement is not None and args.format == "text":
        parts.insert(0, report.agreement_text(agreement, width=width, quiet=args.quiet))
    elif agreement is not None:
        parts.insert(0, agreement_markup(agreement, latex=args.format == "latex", quiet=args.quiet))
    if analyses:
        parts.append(analysis_text(analyses, args.format))
    rule = f"\n\n{'=' * width}\n\n" if args.format == "text" else "\n\n"
    sys.stdout.write(rule.join(parts) + "\n")


def _write_details(args: argparse.Namespace, name: str, result: CompareResult, width: int) -> str:
    """Return tables of buckets, if they were asked for, and the instances that differ most, as further paragraphs."""
    from monge.report.compare.bucket_tables import bucket_tables
    from monge.report.compare.instances import instances_text
    from monge.report.tables import text_table

    parts = []
    for table in bucket_tables(result.buckets[name]) if args.buckets else []:
        parts.append(f"{table.title}\n{text_table(table.header, table.rows, left=table.left)}")
    shown = result.instances[name]
    leading = shown if args.show is not None else shown[:1]  # all that were asked for, else the leading pair
    colour = use_colour("auto", sys.stdout.isatty())
    hint = "" if args.scores else "monge explain … --line N shows why an output got its score"
    parts += [text for pair in leading if (text := instances_text(pair, colour=colour, width=width, hint=hint))]
    return "".join(f"\n\n{part}" for part in parts)
