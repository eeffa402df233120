"""Writes docs/cli.md and docs/metrics.md from the code; a test checks that they are current.

python docs/build.py
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ["COLUMNS"] = "100"  # argparse wraps help to the terminal's width

from monge.cli import COMMANDS, build_parser
from monge.metrics.cards import render_card
from monge.metrics.registry import find_spec
from monge.metrics.specs import SPECS

HERE = Path(__file__).parent


def render_cli() -> str:
    """Return the help of every command as Markdown."""
    parser = build_parser("*")
    action = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    parts = ["# Commands\n\nMade from the code by `docs/build.py`.\n", f"```\n{parser.format_help().strip()}\n```\n"]
    for name, _, _ in COMMANDS:
        parts.append(f"## monge {name}\n\n```\n{action.choices[name].format_help().strip()}\n```\n")
    return "\n".join(parts)


def render_metrics() -> str:
    """Return every card, with headings one level down."""
    parts = ["# Metrics\n\nMade from the code by `docs/build.py`. `monge metrics NAME` prints one card.\n"]
    for family in dict.fromkeys(spec.family for spec in SPECS):
        names = ", ".join(f"[{s.name}](#{s.name})" for s in SPECS if s.family == family)
        parts.append(f"- {family}: {names}")
    for spec in SPECS:
        card = render_card(find_spec(spec.name)).split("\n", 1)
        parts.append(f"\n## {spec.name}\n\n{spec.summary}\n{card[1]}")
    return "\n".join(parts) + "\n"


PAGES = {"cli.md": render_cli, "metrics.md": render_metrics}

if __name__ == "__main__":
    for file, render in PAGES.items():
        (HERE / file).write_text(render(), encoding="utf-8")
        print(f"wrote {HERE / file}")
