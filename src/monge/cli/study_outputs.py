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
        from monge.meta.data.mtme import list_references, write_metric_scores, write_tree

        for judged, scores in pairs:
            if not (Path(args.mtme) / "sources" / f"{judged.name}.txt").exists():
                write_tree(judged, args.mtme)
            references = list_references(args.mtme, judged.name)
            for metric, item in scores.items():
                write_metric_scores(
                    args.mtme, judged.name, metric, item.table, references=references, systems=item.totals
                )


def _write_score_rows(path: str, pairs: Sequence[tuple[str, Mapping[str, MetricScores]]]) -> None:
    import numpy as np

    from monge.text import write_jsonl, write_tsv

    rows = [
        (part, metric, system, segment, float(item.table.values[s, n]), item.table.higher_is_better)
        for part, scores in pairs
        for metric, item in scores.items()
        for s, system in enumerate(item.table.systems)
        for n, segment in enumerate(item.table.segments)
        if np.isfinite(item.table.values[s, n])
    ]
    header = ("part", "metric", "system", "id", "score", "higher_is_better")
    if path.removesuffix(".gz").endswith(".jsonl"):
        write_jsonl(path, [dict(zip(header, row, strict=True)) for row in rows])
    else:
        write_tsv(path, header, ((*row[:-1], str(row[-1]).lower()) for row in rows))
