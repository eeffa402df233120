"""Run a named suite of metrics over data sets and write one report.

  monge benchmark list
  monge benchmark wmt17 --folder results/wmt17
  monge benchmark wmt17 -m bleu bertscore,encoder=mpnet --ablate bertscore moverscore

Scores are kept in the cache as soon as they are computed: an interrupted run continues where it stopped, and a longer
list of metrics computes only what is new. The report is FOLDER/report.html, .md and .json.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from monge.cli.arguments import add_environment_arguments, add_executor_arguments, read_environment, read_executor
from monge.cli.study_inputs import add_agreement_arguments, agreement_options, show_progress
from monge.cli.values import check_figures

if TYPE_CHECKING:
    from pathlib import Path

    from monge.workflows.benchmark import BenchmarkResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", help="name of a suite; `monge benchmark list` shows them")
    parser.add_argument("--folder", metavar="FOLDER", help="where the report is written (default: monge-SUITE)")
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="metrics instead of the suite's: NAME,option=value",
    )
    parser.add_argument("--data", nargs="+", action="extend", metavar="DATA", help="data instead of the suite's")
    parser.add_argument(
        "--ablate",
        nargs=2,
        action="append",
        default=[],
        metavar=("FROM", "TO"),
        help="also switch one setting at a time between two transport metrics",
    )
    parser.add_argument("--no-curves", action="store_true", help="leave out the curves over layers")
    parser.add_argument("--sample", type=int, metavar="N", help="use a random sample of N inputs of each part")
    add_environment_arguments(parser)
    add_executor_arguments(parser)
    add_agreement_arguments(parser)


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from monge.workflows.benchmark import BenchmarkRequest, run_benchmark
    from monge.workflows.suites import SUITES, find_suite

    if args.suite == "list":
        from monge.report.tables import text_table

        print(text_table(["suite", "what"], [[s.name, s.title] for s in SUITES], left=2))
        return 0
    suite = find_suite(args.suite).change(
        metrics=args.metrics or (),
        data=args.data or (),
        ablations=[(start, end) for start, end in args.ablate],
        curves=not args.no_curves,
    )
    check_figures("report.html")
    folder = Path(args.folder or f"monge-{suite.name}")
    request = BenchmarkRequest(suite, agreement_options(args), args.sample, read_executor(args))
    with show_progress() as report_step:
        result = run_benchmark(request, environment=read_environment(args), report_step=report_step)
    _write_report(folder, result)
    print(folder / "report.html")
    return 0


def _write_report(folder: Path, result: BenchmarkResult) -> None:
    import json

    from monge.report.correlate.benchmark import benchmark_markdown, benchmark_page
    from monge.storage.atomic import write_text

    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "report.json", json.dumps(result.record(), ensure_ascii=False, indent=1))
    write_text(folder / "report.md", benchmark_markdown(result))
    write_text(folder / "report.html", benchmark_page(result))
