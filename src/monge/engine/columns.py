"""Scores as columns: one row per segment, one column per metric, in Parquet or Arrow files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from monge.engine.system_scores import SystemScores
from monge.errors import OptionError
from monge.storage.urls import join_place
from monge.text import write_columns

PART_ROWS = 1_000_000
_BATCH_ROWS = 50_000
_ENDINGS = (".parquet", ".arrow", ".feather")


def write_score_columns(place: str, results: Sequence[SystemScores]) -> list[str]:
    """Write every segment's scores and return the names of the files.

    *place* is a file that ends in .parquet, .arrow or .feather, or a folder or URL that gets files of a million rows.
    Columns: system, id, the score of each metric under its label (null where there is none), and notes. Scores of
    documents go to files of their own. Raises OptionError if one file would have to hold both.
    """
    units: dict[str, list[SystemScores]] = {}
    for result in results:
        units.setdefault(result.unit, []).append(result)
    single = place.endswith(_ENDINGS)
    if single and len(units) > 1:
        raise OptionError(f"{place} cannot hold scores of segments and of documents: name a folder")
    written = []
    for unit, own in units.items():
        metrics = list(dict.fromkeys(result.metric for result in own))
        schema = {"system": "text", "id": "text", **dict.fromkeys(metrics, "number"), "notes": "texts"}
        rows = _rows(own, metrics)
        number = 0
        while number == 0 or not single:
            part = rows if single else islice(rows, PART_ROWS)
            first = next(part, None)
            if first is None and number:
                break
            name = place if single else join_place(place, f"{unit}s-{number:05d}.parquet")
            write_columns(name, schema, _batches(first, part, list(schema)))
            written.append(name)
            number += 1
    return written


def _rows(results: Sequence[SystemScores], metrics: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    for system in dict.fromkeys(result.system for result in results):
        own = {result.metric: result for result in results if result.system == system}
        columns = [own[metric].scores for metric in metrics]
        for segment, *scores in zip(own[metrics[0]].segments, *columns, strict=True):
            values = [None if score.value != score.value else score.value for score in scores]
            pairs = zip(metrics, scores, strict=True)
            yield system, segment.id, *values, [f"{metric}: {note}" for metric, score in pairs for note in score.notes]


def _batches(first: Any, rows: Iterator[Any], names: Sequence[str]) -> Iterator[dict[str, list[Any]]]:
    batch = [] if first is None else [first]
    while True:
        batch += islice(rows, _BATCH_ROWS - len(batch))
        if not batch:
            return
        yield {name: list(column) for name, column in zip(names, zip(*batch, strict=True), strict=True)}
        batch = []
