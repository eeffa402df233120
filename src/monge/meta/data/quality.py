"""MLQE-PE and Eval4NLP: quality judgments of translations, most without a reference; and shipped score tables."""

from __future__ import annotations

from pathlib import Path

from monge.errors import InputError
from monge.meta.data.judged_set import JudgedSet, make_judged_set, tabulate
from monge.scores import ScoreTable
from monge.scores.records import PathLike, Record, parse_number, read_csv_records, read_tsv_records
from monge.text import Segment, read_lines
from monge.wording import count_noun


def read_two_references(folder: PathLike) -> list[JudgedSet]:
    """Read MLQE's et-en translations and DA z-scores (mt.en, ref-1.en, ref-2.en, src.et).

    The part ``et-en`` has both references, ``et-en-1`` and ``et-en-2`` one each, to show what a second reference adds.
    """
    base = Path(folder)
    names = ("mt.en", "ref-1.en", "ref-2.en", "src.et", "DA-z.scores")
    columns = [read_lines(base / name) for name in names]
    _check_lengths(base, names, columns)
    rows = list(zip(*columns[:4], strict=True))
    human = [parse_number(v, f"{base / 'DA-z.scores'}, line {i}") for i, v in enumerate(columns[4], start=1)]
    sets = []
    for name, chosen in (("et-en", slice(1, 3)), ("et-en-1", slice(1, 2)), ("et-en-2", slice(2, 3))):
        segments = [Segment(row[0], row[chosen], row[3], id=str(i)) for i, row in enumerate(rows, start=1)]
        sets.append(make_judged_set(name, segments, {"da": human}, place=str(base)))
    return sets


def read_mlqe_folder(folder: PathLike) -> list[JudgedSet]:
    """Read MLQE-PE's direct assessments (``*.XXYY.df.short.tsv``): source and translation, no reference."""
    sets = []
    for path in sorted(Path(folder).glob("*.df.short.tsv")):
        pair = path.name.split(".")[1]
        records = list(read_tsv_records(path))
        segments = [
            Segment(r.text("translation"), (), r.text("original"), id=str(i)) for i, r in enumerate(records, start=1)
        ]
        human = {"da": [r.number("mean") for r in records], "da-z": [r.number("z_mean") for r in records]}
        sets.append(make_judged_set(f"{pair[:2]}-{pair[2:]}", segments, human, place=str(path)))
    if not sets:
        raise InputError(f"{folder}: no file *.df.short.tsv")
    return sets


def read_rfeval_folder(folder: PathLike) -> list[JudgedSet]:
    """Read RFEval (``testset_XX-en.tsv``, also gzipped): 560 judged translations per source language, with reference.

    Sources of cs, de, fi, lv, ru, tr and zh are those of WMT17 with their own outputs; those of the other languages are
    machine translations of the German sources, with the outputs of de-en.
    """
    sets = []
    for path in sorted(Path(folder).glob("testset_*-en.tsv*")):
        records = list(read_tsv_records(path))
        segments = [
            Segment(r.text("translation"), (r.text("reference"),), r.text("source"), id=str(i))
            for i, r in enumerate(records, start=1)
        ]
        human = {"da-z": [r.number("HUMAN_score") for r in records]}
        pair = path.name.removeprefix("testset_").partition(".")[0]
        sets.append(make_judged_set(pair, segments, human, place=str(path)))
    if not sets:
        raise InputError(f"{folder}: no file testset_XX-en.tsv")
    return sets


def read_eval4nlp_folder(folder: PathLike) -> list[JudgedSet]:
    """Read the Eval4NLP 2021 shared task: one folder per language pair and split with .src, .mt, .da (and .pe)."""
    sets = []
    for path in sorted(Path(folder).glob("*/*.da")):
        stem = path.with_suffix("")
        names = [".mt", ".src", ".da"] + ([".pe"] if stem.with_suffix(".pe").exists() else [])
        columns = [read_lines(stem.with_suffix(name)) for name in names]
        _check_lengths(path.parent, [stem.name + name for name in names], columns)
        rows = enumerate(zip(*columns, strict=True), start=1)
        segments = [Segment(row[0], tuple(row[3:]), row[1], id=str(i)) for i, row in rows]
        human = [parse_number(v, f"{path}, line {i}") for i, v in enumerate(columns[2], start=1)]
        sets.append(make_judged_set(path.parent.name, segments, {"da": human}, place=str(path)))
    if not sets:
        raise InputError(f"{folder}: no file */*.da")
    return sets


def read_tac_folder(folder: PathLike) -> list[JudgedSet]:
    """Read the TAC tables of BT-eval: pyramid scores of summaries and thirteen metrics' scores, no text."""
    base = Path(folder)
    pyramids = _tables(base / "tac_pyr.csv.gz", metric=None)
    metrics = _tables(base / "tac.csv.gz", metric="metric")
    sets = []
    for (year, _), human in pyramids.items():
        shipped = {metric: table for (own, metric), table in metrics.items() if own == year}
        sets.append(JudgedSet(f"tac{year}", (), {"pyramid": human}, scores=shipped))
    return sets


def _tables(path: Path, *, metric: str | None) -> dict[tuple[str, str], ScoreTable]:
    """Return, by set and metric, the table of a file with columns set, metric, instance, then one column per system."""
    rows: dict[tuple[str, str], list[Record]] = {}
    for record in read_csv_records(path):
        rows.setdefault((record.text("set"), record.text(metric) if metric else ""), []).append(record)
    tables = {}
    for key, own in rows.items():
        systems = [c for c in own[0].fields if c not in ("set", "metric", "instance")]
        cells = [((system, r.text("instance")), r.number(system)) for system in systems for r in own]
        tables[key] = tabulate([k for k, _ in cells], [v for _, v in cells], signature=key[1], place=str(path))
    return tables


def _check_lengths(folder: Path, names: list[str] | tuple[str, ...], columns: list[list[str]]) -> None:
    for name, lines in zip(names[1:], columns[1:], strict=True):
        if len(lines) != len(columns[0]):
            raise InputError(
                f"{folder}: {names[0]} has {count_noun(len(columns[0]), 'line')} but {name} has {len(lines)}"
            )
