"""Scoring outputs against references."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from monge.clouds import IdfModel
from monge.engine.executors import INLINE, ExecutorChoice, choose_executor
from monge.engine.job import JobOptions, score_job, score_works
from monge.engine.journal import open_journal
from monge.engine.lifting import name_no_document
from monge.engine.progress import show_progress
from monge.engine.recipes import Work
from monge.engine.spool import SegmentSpool, spool_segments
from monge.engine.system_scores import SystemScores
from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.base import bind_to
from monge.metrics.protocols import Metric
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.variants import (
    OPTIONAL_OPTIONS,
    MetricVariant,
    add_options,
    gather_notes,
    parse_variant,
    parse_variants,
)
from monge.text import Segment
from monge.workflows.inputs import (
    GivenReferences,
    GivenTexts,
    Texts,
    fit_encoders,
    given_segments,
    join_given,
    name_same_files,
    name_texts,
    spool_texts,
    warn_of_language,
)
from monge.workflows.scored import ScoredMetrics, ScoredTexts

DEFAULT_METRIC = "bertscore"


@dataclass(frozen=True)
class ScoreRequest:
    """What to score with which metrics; ``keep_idf`` also returns the idf statistics that were computed.

    ``language`` is the code of the language of the outputs, if it is known. ``executor`` says where chunks are scored;
    finished chunks are kept under ``shards``, a folder or URL that all workers see (default: in the cache).
    """

    texts: Texts
    metrics: tuple[MetricVariant, ...] = (MetricVariant(DEFAULT_METRIC, DEFAULT_METRIC),)
    options: JobOptions = field(default_factory=JobOptions)
    keep_idf: bool = False
    language: str = ""
    executor: ExecutorChoice = INLINE
    shards: str | None = None


@dataclass(frozen=True, eq=False)
class ScoreResult:
    """The scores of every system by every metric, metric by metric, and the idf statistics if they were asked for.

    ``warnings`` concern all of them.
    """

    systems: tuple[SystemScores, ...]
    idf: IdfModel | None = None
    warnings: tuple[str, ...] = ()


def run_score(request: ScoreRequest, *, environment: Environment | None = None) -> ScoreResult:
    """Score every system with every metric, reading from the journal what an earlier run computed."""
    environment = environment or Environment.read()
    systems = spool_texts(request.texts)
    variants = fit_encoders(request.metrics, systems, request.language)
    works = [Work(variant.label, variant.load(environment), variant) for variant in variants]
    metrics = [work.metric for work in works]
    idf = _compute_idf(metrics, systems) if request.keep_idf else None
    journal = open_journal(environment, request.shards)
    with request.executor.open(environment) as executor:
        results = score_job(works, systems, journal=journal, options=request.options, executor=executor)
    warnings = warn_of_language(metrics, systems, request.language, environment=environment)
    if warnings:
        results = _mark(results, works, systems, request.language)
    lonely = name_no_document(systems, request.options.documents)
    notes = (*gather_notes(variants), *name_same_files(request.texts))
    return ScoreResult(tuple(results), idf, (*notes, *warnings, *lonely))


def _mark(
    results: Sequence[SystemScores], works: Sequence[Work], systems: Sequence[Sequence[Segment]], language: str
) -> list[SystemScores]:
    """Return the results, those of metrics whose encoder was not made for the language of the texts with a warning."""
    found = {work.label: "; ".join(warn_of_language([work.metric], systems, language)) for work in works}
    return [dataclasses.replace(result, warning=found.get(result.metric, "")) for result in results]


@overload
def score(
    hypotheses: GivenTexts | None = None,
    references: GivenReferences | None = None,
    *,
    metric: str = DEFAULT_METRIC,
    metrics: None = None,
    sources: GivenTexts | None = None,
    document_ids: Iterable[str] | None = None,
    progress: bool | None = False,
    cache: bool | None = None,
    batch_size: int | None = None,
    executor: str | ExecutorChoice = "inline",
    environment: Environment | None = None,
    **options: Any,
) -> ScoredTexts: ...
@overload
def score(
    hypotheses: GivenTexts | None = None,
    references: GivenReferences | None = None,
    *,
    metrics: str | Sequence[str],
    sources: GivenTexts | None = None,
    document_ids: Iterable[str] | None = None,
    progress: bool | None = False,
    cache: bool | None = None,
    batch_size: int | None = None,
    executor: str | ExecutorChoice = "inline",
    environment: Environment | None = None,
    **options: Any,
) -> ScoredMetrics: ...
def score(
    hypotheses: GivenTexts | None = None,
    references: GivenReferences | None = None,
    *,
    metric: str = DEFAULT_METRIC,
    metrics: str | Sequence[str] | None = None,
    sources: GivenTexts | None = None,
    document_ids: Iterable[str] | None = None,
    progress: bool | None = False,
    cache: bool | None = None,
    batch_size: int | None = None,
    executor: str | ExecutorChoice = "inline",
    environment: Environment | None = None,
    **options: Any,
) -> ScoredTexts | ScoredMetrics:
    """Score texts with a metric, or with several.

    Parameters
    ----------
    hypotheses, references, sources
        Texts, one per segment: any iterable (a list, a generator, a column of pandas or polars), or one string. A
        reference may be a text or several texts. ``predictions``, ``candidates`` and ``cands`` mean *hypotheses*,
        ``refs`` means *references*.
    metric
        ``NAME`` or ``NAME,option=value``, as on the command line.
    metrics
        Such names (a list, or one name), instead of *metric*; the result then has one entry per metric.
    document_ids
        The document of every text: texts with the same id are joined, in order, and scored as one text, so that there
        is one score per document. (``run_score`` with ``JobOptions(documents="mean")`` averages over its texts.)
    progress
        Whether to show progress on stderr; None means: if stderr is a terminal.
    cache
        Whether to use and keep vectors and scores on disk; None means: as ``MONGE_NO_CACHE`` says.
    batch_size
        The most texts that are scored at once; the default suits most machines, a smaller number needs less memory.
    executor
        Where texts are scored: ``inline`` (in this process), ``processes``, ``dask``, or the address of a Dask
        scheduler (``tcp://…``). The scores are the same.
    options
        Options of the metric, which win over those in its name; with several metrics, of those that have them. Names
        of other packages (``lang``, ``model_type``, ``num_layers``, ``idf=True``) are accepted with a note.

    Returns
    -------
    ScoredTexts with ``score`` (of the whole set), ``scores`` (an array, one per text), ``parts``, ``segment_parts``,
    ``interval()``, ``to_frame()``, ``signature`` and ``notes``. It is also a plain dict with ``score``, ``scores``,
    ``parts``, ``signature``, ``higher_is_better`` and ``notes``; where the score of the set is the mean over texts,
    which that of BLEU is not, ``mean`` holds it too. With *metrics*, ScoredMetrics: one ScoredTexts per metric.

    Raises
    ------
    MongeError
        For texts, metrics or options that cannot be used; the message says what to change.

    >>> result = score(["a b c"], ["a b c"], metric="ter")
    >>> result.score, result["scores"]
    (0.0, [0.0])
    >>> score("a b c", "a b d", metrics=["chrf", "rougeL"]).score["rougeL"]
    0.6666666666666666
    """
    around = Environment.read() if environment is None else environment
    around = around if cache is None else dataclasses.replace(around, cache=cache)
    given, own, options = name_texts(hypotheses, references, options)
    variants = _read_variants(metric, metrics, options)
    segments = given_segments(given, own, sources)
    segments = segments if document_ids is None else join_given(segments, document_ids)
    variants = list(fit_encoders(variants, [segments], str(options.get("language", ""))))
    spool = spool_segments(segments)
    choice = dataclasses.replace(choose_executor(executor), batch=batch_size)
    label = ", ".join(variant.label for variant in variants)
    with choice.open(around) as runner, show_progress(label, len(segments), progress) as bar:
        works = [Work(variant.label, variant.load(around), variant) for variant in variants]
        bound = [work.rebound(runner.bind(work, spool)) for work in works]

        def show(done: int) -> None:
            bar.update(done - bar.n)

        scores = score_works(bound, spool, journal=open_journal(around), executor=runner, report_chunk=show)
    results = [
        ScoredTexts(work.label, work.metric, segments, own, variant.notes)
        for variant, work, own in zip(variants, bound, scores, strict=True)
    ]
    return results[0] if metrics is None else ScoredMetrics(results)


def _read_variants(metric: str, metrics: str | Sequence[str] | None, options: Mapping[str, Any]) -> list[MetricVariant]:
    """Return the metrics to compute: one with these options, or several, of which each takes the options it has."""
    if metrics is None:
        if not isinstance(metric, str):
            raise OptionError(f"metric must be the name of one metric, not {type(metric).__name__}: use metrics=[…]")
        variant = parse_variant(metric)
        return [add_options(dataclasses.replace(variant, options={}), {**variant.options, **options}, {})]
    if metric != DEFAULT_METRIC:
        raise OptionError("metric and metrics are both given: leave one out")
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not all(isinstance(one, str) for one in names):
        raise OptionError('metrics must be a list of names, as in metrics=["bleu", "bertscore"]')
    if not names:
        raise OptionError("metrics is empty: name at least one metric")
    return parse_variants(names, options, optional=OPTIONAL_OPTIONS)


def _compute_idf(metrics: Sequence[Metric], systems: Sequence[SegmentSpool]) -> IdfModel:
    """Return the idf statistics that scoring will use, which must be the same for all metrics and systems."""
    found = {}
    for metric in metrics:
        if isinstance(metric, TransportMetric) and metric.settings.cloud.weighting != "uniform":
            if metric.settings.idf.source == "sides":
                raise OptionError(f"--save-idf: {metric.spec.name} weighs outputs by statistics of their own")
            for segments in systems:
                bound = bind_to(metric, segments)
                model = bound.statistics.idf_reference if isinstance(bound, TransportMetric) else None
                if model is None:
                    raise OptionError("--save-idf: idf cannot be computed from one segment")
                found[model.digest] = model
    if len(found) != 1:
        raise OptionError(f"--save-idf: there are {len(found)} different idf statistics; score with one idf metric")
    return next(iter(found.values()))
