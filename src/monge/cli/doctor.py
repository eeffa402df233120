"""Check this install: versions, the native core, the embedded encoder, and scores against stored values."""

from __future__ import annotations

import argparse
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--offline", action="store_true", help="never touch the network")


def run(args: argparse.Namespace) -> int:
    from monge.workflows.doctor import run_checks

    failed = 0
    for check in run_checks():
        failed += not check.passed
        print(f"{'ok  ' if check.passed else 'FAIL'}  {check.name}: {check.detail}", flush=True)
    if failed:
        print(f"monge: {failed} check(s) failed", file=sys.stderr)
    return 1 if failed else 0
