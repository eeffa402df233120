"""Measure what metrics miss: negation, numbers, names, word order, repetition, truncation and more.

  monge stress bertscore chrf
  monge stress moverscore --texts good.jsonl --attacks numbers names

Good texts are damaged in ten ways. "Notices" is the share of damaged texts that a metric places below the good one;
"resists" the share of good paraphrases placed above a damaged copy of the reference, which shares more words with it.
The texts are monge's own 40 English pairs, or yours: good outputs with references (--texts FILE, as JSONL with
hypothesis, references and perhaps source). --triples FILE adds rows of A, paraphrase B, non-paraphrase C (or label, A,
text, as published); --plot FILE draws the scores m(A,B) beside m(A,C). Where MONGE_DATA holds paws_qqp or
global_explanation, these public English sets are tried too.

  monge stress mongescore_free --translationese wmt17/cs-en,de-en --plot d.svg

With --translationese, metrics without references are asked instead whether they prefer bad translations to human
ones: the reference with its words shuffled, with its words in the order of the source, and a word-by-word translation
(from a dictionary); --attacks chooses some of shuffled, source-ordered, word-by-word.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from monge.cli.arguments import (
    add_metric_arguments,
    print_warnings,
    read_environment,
    read_language,
    read_metrics,
)
from monge.cli.values import FIGURES, add_theme_argument, check_figures, check_target, seed
from monge.errors import OptionError

if TYPE_CHECKING:
    from monge.workflows.stress import StressReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("metric", nargs="*", metavar="METRIC", help="metrics to test (default: bertscore)")
    parser.add_argument("--texts", metavar="FILE", help="good texts with references, as JSONL (default: monge's own)")
    parser.add_argument(
        "--triples", metavar="FILE", help="lines of A, paraphrase B and non-paraphrase C, separated by tabs"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw scores of triples, or histograms (.svg, .png, .pdf)")
    add_theme_argument(parser)
    parser.add_argument(
        "--attacks", nargs="+", action="extend", default=[], metavar="NAME", help="the attacks to try (default: all)"
    )
    parser.add_argument("--seed", type=seed, default=12345, help="seed of shuffles and swaps (default: 12345)")
    parser.add_argument(
        "--translationese",
        nargs="+",
        action="extend",
        default=[],
        metavar="DATA",
        help="sets with sources and references, such as wmt17/de-en",
    )
    parser.add_argument("--most", type=int, default=200, metavar="N", help="segments of each set (default: 200)")
    parser.add_argument("-f", "--format", choices=("text", "json", "markdown"), default="text", help="default: text")
    add_metric_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if args.translationese:
        return _run_translationese(args)
    from monge.report.stress import stress_report
    from monge.text import read_table
    from monge.workflows.stress import StressRequest, run_stress_test

    check_target(args.plot, endings=FIGURES)
    check_figures(args.plot)
    request = StressRequest(
        read_metrics(args, args.metric),
        tuple(read_table(args.texts).segments) if args.texts else (),
        tuple(args.attacks),
        args.triples or "",
        args.seed,
        read_language(args),
    )
    with _progress() as bar:
        report = run_stress_test(request, environment=read_environment(args), report_step=partial(_show_step, bar))
    print_warnings(report.warnings)
    if args.plot:
        _draw(report, args.plot, args.theme)
    if args.format == "json":
        print(json.dumps(report.records(), ensure_ascii=False, indent=1))
        return 0
    width = max(60, min(120, shutil.get_terminal_size((100, 24)).columns))
    print(stress_report(report.results, report.preferences, markdown=args.format == "markdown", width=width))
    overlaps = report.overlaps()
    for trial in report.trials:
        shared = f" ({overlaps[trial.name].describe()})" if trial.name in overlaps else ""
        print(f"{trial.name}: {trial.what}{shared}")
    return 0


def _run_translationese(args: argparse.Namespace) -> int:
    from monge.report.plots import save_figure
    from monge.report.translationese import draw_preferences, translationese_table
    from monge.workflows.translationese import TranslationeseRequest, run_translationese

    check_target(args.plot, endings=FIGURES)
    check_figures(args.plot)
    metrics = read_metrics(args, args.metric, default="mongescore_free")
    kinds = {"kinds": tuple(args.attacks)} if args.attacks else {}
    request = TranslationeseRequest(metrics, tuple(args.translationese), args.most, args.seed, **kinds)
    with _progress() as bar:
        report = run_translationese(request, environment=read_environment(args), report_step=partial(_show_step, bar))
    if args.plot:
        save_figure(draw_preferences(report.preferences), args.plot, theme=args.theme)
    if args.format == "json":
        print(json.dumps(report.records(), ensure_ascii=False, indent=1))
    else:
        print(translationese_table(report.preferences, markdown=args.format == "markdown"))
    return 0


def _draw(report: StressReport, path: str, theme: str) -> None:
    from monge.report.plots import save_figure
    from monge.report.triples import draw_triples

    if not report.scores:
        raise OptionError("nothing to draw: --plot shows triples, so give --triples FILE (or set MONGE_DATA)")
    save_figure(draw_triples(report.scores), path, theme=theme)


def _progress() -> Any:
    from tqdm import tqdm

    return tqdm(desc="stress", disable=not sys.stderr.isatty(), file=sys.stderr, leave=False)


def _show_step(bar: Any, done: int, total: int) -> None:
    bar.total, bar.n = total, done
    bar.refresh()
