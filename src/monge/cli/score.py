"""Score outputs against references.

  monge score REF [REF ...] -i HYP [HYP ...] -m moverscore bleu
  monge score --jsonl FILE -m bertscore
  monge score --parquet 'data/*.parquet' -m bertscore --output scores/ --executor processes
  cat HYP | monge score REF -m bleu -b
  monge score REF -i HYP -m bertscore --fail-under bertscore=0.85

Files hold one text per line (plain or gzip; - is standard input). Every REF is a reference for every line.

Any number of lines may be scored: memory does not grow with them. Vectors and finished chunks of scores are kept in the
cache (`monge cache`), so that an interrupted job, started again, goes on where it stopped; --no-cache keeps nothing.
"""

from __future__ import annotations

import argparse

from monge.cli.arguments import (
    add_documents_argument,
    add_executor_arguments,
    add_input_arguments,
    add_metric_arguments,
    add_rescale_argument,
    input_files,
    is_piped,
    print_warnings,
    read_environment,
    read_executor,
    read_language,
    read_metrics,
    read_text_files,
)
from monge.cli.gate import add_summary_arguments, check_summaries, finish_checks
from monge.cli.values import check_target, count, seed
from monge.errors import OptionError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input_arguments(parser)
    add_metric_arguments(parser)
    add_rescale_argument(parser)
    add_documents_argument(parser)
    add_executor_arguments(parser)
    parser.add_argument(
        "--shards", metavar="FOLDER|URL", help="keep finished chunks here, where all workers see them (default: cache)"
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f", "--format", choices=("text", "json", "latex"), default="text", help="how to print (default: text)"
    )
    output.add_argument(
        "-w",
        "--width",
        type=int,
        default=None,
        metavar="DIGITS",
        help="digits after the point (default: 4, or 2 for scores up to 100)",
    )
    output.add_argument(
        "-b", "--score-only", action="store_true", help="print bare numbers: one line per system, one column per metric"
    )
    output.add_argument(
        "--scale",
        action="store_true",
        help="also measure what unrelated texts and copies score, for metrics without a stored value",
    )
    output.add_argument("--save-idf", metavar="FILE", help="write the idf statistics that were computed")
    output.add_argument(
        "--segments", metavar="OUT", help="also write every segment's score to OUT (.tsv or .jsonl, may end in .gz)"
    )
    output.add_argument(
        "--output",
        metavar="FILE|FOLDER|URL",
        help="also write one row per segment with a column per metric: a .parquet or .arrow file, or a folder of parts",
    )
    output.add_argument(
        "--worst",
        type=count,
        metavar="N",
        help="also print the N worst segments of each system by each metric, and why",
    )
    output.add_argument(
        "-ci", "--confidence", action="store_true", help="add the half width of the 95%% bootstrap interval"
    )
    output.add_argument(
        "-cin", "--draws", "--confidence-n", type=count, metavar="N", help="draws of the bootstrap (default: 1000)"
    )
    output.add_argument("--seed", type=seed, default=12345, help="seed of the bootstrap (default: 12345)")
    output.add_argument("-q", "--quiet", action="store_true", help="print the scores only, no signatures or notes")
    gate = parser.add_argument_group("checks (exit status 1 if one fails)")
    gate.add_argument(
        "--fail-under",
        nargs="+",
        action="extend",
        metavar="METRIC=VALUE",
        default=[],
        help="fail if a system's score is worse than VALUE: below it, or above it where lower is better",
    )
    add_summary_arguments(gate)
    output.add_argument(
        "--progress", action="store_true", default=None, help="show progress even if stderr is not a terminal"
    )


def run(args: argparse.Namespace) -> int:
    from monge.cli.score_output import print_json, print_numbers, print_table, print_worst, report_reuse, write_segments
    from monge.engine.job import JobOptions
    from monge.workflows.gate import check_thresholds, read_thresholds
    from monge.workflows.score import ScoreRequest, run_score

    if (args.reference or args.test_set) and not (args.input or args.jsonl or args.parquet) and is_piped():
        args.input = ["-"]
    _check(args)
    metrics = read_metrics(args)
    thresholds = read_thresholds(args.fail_under, [variant.label for variant in metrics])
    request = ScoreRequest(
        read_text_files(args),
        metrics,
        JobOptions(
            confidence=args.confidence,
            seed=args.seed,
            progress=args.progress,
            scale=args.scale,
            documents=args.documents or "",
            **({} if args.draws is None else {"draws": args.draws}),
        ),
        keep_idf=bool(args.save_idf),
        language=read_language(args),
        executor=read_executor(args),
        shards=args.shards,
    )
    result = run_score(request, environment=read_environment(args))
    if result.idf:
        result.idf.save(args.save_idf)
    if args.segments:
        write_segments(args.segments, result.systems)
    if args.output:
        from monge.engine.columns import write_score_columns

        write_score_columns(args.output, result.systems)
    if args.score_only:
        print_numbers(result.systems, args.width)
    elif args.format == "json":
        print_json(result.systems)
    else:
        print_table(result.systems, width=args.width, latex=args.format == "latex", quiet=args.quiet)
    if args.worst:
        from monge.workflows.worst import explain_worst

        for variant in request.metrics:
            own = [one for one in result.systems if one.metric == variant.label]
            print_worst(explain_worst(own, variant, args.worst, environment=read_environment(args)), own[0])
    if not args.quiet:
        print_warnings(result.warnings)
    if not args.quiet and not args.score_only:
        report_reuse(result.systems)
    return finish_checks(args, check_thresholds(result.systems, thresholds), title="monge score")


def _check(args: argparse.Namespace) -> None:
    """Refuse what cannot be printed or written before any work is done."""
    if args.width is not None and not 0 <= args.width <= 17:
        raise OptionError(f"--width {args.width}: must be between 0 and 17")
    if args.segments and not args.segments.removesuffix(".gz").endswith((".jsonl", ".tsv")):
        raise OptionError(f"--segments {args.segments}: the name must end in .tsv or .jsonl (or .gz after that)")
    if args.draws is not None and not args.confidence:
        raise OptionError("--draws counts the draws of an interval: add --confidence")
    if args.worst and (args.score_only or args.format != "text"):
        raise OptionError("--worst prints texts after the table: leave out -b and -f (see `monge explain --worst`)")
    if args.score_only and args.format != "text":
        raise OptionError(f"--score-only prints bare numbers: leave out -f {args.format}")
    if (args.summary or args.junit) and not args.fail_under:
        raise OptionError("--summary and --junit report checks: add --fail-under METRIC=VALUE")
    check_summaries(args)
    check_target(args.segments, inputs=input_files(args))
    check_target(args.save_idf, inputs=input_files(args))
    if args.output:
        from monge.text.columnar import import_pyarrow

        import_pyarrow(args.output)
