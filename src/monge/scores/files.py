"""Tables of scores in files: any systems, any scores (a metric's or human ones), wide or long, TSV, CSV, JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from monge.errors import InputError
from monge.scores.records import PathLike
from monge.scores.rows import ScoreRow, make_table, read_score_rows
from monge.scores.table import ScoreTable
from monge.text import display_name


@dataclass(frozen=True, eq=False)
class ScoreFile:
    """The tables of a file by metric (``""`` when it names none) and the type of each instance, where given."""

    tables: Mapping[str, ScoreTable]
    types: Mapping[str, str]

    def types_of(self, table: ScoreTable) -> tuple[str, ...]:
        """Return the types of a table's segments in order, or nothing when none is known."""
        return tuple(self.types.get(name, "") for name in table.segments) if self.types else ()


def read_scores(path: PathLike, *, higher_is_better: bool = True) -> ScoreFile:
    """Read a table of scores; what it is is told by its content, not by its name.

    Wide: the column ``id`` (or ``segment``, ``instance``; else the first one) names the instance, every other one is a
    system, except ``type`` (of the instance), ``metric``, ``part`` and ``higher_is_better``. Long: columns ``system``,
    ``id`` and ``score``, perhaps those. JSONL holds either as objects. JSON is what ``monge score -f json`` prints. An
    empty cell, ``NA`` or ``null`` is a missing score. Instances of several parts carry the part before their name.
    """
    found: dict[str, list[ScoreRow]] = {}
    types: dict[str, str] = {}
    for row in read_score_rows(path, columns="systems"):
        if row.total:
            continue
        if not row.system or not row.id:
            raise InputError(f"{row.place}: a score needs the name of its system and instance (columns system and id)")
        named = replace(row, id=f"{row.part} {row.id}") if row.part else row
        found.setdefault(row.metric, []).append(named)
        if row.kind and types.setdefault(named.id, row.kind) != row.kind:
            raise InputError(f"{row.place}: instance {row.id!r} is {row.kind!r} here but {types[named.id]!r} before")
    if not found:
        raise InputError(f"{display_name(path)} holds no scores")
    tables = {metric: make_table(rows) for metric, rows in found.items()}
    if not higher_is_better:
        tables = {metric: replace(table, higher_is_better=False) for metric, table in tables.items()}
    return ScoreFile(tables, types)
