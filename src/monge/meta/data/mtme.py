"""The tree of mt-metrics-eval: reading it, and writing sets and scores that its tools accept.

``ROOT/TESTSET/{sources,references,documents,system-outputs,human-scores,metric-scores}``; names carry the rest:
``references/LP.REF.txt``, ``human-scores/LP.NAME.seg.score``, ``metric-scores/LP/METRIC-REF.seg.score``. A score file
holds ``SYSTEM SCORE`` lines, system by system, segments in order; None is a missing judgment.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from monge.errors import InputError, OptionError
from monge.meta.data.judged_set import JudgedSet
from monge.scores import ScoreTable
from monge.scores.records import PathLike, parse_number
from monge.text import Segment, iter_lines, read_lines, write_lines
from monge.wording import count_noun

UNNAMED = "system"  # the name of the only system where the data give it none
_REFERENCE_NAME = re.compile(r"[^.\-\s]+")


def list_pairs(folder: PathLike) -> list[str]:
    """Return the language pairs of one test set's folder."""
    pairs = sorted(path.stem for path in (Path(folder) / "sources").glob("*.txt"))
    if not pairs:
        raise InputError(f"{folder}: no file sources/LP.txt, so not a test set of mt-metrics-eval")
    return pairs


def list_references(folder: PathLike, pair: str) -> list[str]:
    """Return the names of the references of a language pair, in the order in which they are read."""
    return [path.name.split(".")[-2] for path in sorted((Path(folder) / "references").glob(f"{pair}.*.txt"))]


def read_tree(folder: PathLike, pairs: Sequence[str] = ()) -> list[JudgedSet]:
    """Read language pairs (all when none is named) of a test set, with judgments and stored metric scores."""
    base = Path(folder)
    return [_read_pair(base, pair) for pair in pairs or list_pairs(base)]


def _read_pair(base: Path, pair: str) -> JudgedSet:
    sources = read_lines(base / "sources" / f"{pair}.txt")
    documents = _read_documents(base / "documents" / f"{pair}.docs", len(sources))
    references = list_references(base, pair)
    texts = {name: _same_length(base / "references" / f"{pair}.{name}.txt", sources) for name in references}
    segments = []
    for path in sorted((base / "system-outputs" / pair).glob("*.txt")):
        if path.stem in references:
            continue  # a reference scored as a system
        for i, text in enumerate(_same_length(path, sources)):
            own = tuple(lines[i] for lines in texts.values())
            segments.append(Segment(text, own, sources[i], id=str(i + 1), system=path.stem, document=documents[i]))
    judgments, totals = {}, {}
    for path in sorted((base / "human-scores").glob(f"{pair}.*.score")):
        aspect, level = path.name.removeprefix(f"{pair}.").removesuffix(".score").rsplit(".", 1)
        if level == "seg":
            judgments[aspect] = read_score_file(path, len(sources), signature=f"human:{aspect}")
        elif level == "sys":
            totals[aspect] = {s: float(v[0]) for s, v in _blocks(path).items()}
    only_systems = {aspect: values for aspect, values in totals.items() if aspect not in judgments}
    scores = {}
    for path in sorted((base / "metric-scores" / pair).glob("*.seg.score")):
        metric = path.name.removesuffix(".seg.score")
        systems = path.with_name(f"{metric}.sys.score")
        totals_of = {s: float(v[0]) for s, v in _blocks(systems).items()} if systems.exists() else {}
        table = read_score_file(path, len(sources), signature=metric)
        scores[metric] = replace(table, name=metric, totals=totals_of)
    return JudgedSet(pair, tuple(segments), judgments, only_systems, scores)


def read_score_file(path: PathLike, count: int, *, signature: str = "") -> ScoreTable:
    """Read ``SYSTEM SCORE`` lines: *count* segments for each system; segment ids are 1, 2, 3 …"""
    blocks = _blocks(path)
    for system, values in blocks.items():
        if len(values) != count:
            raise InputError(
                f"{path}: system {system!r} has {count_noun(len(values), 'score')} where {count} segments are expected"
            )
    table = np.array(list(blocks.values()), dtype=np.float64)
    return ScoreTable(tuple(blocks), tuple(str(i + 1) for i in range(count)), table, signature)


