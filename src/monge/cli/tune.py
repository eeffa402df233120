"""Choose a metric's settings on some sets of judgments and report them on others.

  monge tune et-en -m bertscore,encoder=mpnet --grid layers=5..11 order=1,2,4 --report wmt17 stsb
  monge tune et-en summeval@odd topical-chat@odd -m mongescore --grid alpha=0.5,0.7 --report summeval@even wmt17

Every combination of the grid is measured on DATA alone; the one that agrees best is then measured, beside the metric
as it was, on the other sets. Of several sets every one counts the same: a setting's total is the mean over the sets of
its agreement divided by that of the best setting there. @odd and @even are the halves of a set, by document;
summeval@odd:summary names a level of agreement other than the usual one. --above chrf prefers settings that agree
better than chrF on every set. An output that is in DATA and in a set to
report on is refused: settings are never judged by the data they were chosen on. Scores are kept in the cache, so that
an interrupted run continues where it stopped.
"""

from __future__ import annotations

import argparse
import dataclasses

from monge.cli.arguments import add_environment_arguments, read_environment
from monge.cli.study_inputs import (
    add_agreement_arguments,
    add_data_arguments,
    agreement_options,
    judged_data,
    show_progress,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "monge tune DATA [DATA ...] -m METRIC --grid KEY=VALUES [...] --report DATA [...] [other options]"
    add_data_arguments(parser, several=True)
    metrics = parser.add_argument_group("what to choose")
    metrics.add_argument(
        "-m",
        "--metric",
        required=True,
        metavar="METRIC",
        help="metric, with options that are not tuned: NAME,option=value",
    )
    metrics.add_argument(
        "--grid",
        nargs="+",
        action="extend",
        required=True,
        metavar="KEY=VALUES",
        help="values to try: layers=5..9 or order=1,2,4; all combinations are measured",
    )
    metrics.add_argument(
        "--above",
        default="",
        metavar="METRIC",
        help="choose among settings that agree better than METRIC on every set of DATA, if there are any",
    )
    metrics.add_argument(
        "--report",
        nargs="+",
        action="extend",
        default=[],
        metavar="DATA",
        help="other sets to measure the choice on; at least one is needed",
    )
    add_environment_arguments(metrics)
    add_agreement_arguments(parser)
    output = parser.add_argument_group("output")
    output.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")
    output.add_argument("--top", type=int, default=10, metavar="N", help="how many settings to show (default: 10)")


def run(args: argparse.Namespace) -> int:
    import json

    from monge.report.correlate.tune import tune_text
    from monge.workflows.option_grid import parse_grid
    from monge.workflows.tune import TuneRequest, run_tune

    data = tuple(judged_data(args, name) for name in args.data)
    plain = dataclasses.replace(data[0], human=(), columns={}, score_columns=(), aspects=())
    request = TuneRequest(
        data=data,
        report=tuple(dataclasses.replace(plain, source=name) for name in args.report),
        metric=args.metric,
        grid=parse_grid(args.grid),
        agreement=agreement_options(args),
        above=args.above,
    )
    with show_progress() as report_step:
        result = run_tune(request, environment=read_environment(args), report_step=report_step)
    if args.format == "json":
        print(json.dumps(result.record(), ensure_ascii=False, indent=1))
    else:
        print(tune_text(result, top=args.top))
    return 0
