"""From single scores to a table of one metric: one direction, one way in which they were made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from monge.errors import InputError
from monge.scores.rows import ScoreRow
from monge.scores.signature import Signature
from monge.scores.table import ScoreTable


def make_table(rows: Sequence[ScoreRow]) -> ScoreTable:
    """Return one metric's rows as a table, the scores of whole systems as its totals.

    What no row names is NaN, and where no row gives the direction, higher is better.
    """
    cells: dict[tuple[str, str], float] = {}
    for row in rows:
        if row.total:
            continue
        if (row.system, row.id) in cells:
            raise InputError(f"{row.place}: instance {row.id!r} of system {row.system!r} appears a second time")
        cells[row.system, row.id] = row.score
    systems = {system: i for i, system in enumerate(dict.fromkeys(system for system, _ in cells))}
    segments = {segment: i for i, segment in enumerate(dict.fromkeys(segment for _, segment in cells))}
    values = np.full((len(systems), len(segments)), np.nan)
    for (system, segment), value in cells.items():
        values[systems[system], segments[segment]] = value
    direction = direction_of(rows) is not False
    name = rows[0].metric if rows else ""
    totals = {row.system: row.score for row in rows if row.total}
    return ScoreTable(tuple(systems), tuple(segments), values, _signature_of(rows), direction, name, totals)


def direction_of(rows: Sequence[ScoreRow]) -> bool | None:
    """Return whether higher is better according to the rows; None when no row says so."""
    directed = [row for row in rows if row.higher_is_better is not None]
    for row in directed:
        if row.higher_is_better != directed[0].higher_is_better:
            here, before = ("higher", "lower") if row.higher_is_better else ("lower", "higher")
            raise InputError(f"{row.place}: {row.metric or 'score'} is better when {here}, but when {before} above")
    return directed[0].higher_is_better if directed else None


def check_recipes(first: str, second: str, place: str, *, same_texts: bool = True) -> None:
    """Raise InputError for scores of one metric made in two ways.

    What a metric computes from the outputs at hand (idf) may differ. So may the number of references, unless the scores
    are those of several systems on the *same_texts*.
    """
    if first == second or not first.startswith("metric:") or not second.startswith("metric:"):
        return
    one, two = Signature.parse(first), Signature.parse(second)
    counted = [signature.fields.get("nrefs") for signature in (one, two)]
    differences = one.recipe().differences(two.recipe())
    if same_texts and None not in counted and counted[0] != counted[1]:
        differences["nrefs"] = (counted[0], counted[1])
    for key, (mine, other) in differences.items():
        raise InputError(f"{place}: made with {key} {other or 'none'}, other scores of it with {mine or 'none'}")


def _signature_of(rows: Sequence[ScoreRow]) -> str:
    """Return the first signature; all rows must be made in one way, those of one part from one number of references."""
    distinct: dict[tuple[str, str], ScoreRow] = {}
    for row in rows:
        if row.signature:
            distinct.setdefault((row.part, row.signature), row)
    if not distinct:
        return rows[0].metric if rows else ""
    first = next(iter(distinct.values()))
    of_part: dict[str, ScoreRow] = {}
    for row in distinct.values():
        place = f"{row.place}: {row.metric} of system {row.system!r}"
        check_recipes(of_part.setdefault(row.part, row).signature, row.signature, place)
        check_recipes(first.signature, row.signature, place, same_texts=False)
    return first.signature