def write_metric_scores(
    folder: PathLike,
    pair: str,
    metric: str,
    table: ScoreTable,
    *,
    references: Iterable[str],
    systems: Mapping[str, float],
) -> list[Path]:
    """Write one metric's segment and system scores (``METRIC-REF.seg.score``, ``.sys.score``) and return the paths.

    *table* is laid out as the tree is (``lay_out_scores``). *references* name those the metric used; none means that it
    read the source. Higher must be better there, so a distance is negated. Without *systems* there is no system file.
    """
    _check_complete(table, metric)
    sign = -1.0 if table.higher_is_better is False else 1.0
    name = f"{metric}-{_reference_part(references)}"
    target = Path(folder) / "metric-scores" / pair
    target.mkdir(parents=True, exist_ok=True)
    rows = zip(table.systems, table.values, strict=True)
    segment_lines = [f"{system}\t{sign * value!r}" for system, values in rows for value in values.tolist()]
    files = {target / f"{name}.seg.score": segment_lines}
    if all(system in systems for system in table.systems):
        system_lines = [f"{system}\t{sign * float(systems[system])!r}" for system in table.systems]
        files[target / f"{name}.sys.score"] = system_lines
    for path, lines in files.items():
        write_lines(path, lines)
    return list(files)


def lay_out_scores(judged: JudgedSet, metric: str, table: ScoreTable) -> ScoreTable:
    """Return the scores of the outputs of a set in the order in which ``write_tree`` writes them.

    A system without any score is left out; one that lacks some is refused, as mt-metrics-eval would.
    """
    by_system, ids = _outputs(judged)
    rows = {system or UNNAMED: i for i, system in enumerate(table.systems)}
    columns = {segment: i for i, segment in enumerate(table.segments)}
    systems = tuple(system for system in by_system if system in rows)
    values = np.full((len(systems), len(ids)), np.nan)
    here = [n for n, segment in enumerate(ids) if segment in columns]
    values[:, here] = table.values[np.ix_([rows[s] for s in systems], [columns[ids[n]] for n in here])]
    laid = ScoreTable(systems, ids, values, table.signature, table.higher_is_better)
    _check_complete(laid, metric)
    return laid


def _check_complete(table: ScoreTable, metric: str) -> None:
    if np.isnan(table.values).any():
        s, n = (int(axis[0]) for axis in np.nonzero(np.isnan(table.values)))
        raise InputError(f"{metric} has no score of system {table.systems[s]!r} on segment {table.segments[n]!r}")


def check_tree(judged: JudgedSet, folder: PathLike) -> None:
    """Refuse a tree that holds other outputs than the set, or in another order: scores would not match them."""
    by_system, ids = _outputs(judged)
    for system, own in by_system.items():
        path = Path(folder) / "system-outputs" / judged.name / f"{system}.txt"
        lines = read_lines(path) if path.exists() else []
        for number, segment in enumerate(ids, start=1):
            if len(lines) != len(ids) or lines[number - 1] != _line(own[segment].hypothesis):
                what = f"line {number} is not" if len(lines) == len(ids) else f"{len(lines)} lines where {len(ids)} are"
                raise InputError(f"{path}: {what} the output of segment {segment!r}; choose a new folder")


def _outputs(judged: JudgedSet) -> tuple[dict[str, dict[str, Segment]], tuple[str, ...]]:
    """Return the outputs by system and segment, and the segments in order; every system must have them all."""
    if not judged.segments:
        raise OptionError(f"{judged.name} has judgments but no texts: it cannot become a folder of mt-metrics-eval")
    by_system: dict[str, dict[str, Segment]] = {}
    for segment in judged.segments:
        by_system.setdefault(segment.system or UNNAMED, {})[segment.id] = segment
    ids = tuple(dict.fromkeys(segment.id for segment in judged.segments))
    for system, own in by_system.items():
        if len(own) != len(ids):
            have = f"{len(own)} of {len(ids)} segments"
            raise OptionError(f"{judged.name}: system {system!r} has {have}; the tree needs all")
    return by_system, ids


