"""List the metrics, or print the card of one: what it computes, its range, options, cost, citation and caveats."""

from __future__ import annotations

import argparse
import json
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from monge.metrics.protocols import MetricSpec


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="the metric whose card to print")
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")


def run(args: argparse.Namespace) -> int:
    from monge.metrics.cards import render_card
    from monge.metrics.registry import find_spec, metric_specs
    from monge.scores.direction import direction_mark

    if args.name and args.format == "json":
        print(json.dumps(spec_record(find_spec(args.name)), indent=1, ensure_ascii=False))
        return 0
    if args.name:
        print(render_card(find_spec(args.name)))
        return 0
    specs = list(metric_specs().values())
    if args.format == "json":
        print(json.dumps([spec_record(spec) for spec in specs], indent=1, ensure_ascii=False))
        return 0
    width = max(len(spec.name) for spec in specs)
    for family in dict.fromkeys(spec.family for spec in specs):
        print(f"{family}:")
        for spec in specs:
            if spec.family == family:
                print(f"  {spec.name:<{width}}  {direction_mark(spec.higher_is_better) or '·'}  {spec.summary}")
    print(
        "\n↑ higher is better, ↓ lower is better, · describes texts: neither is better."
        " `monge metrics NAME` prints a metric's card."
    )
    return 0


def spec_record(spec: MetricSpec) -> dict[str, object]:
    """Return a spec as plain JSON values; an infinite bound becomes null."""
    return {
        "name": spec.name,
        "family": spec.family,
        "summary": spec.summary,
        "needs": list(spec.needs),
        "against": list(spec.against),
        "bounds": [None if math.isinf(b) else b for b in spec.bounds],
        "higher_is_better": spec.higher_is_better,
        "symmetric": spec.symmetric,
        "explains": spec.explains,
        "growth": spec.growth,
        "unit": spec.unit,
        "extra": spec.extra,
        "citation": spec.citation,
    }
