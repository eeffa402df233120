"""The report of a choice of settings."""

from __future__ import annotations

import math

from monge.comparison.wording import count_noun
from monge.meta.wording import show_number, study_heading
from monge.report.correlate.text import study_table
from monge.report.tables import text_table
from monge.workflows.tune import BEFORE, CHOSEN, TuneResult


def tune_text(result: TuneResult, *, top: int = 10) -> str:
    """Return the report for a terminal: the best *top* settings, the choice, and its agreement on the other sets."""
    choice, best = result.choice, result.chosen
    header, rows = study_table(choice, width=100)
    settings = ",".join([best.name, *(f"{k}={v}" for k, v in best.options.items())])
    close = sum(a.value >= choice.ranking.agreements[0].low for a in choice.ranking.agreements[1:])
    parts = [
        f"chosen on {study_heading(choice, result.data)}",
        text_table(header[:-1], [row[:-1] for row in rows[:top]]),
        f"{count_noun(len(rows), 'setting')} tried; chosen: {settings}",
    ]
    if close:
        parts[-1] += f"\n{count_noun(close, 'other')} within its interval: this choice is not the only good one"
    parts.append(_report_table(result))
    parts.append(f"no output of these sets is in {result.data}; their judgments did not influence the choice")
    return "\n\n".join(parts)


def _report_table(result: TuneResult) -> str:
    rows = []
    for name, study in result.reports:
        chosen, before = study.averages[CHOSEN], study.averages[BEFORE]
        p = float(study.ranking.corrected[0, 1])
        numbers = [show_number(v) for v in (chosen.value, chosen.low, chosen.high, before.value)]
        interval = f"[{numbers[1]}, {numbers[2]}]"
        shown_p = "–" if math.isnan(p) else f"{p:.3f}"
        rows.append([name, study.statistic.name, numbers[0], interval, numbers[3], shown_p, f"{chosen.used:,}"])
    header = ["reported on", "statistic", CHOSEN, "interval", BEFORE, "p", "outputs"]
    return text_table(header, rows, left=2)