def write_tree(judged: JudgedSet, folder: PathLike) -> Path:
    """Write texts and judgments of a set as a test set that mt-metrics-eval reads; every system needs every segment."""
    base, pair = Path(folder), judged.name
    by_system, ids = _outputs(judged)
    first = next(iter(by_system.values()))
    for kind in ("sources", "references", "documents", "human-scores", f"system-outputs/{pair}"):
        (base / kind).mkdir(parents=True, exist_ok=True)
    write_lines(base / "sources" / f"{pair}.txt", [_line(first[i].source or "") for i in ids])
    write_lines(base / "documents" / f"{pair}.docs", [f"all\t{_word(first[i].document or 'document')}" for i in ids])
    for k in range(min(len(first[i].references) for i in ids)):
        write_lines(base / "references" / f"{pair}.ref{_letter(k)}.txt", [_line(first[i].references[k]) for i in ids])
    for system, own in by_system.items():
        write_lines(base / "system-outputs" / pair / f"{system}.txt", [_line(own[i].hypothesis) for i in ids])
    for aspect, table in judged.judgments.items():
        lines = _human_lines(table, list(by_system), ids)
        write_lines(base / "human-scores" / f"{pair}.{_word(aspect)}.seg.score", lines)
    return base


def write_scored_tree(
    folder: PathLike, scored: Sequence[tuple[JudgedSet, Mapping[str, ScoreTable]]], *, source: PathLike | None = None
) -> None:
    """Write metric scores into a test-set folder, with texts and judgments where it does not have the set yet.

    Everything is checked before anything is written. *source* is where the sets were read from: a folder that receives
    its own scores needs no comparison of texts.
    """
    base = Path(folder)
    new = [judged for judged, _ in scored if not (base / "sources" / f"{judged.name}.txt").exists()]
    laid = [{m: lay_out_scores(judged, m, table) for m, table in scores.items()} for judged, scores in scored]
    same = source is not None and Path(source).exists() and base.exists() and base.samefile(source)
    for judged, _ in scored:
        if judged not in new and not same:
            check_tree(judged, base)
    for (judged, scores), tables in zip(scored, laid, strict=True):
        if judged in new:
            write_tree(judged, base)
        references = list_references(base, judged.name)
        for metric, table in tables.items():
            totals = {system or UNNAMED: total for system, total in scores[metric].totals.items()}
            write_metric_scores(base, judged.name, metric, table, references=references, systems=totals)


def _human_lines(table: ScoreTable, systems: Sequence[str], ids: Sequence[str]) -> list[str]:
    rows = {system or UNNAMED: i for i, system in enumerate(table.systems)}
    columns = {segment: i for i, segment in enumerate(table.segments)}
    lines = []
    for system in systems:
        for segment in ids:
            value = table.values[rows[system], columns[segment]] if system in rows and segment in columns else math.nan
            lines.append(f"{system}\t{'None' if math.isnan(value) else repr(float(value))}")
    return lines


def _blocks(path: PathLike) -> dict[str, list[float]]:
    blocks: dict[str, list[float]] = {}
    for number, line in enumerate(iter_lines(path), start=1):
        cells = line.split()
        if len(cells) != 2:
            raise InputError(f"{path}, line {number}: a system and a score are expected, not {line[:60]!r}")
        blocks.setdefault(cells[0], []).append(parse_number(cells[1], f"{path}, line {number}"))
    return blocks


def _read_documents(path: Path, count: int) -> list[str]:
    if not path.exists():
        return [""] * count
    documents = [line.split()[-1] for line in read_lines(path) if line.strip()]
    if len(documents) != count:
        raise InputError(f"{path} has {count_noun(len(documents), 'line')} but the source has {count}")
    return documents


def _same_length(path: Path, sources: Sequence[str]) -> list[str]:
    lines = read_lines(path)
    if len(lines) != len(sources):
        raise InputError(f"{path} has {count_noun(len(lines), 'line')} but the source has {len(sources)}")
    return lines


def _reference_part(references: Iterable[str]) -> str:
    names = list(references)
    for name in names:
        if not _REFERENCE_NAME.fullmatch(name):
            raise OptionError(f"a reference cannot be called {name!r} here: it must have no dot, dash or blank")
    return ".".join(names) or "src"


def _letter(k: int) -> str:
    return chr(ord("A") + k) if k < 26 else str(k)


def _line(text: str) -> str:
    return " ".join(text.split("\n")).replace("\r", " ")


def _word(text: str) -> str:
    return re.sub(r"\s+", "_", text)
