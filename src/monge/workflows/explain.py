"""Taking scores apart: which words did what."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.explanation import (
    DeletionCurve,
    DocumentExplanation,
    Explanation,
    LocalExplanation,
    delete_words,
    describe_loss,
    explain_by_shares,
    explain_document,
    explain_segments,
    fit_lime,
    is_explained_by_foci,
    occlude_words,
    sample_shapley,
)
from monge.metrics.base import bind_shared, bind_to
from monge.metrics.protocols import Aligning, Metric, WordSharing
from monge.metrics.variants import MetricVariant, gather_notes, parse_variant
from monge.text import Segment, iter_documents
from monge.wording import count_noun
from monge.workflows.inputs import TextFiles, fit_encoders, warn_of_language
from monge.workflows.score import DEFAULT_METRIC

Explained = Explanation | LocalExplanation | DocumentExplanation
Method = Literal["auto", "additive", "occlusion", "shapley", "lime"]
METHODS: tuple[Method, ...] = ("auto", "additive", "occlusion", "shapley", "lime")


@dataclass(frozen=True)
class ExplainedSegment:
    """A segment to explain, and the texts of its system, to which corpus statistics are bound."""

    segment: Segment
    corpus: Sequence[Segment]


@dataclass(frozen=True)
class ExplainRequest:
    """Which segments to explain by which metrics and method.

    ``how``: additive, from the transport or the foci themselves; occlusion, shapley or lime, by leaving words out;
    auto, additive where that is possible, else shapley. ``orders`` is the number of random orders of shapley,
    ``samples`` that of shortened texts of lime. ``check`` adds the deletion curve: is an explanation true to its
    metric? ``language`` is the code of the language of the outputs, if it is known.
    """

    segments: tuple[ExplainedSegment, ...]
    metrics: tuple[MetricVariant, ...]
    how: Method = "auto"
    orders: int = 32
    seed: int = 12345
    samples: int = 500
    check: bool = False
    language: str = ""


@dataclass(frozen=True, eq=False)
class SystemExplanation:
    """One explanation, the system whose output it explains and the id of its segment.

    ``deletion`` is the deletion curve, where it was asked for.
    """

    system: str
    explanation: Explained
    id: str = ""
    deletion: DeletionCurve | None = None

    def record(self) -> dict[str, object]:
        """Return the explanation as plain JSON values."""
        names = {key: value for key, value in (("system", self.system), ("id", self.id)) if value}
        checked = {"deletion": self.deletion.record()} if self.deletion is not None else {}
        return names | self.explanation.record() | {"sentence": describe_loss(self.explanation)} | checked


@dataclass(frozen=True, eq=False)
class ExplainResult:
    """The explanations, metric by metric and system by system; ``warnings`` concern all of them."""

    explanations: tuple[SystemExplanation, ...]
    warnings: tuple[str, ...] = ()


def choose_line(files: TextFiles, line: int) -> tuple[ExplainedSegment, ...]:
    """Return line number *line* (from 1) of every system; raises InputError where there is no such line."""
    systems = files.read().by_system()
    for name, segments in systems.items():
        if not 1 <= line <= len(segments):
            of = f" of system {name!r}" if name else ""
            raise InputError(f"--line {line}: the texts{of} have {count_noun(len(segments), 'line')}")
    return tuple(ExplainedSegment(segments[line - 1], segments) for segments in systems.values())


def run_explain(request: ExplainRequest, *, environment: Environment | None = None) -> ExplainResult:
    """Explain every segment by every metric; statistics are bound as when the same texts are scored."""
    environment = environment or Environment.read()
    everything = [segment for one in request.segments for segment in one.corpus]
    variants = fit_encoders(request.metrics, [everything], request.language)
    metrics = [variant.load(environment) for variant in variants]
    found = []
    for variant, metric in zip(variants, metrics, strict=True):
        shared = bind_shared(metric, everything)
        for one in request.segments:
            bound = bind_to(shared, one.corpus)
            explanation = _explain(request, bound, _unit(bound, one))
            notes = (*bound.binding_notes, *explanation.notes)
            labelled = dataclasses.replace(explanation, metric=variant.label, notes=notes)
            deletion = _check(request, bound, one.segment, explanation)
            found.append(SystemExplanation(one.segment.system, labelled, one.segment.id, deletion))
    warnings = warn_of_language(metrics, [everything], request.language, environment=environment)
    return ExplainResult(tuple(found), (*gather_notes(variants), *warnings))


def explain(
    hypothesis: str,
    references: str | Sequence[str] = (),
    *,
    metric: str = DEFAULT_METRIC,
    source: str | None = None,
    how: Method = "auto",
    orders: int = 32,
    seed: int = 12345,
    environment: Environment | None = None,
    **options: Any,
) -> Explained:
    """Explain the score of one text; *metric* may carry options, as on the command line.

    >>> found = explain("a red boat", "a blue boat", metric="emd,encoder=hashed")
    >>> bool(abs(found.total - found.value) < 1e-12)
    True
    """
    given = (references,) if isinstance(references, str) else tuple(references)
    segment = Segment(hypothesis, given, source)
    variant = parse_variant(metric)
    request = ExplainRequest(
        (ExplainedSegment(segment, [segment]),),
        (dataclasses.replace(variant, options={**variant.options, **options}),),
        how,
        orders,
        seed,
    )
    return run_explain(request, environment=environment).explanations[0].explanation


def _check(request: ExplainRequest, metric: Metric, segment: Segment, found: Explained) -> DeletionCurve | None:
    if not request.check:
        return None
    if isinstance(found, DocumentExplanation):
        raise OptionError(f"{metric.spec.name} is explained by foci, which have no deletion curve: give how=occlusion")
    return delete_words(metric, segment, found, seed=request.seed)


def _unit(metric: Metric, one: ExplainedSegment) -> Segment:
    """Return what the metric scores: the segment, or the document it belongs to."""
    if metric.spec.unit == "segment" or not one.segment.document:
        return one.segment
    own = [segment for segment in one.corpus if segment.document == one.segment.document]
    return next(iter_documents(own), one.segment)


def _explain(request: ExplainRequest, metric: Metric, segment: Segment) -> Explained:
    if request.how not in METHODS:
        raise OptionError(f"how={request.how!r}: must be one of {', '.join(METHODS)}")
    if request.how in ("auto", "additive") and is_explained_by_foci(metric):
        return explain_document(metric, segment)
    if isinstance(metric, WordSharing) and request.how in ("additive", "auto"):
        return explain_by_shares(metric, segment)
    if request.how == "additive" or (request.how == "auto" and isinstance(metric, Aligning)):
        return explain_segments(metric, [segment])[0]
    if request.how == "occlusion":
        return occlude_words(metric, segment)
    if request.how == "lime":
        return fit_lime(metric, segment, samples=request.samples, seed=request.seed)
    return sample_shapley(metric, segment, orders=request.orders, seed=request.seed)
