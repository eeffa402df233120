"""Tables of scores in files: any systems, any scores (a metric's or human ones), wide or long, TSV, CSV, JSON."""

from __future__ import annotations

from dataclasses import replace

from monge.errors import InputError
from monge.scores.records import PathLike
from monge.scores.row_tables import make_table
from monge.scores.rows import ScoreRow, read_score_rows
from monge.scores.table import ScoreTable
from monge.text import display_name
from monge.wording import count_noun


def read_scores(path: PathLike, *, higher_is_better: bool = True) -> dict[str, ScoreTable]:
    """Read the scores of systems from a file, one table per metric (``""`` when the file names none).

    The format is recognised by the content, not by the name of the file; each table's ``notes`` say how it was read.

    - Wide, one instance per row: the column ``id`` (or ``segment``, ``instance``; else the first one) names the
      instance, every other column is a system, except ``type`` (of the instance), ``metric``, ``part`` and
      ``higher_is_better``.
    - Wide, one system per row: there is no ``id``, and the column ``system`` (or a first column ``model``) names the
      system; every other column is an instance.
    - Long: columns ``system``, ``id`` and ``score``, and those above; where a column ``level`` says ``system``, the
      score is that of a whole system.
    - JSONL holds any of these as objects; JSON is what ``monge score -f json`` prints.

    An empty cell, ``NA`` or ``null`` is a missing score. Instances of several parts carry the part before their name.
    With *higher_is_better* False, lower scores are better whatever the file says.

    Raises InputError, which names file, line and column, for anything that is not such a table.
    """
    found: dict[str, list[ScoreRow]] = {}
    types: dict[str, str] = {}
    for row in read_score_rows(path, columns="systems"):
        if not row.system or not (row.id or row.total):
            raise InputError(f"{row.place}: a score needs the name of its system and instance (columns system and id)")
        named = replace(row, id=f"{row.part} {row.id}") if row.part and not row.total else row
        found.setdefault(row.metric, []).append(named)
        if row.kind and types.setdefault(named.id, row.kind) != row.kind:
            raise InputError(f"{row.place}: instance {row.id!r} is {row.kind!r} here but {types[named.id]!r} before")
    tables = {metric: _make_table(rows, types) for metric, rows in found.items() if any(r.id for r in rows)}
    if not tables:
        raise InputError(f"{display_name(path)} holds no scores")
    if not higher_is_better:
        tables = {metric: replace(table, higher_is_better=False) for metric, table in tables.items()}
    return tables


def _make_table(rows: list[ScoreRow], types: dict[str, str]) -> ScoreTable:
    """Return one metric's table with the types of its instances and a note on how the file was understood."""
    if len({row.part for row in rows}) > 1:  # a system's score of one part is not its score of all of them
        rows = [row for row in rows if not row.total]
    table = make_table(rows)
    layouts = "; ".join(dict.fromkeys(row.layout for row in rows))
    size = f"{count_noun(len(table.systems), 'system')}, {count_noun(len(table.segments), 'instance')}"
    own = tuple(types.get(name, "") for name in table.segments) if types else ()
    return replace(table, types=own, notes=(f"the scores were read as {layouts} ({size})",))
