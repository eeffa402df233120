"""A study of metrics for terminals, programs, papers and browsers."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

from monge.meta.agreement import Agreement
from monge.meta.study import Study
from monge.report.tables import display_width, latex_table, markdown_table, text_table

TEST_TITLES = {
    "williams": "Williams' test",
    "permutation": "permutation test (PERM-BOTH)",
    "bootstrap": "paired bootstrap test",
}
_LEVEL_TITLES = {
    "segment": "all outputs pooled",
    "item": "by input, then averaged",
    "by-system": "by system, then averaged",
    "summary": "by document, then averaged",
    "system": "between {} systems",
}


def show_number(value: float, digits: int = 3) -> str:
    """Return a correlation the way papers print it, without the leading 0; NaN as a dash.

    >>> show_number(0.7512), show_number(-0.05), show_number(float("nan"))
    ('.751', '−.050', '–')
    """
    if math.isnan(value):
        return "–"
    text = f"{abs(value):.{digits}f}"
    return ("−" if value < 0 and float(text) != 0 else "") + (text.removeprefix("0") if abs(value) < 1 else text)


def study_heading(study: Study, data: str) -> str:
    """Return one line that says what was measured."""
    first = next(iter(study.averages.values()))
    level = _LEVEL_TITLES[study.plan.level].format(first.items)
    if getattr(study.statistic, "size", None) is not None:  # tau-like counts the pairs of all groups together
        level = level.replace("then averaged", "pairs pooled")
    tasks = f"{len(study.tasks)} tasks, " if len(study.tasks) > 1 else ""
    return f"{data}: {study.statistic.title}, {level}; {tasks}{first.used:,} {_outputs(study)}"


def study_verdict(study: Study) -> list[str]:
    """Return the answer in sentences: which metric to use, what cannot be told apart from it, what is worse."""
    ranking = study.ranking
    best = ranking.agreements[0]
    if math.isnan(best.value):
        return [f"No metric has a value: {best.reason or 'no data'}."]
    interval = f" [{show_number(best.low)}, {show_number(best.high)}]" if math.isfinite(best.low) else ""
    what = f"{'average ' if len(study.tasks) > 1 else ''}{study.statistic.title} {show_number(best.value)}{interval}"
    doubt = _doubt(study, best)
    if len(ranking.metrics) == 1:
        known = f"; guessing gets {show_number(best.chance)}" if best.chance and not doubt else ""
        return [f"{best.metric}: {what}{known}.", *([f"But {doubt}."] if doubt else [])]
    return [*_choice(study, what, doubtful=bool(doubt)), *([f"But {doubt}."] if doubt else [])]


def _doubt(study: Study, best: Agreement) -> str:
    """Return why even the best metric should not be trusted, or nothing."""
    guessed = f"guessing, {show_number(best.chance)}"
    if best.value - best.chance < 0.1 * (1 - best.chance):
        trust = "do not trust it here" if len(study.ranking.metrics) == 1 else "trust none of them here"
        return f"that is hardly {f'better than {guessed}' if best.chance else 'any agreement'}: {trust}"
    if best.low <= best.chance:
        reached = guessed if best.chance else "0, no agreement"
        drawn = "outputs" if study.plan.resampling.over == "segments" else "systems"
        return f"its interval reaches {reached}: judge more {drawn} before you trust it"
    return ""


def _choice(study: Study, what: str, *, doubtful: bool) -> list[str]:
    """Say which of several metrics comes first, and which are not told apart from it or worse."""
    ranking, best = study.ranking, study.ranking.agreements[0]
    worse = [m for i, m in enumerate(ranking.metrics) if ranking.beats[0, i]]
    unclear = [m for i, m in enumerate(ranking.metrics) if i and not ranking.beats[0, i]]
    close = [m for m in unclear if math.isfinite(study.averages[m].value)]
    if not worse and close:
        systems = study.plan.level == "system"
        judged = f"{best.items:,} {'systems' if systems else 'judged outputs'}"
        more = "systems or outputs" if systems else "outputs"
        advice = "" if doubtful else f": use any of them, or judge more {more}"
        return [f"{best.metric} comes first, {what}, but {judged} cannot tell it apart from {_listing(close)}{advice}."]
    start = f"{best.metric} agrees best with people" if doubtful else f"Use {best.metric}: it agrees best with people"
    sentences = [f"{start}, {what}."]
    if worse:
        sentences.append(f"It is significantly better than {_listing(worse) if unclear else 'all others'}.")
    if close:
        sentences.append(f"These data cannot tell it apart from {_listing(close)}.")
    return sentences


def study_table(study: Study, *, width: int | None = None) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: metrics from best to worst, a column a task, average, interval, cluster.

    Tasks are left out when they do not fit in *width* columns; their average stays.
    """
    several = len(study.tasks) > 1
    confidence = f"{100 * study.plan.resampling.confidence:g} % interval"
    for shown in (study.tasks if several else (), ()):
        header = ["metric", *shown, "average" if several else study.statistic.title, confidence, "cluster"]
        rows = [
            [
                metric,
                *(show_number(study.agreements[metric][task].value) for task in shown),
                show_number(study.averages[metric].value),
                _interval(study.averages[metric]),
                str(study.ranking.clusters[i]) if math.isfinite(study.averages[metric].value) else "–",
            ]
            for i, metric in enumerate(study.ranking.metrics)
        ]
        if width is None or max(map(display_width, text_table(header, rows).split("\n"))) <= width:
            break
    return header, rows


