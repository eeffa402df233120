"""Check this install: versions, the native core, the embedded encoder, and scores against stored values."""

from __future__ import annotations

import argparse
import sys

from monge.cli.arguments import add_environment_arguments, read_environment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_environment_arguments(parser, cache=False)


def run(args: argparse.Namespace) -> int:
    from monge.workflows.doctor import run_checks

    failed = 0
    for check in run_checks(read_environment(args)):
        failed += not check.passed
        print(f"{'ok  ' if check.passed else 'FAIL'}  {check.name}: {check.detail}", flush=True)
    if failed:
        print(f"monge: {failed} check(s) failed", file=sys.stderr)
    return 1 if failed else 0
