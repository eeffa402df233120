"""A named suite of metrics over data sets: studies, curves over layers and ablations; resumable."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from monge.engine.executors import INLINE, ExecutorChoice, choose_executor
from monge.environment import Environment
from monge.meta import AgreementPlan, AgreementStudy, average_agreement, measure_agreement, study_agreement
from monge.meta.data import JudgedSet
from monge.meta.judged import JudgedScores
from monge.meta.records import study_record
from monge.meta.tasks import make_tasks
from monge.metrics.variants import parse_variant, parse_variants
from monge.scores import ScoreTable
from monge.workflows.ablation import ablation_path
from monge.workflows.agreement_options import AgreementOptions
from monge.workflows.judged_data import JudgedData, read_judged_sets
from monge.workflows.judged_scores import ReportStep, score_sets
from monge.workflows.layer_curves import vary_layers
from monge.workflows.suites import Suite, SuiteData, find_suite


@dataclass(frozen=True)
class BenchmarkRequest:
    """A suite, how agreement is measured, how many inputs of each part are drawn (None: as the suite says).

    ``executor`` says where metrics are computed.
    """

    suite: Suite
    agreement: AgreementOptions = field(default_factory=AgreementOptions)
    sample: int | None = None
    executor: ExecutorChoice = INLINE


@dataclass(frozen=True, eq=False)
class AblationResult:
    """The agreement after every step on the way from one metric to another, by step."""

    start: str
    end: str
    steps: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class BenchmarkPart:
    """What was found on one data set; ``curves`` give agreement by layer for every metric."""

    data: str
    level: str
    tasks: tuple[JudgedScores, ...]
    studies: tuple[AgreementStudy, ...]
    signatures: Mapping[str, str]
    curves: Mapping[str, Mapping[float, float]]
    ablations: tuple[AblationResult, ...]


@dataclass(frozen=True, eq=False)
class BenchmarkResult:
    """The suite and one part per data set."""

    suite: Suite
    parts: tuple[BenchmarkPart, ...]

    def record(self) -> dict[str, Any]:
        """Return every number as plain JSON values."""
        parts = [_part_record(part) for part in self.parts]
        return {"suite": self.suite.name, "title": self.suite.title, "data": parts}


def benchmark(
    suite: str, *, sample: int | None = None, executor: str = "inline", environment: Environment | None = None
) -> BenchmarkResult:
    """Run the suite called *suite*; an interrupted run, started again, goes on where it stopped.

    *executor* says where metrics are computed: ``inline``, ``processes``, ``dask`` or the address of a Dask scheduler.
    """
    request = BenchmarkRequest(find_suite(suite), sample=sample, executor=choose_executor(executor))
    return run_benchmark(request, environment=environment)


def run_benchmark(
    request: BenchmarkRequest, *, environment: Environment | None = None, report_step: ReportStep | None = None
) -> BenchmarkResult:
    """Measure every metric of the suite on every data set of it."""
    environment = environment or Environment.read()
    parts = [_run_data(request, data, environment, report_step) for data in request.suite.data]
    return BenchmarkResult(request.suite, tuple(parts))


def _run_data(
    request: BenchmarkRequest,
    chosen: SuiteData,
    environment: Environment,
    report_step: ReportStep | None,
) -> BenchmarkPart:
    """Measure one data set of a suite: studies, curves over layers, ablations."""
    suite, agreement = request.suite, request.agreement
    data = JudgedData(chosen.data, sample=request.sample or chosen.sample or None)
    statistics = agreement.statistics or chosen.statistics
    plans = replace(agreement, level=agreement.level or chosen.level or None, statistics=statistics).plans(data)
    sets = read_judged_sets(data, environment=environment, seed=agreement.seed)
    variants = parse_variants(suite.metrics)
    curves = {metric: vary_layers(parse_variant(metric), environment) for metric in suite.curves}
    paths = {pair: ablation_path(*pair) for pair in suite.ablations}
    groups = [variants, *curves.values(), *paths.values()]
    everything = [variant for group in groups for variant in group]  # at once, so that they share encodings
    scores = score_sets(everything, sets, environment=environment, report_step=report_step, executor=request.executor)
    ends = list(itertools.accumulate(map(len, groups)))
    tasks, *others = (
        _make_tasks(sets, [tables[end - len(group) : end] for tables in scores], plans[0].level)
        for group, end in zip(groups, ends, strict=True)
    )
    values = [_measure(own, plans[0]) for own in others]

    return BenchmarkPart(
        data=data.name,
        level=plans[0].level,
        tasks=tuple(tasks),
        studies=tuple(study_agreement(tasks, plan) for plan in plans),
        signatures={table.name: table.signature for table in scores[0][: len(variants)]},
        curves={
            parse_variant(metric).label: {float(layer): value for layer, value in own.items()}
            for metric, own in zip(curves, values[: len(curves)], strict=True)
        },
        ablations=tuple(AblationResult(*pair, own) for pair, own in zip(paths, values[len(curves) :], strict=True)),
    )


def _make_tasks(sets: Sequence[JudgedSet], scores: Sequence[Sequence[ScoreTable]], level: str) -> list[JudgedScores]:
    named = [{table.name: table for table in tables} for tables in scores]
    return make_tasks(list(zip(sets, named, strict=True)), level=level)


def _measure(tasks: Sequence[JudgedScores], plan: AgreementPlan) -> dict[str, float]:
    """Return the average agreement of every metric, without intervals or tests."""
    measured = [measure_agreement(task, plan.statistic, level=plan.level) for task in tasks]
    return {label: average_agreement([found[label] for found in measured]).value for label in measured[0]}


def _part_record(part: BenchmarkPart) -> dict[str, Any]:
    return {
        "data": part.data,
        "studies": [study_record(study, data=part.data, signatures=part.signatures) for study in part.studies],
        "curves": {
            metric: {f"{layer:g}": _plain(value) for layer, value in points.items()}
            for metric, points in part.curves.items()
        },
        "ablations": [
            {"from": a.start, "to": a.end, "steps": {step: _plain(value) for step, value in a.steps.items()}}
            for a in part.ablations
        ],
    }


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
