"""Metric scores in files: what ``monge score`` writes, and any table of systems, segments and metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from monge.errors import InputError
from monge.scores import ScoreTable
from monge.scores.records import PathLike
from monge.scores.row_tables import direction_of, make_table
from monge.scores.rows import ScoreRow, read_score_rows
from monge.text import display_name, write_jsonl, write_tsv


@dataclass(frozen=True, eq=False)
class FileScores:
    """One metric's scores as a file gives them.

    ``part`` names the part of a data set that they belong to (a language pair); without a name they serve every part.
    ``directed`` says whether the file states which direction is better; if not, that of the table is a guess.
    """

    table: ScoreTable
    part: str = ""
    directed: bool = False

    @property
    def name(self) -> str:
        """The name of the metric."""
        return self.table.name


def read_scores(path: PathLike) -> list[FileScores]:
    """Read scores of any number of metrics, by part where the file names parts.

    The file is what ``monge score -f json`` prints, or a table (TSV, CSV, JSON lines): columns system, id, metric and
    score (what ``monge score --segments`` and ``monge correlate --save-scores`` write), or system, id and one column
    per metric; system may be left out. Columns part (or lp), level and higher_is_better are used where they exist.
    """
    found: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in read_score_rows(path, columns="metrics"):
        found.setdefault((row.part, row.metric), []).append(row)
    if not found:
        raise InputError(f"{display_name(path)}: no row below the header")
    scores = []
    for (part, metric), rows in found.items():
        totals = {row.system: row.score for row in rows if row.total}
        direction = direction_of(rows)
        table = make_table(_name_instances([row for row in rows if not row.total]))
        named = replace(table, name=metric, totals=totals, higher_is_better=direction is not False)
        scores.append(FileScores(named, part, direction is not None))
    return scores


def _name_instances(rows: Sequence[ScoreRow]) -> list[ScoreRow]:
    """Return the rows with an id; a row without one gets its number among the rows of its system."""
    counts: dict[str, int] = {}
    named = []
    for row in rows:
        counts[row.system] = counts.get(row.system, 0) + 1
        named.append(row if row.id else replace(row, id=str(counts[row.system])))
    return named


def write_scores(path: PathLike, scores: Iterable[tuple[str, ScoreTable]]) -> None:
    """Write tables of scores, each with its part, as ``read_scores`` reads them (``.tsv`` or ``.jsonl``).

    A row has the level segment, or system for the score of a whole system, which has no id.
    """
    header = ("part", "metric", "system", "id", "level", "score", "higher_is_better", "signature")
    rows = [row for part, table in scores for row in _table_rows(part, table)]
    if str(path).removesuffix(".gz").endswith(".jsonl"):
        write_jsonl(str(path), [dict(zip(header, row, strict=True)) for row in rows])
    else:
        write_tsv(
            str(path), header, ((*row[:6], "" if row[6] is None else str(row[6]).lower(), row[7]) for row in rows)
        )


def _table_rows(part: str, table: ScoreTable) -> Iterator[tuple[str, str, str, str, str, float, bool | None, str]]:
    made = (table.higher_is_better, table.signature)
    for system, total in table.totals.items():
        if math.isfinite(total):
            yield part, table.name, system, "", "system", float(total), *made
    for s, system in enumerate(table.systems):
        for n, segment in enumerate(table.segments):
            if math.isfinite(table.values[s, n]):
                yield part, table.name, system, segment, "segment", float(table.values[s, n]), *made
