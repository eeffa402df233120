"""Writing the scores that a study computed."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from monge.meta.data import JudgedSet, MetricScores


def part_name(args: argparse.Namespace, judged: JudgedSet) -> str:
    """Return the name under which scores of a set are filed: a single file has no parts, whatever it is called."""
    return "" if Path(args.data).is_file() else judged.name


def save_scores(args: argparse.Namespace, pairs: Sequence[tuple[JudgedSet, Mapping[str, MetricScores]]]) -> None:
    """Write computed scores where the arguments say: a table, a folder of mt-metrics-eval."""
    if getattr(args, "save_scores", None):
        _write_score_rows(args.save_scores, [(part_name(args, judged), scores) for judged, scores in pairs])
    if getattr(args, "mtme", None):
        _write_tree(args, pairs)


def _write_tree(args: argparse.Namespace, pairs: Sequence[tuple[JudgedSet, Mapping[str, MetricScores]]]) -> None:
    """Write a folder of mt-metrics-eval, or add to one whose outputs are the same; check all before writing any."""
    from monge.meta.data.mtme import (
        UNNAMED,
        check_tree,
        lay_out_scores,
        list_references,
        write_metric_scores,
        write_tree,
    )  # fmt: skip

    folder = Path(args.mtme)
    new = [judged for judged, _ in pairs if not (folder / "sources" / f"{judged.name}.txt").exists()]
    laid = [{m: lay_out_scores(judged, m, item.table) for m, item in scores.items()} for judged, scores in pairs]
    for judged, _ in pairs:
        if judged not in new and not (Path(args.data).exists() and folder.samefile(args.data)):
            check_tree(judged, folder)
    for (judged, scores), tables in zip(pairs, laid, strict=True):
        if judged in new:
            write_tree(judged, folder)
        references = list_references(folder, judged.name)
        for metric, table in tables.items():
            totals = {system or UNNAMED: total for system, total in scores[metric].totals.items()}
            write_metric_scores(folder, judged.name, metric, table, references=references, systems=totals)


def _write_score_rows(path: str, pairs: Sequence[tuple[str, Mapping[str, MetricScores]]]) -> None:
    import numpy as np

    from monge.text import write_jsonl, write_tsv

    rows = [
        (part, metric, system, segment, float(table.values[s, n]), table.higher_is_better, table.signature)
        for part, scores in pairs
        for metric, table in ((metric, item.table) for metric, item in scores.items())
        for s, system in enumerate(table.systems)
        for n, segment in enumerate(table.segments)
        if np.isfinite(table.values[s, n])
    ]
    header = ("part", "metric", "system", "id", "score", "higher_is_better", "signature")
    if path.removesuffix(".gz").endswith(".jsonl"):
        write_jsonl(path, [dict(zip(header, row, strict=True)) for row in rows])
    else:
        write_tsv(path, header, ((*row[:5], str(row[5]).lower(), row[6]) for row in rows))
