"""Decide which system is better, and how certain that is.

  monge compare REF [REF ...] -i SYS_A SYS_B [...] -m bleu bertscore
  monge compare --scores TABLE.tsv
  monge compare REF --baseline OLD -i NEW -m bertscore --fail-if worse

TABLE holds any scores, human ones too: the column `id`, else the first, names
the instance, every other one is a system (but `type` is the type of instance,
`metric` and `part` separate metrics and parts, `higher_is_better` is true or
false); or the column `system` names the system, every other one is an instance;
or one score per line with columns system, id and score; or JSONL of these; or
what `monge score -f json` prints. The report says how the table was read.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from monge.cli.arguments import (
    add_documents_argument,
    add_input_arguments,
    add_metric_arguments,
    add_rescale_argument,
    input_files,
    print_warnings,
    read_environment,
    read_language,
    read_metrics,
    read_text_files,
)
from monge.cli.compare_analyses import add_analysis_arguments, analyse_all
from monge.cli.compare_output import print_comparison, write_plots
from monge.cli.gate import add_summary_arguments, check_summaries, finish_checks
from monge.cli.values import check_figures, check_target, seed
from monge.errors import OptionError

if TYPE_CHECKING:
    from monge.workflows.compare import CompareRequest

KINDS = ("length", "frequency", "words", "type")
SHOWN = 2  # instances per direction
_TESTS = ("sign", "wilcoxon", "t", "randomisation", "bootstrap", "mood")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input_arguments(parser)
    table = parser.add_argument_group("scores instead of texts")
    table.add_argument(
        "--scores", metavar="TABLE", help="table of scores (TSV, CSV, JSON or JSONL; - is standard input)"
    )
    table.add_argument("--lower-is-better", action="store_true", help="in TABLE, lower scores are better")
    parser.add_argument(
        "--types",
        metavar="FILE",
        help="the type of each instance: one per line, or FILE:COLUMN, a column of a table (.tsv, .csv, .jsonl)",
    )
    add_metric_arguments(parser)
    add_rescale_argument(parser)
    add_documents_argument(parser)
    _add_decision(parser)
    add_analysis_arguments(parser)
    _add_checks(parser)
    _add_output(parser)


def _add_decision(parser: argparse.ArgumentParser) -> None:
    decision = parser.add_argument_group("decision")
    decision.add_argument(
        "--test", choices=_TESTS, default="sign", help="the test that decides (default: sign, who wins more instances)"
    )
    decision.add_argument(
        "--correction", choices=("holm", "fdr", "none"), default="holm", help="for many pairs (default: holm)"
    )
    decision.add_argument(
        "--alpha", type=float, default=0.05, metavar="A", help="level of tests and intervals (default: 0.05)"
    )
    decision.add_argument(
        "--power",
        type=float,
        default=0.8,
        metavar="P",
        help="chance to find a difference, for recommended sizes (default: 0.8)",
    )
    decision.add_argument(
        "--tie-margin", type=float, default=0.0, metavar="D", help="differences up to D are ties (default: 0)"
    )
    decision.add_argument(
        "--draws",
        type=int,
        metavar="N",
        help="draws of the bootstrap and of randomisation (default: 1000 and 10000, as in sacrebleu)",
    )
    decision.add_argument(
        "--orders",
        type=int,
        default=50,
        metavar="N",
        help="random orders that Elo and TrueSkill are averaged over (default: 50)",
    )
    decision.add_argument("--seed", type=seed, default=12345, help="seed of everything random (default: 12345)")


def _add_checks(parser: argparse.ArgumentParser) -> None:
    gate = parser.add_argument_group("checks against a baseline (exit status 1 if one fails)")
    gate.add_argument(
        "--baseline",
        metavar="OLD",
        help="file with the outputs of the system to compare with; or its name in --scores or --jsonl",
    )
    gate.add_argument(
        "--fail-if",
        choices=("worse", "not-better"),
        help="fail if another system is significantly worse than the baseline, or not significantly better",
    )
    add_summary_arguments(gate)


def _add_output(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f",
        "--format",
        choices=("text", "json", "markdown", "latex"),
        default="text",
        help="how to print (default: text)",
    )
    output.add_argument(
        "--pairs",
        choices=("key", "all"),
        default="key",
        help="of more than 12 pairs, show neighbours in rank (key) or all",
    )
    output.add_argument(
        "--show",
        type=int,
        metavar="N",
        help="instances on which systems differ most to show, per direction (default: 2 of the leading pair; 0: none)",
    )
    output.add_argument(
        "--buckets",
        nargs="+",
        action="extend",
        choices=KINDS,
        default=[],
        metavar="KIND",
        help="also compare by kinds of instances: length (of the reference), frequency (of its rarest word), words "
        "(which are kept, by frequency), type (of --types)",
    )
    output.add_argument("--html", metavar="FILE", help="also write a report for the browser, with figures")
    output.add_argument("--plots", metavar="DIR", help="also write the figures to DIR")
    output.add_argument("--plot-format", choices=("svg", "png", "pdf"), default="svg", help="of --plots (default: svg)")
    output.add_argument("-q", "--quiet", action="store_true", help="print the conclusions and warnings only")


def run(args: argparse.Namespace) -> int:
    from monge.report.compare.text import comparison_html, explain_all
    from monge.text import system_names
    from monge.workflows.compare import run_compare
    from monge.workflows.gate import check_baseline

    _check_gate(args)
    check_target(args.html)
    check_figures(args.plots)
    if args.show is not None and args.show < 0:
        raise OptionError(f"--show {args.show}: must be at least 0")
    baseline = args.baseline
    if baseline and not (args.scores or args.jsonl or args.parquet):
        args.input = [baseline, *args.input]
        baseline = system_names(tuple(args.input))[0]
    result = run_compare(_read_request(args), environment=read_environment(args), report_step=_show_step)
    analyses = analyse_all(args, result.comparisons)
    explained = explain_all(result.comparisons)
    if args.html:
        from monge.comparison.wording import listed
        from monge.storage.atomic import write_text

        title = f"Comparison of {listed(next(iter(result.comparisons.values())).order)}"
        page = comparison_html(explained, result.agreement, result.instances, title=title, buckets=result.buckets)
        write_text(args.html, page)
    if args.plots:
        write_plots(result.comparisons, analyses, args)
    print_comparison(args, explained, result, analyses)
    print_warnings(result.warnings)
    if not args.fail_if:
        return 0
    return finish_checks(args, check_baseline(result, baseline, fail_if=args.fail_if), title="monge compare")


def _check_gate(args: argparse.Namespace) -> None:
    """Refuse checks that are only half described."""
    if args.fail_if and not args.baseline:
        raise OptionError("--fail-if compares with a baseline: name it with --baseline OLD")
    if (args.summary or args.junit) and not args.fail_if:
        raise OptionError("--summary and --junit report checks: add --fail-if worse")
    check_summaries(args)


def _read_request(args: argparse.Namespace) -> CompareRequest:
    from monge.comparison import CompareSettings
    from monge.workflows.compare import CompareRequest

    settings = CompareSettings(
        alpha=args.alpha, decide_by=args.test, correction=args.correction, draws=args.draws, orders=args.orders,
        seed=args.seed, power=args.power, tie_margin=args.tie_margin,
    )  # fmt: skip
    details: Any = {
        "show": SHOWN if args.show is None else args.show,
        "explain": not args.quiet,
        "buckets": tuple(KINDS if args.html else args.buckets),
    }
    if args.scores:
        _check_scores_alone(args)
        return CompareRequest(
            scores=args.scores,
            lower_is_better=args.lower_is_better,
            types=args.types or (),
            settings=settings,
            **details,
        )
    if not (args.input or args.jsonl or args.parquet):
        raise OptionError("nothing to compare: name outputs with -i SYS_A SYS_B, or a table with --scores FILE")
    if args.lower_is_better:
        raise OptionError("--lower-is-better is for --scores TABLE; metrics know their direction")
    return CompareRequest(
        read_text_files(args),
        read_metrics(args),
        types=args.types or (),
        settings=settings,
        language=read_language(args),
        documents=args.documents or "",
        **details,
    )


def _check_scores_alone(args: argparse.Namespace) -> None:
    """Refuse arguments that have no effect on scores that exist already."""
    if any(input_files(args)):
        raise OptionError("--scores names a table of scores: leave out REF, -i, -s, --jsonl and --parquet")
    flags = {
        "-m": args.metrics, "-l": args.language, "--encoder": args.encoder, "--layers": args.layers, "--idf": args.idf,
        "--reference-aggregation": args.reference_aggregation, "--long": args.long, "-o": args.option,
        "-t": args.test_set, "-lc": args.lowercase, "-tok": args.tokenize, "--rescale": args.rescale,
        "--documents": args.documents,
    }  # fmt: skip
    idle = next((flag for flag, value in flags.items() if value), None)
    if idle:
        raise OptionError(f"--scores names scores that exist already: {idle} has nothing to do, leave it out")


def _show_step(what: str) -> None:
    """Show on a terminal what takes time."""
    if sys.stderr.isatty():
        print(f"monge: {what} …", file=sys.stderr)
