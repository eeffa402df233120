"""Find the labels of texts, or score answers, with a file from `monge train capsules`.

  monge classify tags.safetensors texts.txt -k 3
  monge classify rank.safetensors pairs.tsv

prints for every line of TEXTS its best labels with their probabilities; with a file that ranks answers, for every line
`question TAB answer` its score.
"""

from __future__ import annotations

import argparse

from monge.cli.values import count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="FILE", help="from monge train capsules")
    parser.add_argument("texts", metavar="TEXTS", help="one text per line, or question, tab and answer")
    parser.add_argument("-k", type=count, default=5, metavar="N", help="labels per text (default: 5)")
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")


def run(args: argparse.Namespace) -> int:
    import json

    from monge.workflows.classify import classify_file

    for found in classify_file(args.model, args.texts, args.k):
        if args.format == "json":
            print(json.dumps(found))
        elif isinstance(found, dict):
            print("  ".join(f"{label} {value:.3f}" for label, value in found.items()))
        else:
            print(f"{found:.4f}")
    return 0
