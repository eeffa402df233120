"""Saying on stderr what went wrong and was dealt with."""

from __future__ import annotations

import contextlib
import sys


def report(message: str) -> None:
    """Print one line on stderr; a stderr that cannot be written (a file on a full disk) is not an error."""
    with contextlib.suppress(OSError, ValueError):
        print(f"monge: {message}", file=sys.stderr)
