"""Measure what metrics miss: negation, numbers, names, word order, repetition, truncation and more.

  monge stress bertscore chrf
  monge stress moverscore --texts good.jsonl --attacks numbers names

Sound texts are spoilt in ten ways. "Notices" is the share of spoilt texts that a metric places below the sound one;
"resists" the share of sound paraphrases placed above a spoilt copy of the reference, which shares more words with it.
The texts are monge's own 40 English pairs, or yours: good outputs with references (--texts FILE, as JSONL with
hypothesis, references and perhaps source). --triples FILE adds rows of A, paraphrase B, non-paraphrase C (TSV). Where
MONGE_DATA holds paws_qqp or wmt19_paraphrased_refs, these texts of others are tried too.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from monge.cli.values import seed
from monge.errors import InputError, OptionError

if TYPE_CHECKING:
    from monge.explain.paraphrases import ParaphraseTrial, Preference
    from monge.explain.stress import StressResult
    from monge.text import Segment

MOST_TRIPLES = 300  # of a set of others


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from monge.cli.score import add_metric_arguments

    parser.add_argument("metric", nargs="*", metavar="METRIC", help="metrics to test (default: bertscore)")
    parser.add_argument("--texts", metavar="FILE", help="sound texts with references, as JSONL (default: monge's own)")
    parser.add_argument("--triples", metavar="FILE", help="lines of A, paraphrase B and non-paraphrase C, by tabs")
    parser.add_argument(
        "--attacks", nargs="+", action="extend", default=[], metavar="NAME", help="the attacks to try (default: all)"
    )
    parser.add_argument("--seed", type=seed, default=12345, help="seed of shuffles and swaps (default: 12345)")
    parser.add_argument("-f", "--format", choices=("text", "json", "markdown"), default="text", help="default: text")
    add_metric_arguments(parser)


def run(args: argparse.Namespace) -> int:
    from monge.cli.score import load_metrics
    from monge.explain.stress import own_pairs, run_stress
    from monge.report.stress import stress_report
    from monge.text import read_jsonl

    args.metrics = [*args.metric, *args.metrics]
    pairs: list[Segment] = list(read_jsonl(args.texts).segments) if args.texts else own_pairs()
    trials = _find_trials(args)
    metrics = load_metrics(args)
    results: list[StressResult] = []
    others: dict[str, list[Preference]] = {trial.name: [] for trial in trials}
    with _progress(len(metrics) * (1 + len(trials))) as bar:
        for metric in metrics:
            results.append(run_stress(metric, pairs, args.attacks, seed=args.seed))
            bar.update()
            for trial in trials:
                others[trial.name].append(trial.run(metric))
                bar.update()
    if args.format == "json":
        print(json.dumps(_records(results, others), ensure_ascii=False, indent=1))
        return 0
    width = max(60, min(120, shutil.get_terminal_size((100, 24)).columns))
    print(stress_report(results, others, markdown=args.format == "markdown", width=width))
    for trial in trials:
        print(f"{trial.name}: {trial.what}")
    return 0


def _records(results: Sequence[StressResult], others: Mapping[str, Sequence[Preference]]) -> list[dict[str, object]]:
    records = []
    for place, result in enumerate(results):
        own = {name: found[place].record() for name, found in others.items()}
        records.append(result.record() | ({"paraphrases": own} if own else {}))
    return records


def _progress(total: int) -> Any:
    from tqdm import tqdm

    return tqdm(total=total, desc="stress", disable=not sys.stderr.isatty(), file=sys.stderr, leave=False)


def _find_trials(args: argparse.Namespace) -> list[ParaphraseTrial]:
    """Return the file of triples, and with all attacks on monge's own texts also the sets of others in MONGE_DATA."""
    from monge.explain.paraphrases import ParaphraseTrial, find_trials
    from monge.meta.data.locate import data_folders

    found = []
    if args.triples:
        what = "paraphrase above non-paraphrase"
        found.append(ParaphraseTrial(Path(args.triples).name, what, triples=_read_triples(args.triples)))
    if not (args.attacks or args.texts):
        found += [trial.spread(MOST_TRIPLES) for trial in find_trials(data_folders())]
    return found


def _read_triples(path: str) -> list[tuple[str, str, str]]:
    from monge.text import iter_lines

    triples = []
    for number, line in enumerate(iter_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 3:
            raise InputError(f"{path}, line {number}: three texts are expected (A, B, C), not {len(cells)}")
        triples.append((cells[0], cells[1], cells[2]))
    if not triples:
        raise OptionError(f"{path} holds no triple")
    return triples
