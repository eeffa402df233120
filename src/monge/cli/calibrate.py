"""Build the baseline that rescales a metric: what unrelated texts score.

  monge calibrate CORPUS --output baseline.json -m bertscore
  monge score REF -i HYP -m bertscore -o baseline=baseline.json

Lines of the corpus are paired at random, each with a line that is not its own. The mean score of the pairs becomes 0
after rescaling, the score of a copy stays 1.
"""

from __future__ import annotations

import argparse

from monge.cli.values import check_target, seed
from monge.errors import InputError, OptionError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from monge.cli.score import add_metric_arguments

    parser.add_argument("corpus", metavar="CORPUS", help="file of texts, one a line")
    parser.add_argument("--output", required=True, metavar="FILE", help="where to write the baseline (JSON)")
    parser.add_argument("--pairs", type=int, default=10_000, help="random pairs to score at most (default: 10000)")
    parser.add_argument("--seed", type=seed, default=12345, help="seed of the pairing (default: 12345)")
    add_metric_arguments(parser)


def run(args: argparse.Namespace) -> int:
    from monge.cli.score import load_metrics
    from monge.metrics.transport.metric import TransportMetric
    from monge.text import read_lines
    from monge.workflows.calibrate import measure_baseline

    check_target(args.output)
    metrics = load_metrics(args)
    if len(metrics) != 1 or not isinstance(metrics[0], TransportMetric):
        raise OptionError("calibrate takes one transport metric: -m bertscore, for example")
    if args.pairs < 1:
        raise OptionError(f"--pairs {args.pairs}: must be at least 1")
    texts = list(dict.fromkeys(line for line in read_lines(args.corpus) if line.strip()))
    if len(texts) < 2:
        raise InputError(f"{args.corpus}: needs at least two different lines")
    baseline = measure_baseline(metrics[0], texts, pairs=args.pairs, seed=args.seed)
    baseline.save(args.output)
    values = ", ".join(f"{name} {value:.4f}" for name, value in baseline.parts.items())
    print(f"baseline over {baseline.pairs} pairs: {values}; written to {args.output}")
    return 0
