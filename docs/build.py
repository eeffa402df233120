"""Writes docs/cli.md, docs/metrics.md and docs/options.md from the code; a test checks that they are current.

python docs/build.py
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from pathlib import Path

os.environ["COLUMNS"] = "100"  # argparse wraps help to the terminal's width

from monge.cli import COMMANDS, build_parser
from monge.metrics.cards import render_card
from monge.metrics.option_texts import OptionText, option_text
from monge.metrics.registry import find_spec, metric_options
from monge.metrics.specs import SPECS

HERE = Path(__file__).parent


def render_cli() -> str:
    """Return the help of every command as Markdown."""
    parser = build_parser("*")
    parts = ["# Commands\n\nMade from the code by `docs/build.py`.\n", f"```\n{parser.format_help().strip()}\n```\n"]
    commands = _commands(parser)
    for name, _, _ in COMMANDS:
        parts.append(_section(f"## monge {name}", commands[name]))
        parts += [_section(f"### monge {name} {kind}", own) for kind, own in _commands(commands[name]).items()]
    return "\n".join(parts)


def _section(title: str, parser: argparse.ArgumentParser) -> str:
    return f"{title}\n\n```\n{parser.format_help().strip()}\n```\n"


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the commands of a parser by name; none if it has none."""
    return {
        name: own
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, own in action.choices.items()
    }


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


def render_options() -> str:
    """Return one table of all options: meaning, values, and the default of every metric that has it."""
    owners: dict[tuple[str, OptionText], dict[str, list[str]]] = {}
    for spec in SPECS:
        for name, parameter in metric_options(spec.name).items():
            text = option_text(spec.name, name) or OptionText("", "")
            owners.setdefault((name, text), {}).setdefault(_show(parameter.default), []).append(spec.name)
    rows = [["option", "meaning", "values", "default"]]
    meanings = Counter(name for name, _ in owners)
    for (name, text), defaults in sorted(owners.items(), key=lambda item: item[0][0]):
        several = sorted(defaults.items(), key=lambda item: -len(item[1]))
        usual = [several[0][0], *(f"{value} ({', '.join(names)})" for value, names in several[1:])]
        own = [metric for names in defaults.values() for metric in names]
        of = f" of {', '.join(own[:4])}{' …' if len(own) > 4 else ''}" if meanings[name] > 1 else ""
        rows.append([f"`{name}`{of}", text.meaning, text.values, "; ".join(usual)])
    rows.insert(1, ["---"] * 4)
    table = "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)
    return f"""# Options of metrics

Made from the code by `docs/build.py`. An option is written after the name of a metric, `-m NAME,option=value`, or
given as a keyword in Python, `monge.score(…, metric="NAME", option=value)`. `monge metrics NAME` lists the options of
one metric with its defaults; where metrics have different defaults, the last column names them after the most common.

{table}
"""


def _show(default: object) -> str:
    return "none" if default in ("", None) else f"`{str(default).lower() if isinstance(default, bool) else default}`"


PAGES = {"cli.md": render_cli, "metrics.md": render_metrics, "options.md": render_options}

if __name__ == "__main__":
    for file, render in PAGES.items():
        (HERE / file).write_text(render(), encoding="utf-8")
        print(f"wrote {HERE / file}")
