"""Build the baseline that rescales a metric: what unrelated texts score, and what copies score.

  monge calibrate CORPUS --output baseline.json -m bertscore
  monge score REF -i HYP -m bertscore -o baseline=baseline.json

Lines of the corpus are paired at random, each with a line that is not its own. The score of these pairs becomes 0 after
rescaling, the score of a copy 1, also where the metric is a distance. Without a baseline of your own, --rescale of
`monge score` and `monge compare` uses one that was measured on English sentences.
"""

from __future__ import annotations

import argparse

from monge.cli.arguments import add_metric_arguments, read_environment, read_metrics
from monge.cli.values import check_target, seed
from monge.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", metavar="CORPUS", help="file of texts, one per line")
    parser.add_argument("--output", required=True, metavar="FILE", help="where to write the baseline (JSON)")
    parser.add_argument("--pairs", type=int, default=10_000, help="random pairs to score at most (default: 10000)")
    parser.add_argument("--seed", type=seed, default=12345, help="seed of the pairing (default: 12345)")
    add_metric_arguments(parser)


def run(args: argparse.Namespace) -> int:
    from monge.text import read_lines
    from monge.workflows.calibrate import CalibrateRequest, run_calibrate

    check_target(args.output)
    texts = list(dict.fromkeys(line for line in read_lines(args.corpus) if line.strip()))
    if len(texts) < 2:
        raise InputError(f"{args.corpus}: needs at least two different lines")
    request = CalibrateRequest(texts, read_metrics(args), args.pairs, args.seed)
    baseline = run_calibrate(request, environment=read_environment(args))
    baseline.save(args.output)
    unrelated, copy = baseline.scale.unrelated, baseline.scale.copy
    print(f"{baseline.pairs} unrelated pairs score {unrelated:.4f}, copies {copy:.4f}; written to {args.output}")
    return 0
