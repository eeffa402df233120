"""Multidimensional quality metrics: averaged segment scores and the marked texts they come from."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from monge.errors import InputError
from monge.meta.data.judged_set import JudgedSet, make_judged_set, tabulate
from monge.scores import ScoreTable
from monge.scores.records import PathLike, read_blank_records, read_tsv_records
from monge.text import Segment

_MARK = re.compile(r"</?v>")
# names of the references: in the marked texts, and in the averaged scores
_REFERENCES = {"ref": "ref-A", "refB": "ref-B"}


def read_mqm_scores(path: PathLike) -> ScoreTable:
    """Read averaged scores (system mqm_avg_score seg_id; None = not judged); 0 is flawless, errors are negative."""
    records = list(read_blank_records(path))
    keys = [(record.text("system"), record.text("seg_id")) for record in records]
    return tabulate(keys, [r.number("mqm_avg_score") for r in records], signature="human:mqm", place=str(path))


def read_mqm(scores: PathLike, texts: PathLike | None = None, *, name: str) -> JudgedSet:
    """Read averaged scores and, where there are any, the marked texts without their ``<v>error</v>`` marks.

    The rows of systems ``ref`` and ``refB`` are the references. Scores of references as systems are not used.
    """
    table = read_mqm_scores(scores)
    if texts is None:
        return JudgedSet(name, (), {"mqm": table}, notes=("scores only: texts are not in this copy",))
    outputs: dict[tuple[str, str], str] = {}
    sources: dict[str, tuple[str, str]] = {}
    for record in read_tsv_records(texts):
        segment = record.text("seg_id")
        outputs[record.text("system"), segment] = _MARK.sub("", record.text("target"))
        sources[segment] = (record.text("source"), record.text("doc"))
    segments, values = [], []
    for s, system in enumerate(table.systems):
        if system in _REFERENCES.values():
            continue
        for n, segment in enumerate(table.segments):
            references = tuple(outputs[ref, segment] for ref in _REFERENCES if (ref, segment) in outputs)
            if (system, segment) in outputs and references:
                source, document = sources[segment]
                text = outputs[system, segment]
                segments.append(Segment(text, references, source, id=segment, system=system, document=document))
                values.append(float(table.values[s, n]))
    judged = make_judged_set(name, segments, {"mqm": values}, place=str(scores))
    return replace(judged, notes=_describe_unused(table, int(np.isfinite(values).sum())))


def _describe_unused(table: ScoreTable, kept: int) -> tuple[str, ...]:
    """Return notes on the judgments of *table* that are not among the *kept* ones."""
    counts = dict(zip(table.systems, np.isfinite(table.values).sum(axis=1).tolist(), strict=True))
    references = {name: counts[name] for name in _REFERENCES.values() if counts.get(name)}
    without = sum(counts.values()) - sum(references.values()) - kept
    notes = [f"{n:,} judgments of {name}, a reference, are not used" for name, n in references.items()]
    return (*notes, *([f"{without:,} judged outputs have no text in this copy"] if without else []))


def read_mqm_folder(folder: PathLike) -> list[JudgedSet]:
    """Read every ``mqm_NAME.avg_seg_scores.tsv`` of a folder, with ``mqm_NAME.tsv`` where it exists."""
    found = []
    for path in sorted(Path(folder).glob("mqm_*.avg_seg_scores.tsv")):
        name = path.name.removeprefix("mqm_").removesuffix(".avg_seg_scores.tsv")
        texts = path.with_name(f"mqm_{name}.tsv")
        found.append(read_mqm(path, texts if texts.exists() else None, name=name.replace("_", "-")))
    if not found:
        raise InputError(f"{folder}: no file mqm_*.avg_seg_scores.tsv")
    return found
