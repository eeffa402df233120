"""The outcome of stress tests, for people."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from monge.explain.stress import AttackResult, Rate, StressResult, fooled_by, weak_spots
from monge.report.tables import Row, markdown_table, text_table

TITLES = {
    "notices": "Notices: share of spoilt texts placed below the sound one (95 % interval)",
    "resists": "Resists: share of sound paraphrases placed above a spoilt copy of the reference (95 % interval)",
}


def stress_report(results: Sequence[StressResult], *, markdown: bool = False) -> str:
    """Return two tables, attacks by metrics, and a sentence a metric on what it misses."""
    table: Callable[..., str] = markdown_table if markdown else text_table
    parts = []
    for name, title in TITLES.items():
        header, rows = _table(results, name)
        if rows:
            parts.append(f"{title}\n{chr(10) if markdown else ''}{table(header, rows)}")
    parts.append("\n".join([*(_verdict(result) for result in results), *_remarks(results)]))
    return "\n\n".join(parts)


def _table(results: Sequence[StressResult], name: str) -> tuple[Row, list[Row]]:
    header = ["attack", "trials", *(result.metric for result in results)]
    rows: list[Row] = []
    for line in zip(*(result.attacks for result in results), strict=True):
        rates = [_pick(attack, name) for attack in line]
        if rates[0].trials:
            rows.append([line[0].attack, str(rates[0].trials), *map(_cell, rates)])
    return header, rows


def _pick(attack: AttackResult, name: str) -> Rate:
    return attack.notices if name == "notices" else attack.resists


def _cell(rate: Rate) -> str:
    if math.isnan(rate.share):
        return "—"
    low, high = rate.interval
    return f"{rate.share:.2f} [{low:.2f}, {high:.2f}]"


def _verdict(result: StressResult) -> str:
    weak, fooled = weak_spots(result), fooled_by(result)
    missed = f"often misses {_listed(weak)}" if weak else "has no surely weak spot where texts are merely spoilt"
    if not fooled:
        return f"{result.metric} {missed}"
    return f"{result.metric} {missed}; prefers a spoilt copy to a sound paraphrase under {_listed(fooled)}"


def _listed(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{name} ({share:.0%})" for name, share in sorted(shares.items(), key=lambda item: item[1]))


def _remarks(results: Sequence[StressResult]) -> list[str]:
    remarks = {f"{attack.attack} left out: {attack.remark}" for r in results for attack in r.attacks if attack.remark}
    return [
        *(f"note: {remark}" for remark in sorted(remarks)),
        *(f"note: {r.metric}: {n}" for r in results for n in r.notes),
    ]
