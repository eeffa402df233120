"""Choosing a metric's settings on some judged sets and measuring the choice on others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.meta import Agreement, AgreementPlan, AgreementStudy, average_agreement, study_agreement
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
        The judged sets to choose on. With several, a setting's total is the mean over them of its agreement divided
        by that of the best setting there, so that every set counts once, whatever its statistic and its parts.
    report
        The judged sets on which the choice is measured; they must not share an output with *data*.
    metric
        The metric, with options that stay.
    grid
        Values to try by option; every combination is measured.
    agreement
        How agreement is measured; what is left open is what is usual for each set. Sets of *report* have their usual
        level and statistic.
    above
        A metric that the choice must agree better than on every set of *data*, where any setting does.
    """

    data: tuple[JudgedData, ...]
    report: tuple[JudgedData, ...]
    metric: str
    grid: Mapping[str, Sequence[str]]
    agreement: AgreementOptions = field(default_factory=AgreementOptions)
    above: str = ""

    def __post_init__(self) -> None:
        if not self.data:
            raise OptionError("no data to choose settings on")
        expand_grid(self.metric, self.grid)  # a misspelt option is reported before anything is read
        if not self.report:
            raise OptionError("--report must name other sets: agreement on the data of the choice is too optimistic")

    @property
    def data_name(self) -> str:
        """What reports call the data of the choice."""
        return ", ".join(data.name for data in self.data)


@dataclass(frozen=True, eq=False)
class TuneResult:
    """Which setting was chosen and why.

    ``choices`` are the studies of all settings, by set; ``totals`` what each setting reaches on all of them together,
    from best to worst; ``reports`` the studies of the choice beside the metric as it was, by set. ``baseline`` names
    the metric that the choice had to agree better than, and ``above`` the settings that do on every set; they come
    first in ``totals``.
    """

    data: str
    choices: tuple[tuple[str, AgreementStudy], ...]
    totals: Mapping[str, Agreement]
    chosen: MetricVariant
    reports: tuple[tuple[str, AgreementStudy], ...]
    baseline: str = ""
    above: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "metric": self.chosen.name,
            "options": dict(self.chosen.options),
            "above": {self.baseline: list(self.above)} if self.baseline else {},
            "totals": {
                label: [_plain(total.value), _plain(total.low), _plain(total.high)]
                for label, total in self.totals.items()
            },
            "chosen_on": [study_record(study, data=name, signatures={}) for name, study in self.choices],
            "reported_on": [study_record(study, data=name, signatures={}) for name, study in self.reports],
        }


def tune(
    data: Source | tuple[Source, ...],
    *,
    metric: str,
    grid: Mapping[str, Sequence[str]],
    report: Sequence[Source],
    environment: Environment | None = None,
) -> TuneResult:
    """Choose the settings of *metric* on *data* and measure them on the sets of *report*.

    *data* is one set or a tuple of several. *grid* has the values to try by option (``{"layers": ["5", "6"]}``).
    """
    others = tuple(JudgedData(source) for source in report)
    chosen_on = tuple(JudgedData(source) for source in (data if isinstance(data, tuple) else (data,)))
    request = TuneRequest(chosen_on, others, metric, grid)
    return run_tune(request, environment=environment)


def run_tune(
    request: TuneRequest, *, environment: Environment | None = None, report_step: ReportStep | None = None
) -> TuneResult:
    """Measure every setting of the grid, choose the best, and measure it on the other sets."""
    environment = environment or Environment.read()
    base = parse_variant(request.metric)
    variants = expand_grid(request.metric, request.grid)
    sets = [read_judged_sets(data, environment=environment, seed=request.agreement.seed) for data in request.data]
    everything = [judged for own in sets for judged in own]
    others = [(data, _read_other(request, data, everything, environment)) for data in request.report]
    rival = [parse_variant(request.above)] if request.above else []

    def study(plan: AgreementPlan, own: Sequence[MetricVariant], judged: Sequence[JudgedSet]) -> AgreementStudy:
        return _study(plan, own, judged, environment, report_step)

    choices = tuple(
        (data.name, study(request.agreement.plans(data)[0], [*variants, *rival], own))
        for data, own in zip(request.data, sets, strict=True)
    )
    baseline = rival[0].label if rival else ""
    totals = add_up([own for _, own in choices], baseline=baseline)
    above = find_above([own for _, own in choices], baseline) if baseline else ()
    totals = {label: totals[label] for label in sorted(totals, key=lambda label: label not in above)}
    first, total = next(iter(totals.items()))
    if math.isnan(total.value):
        raise InputError(f"no setting can be chosen on {request.data_name}: {total.reason or 'no data'}")
    best = next(v for v in variants if v.label == first)
    pair = [MetricVariant(CHOSEN, best.name, best.options), MetricVariant(BEFORE, base.name, base.options)]
    usual = replace(request.agreement, level=None, statistics=())
    reports = tuple((data.name, study(usual.plans(data)[0], pair, judged)) for data, judged in others)
    return TuneResult(request.data_name, choices, totals, best, reports, baseline, above)


def find_above(studies: Sequence[AgreementStudy], baseline: str) -> tuple[str, ...]:
    """Return the settings that agree better than the metric *baseline* in every study."""
    return tuple(
        label
        for label in studies[0].averages
        if all(study.averages[label].value > study.averages[baseline].value for study in studies)
    )


def add_up(studies: Sequence[AgreementStudy], *, baseline: str = "") -> dict[str, Agreement]:
    """Return what every setting reaches on all sets together, from best to worst; NaN last.

    Of one set that is its agreement. Of several it is the mean of agreement / best agreement of any setting on the set:
    1 is the best everywhere. Resamples are divided by the same numbers, and give the interval. The metric *baseline*
    is not a setting, and left out.
    """
    labels = [label for label in studies[0].averages if label != baseline]
    if len(studies) == 1:
        totals = {label: studies[0].averages[label] for label in labels}
    else:
        values = [[study.averages[label].value for label in labels] for study in studies]
        best = [max(filter(math.isfinite, own), default=math.nan) for own in values]
        for study, most in zip(studies, best, strict=True):
            if most <= 0:
                raise InputError(f"no setting agrees with people on {', '.join(study.tasks)}: leave it out")
        totals = {
            label: average_agreement([_share(s.averages[label], most) for s, most in zip(studies, best, strict=True)])
            for label in labels
        }
    return dict(sorted(totals.items(), key=lambda pair: -pair[1].value if math.isfinite(pair[1].value) else math.inf))


def _share(agreement: Agreement, most: float) -> Agreement:
    return replace(agreement, value=agreement.value / most, draws=agreement.draws / most)


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


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
