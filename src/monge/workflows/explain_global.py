"""What metrics listen to: their scores of many texts regressed on meaning, syntax, words and morphology."""

from __future__ import annotations

import csv
import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.encoders import load_encoder
from monge.environment import Environment
from monge.errors import InputError, ModelError, OptionError
from monge.explanation.factors import lexical_overlap, measure_factors
from monge.explanation.response import FACTORS, MetricResponse, measure_response, respond_to_table
from monge.meta.data import JudgedSet
from monge.metrics.base import bind_to
from monge.metrics.protocols import Metric
from monge.metrics.variants import parse_variants
from monge.scores.records import Record, read_csv_records, read_tsv_records
from monge.text import Segment, iter_lines
from monge.wording import count_noun
from monge.workflows.judged_data import JudgedData, Source, read_judged_sets

Floats = NDArray[np.float64]
Progress = Callable[[int, int], object]
MORPHOLOGY_VECTORS = "glove"
_SKIP = "-"  # the name of a column that is not read


@dataclass(frozen=True)
class GlobalRequest:
    """What to explain.

    Parameters
    ----------
    data
        Judged outputs, whose judgments are the factor SEM; or, without a metric, a table of factors and scores.
    metrics, options
        Metrics to compute (``NAME,option=value``), and options of every metric that has them. Without a metric, *data*
        is a table that holds scores already.
    names
        Names of the columns of a table without a header; ``-`` leaves a column out.
    factors, score_columns
        Of a table: the factors and the columns of scores to use; none means all.
    translations
        One translation of each source, line by line, for LEX and CLB of metrics that compare with the source; the
        first references where none is given.
    seed
        Of the sample that *data* asks for.
    """

    data: JudgedData
    metrics: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    factors: tuple[str, ...] = ()
    score_columns: tuple[str, ...] = ()
    translations: str = ""
    seed: int = 0


@dataclass(frozen=True, eq=False)
class GlobalResult:
    """One response per metric, and notes on what was left out or replaced."""

    data: str
    responses: tuple[MetricResponse, ...]
    notes: tuple[str, ...] = ()

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "data": self.data, "metrics": [one.record() for one in self.responses], "notes": list(self.notes)
        }  # fmt: skip


def explain_global(
    data: Source,
    metrics: str | Sequence[str] = (),
    *,
    names: Sequence[str] = (),
    factors: Sequence[str] = (),
    translations: str = "",
    sample: int | None = None,
    environment: Environment | None = None,
) -> GlobalResult:
    """Explain what metrics respond to (Kaster, Zhao and Eger 2021).

    z(metric) = Σ coefficient · z(factor) + ε, by least squares, with factors SEM (human judgments), SYN, LEX, MOR and,
    for a metric that compares with the source, CLB.

    Parameters
    ----------
    data
        Judged outputs as ``monge.correlate`` reads them, or a table of factors and scores.
    metrics
        Metrics to compute; none if the table holds scores.
    names, factors
        Column names of a table without a header; the factors to use (default: all).
    translations
        File with a translation of every source, for metrics without references.
    sample
        How many inputs of each part to draw.

    Raises
    ------
    MongeError
        If data or metrics cannot be used, or the extra ``explain`` is not installed.
    """
    request = GlobalRequest(
        JudgedData(data, sample=sample),
        (metrics,) if isinstance(metrics, str) else tuple(metrics),
        names=tuple(names),
        factors=tuple(factors),
        translations=translations,
    )
    return run_explain_global(request, environment=environment)


def run_explain_global(
    request: GlobalRequest, *, environment: Environment | None = None, progress: Progress | None = None
) -> GlobalResult:
    """Carry out *request*; *progress* is called with how many pairs have been parsed, and of how many."""
    environment = environment or Environment.read()
    if not request.metrics:
        responses = respond_to_table(_read_table(request), metrics=request.score_columns, factors=request.factors)
        return GlobalResult(request.data.name, tuple(responses))
    sets = read_judged_sets(request.data, environment=environment, seed=request.seed)
    outputs = [JudgedOutputs.of(judged) for judged in sets]
    pairs = [(s.hypothesis, s.references[0]) for one in outputs for s in one.segments if s.references]
    known = _monolingual_factors(request, outputs, pairs, environment, progress)
    responses, notes = [], list(dict.fromkeys(note for one in outputs for note in one.notes))
    for variant in parse_variants(request.metrics, request.options):
        bound = [bind_to(variant.load(environment), one.segments) for one in outputs]
        scores = _score(bound, [one.segments for one in outputs])
        if _reads_source(bound[0]):
            factors, added = _crosslingual_factors(request, outputs, bound)
            notes += added
        else:
            factors = _choose(known, request.factors)
        responses.append(measure_response(scores, factors, metric=variant.label))
    return GlobalResult(request.data.name, tuple(responses), tuple(dict.fromkeys(notes)))


@dataclass(frozen=True, eq=False)
class JudgedOutputs:
    """Judged segments, one judgment each, and what was chosen."""

    segments: list[Segment]
    human: Floats
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, judged: JudgedSet) -> JudgedOutputs:
        if not judged.judgments:
            raise InputError(f"{judged.name}: only whole systems were judged; SEM needs judgments of outputs")
        aspect, table = next(iter(judged.judgments.items()))
        rows = {name: i for i, name in enumerate(table.systems)}
        columns = {name: i for i, name in enumerate(table.segments)}
        values = -table.values if table.higher_is_better is False else table.values
        segments = [s for s in judged.judged_segments() if s.system in rows and s.id in columns]
        human = np.array([values[rows[s.system], columns[s.id]] for s in segments])
        kept = np.isfinite(human)
        note = f"SEM is the judged aspect {aspect!r}; --aspect chooses another" if len(judged.judgments) > 1 else ""
        notes = (*judged.notes, *([note] if note else []))
        return cls([s for s, keep in zip(segments, kept, strict=True) if keep], human[kept], notes)


