"""Learn from data: train what metrics then use as a file.

  monge train encoder ENCODER --pairs FILE …     an encoder, fine-tuned on pairs of texts with labels
  monge train adapter ENCODER --pairs FILE …     an encoder for the transport score itself, as a small file
  monge train context REF SOURCE --output FILE   words in context, for we_wpi_context and we_wpi_attention
  monge train joint ENCODER SOURCE TARGET --output DIR   a multilingual encoder, aligned on translations
  monge train capsules DATA --output FILE        labels of texts or ranks of answers, for monge classify

Training needs torch (pip install 'monge[torch]'); what was trained is used without it. A training that was interrupted
goes on when the same command is given again, and ends in the same weights. Each says after its first steps how long it
will take, and at the end how long it took and how much memory.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time

# name, module of monge.cli, one line for `monge train --help`
TRAININGS: tuple[tuple[str, str, str], ...] = (
    ("encoder", "train_encoder", "fine-tune an encoder on pairs of texts with labels"),
    ("adapter", "train_adapter", "tune an encoder for the transport score, as a small file"),
    ("context", "train_context", "words in context from a test set, for we_wpi_context"),
    ("joint", "train_joint", "a multilingual encoder, aligned on translations"),
    ("capsules", "train_capsules", "a classifier of texts or a ranker of answers"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", metavar="WHAT", required=False)
    for name, module_name, summary in TRAININGS:
        module = importlib.import_module(f"monge.cli.{module_name}")
        sub = kinds.add_parser(
            name, help=summary, description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        module.add_arguments(sub)
        sub.set_defaults(run_kind=module.run)
    parser.set_defaults(print_help=parser.print_help)


def run(args: argparse.Namespace) -> int:
    if args.kind is None:
        args.print_help(sys.stderr)
        return 2
    began = time.monotonic()
    status: int = args.run_kind(args)
    print(f"finished in {time.monotonic() - began:.0f} s{_peak_memory()}", file=sys.stderr)
    return status


def _peak_memory() -> str:
    """Return the most memory that this process had, where the system tells."""
    try:
        import resource
    except ImportError:  # Windows
        return ""
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    return f"; peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6:,.0f} MB"
