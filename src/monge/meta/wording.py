"""What a study of agreement found, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from monge.meta.agreement import LEAST_DRAWN, Agreement
from monge.meta.study import AgreementStudy
from monge.wording import count_noun

LEVEL_TITLES = {
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


def study_heading(study: AgreementStudy, data: str) -> str:
    """Return one line: the data, the statistic, the level and the number of outputs."""
    first = next(iter(study.averages.values()))
    level = LEVEL_TITLES[study.plan.level].format(_count_systems(study))
    if study.statistic.pools_pairs:
        level = level.replace("then averaged", "pairs pooled")
    tasks = f"{len(study.tasks)} tasks, " if len(study.tasks) > 1 else ""
    return f"{data}: {study.statistic.title}, {level}; {tasks}{_outputs(study, first.used)}"


def _count_systems(study: AgreementStudy) -> str:
    """Return how many systems a task compares: tasks may be aspects of the same systems, so they are not added up.

    Where tasks differ, the range is given.
    """
    counts = [agreement.items for agreement in next(iter(study.agreements.values())).values()]
    least, most = min(counts, default=0), max(counts, default=0)
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def study_verdict(study: AgreementStudy) -> list[str]:
    """Return the answer in sentences: which metric to use, which are not significantly worse, and which are."""
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


def _doubt(study: AgreementStudy, best: Agreement) -> str:
    """Return why even the best metric should not be trusted, or nothing."""
    guessed = f"guessing, {show_number(best.chance)}"
    if best.value - best.chance < 0.1 * (1 - best.chance):
        trust = "do not trust it here" if len(study.ranking.metrics) == 1 else "trust none of them here"
        return f"that is hardly {f'better than {guessed}' if best.chance else 'any agreement'}: {trust}"
    if study.plan.resampling.count and best.drawn < LEAST_DRAWN:
        return f"so few {_drawn(study)} ({best.drawn}) cannot show how sure that is"
    if best.low <= best.chance:
        reached = guessed if best.chance else "0, no agreement"
        drawn = "outputs" if study.plan.resampling.over == "segments" else "systems"
        return f"its interval reaches {reached}: judge more {drawn} before you trust it"
    return ""


def _choice(study: AgreementStudy, what: str, *, doubtful: bool) -> list[str]:
    """Return which of several metrics comes first, which are significantly worse and which are not."""
    ranking, best = study.ranking, study.ranking.agreements[0]
    worse = [m for i, m in enumerate(ranking.metrics) if ranking.beats[0, i]]
    unclear = [m for i, m in enumerate(ranking.metrics) if i and not ranking.beats[0, i]]
    close = [m for m in unclear if math.isfinite(study.averages[m].value)]
    if study.limit:
        return [f"{best.metric} comes first, {what}, but the test cannot decide between metrics: {study.limit}."]
    if not worse and close:
        systems = study.plan.level == "system"
        judged = f"{_count_systems(study)} systems" if systems else count_noun(best.items, "judged output")
        more = "systems or outputs" if systems else "outputs"
        advice = "" if doubtful else f": use any of them, or judge more {more}"
        return [
            f"{best.metric} comes first, {what}, but {judged} cannot distinguish it from {_listing(close)}{advice}."
        ]
    start = f"{best.metric} agrees best with people" if doubtful else f"Use {best.metric}: it agrees best with people"
    sentences = [f"{start}, {what}."]
    if worse:
        sentences.append(f"It is significantly better than {_listing(worse) if unclear else 'all others'}.")
    if close:
        sentences.append(f"These data cannot distinguish it from {_listing(close)}.")
    return sentences


def study_notes(study: AgreementStudy) -> list[str]:
    """Return what was used and left out, reasons for missing values and skipped groups, and notes on the data."""
    first = next(iter(study.averages.values()))
    total = first.used + first.unused
    notes = [f"used {first.used:,} of {_outputs(study, total)}; {first.unused:,} unused"]
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


def _outputs(study: AgreementStudy, number: int) -> str:
    """Return a number of what was used: at system level people may have judged whole systems only."""
    return count_noun(number, "output" if study.plan.level == "system" else "judged output")


def _missing_intervals(study: AgreementStudy) -> list[str]:
    """Return why metrics that have a value have no interval."""
    bare = [m for m, a in study.averages.items() if math.isfinite(a.value) and math.isnan(a.low)]
    few = [m for m in bare if study.averages[m].drawn < LEAST_DRAWN]
    fixed = [m for m in bare if m not in few and not all(part.draws.size for part in study.agreements[m].values())]
    failed = [m for m in bare if m not in few and m not in fixed]
    notes = []
    if few:
        count = study.averages[few[0]].drawn
        notes.append(f"note: no interval: at least {LEAST_DRAWN} different {_drawn(study)} are needed, not {count}")
    if fixed:
        why = "scores of whole systems do not depend on the segments drawn (use --resample systems)"
        notes.append(f"note: {_listing(fixed)}: no interval, because {why}")
    if failed:
        notes.append(f"note: {_listing(failed)}: no interval, because most resamples have no value")
    return notes


def _drawn(study: AgreementStudy) -> str:
    return {"segments": "inputs", "systems": "systems", "both": "inputs or systems"}[study.plan.resampling.over]


def _listing(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
