"""Metric scores in files: what ``monge score`` writes, and any table of systems, segments and metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from monge.errors import InputError
from monge.scores import ScoreTable
from monge.scores.records import PathLike
from monge.scores.rows import ScoreRow, direction_of, make_table, read_score_rows
from monge.text import display_name


@dataclass(frozen=True, eq=False)
class MetricScores:
    """One metric's scores; ``totals`` are its own scores of whole systems; the direction may be unknown (None).

    ``part`` names the part of a data set that they are of (a language pair); without a name they serve every part.
    """

    metric: str
    table: ScoreTable
    totals: Mapping[str, float] = field(default_factory=dict)
    higher_is_better: bool | None = None
    part: str = ""


def read_scores(path: PathLike) -> list[MetricScores]:
    """Read scores of any number of metrics, by part where the file names parts.

    What ``monge score -f json`` prints, or a table (TSV, CSV, JSON lines): columns system, id, metric and score (what
    ``monge score --segments`` writes), or system, id and one column a metric; system may be left out. Columns part (or
    lp) and higher_is_better are heeded.
    """
    found: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in read_score_rows(path, columns="metrics"):
        found.setdefault((row.part, row.metric), []).append(row)
    if not found:
        raise InputError(f"{display_name(path)}: no row below the header")
    scores = []
    for (part, metric), rows in found.items():
        totals = {row.system: row.score for row in rows if row.total}
        table = make_table(_name_instances([row for row in rows if not row.total]))
        scores.append(MetricScores(metric, table, totals, direction_of(rows), part))
    return scores


def _name_instances(rows: Sequence[ScoreRow]) -> list[ScoreRow]:
    """Return the rows with an id; one that has none is called by its place among its system's."""
    counts: dict[str, int] = {}
    named = []
    for row in rows:
        counts[row.system] = counts.get(row.system, 0) + 1
        named.append(row if row.id else replace(row, id=str(counts[row.system])))
    return named
