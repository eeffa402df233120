"""Choose a metric's settings on some sets of judgments and report them on others.

  monge tune et-en -m bertscore,encoder=mpnet --grid layers=5..11 order=1,2,4 --report wmt17 stsb

Every combination of the grid is measured on DATA alone (on average, when several sets are named); the one that agrees
best is then measured, beside the metric as it was, on the other sets. An output that is in DATA and in a set to report
on is refused: settings are never judged by the data they were chosen on. Results are kept in --folder, so that an
interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from monge.cli.correlate import add_study_arguments
from monge.cli.study_inputs import add_data_arguments, choose_defaults, gather_sets
from monge.errors import InputError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from monge.meta.data import JudgedSet
    from monge.meta.study import Study
    from monge.metrics.variants import MetricVariant
    from monge.workflows.cells import CellStore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser, several=True)
    metrics = parser.add_argument_group("what to choose")
    metrics.add_argument(
        "-m", "--metric", required=True, metavar="METRIC", help="metric, with options that stay: NAME,option=value"
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
        "--report", nargs="+", action="extend", default=[], metavar="DATA", help="other sets to measure the choice on"
    )
    metrics.add_argument(
        "--folder", default="monge-tune", metavar="FOLDER", help="where results are kept (default: monge-tune)"
    )
    metrics.add_argument("--offline", action="store_true", help="never touch the network")
    add_study_arguments(parser)
    output = parser.add_argument_group("output")
    output.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")
    output.add_argument("--top", type=int, default=10, metavar="N", help="how many settings to show (default: 10)")


def run(args: argparse.Namespace) -> int:
    import json
    from pathlib import Path

    from monge.metrics.variants import MetricVariant, parse_variant
    from monge.workflows.cells import CellStore
    from monge.workflows.grid import expand_grid, parse_grid

    if not args.report:
        raise OptionError("--report names the other sets: a value on the data it was chosen on says too much")
    base = parse_variant(args.metric)
    variants = expand_grid(args.metric, parse_grid(args.grid))
    store = CellStore(Path(args.folder))
    sets = _read_choice(args)
    others = [_read_other(args, name, sets) for name in args.report]
    local = _for_data(args, args.data[0])
    choose_defaults(local)
    chosen_on = _study(local, variants, sets, store)
    first = chosen_on.ranking.agreements[0]
    if math.isnan(first.value):
        raise InputError(f"no setting can be chosen on {', '.join(args.data)}: {first.reason or 'no data'}")
    best = next(v for v in variants if v.label == chosen_on.ranking.metrics[0])
    pair = [MetricVariant("chosen", best.name, best.options), MetricVariant("as it was", base.name, base.options)]
    reports = []
    for name, other in others:
        local = _for_data(args, name, level=None, statistic=None)
        choose_defaults(local)
        reports.append((name, _study(local, pair, other, store)))
    if args.format == "json":
        print(json.dumps(_record(args, chosen_on, best, reports), ensure_ascii=False, indent=1))
    else:
        print(_text(args, chosen_on, best, reports))
    return 0


def _for_data(args: argparse.Namespace, name: str, **changes: object) -> argparse.Namespace:
    """Return the arguments for one data set."""
    return argparse.Namespace(**{**vars(args), "data": name, **changes})


def _read_choice(args: argparse.Namespace) -> list[JudgedSet]:
    """Read the sets to choose on; parts of the same name are told apart by their set."""
    from dataclasses import replace

    read = [(name, judged) for name in args.data for judged in gather_sets(_for_data(args, name))]
    names = [judged.name for _, judged in read]
    return [
        judged if names.count(judged.name) == 1 else replace(judged, name=f"{name} {judged.name}")
        for name, judged in read
    ]


def _study(
    args: argparse.Namespace, variants: Sequence[MetricVariant], sets: Sequence[JudgedSet], store: CellStore
) -> Study:
    from monge.cli.correlate import make_study
    from monge.workflows.grid import make_grid_tasks

    tasks = make_grid_tasks(variants, sets, store, level=args.level)
    if len(variants) > 12:  # a choice among many needs no test of every pair
        args = argparse.Namespace(**{**vars(args), "test": "bootstrap"})
    return make_study(args, tasks, args.statistic[0])


def _read_other(args: argparse.Namespace, name: str, chosen_on: Sequence[JudgedSet]) -> tuple[str, list[JudgedSet]]:
    from monge.workflows.cells import shared_outputs

    sets = gather_sets(_for_data(args, name, aspect=[], human=[], columns=[], score_columns=[]))
    shared = shared_outputs(chosen_on, sets)
    if shared:
        chosen = ", ".join(args.data)
        raise OptionError(f"{shared} outputs of {name} are among those of {chosen}: report on other data")
    return name, sets


def _text(args: argparse.Namespace, chosen_on: Study, best: MetricVariant, reports: Sequence[tuple[str, Study]]) -> str:
    from monge.compare.wording import count_noun
    from monge.report.correlate.text import show_number, study_heading, study_table
    from monge.report.tables import text_table

    header, rows = study_table(chosen_on, width=100)
    settings = ",".join([best.name, *(f"{k}={v}" for k, v in best.options.items())])
    first = chosen_on.ranking.agreements[0]
    close = sum(a.value >= first.low for a in chosen_on.ranking.agreements[1:])
    parts = [
        f"chosen on {study_heading(chosen_on, ', '.join(args.data))}",
        text_table(header[:-1], [row[:-1] for row in rows[: args.top]]),
        f"{count_noun(len(rows), 'setting')} tried; chosen: {settings}",
    ]
    if close:
        parts[-1] += f"\n{count_noun(close, 'other')} within its interval: this choice is not the only good one"
    table = []
    for name, study in reports:
        chosen, before = study.averages["chosen"], study.averages["as it was"]
        p = float(study.ranking.corrected[0, 1])
        numbers = [show_number(v) for v in (chosen.value, chosen.low, chosen.high, before.value)]
        interval = f"[{numbers[1]}, {numbers[2]}]"
        shown_p = "–" if math.isnan(p) else f"{p:.3f}"
        table.append([name, study.statistic.name, numbers[0], interval, numbers[3], shown_p, f"{chosen.used:,}"])
    header = ["reported on", "statistic", "chosen", "interval", "as it was", "p", "outputs"]
    parts.append(text_table(header, table, left=2))
    names = ", ".join(args.data)
    parts.append(f"no output of these sets is in {names}; their judgments had no part in the choice")
    return "\n\n".join(parts)


def _record(
    args: argparse.Namespace, chosen_on: Study, best: MetricVariant, reports: Sequence[tuple[str, Study]]
) -> dict[str, object]:
    from monge.report.correlate.text import study_record

    return {
        "metric": best.name,
        "options": dict(best.options),
        "chosen_on": study_record(chosen_on, data=", ".join(args.data), signatures={}),
        "reported_on": [study_record(study, data=name, signatures={}) for name, study in reports],
    }
