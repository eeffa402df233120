"""Deciding which system is better: from texts or from a table of scores to a comparison."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from monge.comparison import (
    CompareSettings,
    Comparison,
    CorpusComparison,
    CorpusSums,
    MetricAgreement,
    combine_metrics,
    compare_corpora,
    compare_systems,
)
from monge.comparison.buckets import KINDS, Buckets, bucket_instances, bucket_words, name_lengths, name_rarities
from monge.engine.job import JobOptions, score_job
from monge.engine.journal import open_journal
from monge.engine.lifting import Lifting, list_units, name_no_document
from monge.engine.system_scores import SystemScores
from monge.environment import Environment
from monge.errors import InputError, OptionError, suggest
from monge.metrics.protocols import Metric, Summable
from monge.metrics.variants import MetricVariant, gather_notes, parse_variants
from monge.scores import ScoreTable, Signature
from monge.scores.direction import require_direction
from monge.scores.display import Displayed
from monge.scores.files import read_scores
from monge.scores.records import read_csv_records, read_jsonl_records, read_tsv_records
from monge.scores.row_tables import check_recipes
from monge.text import Segment, read_lines
from monge.wording import count_noun
from monge.workflows.inputs import Texts, fit_encoders, name_same_files, spool_systems, spool_texts, warn_of_language
from monge.workflows.instances import InstanceExplainer, ShownPair, show_instances
from monge.workflows.score import DEFAULT_METRIC

Report = Callable[[str], None]


@dataclass(frozen=True)
class CompareRequest:
    """Systems to compare by metrics: texts, or a table of scores (``scores``: a file, or tables by metric).

    ``types`` names the kind of each instance, or a file with one per line; ``lower_is_better`` speaks of the table.
    ``language`` is the code of the language of the outputs, if it is known. ``show`` instances per direction are
    returned for the leading pairs, with reasons if ``explain``; ``buckets`` are kinds of ``comparison.buckets.KINDS``.
    ``documents`` lifts metrics of segments to documents, which are then what is compared.
    """

    texts: Texts = ()
    metrics: tuple[MetricVariant, ...] = (MetricVariant(DEFAULT_METRIC, DEFAULT_METRIC),)
    scores: str | Mapping[str, ScoreTable] = ""
    lower_is_better: bool = False
    types: str | tuple[str, ...] = ()
    settings: CompareSettings = field(default_factory=CompareSettings)
    language: str = ""
    show: int = 0
    explain: bool = False
    buckets: tuple[str, ...] = ()
    documents: Lifting = ""


@dataclass(frozen=True, eq=False, repr=False)
class CompareResult(Displayed):
    """One comparison per metric, what they say together (None for one metric alone), and warnings that concern all."""

    comparisons: Mapping[str, Comparison]
    agreement: MetricAgreement | None
    warnings: tuple[str, ...] = ()
    instances: Mapping[str, tuple[ShownPair, ...]] = field(default_factory=dict)
    buckets: Mapping[str, tuple[Buckets, ...]] = field(default_factory=dict)

    def __getitem__(self, metric: str) -> Comparison:
        return self.comparisons[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __repr__(self) -> str:
        orders = (f"{name or 'scores'}: {', '.join(own.order)}" for name, own in self.comparisons.items())
        return f"<best first by {'; '.join(orders)}>"


def run_compare(
    request: CompareRequest, *, environment: Environment | None = None, report_step: Report | None = None
) -> CompareResult:
    """Compare the systems by every metric; *report_step* is called with what is being done."""
    if request.scores:
        return _add_details(gather_comparisons(_compare_tables(request, report_step)), request, {}, {})
    systems = spool_texts(request.texts)
    if len(systems) < 2:
        given = f"only {systems[0].system!r} is given" if systems else "none is given"
        raise InputError(f"a comparison needs at least two systems; {given}")
    environment = environment or Environment.read()
    journal = open_journal(environment)
    comparisons, metrics = {}, []
    variants = fit_encoders(request.metrics, systems, request.language)
    for variant in variants:
        metric = variant.load(environment)
        require_direction(variant.label, metric.spec.higher_is_better)
        metrics.append(metric)
        results = score_job(
            [(variant.label, metric)], systems, journal=journal, options=JobOptions(documents=request.documents)
        )
        types = _read_types(request.types, len(results[0]))
        comparisons[variant.label] = compare_scored(
            metric, results, settings=request.settings, types=types, report_step=report_step
        )
    warnings = (
        *gather_notes(variants),
        *name_same_files(request.texts),
        *warn_of_language(metrics, systems, request.language, environment=environment),
        *name_no_document(systems, request.documents),
    )
    result = dataclasses.replace(gather_comparisons(comparisons), warnings=warnings)
    loaded = dict(zip(comparisons, metrics, strict=True))
    unit = "document" if request.documents else "segment"
    shown = {spool.system: list_units(unit, request.documents, spool) for spool in systems}
    return _add_details(result, request, shown, loaded)


def _add_details(
    result: CompareResult,
    request: CompareRequest,
    segments: Mapping[str, Sequence[Segment]],
    metrics: Mapping[str, Metric],
) -> CompareResult:
    """Return the result with the instances and buckets that were asked for."""
    instances, buckets = {}, {}
    for name, comparison in result.comparisons.items():
        metric = metrics.get(name)
        own = segments if metric is None or request.documents or metric.spec.unit == "segment" else {}
        explicable = request.explain and request.documents != "mean"  # a mean over segments is not a score of the text
        explain = InstanceExplainer(name, metric, own) if explicable and metric is not None and own else None
        instances[name] = show_instances(comparison, own, count=request.show, explain=explain)
        buckets[name] = tuple(_make_buckets(comparison, own, request.buckets))
    return dataclasses.replace(result, instances=instances, buckets=buckets)


def _make_buckets(
    comparison: Comparison, segments: Mapping[str, Sequence[Segment]], kinds: Sequence[str]
) -> Iterator[Buckets]:
    """Yield the buckets of the kinds for which there is something to sort by."""
    for kind in kinds:
        if kind not in KINDS:
            raise OptionError(f"buckets {kind!r}{suggest(kind, KINDS)}: must be among {', '.join(KINDS)}")
    if comparison.types and "type" in kinds:
        yield bucket_instances(comparison, "type", comparison.types)
    if not segments:
        return
    places = {segment.id: place for place, segment in enumerate(segments[comparison.table.systems[0]])}
    first = [segments[comparison.table.systems[0]][places[name]] for name in comparison.table.segments]
    for kind, find_names in (("length", name_lengths), ("frequency", name_rarities)):
        if kind in kinds:
            yield bucket_instances(comparison, kind, *find_names(first))
    if "words" in kinds:
        yield bucket_words({name: segments[name] for name in comparison.order})


def compare(
    systems: Mapping[str, Sequence[str]] | Mapping[str, ScoreTable] | str | os.PathLike[str],
    references: Sequence[str | Sequence[str]] | None = None,
    *,
    metrics: str | Sequence[str] | None = None,
    metric: str | None = None,
    sources: Sequence[str] | None = None,
    settings: CompareSettings | None = None,
    environment: Environment | None = None,
) -> CompareResult:
    """Compare systems: outputs by system name, tables of scores by metric name, or a file of scores.

    *metrics* is one name or several; *metric* means the same.

    >>> outputs = {"A": ["a b c", "d e f", "g h i"], "B": ["a b x", "d y f", "z h i"]}
    >>> compare(outputs, ["a b c", "d e f", "g h i"], metrics="chrf")["chrf"].order[0]
    'A'
    """
    chosen = CompareSettings() if settings is None else settings
    if isinstance(systems, str | os.PathLike):
        return run_compare(CompareRequest(scores=os.fspath(systems), settings=chosen))
    if not isinstance(systems, Mapping):
        raise InputError(f"systems must be outputs by name, tables by name or a file, not {type(systems).__name__}")
    tables = {name: value for name, value in systems.items() if isinstance(value, ScoreTable)}
    if tables and len(tables) < len(systems):
        raise InputError("systems must be all outputs or all tables of scores, not both")
    if tables:
        return run_compare(CompareRequest(scores=tables, settings=chosen))
    outputs = {name: value for name, value in systems.items() if not isinstance(value, ScoreTable)}
    if metric is not None and metrics is not None:
        raise OptionError("metric and metrics are both given: leave one out")
    names = metrics if metrics is not None else metric if metric is not None else DEFAULT_METRIC
    variants = tuple(parse_variants([names] if isinstance(names, str) else names))
    texts = spool_systems(outputs, references, sources)
    return run_compare(CompareRequest(texts=texts, metrics=variants, settings=chosen), environment=environment)


def gather_comparisons(comparisons: Mapping[str, Comparison]) -> CompareResult:
    """Return comparisons by metric with what they say together."""
    return CompareResult(comparisons, combine_metrics(comparisons) if len(comparisons) > 1 else None)


def compare_scored(
    metric: Metric,
    results: Sequence[SystemScores],
    *,
    settings: CompareSettings,
    types: Sequence[str] = (),
    report_step: Report | None = None,
) -> Comparison:
    """Compare systems by their scores, segment by segment (matched by id) and by the metric's corpus score.

    A metric whose corpus score is made of sums (BLEU, chrF, TER) is also tested by resampling them, as sacrebleu does.
    """
    table, places = make_table(metric, results)
    remarks = [
        f"{result.system}: {note} ({count} of {len(result)} {result.unit}s)"
        for result in results
        for note, count in result.notes.items()
    ]
    corpus = _compare_corpora(metric, results, places, settings)
    compared = compare_systems(
        table, settings=settings, types=types, corpus=corpus, remarks=remarks, report_step=report_step
    )
    return dataclasses.replace(compared, scale=results[0].scale)


def make_table(metric: Metric, results: Sequence[SystemScores]) -> tuple[ScoreTable, list[list[int]]]:
    """Return one metric's scores as a table, and the order of each system's segments; all must have the same ids."""
    known = [{segment.id: place for place, segment in enumerate(result.segments)} for result in results]
    ids = tuple(known[0])
    for result, own in zip(results, known, strict=True):
        for name in own.keys() ^ known[0].keys():
            first, second = (results[0], result) if name in known[0] else (result, results[0])
            raise InputError(f"segment {name!r} of system {first.system!r} is missing in system {second.system!r}")
    for result in results[1:]:
        place = f"{result.metric} of system {result.system!r}"
        check_recipes(results[0].signature, result.signature, place)
    places = [[own[name] for name in ids] for own in known]
    scores = [np.array([score.value for score in result.scores]) for result in results]
    values = np.stack([row[order] for row, order in zip(scores, places, strict=True)])
    names = tuple(result.system for result in results)
    return ScoreTable(names, ids, values, results[0].signature, metric.spec.higher_is_better), places


def _compare_tables(request: CompareRequest, report_step: Report | None) -> dict[str, Comparison]:
    tables = request.scores
    if isinstance(tables, str):
        tables = read_scores(tables, higher_is_better=not request.lower_is_better)
    comparisons = {}
    for metric, table in tables.items():
        types = _read_types(request.types, len(table.segments)) or table.types
        comparisons[metric] = compare_systems(table, settings=request.settings, types=types, report_step=report_step)
    return comparisons


def _compare_corpora(
    metric: Metric, results: Sequence[SystemScores], places: Sequence[list[int]], settings: CompareSettings
) -> CorpusComparison | None:
    lifting = Signature.parse(results[0].signature).fields.get("documents")
    if not isinstance(metric, Summable) or lifting == "mean":  # a mean over documents is not made of such sums
        return None
    scorer: Summable = metric
    rows = [np.array([scorer.sum_statistics([segment]) for segment in result.segments]) for result in results]
    known = lru_cache(maxsize=1 << 16)(scorer.score_of_sums)  # draws of few or similar segments have the same sums
    statistics = CorpusSums(
        tuple(result.system for result in results),
        np.stack([row[order] for row, order in zip(rows, places, strict=True)]),
        lambda sums: known(tuple(sums.tolist())),
        require_direction(metric.spec.name, metric.spec.higher_is_better),
    )
    return compare_corpora(
        statistics, draws=settings.resamples, trials=settings.trials, seed=settings.seed, alpha=settings.alpha
    )


def _read_types(types: str | tuple[str, ...], instances: int) -> tuple[str, ...]:
    if not types:
        return ()
    found = _read_type_file(types) if isinstance(types, str) else types
    if len(found) != instances:
        source = (
            f"{types} has {count_noun(len(found), 'line')}"
            if isinstance(types, str)
            else f"{count_noun(len(found), 'type')} given"
        )
        raise InputError(f"{source}, but there are {instances} instances")
    return found


def _read_type_file(path: str) -> tuple[str, ...]:
    """Return the types in a file: its lines, or with ``FILE:COLUMN`` a column of a .tsv, .csv or .jsonl table."""
    file, mark, column = path.rpartition(":")
    ending = file.removesuffix(".gz").rpartition(".")[2]
    readers = {"tsv": read_tsv_records, "csv": read_csv_records, "jsonl": read_jsonl_records}
    if not mark or ending not in readers:
        return tuple(line.strip() for line in read_lines(path))
    return tuple(record.text(column) for record in readers[ending](file))
