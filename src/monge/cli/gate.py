"""Flags of checks that a build can fail by, and what is printed and written about them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from monge.cli.values import check_target

if TYPE_CHECKING:
    from monge.workflows.gate import GateCheck


def add_summary_arguments(group: argparse._ArgumentGroup) -> None:
    """Add the files that receive a summary of the checks."""
    group.add_argument("--summary", metavar="FILE", help="write the checks as Markdown (for a job summary)")
    group.add_argument("--junit", metavar="FILE", help="write the checks as JUnit XML (for test reports)")


def check_summaries(args: argparse.Namespace) -> None:
    """Raise now if a summary cannot be written."""
    check_target(args.summary)
    check_target(args.junit)


def finish_checks(args: argparse.Namespace, checks: Sequence[GateCheck], *, title: str) -> int:
    """Write the summaries, print the failures on stderr, and return the exit status: 1 if a check failed, else 0."""
    from monge.report.gate import checks_junit, checks_markdown
    from monge.report.printable import make_printable
    from monge.storage.atomic import write_text

    if args.summary:
        write_text(args.summary, checks_markdown(checks, title=title))
    if args.junit:
        write_text(args.junit, checks_junit(checks, title=title))
    failed = [check for check in checks if not check.passed]
    for check in failed:
        print(f"monge: FAILED {make_printable(f'{check.system}, {check.metric}: {check.message}')}", file=sys.stderr)
    return 1 if failed else 0
