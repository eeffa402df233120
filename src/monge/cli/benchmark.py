"""Run a named grid of metrics over data sets and write one report.

  monge benchmark list
  monge benchmark wmt17 --folder results/wmt17
  monge benchmark wmt17 -m bleu bertscore,encoder=mpnet --ablate bertscore moverscore

Every cell (a metric on a part of a set) is kept in FOLDER/cells as soon as it is computed: an interrupted run goes on
where it stopped, and a longer list of metrics computes only what is new. The report is FOLDER/report.html, .md, .json.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from monge.cli.correlate import add_study_arguments
from monge.cli.values import check_figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from monge.meta.data import JudgedSet
    from monge.metrics.variants import MetricVariant
    from monge.workflows.cells import CellStore
    from monge.workflows.suites import Suite, SuiteData


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", help="name of a suite; `monge benchmark list` shows them")
    parser.add_argument("--folder", metavar="FOLDER", help="where cells and report go (default: monge-SUITE)")
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="other metrics than the suite's: NAME,option=value",
    )
    parser.add_argument("--data", nargs="+", action="extend", metavar="DATA", help="other data than the suite's")
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
    parser.add_argument("--offline", action="store_true", help="never touch the network")
    add_study_arguments(parser)


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from monge.workflows.cells import CellStore
    from monge.workflows.suites import SUITES, find_suite

    if args.suite == "list":
        from monge.report.tables import text_table

        print(text_table(["suite", "what"], [[s.name, s.title] for s in SUITES], left=2))
        return 0
    suite = _adapt(find_suite(args.suite), args)
    check_figures("report.html")
    folder = Path(args.folder or f"monge-{suite.name}")
    store = CellStore(folder)
    parts = [_run_data(args, suite, data, store) for data in suite.data]
    _write_report(folder, suite, parts, args)
    print(folder / "report.html")
    return 0


def _adapt(suite: Suite, args: argparse.Namespace) -> Suite:
    from dataclasses import replace

    from monge.workflows.suites import SuiteData

    if args.metrics:
        suite = replace(suite, metrics=tuple(args.metrics))
    if args.data:
        suite = replace(suite, data=tuple(SuiteData(name) for name in args.data))
    if args.ablate:
        suite = replace(suite, ablations=(*suite.ablations, *(tuple(pair) for pair in args.ablate)))
    return replace(suite, curves=()) if args.no_curves else suite


def _run_data(args: argparse.Namespace, suite: Suite, data: SuiteData, store: CellStore) -> dict[str, Any]:
    """Measure one data set of a suite: studies, curves over layers, ablations."""
    from monge.cli.correlate import make_study
    from monge.cli.study_inputs import choose_defaults, gather_sets
    from monge.metrics.variants import parse_variants
    from monge.workflows.ablation import ablation_path
    from monge.workflows.grid import fill_store, make_grid_tasks

    local = argparse.Namespace(**{**vars(args), "data": data.data, "human": [], "columns": [], "score_columns": []})
    local.aspect, local.texts, local.sample = [], "auto", args.sample or data.sample or None
    local.level = args.level or data.level or None
    local.statistic = args.statistic or list(data.statistics) or None
    sets = gather_sets(local)
    choose_defaults(local)
    variants = parse_variants(suite.metrics)
    curves = {metric: _layer_variants(metric) for metric in suite.curves}
    paths = {pair: ablation_path(*pair) for pair in suite.ablations}
    extra = [variant for group in (*curves.values(), *paths.values()) for variant in group]
    fill_store([*variants, *extra], sets, store)
    tasks = make_grid_tasks(variants, sets, store, level=local.level)
    studies = [make_study(local, tasks, name) for name in local.statistic]
    return {
        "data": data.data,
        "level": local.level,
        "tasks": tasks,
        "studies": studies,
        "signatures": _signatures(variants, sets, store),
        "curves": {
            metric.partition(":=")[0]: {float(layer): v for layer, v in _values(local, own, sets, store).items()}
            for metric, own in curves.items()
        },
        "ablations": [
            {"from": pair[0], "to": pair[1], "steps": _values(local, path, sets, store)} for pair, path in paths.items()
        ],
    }


def _signatures(variants: Sequence[Any], sets: Sequence[JudgedSet], store: CellStore) -> dict[str, str]:
    found = {variant.label: store.load(variant, sets[0]) for variant in variants}
    return {label: cell.table.signature for label, cell in found.items() if cell is not None}


def _values(
    args: argparse.Namespace, variants: Sequence[Any], sets: Sequence[JudgedSet], store: CellStore
) -> dict[str, float]:
    """Return the average agreement of every metric, without intervals or tests."""
    from monge.cli.correlate import choose_statistic
    from monge.meta import average_agreement, measure_agreement
    from monge.workflows.grid import make_grid_tasks

    tasks = make_grid_tasks(variants, sets, store, level=args.level)
    statistic = choose_statistic(args, args.statistic[0])
    measured = [measure_agreement(task, statistic, level=args.level) for task in tasks]
    return {v.label: average_agreement([found[v.label] for found in measured]).value for v in variants}


def _layer_variants(metric: str) -> list[MetricVariant]:
    """Return the metric with each hidden state of its encoder, labelled by the layer."""
    from monge.encoders import load_encoder
    from monge.metrics.registry import metric_options
    from monge.metrics.variants import MetricVariant, parse_variant

    base = parse_variant(metric)
    encoder = base.options.get("encoder", metric_options(base.name)["encoder"].default)
    layers = [str(layer) for layer in range(load_encoder(encoder, cache=True).layers)]
    return [MetricVariant(layer, base.name, {**base.options, "layers": layer}) for layer in layers]


def _write_report(folder: Any, suite: Suite, parts: Sequence[dict[str, Any]], args: argparse.Namespace) -> None:
    import json

    from monge.report.correlate.benchmark import benchmark_markdown, benchmark_page, benchmark_record
    from monge.storage.atomic import write_text

    folder.mkdir(parents=True, exist_ok=True)
    record = benchmark_record(suite.name, suite.title, parts)
    write_text(folder / "report.json", json.dumps(record, ensure_ascii=False, indent=1))
    write_text(folder / "report.md", benchmark_markdown(suite.title, parts, correction=args.correction))
    write_text(folder / "report.html", benchmark_page(suite.title, parts, correction=args.correction))
