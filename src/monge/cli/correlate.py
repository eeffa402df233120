"""Measure how metrics agree with human judgments, and which of them to trust.

  monge correlate rated.tsv -m bertscore moverscore rougel chrf bleu
  monge correlate wmt17 -m bertscore bertscore,encoder=mpnet,layers=7 bleu
  monge correlate ratings.tsv --scores scores.json
  monge correlate summeval/coherence,relevance -m rougel bertscore --level summary

DATA is a table of rated outputs (.tsv, .csv, .jsonl; columns such as hypothesis, reference, human, system, id; a column
lp or part separates language pairs), a set that `monge data list` names (NAME/PART,PART chooses parts or aspects), a
folder of mt-metrics-eval, or WMT's RR-seglevel.csv of ranked pairs. Scores come from files (--scores) or are computed
(-m NAME,option=value). DATA@odd and DATA@even are halves by document; DATA@documents joins judged segments to
documents, whose judgments are the means of theirs.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from monge.cli.arguments import (
    add_executor_arguments,
    print_warnings,
    read_environment,
    read_executor,
    read_shared_options,
)
from monge.cli.study_inputs import (
    add_agreement_arguments,
    add_data_arguments,
    add_variant_arguments,
    agreement_options,
    judged_data,
    show_progress,
)
from monge.cli.values import FIGURES, add_theme_argument, check_figures, check_target

if TYPE_CHECKING:
    from monge.workflows.correlate import CorrelateRequest, CorrelateResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    scores = add_variant_arguments(parser)
    scores.add_argument(
        "--scores",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="scores of metrics: what `monge score -f json` prints, or a table (TSV, CSV, JSONL) with system, id and "
        "metrics; columns part (or lp), level and higher_is_better are used",
    )
    scores.add_argument(
        "--higher",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="metrics for which higher scores are better (all: every one)",
    )
    scores.add_argument(
        "--lower",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="metrics for which lower scores are better (all: every one)",
    )
    add_agreement_arguments(parser)
    add_executor_arguments(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f",
        "--format",
        choices=("text", "json", "markdown", "latex"),
        default="text",
        help="how to print (default: text)",
    )
    output.add_argument("--plot", metavar="FILE", help="draw the significance matrix (.svg, .png, .pdf)")
    output.add_argument(
        "--heatmap",
        metavar="FILE",
        help="draw the correlations between all metrics and judgments (.svg, .png, .pdf), or write them (.tsv)",
    )
    output.add_argument(
        "--distributions",
        metavar="FILE",
        help="draw each metric's scores by quality as people see it (.svg, .png, .pdf)",
    )
    output.add_argument(
        "--layer-curves", metavar="FILE", help="draw the agreement of every metric at every layer (.svg, .png, .pdf)"
    )
    add_theme_argument(output)
    output.add_argument("--html", metavar="FILE", help="write the whole report with figures as one page")
    output.add_argument(
        "--save-scores", metavar="FILE", help="write every score (.tsv or .jsonl), for --scores of a later run"
    )
    output.add_argument(
        "--mtme",
        metavar="FOLDER",
        help="write the scores into a test-set folder of mt-metrics-eval; a new one gets texts and judgments too",
    )


def run(args: argparse.Namespace) -> int:
    from monge.workflows.correlate import CorrelateRequest, run_correlate

    check_target(args.html)
    for figure in (args.plot, args.distributions, args.layer_curves):
        check_target(figure, endings=FIGURES)
    check_target(args.heatmap, endings=(*FIGURES, ".tsv"))
    check_figures(args.plot, args.distributions, args.heatmap, args.layer_curves)
    check_target(args.save_scores, endings=(".tsv", ".jsonl", ".tsv.gz", ".jsonl.gz"))
    request = CorrelateRequest(
        data=judged_data(args, args.data),
        metrics=tuple(args.metrics),
        options=read_shared_options(args),
        scores=tuple(args.scores),
        higher=tuple(args.higher),
        lower=tuple(args.lower),
        agreement=agreement_options(args),
        save_scores=args.save_scores,
        mtme=args.mtme,
        executor=read_executor(args),
    )
    with show_progress() as report_step:
        result = run_correlate(request, environment=read_environment(args), report_step=report_step)
    print(_render(result, args.format))
    _write_files(result, args)
    if args.layer_curves:
        _write_curves(request, result.study.statistic.title, args)
    print_warnings(result.warnings)
    return 0


def _write_curves(request: CorrelateRequest, title: str, args: argparse.Namespace) -> None:
    from monge.report.correlate.plots import draw_curves
    from monge.report.plots import save_figure
    from monge.workflows.layer_curves import measure_layers

    with show_progress() as report_step:
        curves = measure_layers(request, environment=read_environment(args), report_step=report_step)
    save_figure(draw_curves(curves, x_label="layer", y_label=title), args.layer_curves, theme=args.theme)


def _render(result: CorrelateResult, style: str) -> str:
    import json

    from monge.report.correlate.text import study_markup, study_text

    if style == "json":
        return json.dumps(result.record(), ensure_ascii=False, indent=1)
    if style == "text":
        width = _terminal_width()
        return "\n\n".join(study_text(study, data=result.data, width=width) for study in result.studies)
    return "\n\n".join(study_markup(study, data=result.data, latex=style == "latex") for study in result.studies)


def _write_files(result: CorrelateResult, args: argparse.Namespace) -> None:
    from monge.report.correlate.plots import draw_distributions, draw_significance_matrix
    from monge.report.plots import save_figure

    if args.plot:
        save_figure(draw_significance_matrix(result.study), args.plot, theme=args.theme)
    if args.distributions:
        save_figure(draw_distributions(result.tasks), args.distributions, theme=args.theme)
    if args.heatmap:
        _write_heatmap(result, args.heatmap, theme=args.theme)
    if args.html:
        from monge.report.correlate.page import study_page
        from monge.storage.atomic import write_text

        write_text(args.html, study_page(result))


def _write_heatmap(result: CorrelateResult, path: str, *, theme: str) -> None:
    from monge.report.correlate.heatmap import correlation_table, draw_correlation_matrix
    from monge.report.plots import save_figure
    from monge.text import write_tsv

    found = result.intercorrelation()
    if path.endswith(".tsv"):
        header, rows = correlation_table(found)
        write_tsv(path, header, rows)
    else:
        save_figure(draw_correlation_matrix(found), path, theme=theme)


def _terminal_width() -> int:
    import shutil

    return max(60, min(shutil.get_terminal_size((100, 24)).columns, 140))