def study_matrix(study: Study) -> str:
    """Return who is significantly better than whom, as characters: > better, = not told apart."""
    names = study.ranking.metrics
    size = max(display_width(name) for name in names)
    lines = [" " * (size + 4) + " ".join(f"{j + 1:>2}" for j in range(len(names)))]
    for i, name in enumerate(names):
        cells = ["  "] * i + [" ·"] + [" >" if study.ranking.beats[i, j] else " =" for j in range(i + 1, len(names))]
        lines.append(f"{i + 1:>2} {name}{' ' * (size - display_width(name))} {' '.join(cells)}".rstrip())
    return "\n".join(lines)


def study_text(study: Study, *, data: str, width: int = 80, correction: str = "holm") -> str:
    """Return the report for a terminal: the answer, the table, the matrix, and what the numbers rest on."""
    header, rows = study_table(study, width=width)
    heading = textwrap.fill(study_heading(study, data), width)
    parts = [heading, textwrap.fill(" ".join(study_verdict(study)), width), text_table(header, rows)]
    if len(study.ranking.metrics) > 1:
        parts.append(f"{study_matrix(study)}\n{textwrap.fill(matrix_legend(study, correction), width)}")
    notes = study_notes(study)
    if len(study.tasks) > 1 and len(header) <= 4:
        notes.append(f"{len(study.tasks)} tasks do not fit the screen; -f json, markdown or --html shows them")
    parts.append("\n".join(textwrap.fill(note, width, subsequent_indent="  ") for note in notes))
    return "\n\n".join(parts)


def matrix_legend(study: Study, correction: str) -> str:
    """Return what the signs of the matrix mean."""
    corrected = {"holm": "Holm-corrected", "fdr": "FDR-corrected", "none": "not corrected"}[correction]
    return (
        f"> the row's metric agrees better than the column's, = not told apart "
        f"({TEST_TITLES[study.test]}, two-sided, {corrected}, p ≤ {study.plan.alpha:g})"
    )


