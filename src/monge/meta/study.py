"""Which of these metrics should I trust? Agreement on every task, its average, and what is significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from monge.errors import InputError, OptionError
from monge.meta.agreement import Agreement, Resampling, average_agreement, measure_agreement
from monge.meta.judged import JudgedScores, choose_seeds
from monge.meta.significance import (
    Correction,
    MetricRanking,
    PairValues,
    bootstrap_pairs,
    permutation_pairs,
    rank_metrics,
    williams_pairs,
)
from monge.meta.statistics import Statistic

TESTS = ("auto", "williams", "permutation", "bootstrap")
_SLOW = 300  # outputs in one pool from which permuting Kendall's tau takes minutes: the bootstrap is as good there


@dataclass(frozen=True)
class StudyPlan:
    """How agreement is measured and differences are tested."""

    level: str = "segment"
    resampling: Resampling = field(default_factory=Resampling)
    test: str = "auto"
    alpha: float = 0.05
    permutations: int = 1000

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise OptionError(f"no test {self.test!r}; tests are {', '.join(TESTS)}")
        if not 0 < self.alpha < 1:
            raise OptionError(f"alpha must lie between 0 and 1, not {self.alpha:g}")


@dataclass(frozen=True, eq=False)
class Study:
    """Agreements by metric and task, their averages over tasks, and the ranking of the metrics."""

    statistic: Statistic
    plan: StudyPlan
    tasks: tuple[str, ...]
    agreements: Mapping[str, Mapping[str, Agreement]]
    averages: Mapping[str, Agreement]
    ranking: MetricRanking
    test: str
    notes: tuple[str, ...] = ()


def run_study(tasks: Sequence[JudgedScores], statistic: Statistic, *, plan: StudyPlan, correct: Correction) -> Study:
    """Measure every metric on every task, average, test every pair of metrics on the average, and rank.

    *correct* adjusts the p-values for their number (Holm, FDR). All tasks must hold the same metrics.
    """
    if not tasks:
        raise InputError("there is no task to measure agreement on")
    metrics = list(tasks[0].metrics)
    for task in tasks:
        if list(task.metrics) != metrics:
            raise InputError(f"{task.name} has other metrics than {tasks[0].name}")
    names = tuple(task.name for task in tasks)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two tasks are called {twice!r}: one would hide the other")
    measured = [
        measure_agreement(task, statistic, level=plan.level, resampling=replace(plan.resampling, seed=seed))
        for task, seed in zip(tasks, choose_seeds(tasks, plan.resampling.seed), strict=True)
    ]
    agreements = {m: {task.name: found[m] for task, found in zip(tasks, measured, strict=True)} for m in metrics}
    confidence = plan.resampling.confidence
    averages = {m: average_agreement(list(own.values()), confidence=confidence) for m, own in agreements.items()}
    test = choose_test(tasks, statistic, plan)
    p = _test_pairs(test, tasks, statistic, plan, averages) if len(metrics) > 1 else {}
    ranking = rank_metrics(averages, p, correct=correct, alpha=plan.alpha)
    return Study(statistic, plan, names, agreements, averages, ranking, test, _notes(tasks))


def choose_test(tasks: Sequence[JudgedScores], statistic: Statistic, plan: StudyPlan) -> str:
    """Return the test that ``auto`` stands for, or refuse one that does not fit.

    Williams' test is exact for Pearson's r of one pool of outputs; swapping metrics (permutation) fits every other case
    but soft accuracy, where it would take hours, and Kendall's tau of large pools, where it would take minutes.
    """
    pooled = plan.level == "segment"
    fits_williams = statistic.name == "pearson" and pooled and len(tasks) == 1
    if plan.test == "williams" and not fits_williams:
        raise OptionError("Williams' test is for Pearson's r at segment level on one task; choose permutation")
    if plan.test == "permutation" and statistic.name == "soft-accuracy":
        raise OptionError("soft pairwise accuracy is tested by bootstrap, not by permutation")
    if plan.test != "auto":
        return plan.test
    if fits_williams:
        return "williams"
    slow = statistic.name == "kendall" and pooled and max(int(task.used.sum()) for task in tasks) > _SLOW
    return "bootstrap" if slow or statistic.name == "soft-accuracy" else "permutation"


def _test_pairs(
    test: str,
    tasks: Sequence[JudgedScores],
    statistic: Statistic,
    plan: StudyPlan,
    averages: Mapping[str, Agreement],
) -> PairValues:
    if test == "williams":
        return williams_pairs(tasks[0])
    if test == "permutation":
        count, seed = plan.permutations, plan.resampling.seed
        return permutation_pairs(tasks, statistic, level=plan.level, count=count, seed=seed)
    if not plan.resampling.count:
        raise OptionError("the bootstrap test needs resamples: their number is 0")
    return bootstrap_pairs(averages)


def _notes(tasks: Sequence[JudgedScores]) -> tuple[str, ...]:
    return tuple(f"{task.name}: {note}" if len(tasks) > 1 else note for task in tasks for note in task.notes)
