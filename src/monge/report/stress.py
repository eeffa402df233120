"""Reports of stress tests: tables and one sentence per metric."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence

from monge.explanation.paraphrases import Preference
from monge.explanation.stress import AttackResult, Rate, StressResult, fooled_by, weak_spots
from monge.report.tables import Row, markdown_table, text_table

TITLES = {
    "notices": "Notices: share of damaged texts placed below the good one (95 % interval)",
    "resists": "Resists: share of good paraphrases placed above a damaged copy of the reference (95 % interval)",
    "others": "Public sets: share in which the same meaning is placed above the same words (95 % interval)",
}

Preferences = Mapping[str, Sequence[Preference]]  # by name of a set of paraphrases, one per metric


def stress_report(
    results: Sequence[StressResult], others: Preferences | None = None, *, markdown: bool = False, width: int = 100
) -> str:
    """Return tables (attacks × metrics) and one sentence per metric about what it misses.

    *others* are preferences on public sets, *markdown* chooses Markdown, *width* is where sentences are wrapped.
    """
    table: Callable[..., str] = markdown_table if markdown else text_table
    parts = []
    for name, title in TITLES.items():
        header, rows = _others_table(results, others or {}) if name == "others" else _table(results, name)
        if rows:
            parts.append(f"{title}\n{chr(10) if markdown else ''}{table(header, rows)}")
    verdicts = [_verdict(result) + _misled(others or {}, place) for place, result in enumerate(results)]
    sentences = [*verdicts, *_remarks(results)]
    if markdown:
        parts.append("\n".join(f"- {sentence}" for sentence in sentences))
    else:
        parts.append("\n".join(textwrap.fill(line, width, subsequent_indent="  ") for line in sentences))
    return "\n\n".join(parts)


def _others_table(results: Sequence[StressResult], others: Preferences) -> tuple[Row, list[Row]]:
    rows: list[Row] = [
        [name, str(own[0].trials), *(f"{one.share:.2f} [{one.low:.2f}, {one.high:.2f}]" for one in own)]
        for name, own in others.items()
    ]
    return ["texts", "trials", *(result.metric for result in results)], rows


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
    missed = (
        f"often misses {_listed({name: 1 - share for name, share in weak.items()})}"
        if weak
        else "no significant weakness (no kind of damage of which it clearly misses more than one in ten)"
    )
    if not fooled:
        return f"{result.metric}: {missed}."
    preferred = _listed({name: 1 - share for name, share in fooled.items()})
    return f"{result.metric}: {missed}. It prefers a damaged copy to a good paraphrase under {preferred}."


def _misled(others: Preferences, place: int) -> str:
    """Return a sentence on the sets on which a metric prefers the same words to the same meaning, or nothing."""
    found = {name: 1 - own[place].share for name, own in others.items() if own[place].high < 0.5}
    return f" It prefers the same words to the same meaning on {_listed(found)}." if found else ""


def _listed(shares: Mapping[str, float]) -> str:
    """Return names with their shares, the worst first."""
    return ", ".join(f"{name} ({share:.0%})" for name, share in sorted(shares.items(), key=lambda item: -item[1]))


def _remarks(results: Sequence[StressResult]) -> list[str]:
    remarks = {f"{attack.attack} skipped: {attack.remark}" for r in results for attack in r.attacks if attack.remark}
    return [
        *(f"note: {remark}" for remark in sorted(remarks)),
        *(f"note: {r.metric}: {n}" for r in results for n in r.notes),
    ]