def study_notes(study: Study) -> list[str]:
    """Return what was used and left out, reasons for missing values and skipped groups, and notes of the data."""
    first = next(iter(study.averages.values()))
    total = first.used + first.unused
    notes = [f"used {first.used:,} of {total:,} {_outputs(study)}; {first.unused:,} unused"]
    seen: dict[str, list[str]] = {}
    for metric, own in study.agreements.items():
        for task, agreement in own.items():
            if agreement.reason:
                groups = f"{agreement.skipped} of {agreement.groups} groups skipped: " if agreement.groups > 1 else ""
                nan = "" if agreement.groups > 1 and math.isfinite(agreement.value) else "no value: "
                seen.setdefault(f"{task}: {nan}{groups}{agreement.reason}", []).append(metric)
    for text, metrics in seen.items():
        who = "" if len(metrics) == len(study.agreements) else f"{_listing(metrics)}, "
        notes.append(f"note: {who}{text}")
    over = study.plan.resampling
    if over.count:
        notes.append(f"intervals: {over.count:,} bootstrap resamples over {over.over}, seed {over.seed}")
        notes += _missing_intervals(study)
    return notes + [f"note: {note}" for note in study.notes]


def study_markup(study: Study, *, data: str, latex: bool = False, correction: str = "holm") -> str:
    """Return the report as Markdown, or its table as LaTeX."""
    header, rows = study_table(study)
    if latex:
        return latex_table(header, rows)
    parts = [f"**{study_heading(study, data)}**", " ".join(study_verdict(study)), markdown_table(header, rows)]
    if len(study.ranking.metrics) > 1:
        parts.append(f"```\n{study_matrix(study)}\n```\n\n{matrix_legend(study, correction)}")
    parts.append("\n".join(f"- {note}" for note in study_notes(study)))
    return "\n\n".join(parts)


def study_record(study: Study, *, data: str, signatures: dict[str, str]) -> dict[str, Any]:
    """Return plain JSON values: every number of the study."""
    ranking = study.ranking
    return {
        "data": data,
        "statistic": study.statistic.name,
        "level": study.plan.level,
        "tasks": list(study.tasks),
        "metrics": [
            {
                "metric": metric,
                "signature": signatures.get(metric, ""),
                "average": _agreement_record(study.averages[metric]),
                "tasks": {task: _agreement_record(a) for task, a in study.agreements[metric].items()},
                "cluster": ranking.clusters[i],
            }
            for i, metric in enumerate(ranking.metrics)
        ],
        "test": study.test,
        "pairs": [
            {
                "better": ranking.metrics[i],
                "worse": ranking.metrics[j],
                "p": _plain(float(ranking.p[i, j])),
                "corrected": _plain(float(ranking.corrected[i, j])),
                "significant": bool(ranking.beats[i, j]),
            }
            for i in range(len(ranking.metrics))
            for j in range(i + 1, len(ranking.metrics))
        ],
        "verdict": study_verdict(study),
        "notes": study_notes(study),
    }


def _agreement_record(agreement: Agreement) -> dict[str, Any]:
    record: dict[str, Any] = {
        "value": _plain(agreement.value),
        "low": _plain(agreement.low),
        "high": _plain(agreement.high),
        "chance": _plain(agreement.chance),
        "used": agreement.used,
        "unused": agreement.unused,
        "items": agreement.items,
        "groups": agreement.groups,
        "skipped": agreement.skipped,
    }
    return record | ({"reason": agreement.reason} if agreement.reason else {})


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _interval(agreement: Agreement) -> str:
    if math.isnan(agreement.low):
        return "–"
    return f"[{show_number(agreement.low)}, {show_number(agreement.high)}]"


def _outputs(study: Study) -> str:
    """Return what was used: at system level people may have judged whole systems only."""
    return "outputs" if study.plan.level == "system" else "judged outputs"


def _missing_intervals(study: Study) -> list[str]:
    """Say why metrics that have a value have no interval."""
    bare = [m for m, a in study.averages.items() if math.isfinite(a.value) and math.isnan(a.low)]
    fixed = [m for m in bare if not all(part.draws.size for part in study.agreements[m].values())]
    failed = [m for m in bare if m not in fixed]
    notes = []
    if fixed:
        why = "scores of whole systems stay the same whatever segments are drawn (--resample systems moves them)"
        notes.append(f"note: {_listing(fixed)}: no interval, because {why}")
    if failed:
        notes.append(f"note: {_listing(failed)}: no interval, because most resamples have no value")
    return notes


def _listing(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
