"""Choosing a metric's settings on some judged sets and measuring the choice on others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.meta import AgreementPlan, AgreementStudy, study_agreement
from monge.meta.data import JudgedSet, count_shared_outputs
from monge.meta.records import study_record
from monge.metrics.variants import MetricVariant, parse_variant
from monge.workflows.agreement_options import AgreementOptions
from monge.workflows.judged_data import JudgedData, Source, read_judged_sets
from monge.workflows.judged_scores import ReportStep, make_scored_tasks
from monge.workflows.option_grid import expand_grid

CHOSEN, BEFORE = "chosen", "as it was"  # the metric with the chosen settings, and as it was named
_MANY = 12  # settings from which a choice among them needs no test of every pair


@dataclass(frozen=True)
class TuneRequest:
    """What to choose, and on what.

    Parameters
    ----------
    data
        The judged sets to choose on; agreement is averaged over them.
    report
        The judged sets on which the choice is measured; they must not share an output with *data*.
    metric
        The metric, with options that stay.
    grid
        Values to try by option; every combination is measured.
    agreement
        How agreement is measured; each set of *report* has its usual level and statistic.
    """

    data: tuple[JudgedData, ...]
    report: tuple[JudgedData, ...]
    metric: str
    grid: Mapping[str, Sequence[str]]
    agreement: AgreementOptions = field(default_factory=AgreementOptions)

    def __post_init__(self) -> None:
        if not self.data:
            raise OptionError("no data to choose settings on")
        if not self.report:
            raise OptionError("--report must name other sets: agreement on the data of the choice is too optimistic")

    @property
    def data_name(self) -> str:
        """What reports call the data of the choice."""
        return ", ".join(data.name for data in self.data)


@dataclass(frozen=True, eq=False)
class TuneResult:
    """The study of all settings, the chosen one, and the studies of the choice beside the metric as it was, by set."""

    data: str
    choice: AgreementStudy
    chosen: MetricVariant
    reports: tuple[tuple[str, AgreementStudy], ...]

    def record(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "metric": self.chosen.name,
            "options": dict(self.chosen.options),
            "chosen_on": study_record(self.choice, data=self.data, signatures={}),
            "reported_on": [study_record(study, data=name, signatures={}) for name, study in self.reports],
        }


def tune(
    data: Source,
    *,
    metric: str,
    grid: Mapping[str, Sequence[str]],
    report: Sequence[Source],
    environment: Environment | None = None,
) -> TuneResult:
    """Choose the settings of *metric* on *data* and measure them on the sets of *report*.

    *grid* has the values to try by option (``{"layers": ["5", "6"]}``).
    """
    others = tuple(JudgedData(source) for source in report)
    request = TuneRequest((JudgedData(data),), others, metric, grid)
    return run_tune(request, environment=environment)


def run_tune(
    request: TuneRequest, *, environment: Environment | None = None, report_step: ReportStep | None = None
) -> TuneResult:
    """Measure every setting of the grid, choose the best, and measure it on the other sets."""
    environment = environment or Environment.read()
    base = parse_variant(request.metric)
    variants = expand_grid(request.metric, request.grid)
    sets = _read_choice(request, environment)
    others = [(data, _read_other(request, data, sets, environment)) for data in request.report]

    def study(plan: AgreementPlan, own: Sequence[MetricVariant], judged: Sequence[JudgedSet]) -> AgreementStudy:
        return _study(plan, own, judged, environment, report_step)

    choice = study(request.agreement.plans(request.data[0])[0], variants, sets)
    first = choice.ranking.agreements[0]
    if math.isnan(first.value):
        raise InputError(f"no setting can be chosen on {request.data_name}: {first.reason or 'no data'}")
    best = next(v for v in variants if v.label == choice.ranking.metrics[0])
    pair = [MetricVariant(CHOSEN, best.name, best.options), MetricVariant(BEFORE, base.name, base.options)]
    usual = replace(request.agreement, level=None, statistics=())
    reports = tuple((data.name, study(usual.plans(data)[0], pair, judged)) for data, judged in others)
    return TuneResult(request.data_name, choice, best, reports)


def _read_choice(request: TuneRequest, environment: Environment) -> list[JudgedSet]:
    """Read the sets to choose on; where parts of two sets have the same name, the set's name is added."""
    seed = request.agreement.seed
    read = [
        (data.name, judged)
        for data in request.data
        for judged in read_judged_sets(data, environment=environment, seed=seed)
    ]
    names = [judged.name for _, judged in read]
    return [
        judged if names.count(judged.name) == 1 else replace(judged, name=f"{name} {judged.name}")
        for name, judged in read
    ]


def _read_other(
    request: TuneRequest, data: JudgedData, chosen_on: Sequence[JudgedSet], environment: Environment
) -> list[JudgedSet]:
    sets = read_judged_sets(data, environment=environment, seed=request.agreement.seed)
    shared = count_shared_outputs(chosen_on, sets)
    if shared:
        where = f"{data.name} are among those of {request.data_name}"
        raise OptionError(f"{shared} outputs of {where}: report on other data")
    return sets


def _study(
    plan: AgreementPlan,
    variants: Sequence[MetricVariant],
    sets: Sequence[JudgedSet],
    environment: Environment,
    report_step: ReportStep | None,
) -> AgreementStudy:
    tasks = make_scored_tasks(variants, sets, level=plan.level, environment=environment, report_step=report_step)
    return study_agreement(tasks, replace(plan, test="bootstrap") if len(variants) > _MANY else plan)
