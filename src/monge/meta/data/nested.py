"""Judgments that are nested in JSON, or given as preferences between two texts, as plain rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from monge.errors import InputError
from monge.meta.data.judged_set import JudgedSet, make_judged_set
from monge.scores.records import Record, parse_number
from monge.text import Segment
from monge.text.columns import TEXT_ROLES, find_columns

# columns of the text that people preferred and of the one they did not
PREFERENCES = (("better", "worse"), ("chosen", "rejected"), ("preferred", "dispreferred"), ("winner", "loser"))
_JUDGED = ("scores", "ratings", "judgments", "judgements", "annotations", "expert_annotations", "expert_scores")


def unfold_records(records: Sequence[Record]) -> tuple[list[Record], list[str]]:
    """Return rows with one output each, and the names of the aspects that were nested in them (none: nothing was).

    Known are SummEval as one line per document (``systems`` by name, each with a text and ``scores`` by aspect) and as
    released (one line per output, with a list of ``expert_annotations``, which are averaged), and any object whose
    ``scores``, ``ratings``, ``judgments`` or ``annotations`` hold numbers by aspect.
    """
    rows: list[Record] = []
    aspects: dict[str, None] = {}
    for record in records:
        for row, scores in _unfold(record):
            rows.append(Record({**row, **scores}, record.place))
            aspects |= dict.fromkeys(scores)
    return rows, list(aspects)


def preference_columns(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the columns of the preferred and the other text, if a table has them.

    >>> preference_columns(["prompt", "Chosen", "rejected"])
    ('Chosen', 'rejected')
    """
    lowered = {name.strip().lower(): name for name in names}
    found = (tuple(lowered[name] for name in pair) for pair in PREFERENCES if set(pair) <= lowered.keys())
    first = next(found, None)
    return None if first is None else (first[0], first[1])


def read_preferences(records: Sequence[Record], *, name: str) -> list[JudgedSet]:
    """Return pairs of texts of which one was preferred, as outputs of the systems ``better`` and ``worse``.

    Beside the two texts a row may have references, a source and an id. Rows that share an id belong to one input: they
    are resampled together. Raises InputError for a row without two texts.
    """
    columns = preference_columns(list(records[0].fields)) if records else None
    if columns is None:
        raise InputError(f"{name}: no pair of preferred and other texts")
    roles = find_columns([key for key in records[0].fields if key not in columns], TEXT_ROLES)
    segments, human = [], []
    for number, record in enumerate(records, start=1):
        own = _texts(record, roles)
        document = str(record.fields.get(roles.get("id", ""), "") or number)
        for system, column, verdict in (("better", columns[0], 1.0), ("worse", columns[1], 0.0)):
            segments.append(Segment(record.text(column), *own, id=str(number), system=system, document=document))
            human.append(verdict)
    judged = make_judged_set(name, segments, {"preference": human}, place=name)
    return [JudgedSet(judged.name, judged.segments, judged.judgments, whole=True)]


def _unfold(record: Record) -> Iterator[tuple[dict[str, Any], dict[str, float]]]:
    fields = dict(record.fields)
    systems = fields.get("systems")
    if isinstance(systems, Mapping):
        shared = {key: value for key, value in fields.items() if key != "systems"}
        for system, output in systems.items():
            if not isinstance(output, Mapping):
                raise InputError(f"{record.place}: system {system!r} must be an object with a text and scores")
            column = find_columns(output, {"hypothesis": TEXT_ROLES["hypothesis"]}).get("hypothesis")
            if column is None:
                raise InputError(f"{record.place}: system {system!r} has no text (summary, output or hypothesis)")
            document = {"document": str(fields["id"])} if "id" in fields else {}
            row = {**shared, **document, "system": system, "hypothesis": output[column]}
            yield row, _gather(output, record.place)
        return
    scores = _gather(fields, record.place)
    yield {key: value for key, value in fields.items() if key not in _JUDGED or not scores}, scores


def _gather(fields: Mapping[str, Any], place: str) -> dict[str, float]:
    """Return the judgments that an object holds, by aspect; those of several annotators are averaged."""
    for key in ("expert_annotations", *_JUDGED):
        value = fields.get(key)
        if isinstance(value, Mapping) and value:
            return {str(aspect): parse_number(one, f"{place}, {aspect}") for aspect, one in value.items()}
        if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            numbers = {a: [parse_number(one.get(a), f"{place}, {a}") for one in value] for a in value[0]}
            return {str(aspect): math.fsum(own) / len(own) for aspect, own in numbers.items()}
    return {}


def _texts(record: Record, roles: Mapping[str, str]) -> tuple[tuple[str, ...], str | None]:
    """Return references and source of a row."""
    given = record.fields.get(roles.get("reference", ""))
    references = () if given is None else tuple(given) if isinstance(given, list) else (str(given),)
    source = record.fields.get(roles.get("source", ""))
    return references, source if isinstance(source, str) else None
