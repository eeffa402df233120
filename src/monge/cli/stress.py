"""Measure what metrics miss: negation, numbers, names, word order, repetition, truncation and more.

  monge stress bertscore chrf
  monge stress moverscore --texts good.jsonl --attacks numbers names

Sound texts are spoilt in ten ways. "Notices" is the share of spoilt texts that a metric places below the sound one;
"resists" the share of sound paraphrases placed above a spoilt copy of the reference, which shares more words with it.
The texts are monge's own 40 English pairs, or yours: good outputs with references (--texts FILE, as JSONL with
hypothesis, references and perhaps source). --triples FILE adds rows of A, paraphrase B, non-paraphrase C (TSV).
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from monge.cli.values import seed
from monge.errors import InputError, OptionError

if TYPE_CHECKING:
    from monge.explain.stress import StressResult
    from monge.text import Segment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from monge.cli.score import add_metric_arguments

    parser.add_argument("metric", nargs="*", metavar="METRIC", help="metrics to test (default: bertscore)")
    parser.add_argument("--texts", metavar="FILE", help="sound texts with references, as JSONL (default: monge's own)")
    parser.add_argument("--triples", metavar="FILE", help="lines of A, paraphrase B and non-paraphrase C, by tabs")
    parser.add_argument("--attacks", nargs="+", default=[], metavar="NAME", help="the attacks to try (default: all)")
    parser.add_argument("--seed", type=seed, default=12345, help="seed of shuffles and swaps (default: 12345)")
    parser.add_argument("-f", "--format", choices=("text", "json", "markdown"), default="text", help="default: text")
    add_metric_arguments(parser)


def run(args: argparse.Namespace) -> int:
    from monge.cli.score import load_metrics
    from monge.explain.stress import own_pairs, prefer_paraphrases, run_stress
    from monge.report.stress import stress_report
    from monge.text import read_jsonl

    args.metrics = [*args.metric, *args.metrics]
    pairs: list[Segment] = list(read_jsonl(args.texts).segments) if args.texts else own_pairs()
    triples = _read_triples(args.triples) if args.triples else []
    metrics = load_metrics(args)
    results: list[StressResult] = [run_stress(metric, pairs, args.attacks, seed=args.seed) for metric in metrics]
    preferred = {metric.spec.name: prefer_paraphrases(metric, triples) for metric in metrics} if triples else {}
    if args.format == "json":
        records = [result.record() for result in results]
        for record in records:
            if triples:
                record["paraphrases"] = preferred[str(record["metric"])].record()
        print(json.dumps(records, ensure_ascii=False, indent=1))
        return 0
    print(stress_report(results, markdown=args.format == "markdown"))
    for name, rate in preferred.items():
        low, high = rate.interval
        print(f"{name}: prefers the paraphrase in {rate.share:.2f} [{low:.2f}, {high:.2f}] of {rate.trials} triples")
    return 0


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
