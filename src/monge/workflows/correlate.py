"""How metrics agree with human judgments, and which of them to trust."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from monge.engine.executors import INLINE, ExecutorChoice, choose_executor
from monge.environment import Environment
from monge.errors import OptionError
from monge.meta import AgreementStudy, study_agreement
from monge.meta.data import FileScores, JudgedSet, read_scores
from monge.meta.data.mtme import write_scored_tree
from monge.meta.data.score_files import write_scores
from monge.meta.data.wmt import read_ranked_pairs
from monge.meta.intercorrelation import Intercorrelation, correlate_all
from monge.meta.judged import JudgedScores
from monge.meta.ranked import pair_rankings
from monge.meta.records import study_record
from monge.meta.tasks import choose_part, direct_scores, make_tasks
from monge.metrics import metric_specs
from monge.metrics.external_spec import PREFIX
from monge.metrics.variants import MetricVariant, gather_notes, parse_variants
from monge.scores import ScoreTable
from monge.scores.display import Displayed
from monge.workflows.agreement_options import AgreementOptions
from monge.workflows.inputs import fit_encoders_to_parts, warn_of_language
from monge.workflows.judged_data import JudgedData, Source, read_judged_sets
from monge.workflows.judged_scores import ReportStep, score_sets

PathLike = str | os.PathLike[str]
ScoredSets = Sequence[tuple[JudgedSet, Mapping[str, ScoreTable]]]


@dataclass(frozen=True)
class CorrelateRequest:
    """What to measure.

    Parameters
    ----------
    data
        The judged outputs.
    metrics, options
        Metrics to compute (``NAME,option=value`` or ``LABEL:=NAME,…``), and options of every metric that has them.
    scores
        Scores that exist already: files, or tables with a name.
    higher, lower
        Metrics of *scores* whose higher (lower) scores are better, where the files do not say; ``all`` means every one.
    agreement
        How agreement is measured and tested.
    executor
        Where the metrics are computed.
    save_scores, mtme
        A file for every score, and a test-set folder of mt-metrics-eval; written as soon as the scores are known.
    """

    data: JudgedData
    metrics: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    scores: tuple[PathLike | ScoreTable, ...] = ()
    higher: tuple[str, ...] = ()
    lower: tuple[str, ...] = ()
    agreement: AgreementOptions = field(default_factory=AgreementOptions)
    save_scores: PathLike | None = None
    mtme: PathLike | None = None
    executor: ExecutorChoice = INLINE


@dataclass(frozen=True, eq=False, repr=False)
class CorrelateResult(Displayed):
    """One study per statistic, the tasks that they share, and the scores of every metric on every part.

    ``warnings`` concern all metrics that were computed.
    """

    data: str
    studies: tuple[AgreementStudy, ...]
    tasks: tuple[JudgedScores, ...]
    signatures: Mapping[str, str]
    scores: ScoredSets
    warnings: tuple[str, ...] = ()

    @property
    def study(self) -> AgreementStudy:
        """The study of the first statistic, which decides."""
        return self.studies[0]

    def intercorrelation(self) -> Intercorrelation:
        """Return how metrics and judgments correlate with each other, by the deciding statistic if it is symmetric."""
        return correlate_all(self.tasks, statistic=self.study.statistic, level=self.study.plan.level)

    def record(self) -> dict[str, Any] | list[dict[str, Any]]:
        """Return plain JSON values: an object, or a list of them where there are several statistics."""
        records = [study_record(study, data=self.data, signatures=self.signatures) for study in self.studies]
        return records if len(records) > 1 else records[0]

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {own.value:.3f}" for name, own in self.study.averages.items())
        return f"<{self.study.statistic.title} on {self.data}: {values}>"


def correlate(
    data: Source,
    *,
    metrics: str | Sequence[str] = (),
    scores: PathLike | ScoreTable | Sequence[PathLike | ScoreTable] = (),
    level: str | None = None,
    statistic: str | Sequence[str] | None = None,
    human: str | Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    aspects: Sequence[str] = (),
    sample: int | None = None,
    higher: Sequence[str] = (),
    lower: Sequence[str] = (),
    test: str = "auto",
    draws: int = 1000,
    alpha: float = 0.05,
    seed: int = 0,
    executor: str = "inline",
    environment: Environment | None = None,
) -> CorrelateResult:
    """Measure how metrics agree with human judgments.

    Parameters
    ----------
    data
        A table of rated outputs (path), a set that ``monge data list`` names, a folder of mt-metrics-eval, or rows in
        memory: a list of dicts, or columns by name (a dict of lists, a data frame).
    metrics, scores
        Metrics to compute, as ``monge correlate -m`` reads them; scores in files, or tables with a name.
    level, statistic
        What is compared, and by which statistic; None means what the field reports for *data*.
    human, columns, aspects, sample
        Columns of judgments, columns of other roles, aspects to use, and the size of a random sample of inputs.
    higher, lower
        Metrics of *scores* for which higher (lower) is better, where nothing says so.
    test, draws, alpha, seed
        The test between metrics, the number of resamples, the level of significance, the seed.
    executor
        Where metrics are computed: ``inline`` (in this process), ``processes``, ``dask``, or the address of a Dask
        scheduler (``tcp://…``).

    Raises
    ------
    MongeError
        When data, metrics or options cannot be used; the message says what to change.

    >>> rows = [{"hypothesis": "a b c"[:n], "reference": "a b c", "human": n} for n in (1, 3, 5)]
    >>> round(correlate(rows, metrics="chrf", draws=0).study.averages["chrf"].value, 2)
    0.99
    """
    request = CorrelateRequest(
        JudgedData(data, _names(human), columns or {}, aspects=tuple(aspects), sample=sample),
        metrics=_names(metrics),
        scores=(scores,) if isinstance(scores, str | os.PathLike | ScoreTable) else tuple(scores),
        higher=_names(higher),
        lower=_names(lower),
        agreement=AgreementOptions(_names(statistic or ()), level, test=test, draws=draws, alpha=alpha, seed=seed),
        executor=choose_executor(executor),
    )
    return run_correlate(request, environment=environment)


def run_correlate(
    request: CorrelateRequest, *, environment: Environment | None = None, report_step: ReportStep | None = None
) -> CorrelateResult:
    """Read, score and study the data of *request*."""
    environment = environment or Environment.read()
    data, agreement = request.data, request.agreement
    sets = read_judged_sets(data, environment=environment, seed=agreement.seed)
    plans = agreement.plans(data)
    threshold = agreement.threshold
    if threshold is not None and all(plan.statistic.name != "tau-like" for plan in plans):
        raise OptionError(f"--threshold {threshold:g} applies to tau-like only: add -s tau-like, or leave it out")
    read = [item for source in request.scores for item in _read_scores(source)]
    variants, external = _split_external(parse_variants(request.metrics, request.options))
    language = str(request.options.get("language", ""))
    variants = fit_encoders_to_parts(variants, [judged.segments for judged in sets], language)
    read += external
    clash = next((v.label for v in variants if v.label in {item.name for item in read}), None)
    if clash:
        raise OptionError(f"{clash} is both computed (-m) and read (--scores): label it, as in -m mine:={clash}")
    if data.is_ranking:
        tasks, signatures = _make_ranked_tasks(request, variants, read)
        scored: ScoredSets = ()
    else:
        scored = _score_parts(request, sets, variants, read, environment, report_step)
        signatures = {metric: table.signature for metric, table in scored[0][1].items()}
        _write_files(request, scored)
        tasks = make_tasks(scored, level=plans[0].level)
    studies = tuple(study_agreement(tasks, plan) for plan in plans)
    warnings = _warn(request, variants, sets, environment)
    return CorrelateResult(data.name, studies, tuple(tasks), signatures, scored, warnings)


def _warn(
    request: CorrelateRequest, variants: Sequence[MetricVariant], sets: Sequence[JudgedSet], environment: Environment
) -> tuple[str, ...]:
    """Return what concerns all metrics: other names and encoders, languages that an encoder was not made for."""
    metrics = [variant.load(environment) for variant in variants]
    declared = str(request.options.get("language", ""))
    found = [
        warning
        for judged in sets
        for warning in warn_of_language(metrics, [judged.segments], declared, environment=environment)
    ]
    return tuple(dict.fromkeys([*gather_notes(variants), *found]))


def _score_parts(
    request: CorrelateRequest,
    sets: Sequence[JudgedSet],
    variants: Sequence[MetricVariant],
    read: Sequence[FileScores],
    environment: Environment,
    report_step: ReportStep | None,
) -> list[tuple[JudgedSet, dict[str, ScoreTable]]]:
    """Return every part with the scores that were read and computed, or else those that came with the data."""
    given = _direct(request, read)
    given_by_set = [choose_part(given, judged.part) for judged in sets]
    computed = score_sets(variants, sets, environment=environment, report_step=report_step, executor=request.executor)
    scored = []
    for judged, own, tables in zip(sets, given_by_set, computed, strict=True):
        everything = {**own, **{table.name: table for table in tables}}
        if not everything:
            everything = {item.name: item.table for item in _direct(request, _shipped_scores(request, judged))}
        if not everything:
            raise OptionError("no metric: compute some with -m NAME, or give scores with --scores FILE")
        scored.append((judged, everything))
    return scored


def _make_ranked_tasks(
    request: CorrelateRequest, variants: Sequence[MetricVariant], read: Sequence[FileScores]
) -> tuple[list[JudgedScores], dict[str, str]]:
    if variants:
        raise OptionError("ranked pairs have no texts to compute metrics on: leave out -m, and give --scores FILE")
    if not read:
        raise OptionError("ranked pairs have no texts: give scores with --scores FILE")
    scores = _direct(request, read)
    tasks = []
    signatures: dict[str, str] = {}
    for name, pairs in read_ranked_pairs(request.data.name).items():
        tables = choose_part(scores, name)
        tasks.append(pair_rankings(pairs, tables, name=name))
        signatures |= {metric: table.signature for metric, table in tables.items()}
    return tasks, signatures


def _direct(request: CorrelateRequest, scores: Sequence[FileScores]) -> list[FileScores]:
    known = {name: spec.higher_is_better for name, spec in metric_specs().items()}
    return direct_scores(scores, higher=request.higher, lower=request.lower, known=known)


def _read_scores(source: PathLike | ScoreTable) -> list[FileScores]:
    if not isinstance(source, ScoreTable):
        return read_scores(source)
    if not source.name:
        raise OptionError("a table of scores needs a name, that of its metric")
    return [FileScores(source, directed=True)]


def _split_external(variants: Sequence[MetricVariant]) -> tuple[Sequence[MetricVariant], list[FileScores]]:
    """Return the metrics to compute, and the scores of ``external:FILE``, which are read by system and segment."""
    computed, found = [], []
    for variant in variants:
        if not variant.name.startswith(PREFIX):
            computed.append(variant)
            continue
        scores = read_scores(variant.name.removeprefix(PREFIX))
        column = variant.options.get("column", "")
        kinds = [item.name for item in scores]
        if len(dict.fromkeys(kinds)) > 1 and column not in kinds:
            raise OptionError(f"{variant.name} holds {', '.join(dict.fromkeys(kinds))}: choose one with column=NAME")
        stated = str(variant.options.get("higher_is_better", "auto")).lower()
        for item in scores:
            if not column or item.name == column:
                direction = item.table.higher_is_better if stated == "auto" else stated == "true"
                table = replace(item.table, name=variant.label, higher_is_better=direction)
                found.append(replace(item, table=table, directed=item.directed or stated != "auto"))
    return computed, found


def _shipped_scores(request: CorrelateRequest, judged: JudgedSet) -> list[FileScores]:
    """Return the scores that come with a set; the direction of those in a user's columns is unknown."""
    directed = not request.data.score_columns
    return [FileScores(replace(table, name=name), directed=directed) for name, table in judged.scores.items()]


def _write_files(request: CorrelateRequest, scored: ScoredSets) -> None:
    if request.save_scores is not None:
        rows = [(judged.part, table) for judged, scores in scored for table in scores.values()]
        write_scores(request.save_scores, rows)
    if request.mtme is not None:
        write_scored_tree(request.mtme, scored, source=request.data.path)


def _names(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
