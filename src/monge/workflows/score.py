"""Scoring outputs against references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from monge.clouds import IdfModel
from monge.engine.executors import INLINE, ExecutorChoice
from monge.engine.job import JobOptions, SystemScores, score_job
from monge.engine.journal import open_journal
from monge.engine.recipes import Work
from monge.engine.spool import SegmentSpool
from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.base import bind_to
from monge.metrics.protocols import Metric
from monge.metrics.registry import load_metric
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.variants import MetricVariant, parse_variant
from monge.workflows.inputs import Texts, spool_texts, warn_of_language

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
    works = [Work(variant.label, variant.load(environment), variant) for variant in request.metrics]
    metrics = [work.metric for work in works]
    idf = _compute_idf(metrics, systems) if request.keep_idf else None
    journal = open_journal(environment, request.shards)
    with request.executor.open(environment) as executor:
        results = score_job(works, systems, journal=journal, options=request.options, executor=executor)
    warnings = warn_of_language(metrics, systems, request.language)
    return ScoreResult(tuple(results), idf, warnings)


def score(
    hypotheses: Sequence[str],
    references: Sequence[str | Sequence[str]] | None = None,
    *,
    metric: str = DEFAULT_METRIC,
    sources: Sequence[str] | None = None,
    environment: Environment | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Score texts with a metric by name.

    Parameters
    ----------
    hypotheses, references, sources
        Texts, one per segment; a reference may be a text or a list of texts.
    metric
        ``NAME`` or ``NAME,option=value``, as on the command line.
    options
        Options of the metric, which win over those in its name.

    Returns
    -------
    A plain dict: ``score`` (of the whole set), ``scores`` (one per text), ``signature``, ``higher_is_better`` and
    ``notes``. If the score of the set is the mean over texts, which that of BLEU is not, ``mean`` holds it too.

    >>> score(["a b c"], ["a b c"], metric="ter")["scores"]
    [0.0]
    """
    if not isinstance(metric, str):
        raise OptionError(f"metric must be the name of one metric, not {type(metric).__name__}")
    variant = parse_variant(metric)
    loaded = load_metric(variant.name, environment=environment, **{**variant.options, **options})
    return loaded.compute(predictions=hypotheses, references=references, sources=sources)


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
