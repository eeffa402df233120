"""The report of a choice of settings."""

from __future__ import annotations

import math

from monge.meta.wording import show_number, study_heading
from monge.report.correlate.text import show_interval, study_table
from monge.report.tables import text_table
from monge.wording import count_noun
from monge.workflows.tune import BEFORE, CHOSEN, TuneResult


def tune_text(result: TuneResult, *, top: int = 10) -> str:
    """Return the report for a terminal: the best *top* settings, the choice, and its agreement on the other sets."""
    best = result.chosen
    header, rows = _total_table(result) if len(result.choices) > 1 else _choice_table(result)
    settings = ",".join([best.name, *(f"{k}={v}" for k, v in best.options.items())])
    totals = list(result.totals.values())
    close = sum(total.value >= totals[0].low for total in totals[1:])
    headings = [f"chosen on {study_heading(choice, name)}" for name, choice in result.choices]
    parts = [
        "\n".join(headings),
        text_table(header, rows[: top + bool(result.baseline)]),
        f"{count_noun(len(result.totals), 'setting')} tried; chosen: {settings}",
    ]
    if len(result.choices) > 1:
        parts.insert(1, "total: the mean of agreement / best agreement of any setting on the set")
    if result.baseline:
        count = len(result.above) or "none"
        parts[-1] += f"\nabove {result.baseline} on every set: {count} of them" + (
            ", from which the choice was made" if result.above else "; the choice was made from all"
        )
    if close:
        parts[-1] += f"\n{count_noun(close, 'other')} within its interval: this choice is not the only good one"
    parts.append(_report_table(result))
    parts.append(f"no output of these sets is in {result.data}; their judgments did not influence the choice")
    return "\n\n".join(parts)


def _choice_table(result: TuneResult) -> tuple[list[str], list[list[str]]]:
    header, rows = study_table(result.choices[0][1], width=100)
    return header[:-1], [row[:-1] for row in rows]


def _total_table(result: TuneResult) -> tuple[list[str], list[list[str]]]:
    """Return one row per setting: its agreement on every set, and what that makes together."""
    header = ["metric", *(name for name, _ in result.choices), "total", "interval"]
    rows = [
        [
            label,
            *(show_number(study.averages[label].value) for _, study in result.choices),
            show_number(total.value),
            show_interval(total),
        ]
        for label, total in result.totals.items()
    ]
    if result.baseline:
        own = [show_number(study.averages[result.baseline].value) for _, study in result.choices]
        rows.insert(0, [result.baseline, *own, "–", "–"])
    return header, rows


def _report_table(result: TuneResult) -> str:
    rows = []
    for name, study in result.reports:
        chosen, before = study.averages[CHOSEN], study.averages[BEFORE]
        p = float(study.ranking.corrected[0, 1])
        value, old = show_number(chosen.value), show_number(before.value)
        shown_p = "–" if math.isnan(p) else f"{p:.3f}"
        rows.append([name, study.statistic.name, value, show_interval(chosen), old, shown_p, f"{chosen.used:,}"])
    header = ["reported on", "statistic", CHOSEN, "interval", BEFORE, "p", "outputs"]
    return text_table(header, rows, left=2)
