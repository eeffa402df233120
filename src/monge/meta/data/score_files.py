"""Metric scores in files: what ``monge score`` writes, and any table of systems, segments and metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from monge.errors import InputError
from monge.meta.data.judged_set import tabulate
from monge.meta.data.named_columns import ROLES, open_records
from monge.scores import ScoreTable
from monge.scores.records import PathLike, Record, parse_number, read_json


@dataclass(frozen=True, eq=False)
class MetricScores:
    """One metric's scores; ``totals`` are its own scores of whole systems; the direction may be unknown (None)."""

    metric: str
    table: ScoreTable
    totals: Mapping[str, float] = field(default_factory=dict)
    higher_is_better: bool | None = None


def read_scores(path: PathLike) -> list[MetricScores]:
    """Read scores of any number of metrics.

    .json: what ``monge score -f json`` prints. .tsv, .csv, .jsonl: columns system, id, metric and score (what
    ``monge score --segments`` writes), or system, id and one column a metric; system may be left out.
    """
    name = str(path).removesuffix(".gz")
    if name.endswith(".json"):
        return _from_results(read_json(path), str(path))
    records = list(open_records(path))
    if not records:
        raise InputError(f"{path}: no row below the header")
    columns = list(records[0].fields)
    if "metric" in columns and "score" in columns:
        return _from_long(records, str(path))
    return _from_wide(records, columns, str(path))


def _from_results(results: Any, place: str) -> list[MetricScores]:
    if not isinstance(results, list) or not all(isinstance(r, dict) and "metric" in r for r in results):
        raise InputError(f"{place}: not what `monge score -f json` prints (a list of results with a metric each)")
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for result in results:
        found.setdefault((str(result["metric"]), ""), []).append(result)
    scores = []
    for (metric, _), own in found.items():
        keys, values = [], []
        for result in own:
            for segment in result.get("segments", []):
                keys.append((str(result.get("system", "")), str(segment["id"])))
                values.append(parse_number(segment.get("score"), f"{place}, {metric}, segment {segment['id']}"))
        totals = {str(r.get("system", "")): parse_number(r.get("score"), f"{place}, {metric}") for r in own}
        table = tabulate(keys, values, signature=str(own[0].get("signature", metric)), place=f"{place}, {metric}")
        scores.append(MetricScores(metric, table, totals, own[0].get("higher_is_better")))
    return scores


def _from_long(records: Sequence[Record], place: str) -> list[MetricScores]:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record.text("metric"), []).append(record)
    return [
        MetricScores(metric, tabulate(_keys(own), [r.number("score") for r in own], signature=metric, place=place))
        for metric, own in found.items()
    ]


def _from_wide(records: Sequence[Record], columns: Sequence[str], place: str) -> list[MetricScores]:
    taken = {name for role in ("id", "system", "document") for name in ROLES[role]}
    metrics = [column for column in columns if column.lower() not in taken]
    if not metrics:
        raise InputError(f"{place}: no column of scores beside {', '.join(columns)}")
    keys = _keys(records)
    return [
        MetricScores(metric, tabulate(keys, [r.number(metric) for r in records], signature=metric, place=place))
        for metric in metrics
    ]


def _keys(records: Sequence[Record]) -> list[tuple[str, str]]:
    system = _column(records[0], "system")
    segment = _column(records[0], "id")
    counts: dict[str, int] = {}
    keys = []
    for record in records:
        name = str(record.fields[system]) if system else ""
        counts[name] = counts.get(name, 0) + 1
        keys.append((name, str(record.fields[segment]) if segment else str(counts[name])))
    return keys


def _column(record: Record, role: str) -> str | None:
    lowered = {name.lower(): name for name in record.fields}
    return next((lowered[name] for name in ROLES[role] if name in lowered), None)


def stem_of(path: PathLike) -> str:
    """Return a file's name without folders and endings."""
    return Path(path).name.partition(".")[0]
