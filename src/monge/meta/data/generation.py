"""Judged summaries, data-to-text, dialogue, captions and sentence pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from monge.errors import InputError
from monge.meta.data.judged_set import JudgedSet, make_judged_set
from monge.scores import ScoreTable
from monge.scores.records import (
    PathLike,
    Record,
    parse_number,
    read_csv_records,
    read_json,
    read_jsonl_records,
    read_tsv_records,
)
from monge.text import Segment, display_name, iter_lines

_SHARE_ROUNDING = 0.0051  # shares in files may have two decimals


# the systems of SummEval that write summaries instead of copying sentences (DiscoScore's tables are about these twelve)
ABSTRACTIVE = ("M8", "M9", "M10", "M11", "M12", "M13", "M14", "M15", "M17", "M20", "M22", "M23")


def read_summeval(path: PathLike) -> list[JudgedSet]:
    """Read SummEval: one line per document with its source, references and, by system, summary and expert scores.

    The second part, ``abstractive``, has only the twelve systems that write summaries of their own.
    """
    segments: list[Segment] = []
    human: dict[str, list[float]] = {}
    for record in read_jsonl_records(path):
        document = record.text("id")
        for system, output in record.fields["systems"].items():
            segments.append(
                Segment(
                    output["summary"],
                    tuple(record.fields["references"]),
                    record.text("source"),
                    id=document,
                    system=system,
                    document=document,
                )
            )
            _append(human, output["scores"], record.place)
    chosen = [i for i, segment in enumerate(segments) if segment.system in ABSTRACTIVE]
    parts = [make_judged_set("summeval", segments, human, place=str(path))]
    if chosen and len(chosen) < len(segments):
        judgments = {aspect: [values[i] for i in chosen] for aspect, values in human.items()}
        parts.append(make_judged_set("abstractive", [segments[i] for i in chosen], judgments, place=str(path)))
    return parts


def read_data_to_text(path: PathLike, *, name: str) -> list[JudgedSet]:
    """Read BAGEL, SFHOTEL or SFREST: one line per output with hypothesis, references and scores."""
    segments: list[Segment] = []
    human: dict[str, list[float]] = {}
    for record in read_jsonl_records(path):
        references = tuple(record.fields["references"])
        segments.append(Segment(record.text("hypothesis"), references, record.text("mr"), id=str(record.fields["id"])))
        _append(human, record.fields["scores"], record.place)
    return [make_judged_set(name, segments, human, place=str(path))]


def read_data_to_text_folder(folder: PathLike) -> list[JudgedSet]:
    """Read bagel.jsonl, sfhot.jsonl and sfres.jsonl of one folder."""
    names = {"bagel": "bagel", "sfhot": "sfhotel", "sfres": "sfrest"}
    return [s for stem, name in names.items() for s in read_data_to_text(Path(folder) / f"{stem}.jsonl", name=name)]


def read_data_to_text_medians(path: PathLike) -> list[JudgedSet]:
    """Read the medians of Novikova et al. (2017): by dataset, outputs with three judgments and ten metrics' scores."""
    columns = ("informativeness", "naturalness", "quality")
    metrics = ("TER", "Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "ROUGE_L", "NIST", "LEPOR", "CIDEr", "METEOR")
    rows: dict[str, list[Record]] = {}
    for record in read_csv_records(path):
        rows.setdefault(record.text("dataset").lower(), []).append(record)
    sets = []
    for name, own in rows.items():
        segments = [Segment(r.text("sys_ref"), (), r.text("mr"), id=str(i)) for i, r in enumerate(own, start=1)]
        judged = make_judged_set(name, segments, {c: [r.number(c) for r in own] for c in columns}, place=str(path))
        shipped = make_judged_set(name, segments, {m: [r.number(m) for r in own] for m in metrics}).judgments
        turned = {m: _lower_is_better(table) if m == "TER" else table for m, table in shipped.items()}
        sets.append(JudgedSet(name, judged.segments, judged.judgments, scores=turned))
    return sets


def read_topical_chat(path: PathLike) -> list[JudgedSet]:
    """Read USR's Topical-Chat: replies of six systems; the reference is the original reply of the same context."""
    rows = read_json(path)
    if not isinstance(rows, list):
        raise InputError(f"{path}: a list of replies is expected")
    contexts = {source: str(i) for i, source in enumerate(dict.fromkeys(row["source"] for row in rows), start=1)}
    original = {r["source"]: r["system_output"].strip() for r in rows if r["system_id"] == "Original Ground Truth"}
    segments: list[Segment] = []
    human: dict[str, list[float]] = {}
    for i, row in enumerate(rows, start=1):
        own = contexts[row["source"]]
        segments.append(
            Segment(
                row["system_output"].strip(),
                (original[row["source"]],),
                row["source"].strip(),
                id=own,
                system=row["system_id"],
                document=own,
            )
        )
        _append(human, row["scores"], f"{path}, reply {i}")
    human = {aspect: _without(values, segments, "Original Ground Truth") for aspect, values in human.items()}
    return [make_judged_set("topical-chat", segments, human, place=str(path))]


def read_sts(path: PathLike, *, name: str) -> JudgedSet:
    """Read STS-B without header: two sentences and their similarity from 0 to 5."""
    records = list(read_csv_records(path, columns=("first", "second", "score")))
    segments = [Segment(r.text("first"), (r.text("second"),), id=str(i)) for i, r in enumerate(records, start=1)]
    return make_judged_set(name, segments, {"similarity": [r.number("score") for r in records]}, place=str(path))


def read_sts_folder(folder: PathLike) -> list[JudgedSet]:
    """Read every ``stsb-LANGUAGE-SPLIT.csv`` of a folder."""
    paths = sorted(Path(folder).glob("stsb-*.csv"))
    if not paths:
        raise InputError(f"{folder}: no file stsb-*.csv")
    return [read_sts(path, name=path.stem.removeprefix("stsb-")) for path in paths]


def read_flickr(judgments: PathLike, captions: PathLike, *, name: str = "flickr8k") -> list[JudgedSet]:
    """Read Flickr8k's caption judgments: image, caption id and either expert ratings or crowd answers.

    *captions* has ``IMAGE#N<tab>text``; the captions of an image are its references, a judged caption never its own.
    The expert file has one rating per expert, which are averaged (aspect ``expert``). The CrowdFlower file has the
    share of yes answers, their number and the number of no answers; only the share is a judgment (aspect ``crowd``).
    The numbers distinguish the two: a share is yes / (yes + no) in every row.
    """
    texts = {r.text("id"): r.text("caption") for r in read_tsv_records(captions, columns=("id", "caption"))}
    own: dict[str, list[str]] = {}
    for identifier in texts:
        own.setdefault(identifier.partition("#")[0], []).append(identifier)
    segments, rows = [], []
    for place, cells in _cells(judgments):
        image, caption, *numbers = cells
        if caption not in texts:
            raise InputError(f"{place}: no caption {caption!r} in {captions}")
        references = tuple(texts[i] for i in own.get(image, []) if i != caption)
        segments.append(Segment(texts[caption], references, id=image, system=caption, document=image))
        rows.append((place, [parse_number(cell, place) for cell in numbers]))
    if not _are_crowd_answers(rows):
        values = [math.fsum(ratings) / len(ratings) for _, ratings in rows]
        return [make_judged_set(name, segments, {"expert": values}, place=str(judgments))]
    crowd = make_judged_set(name, segments, {"crowd": [row[0] for _, row in rows]}, place=str(judgments))
    note = "CrowdFlower answers: the judgment is the share of yes (column 3); columns 4 and 5 count yes and no"
    return [replace(crowd, notes=(note,))]


def _are_crowd_answers(rows: Sequence[tuple[str, list[float]]]) -> bool:
    """Whether the numbers of every row are a share of yes, the number of yes and the number of no."""
    if not rows or not all(len(row) == 3 and 0 <= row[0] <= 1 and _are_counts(row[1:]) for _, row in rows):
        return False
    wrong = [place for place, row in rows if abs(row[0] - row[1] / (row[1] + row[2])) > _SHARE_ROUNDING]
    if wrong and any(0 < row[0] < 1 for _, row in rows):
        raise InputError(f"{wrong[0]}: the share of yes answers does not fit their numbers")
    return not wrong


def _are_counts(values: Sequence[float]) -> bool:
    return all(value >= 0 and value == int(value) for value in values if not math.isnan(value)) and sum(values) > 0


def _cells(path: PathLike) -> Iterator[tuple[str, list[str]]]:
    for number, line in enumerate(iter_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) < 3:
            raise InputError(f"{display_name(path)}, line {number}: image, caption and judgments are expected")
        yield f"{display_name(path)}, line {number}", cells


def _append(human: dict[str, list[float]], scores: Mapping[str, Any], place: str) -> None:
    if human and scores.keys() != human.keys():
        raise InputError(f"{place}: judged aspects {', '.join(scores)} where {', '.join(human)} are expected")
    for aspect, value in scores.items():
        human.setdefault(aspect, []).append(parse_number(value, f"{place}, {aspect}"))


def _without(values: list[float], segments: list[Segment], system: str) -> list[float]:
    """Return the judgments without those of *system*, which is the reference itself and would score perfectly."""
    return [math.nan if s.system == system else v for v, s in zip(values, segments, strict=True)]


def _lower_is_better(table: ScoreTable) -> ScoreTable:
    return replace(table, higher_is_better=False)