def _monolingual_factors(
    request: GlobalRequest,
    outputs: Sequence[JudgedOutputs],
    pairs: Sequence[tuple[str, str]],
    environment: Environment,
    progress: Progress | None,
) -> dict[str, Floats]:
    human = np.concatenate([one.human for one in outputs])
    if len(pairs) < len(human):
        return {"SEM": human}  # no references: only metrics that compare with the source can be explained
    wanted = [name.upper() for name in request.factors] or ["SEM", "SYN", "LEX", "MOR"]
    if not {"SYN", "MOR"} & set(wanted):
        return {"SEM": human, "LEX": np.array([lexical_overlap(*pair) for pair in pairs])}
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, len(pairs))

    vectors = load_encoder(MORPHOLOGY_VECTORS, environment=environment)
    return {"SEM": human, **measure_factors(pairs, vectors, progress=step)}


def _crosslingual_factors(
    request: GlobalRequest, outputs: Sequence[JudgedOutputs], bound: Sequence[Metric]
) -> tuple[dict[str, Floats], list[str]]:
    """Return SEM, LEX and CLB of a metric that compares with the source, and notes."""
    translations, note = _translations(request, outputs)
    overlap, twins, place = [], [], 0
    for one in outputs:
        own = translations[place : place + len(one.segments)]
        overlap += [lexical_overlap(s.hypothesis, text) for s, text in zip(one.segments, own, strict=True)]
        twins.append([dataclasses.replace(s, hypothesis=t) for s, t in zip(one.segments, own, strict=True)])
        place += len(one.segments)
    found = {
        "SEM": np.concatenate([one.human for one in outputs]),
        "LEX": np.array(overlap),
        "CLB": _score(bound, twins),
    }
    left_out = "SYN and MOR are left out for metrics that compare with the source: no parser of its language is here"
    return _choose(found, request.factors), [note, left_out]


def _translations(request: GlobalRequest, outputs: Sequence[JudgedOutputs]) -> tuple[list[str], str]:
    segments = [s for one in outputs for s in one.segments]
    if request.translations:
        lines = list(iter_lines(request.translations))
        if len(lines) != len(segments):
            raise InputError(
                f"{request.translations} has {count_noun(len(lines), 'line')}, "
                f"but the number of judged outputs is {len(segments):,}"
            )
        return lines, f"LEX and CLB use the translations of {request.translations}"
    bare = next((s for s in segments if not s.references), None)
    if bare is not None:
        raise OptionError("LEX and CLB need a translation of every source: give --translations FILE, or references")
    return [s.references[0] for s in segments], "LEX and CLB take the first reference as the translation of the source"


def _score(bound: Sequence[Metric], segments: Sequence[Sequence[Segment]]) -> Floats:
    """Return the scores of all sets in one row, oriented so that higher is better."""
    values = [score.value for metric, own in zip(bound, segments, strict=True) for score in metric.score(own)]
    return -np.array(values) if bound[0].spec.higher_is_better is False else np.array(values)


def _reads_source(metric: Metric) -> bool:
    return "source" in metric.spec.needs and "references" not in metric.spec.needs


def _choose(found: Mapping[str, Floats], factors: Sequence[str]) -> dict[str, Floats]:
    names = [name.upper() for name in factors]
    unknown = next((name for name in names if name not in FACTORS), None)
    if unknown is not None:
        raise OptionError(f"no factor {unknown!r}; factors are {', '.join(FACTORS)}")
    kept = {name: values for name, values in found.items() if not names or name in names}
    if not kept:
        raise ModelError(f"none of the factors {', '.join(names)} can be computed here")
    return kept


def _read_table(request: GlobalRequest) -> dict[str, Floats]:
    """Return the columns of numbers of a table; columns of texts are left out."""
    path = request.data.path
    if path is None or not path.is_file():
        raise OptionError(
            f"no metric for {request.data.name}: name some with -m, or give a table of factors and scores"
        )
    names = tuple(f"{_SKIP}{i}" if name == _SKIP else name for i, name in enumerate(request.names))
    records = _read_rows(path, names or None)
    if not records:
        raise InputError(f"{path}: no row")
    columns = {}
    for name in records[0].fields:
        if not name.startswith(_SKIP) and _is_number(records[0].fields[name]):
            columns[name] = np.array([record.number(name) for record in records])
    return columns


def _read_rows(path: Path, names: Sequence[str] | None) -> list[Record]:
    """Return the rows of a table; cells of a .tsv may be quoted, as csv writers do, if they do not fit otherwise."""
    if path.name.removesuffix(".gz").endswith(".csv"):
        return list(read_csv_records(path, columns=names))
    try:
        return list(read_tsv_records(path, columns=names))
    except InputError:
        rows = list(csv.reader(iter_lines(path), delimiter="\t"))
        columns, first = (names, 1) if names else (rows.pop(0), 2)
        if any(len(row) != len(columns) for row in rows):
            raise
        places = (f"{path}, row {number}" for number in itertools.count(first))
        return [Record(dict(zip(columns, row, strict=True)), place) for row, place in zip(rows, places, strict=False)]


def _is_number(cell: object) -> bool:
    try:
        float(str(cell))
    except ValueError:
        return False
    return True
