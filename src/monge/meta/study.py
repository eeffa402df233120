"""Which of these metrics should I trust? Agreement on every task, its average, and what is significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from monge.comparison.significance import CORRECTIONS
from monge.errors import InputError, OptionError
from monge.meta.agreement import Agreement, Resampling, average_agreement, measure_agreement
from monge.meta.judged import JudgedScores, choose_seeds
from monge.meta.significance import (
    MetricRanking,
    PairValues,
    bootstrap_pairs,
    count_needed_draws,
    permutation_pairs,
    rank_metrics,
    williams_pairs,
)
from monge.meta.statistics import Statistic, find_statistic

TESTS = ("auto", "williams", "permutation", "bootstrap")
_SLOW = 300  # outputs in one pool from which permuting Kendall's tau takes minutes: the bootstrap is as good there
_FEWEST_PERMUTATIONS = 99
_MOST_PERMUTATIONS = 100_000


@dataclass(frozen=True)
class AgreementPlan:
    """How agreement is measured and how differences between metrics are tested."""

    statistic: Statistic = field(default_factory=lambda: find_statistic("pearson"))
    level: str = "segment"
    resampling: Resampling = field(default_factory=Resampling)
    test: str = "auto"
    correction: str = "holm"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise OptionError(f"no test {self.test!r}; tests are {', '.join(TESTS)}")
        if self.correction not in CORRECTIONS:
            raise OptionError(f"no correction {self.correction!r}; corrections are {', '.join(CORRECTIONS)}")
        if not 0 < self.alpha < 1:
            raise OptionError(f"alpha must lie between 0 and 1, not {self.alpha:g}")

    @property
    def permutations(self) -> int:
        """How many permutations test every pair of metrics; close pairs get more where their number needs it."""
        return max(self.resampling.count, _FEWEST_PERMUTATIONS)

    def needed_permutations(self, metrics: int) -> int:
        """How many permutations can make a difference significant after the correction, within what is feasible."""
        return min(count_needed_draws(self.corrected_pairs(metrics), self.alpha), _MOST_PERMUTATIONS)

    def corrected_pairs(self, metrics: int) -> int:
        """By how much the correction may multiply the smallest p-value of all pairs of *metrics*."""
        return 1 if self.correction == "none" else metrics * (metrics - 1) // 2


@dataclass(frozen=True, eq=False)
class AgreementStudy:
    """Agreements by metric and task, their averages over tasks, and the ranking of the metrics.

    ``test`` is the test that was used. ``limit`` says why it could not find any difference, however large (too few
    resamples for so many pairs); it is empty where it could.
    """

    plan: AgreementPlan
    tasks: tuple[str, ...]
    agreements: Mapping[str, Mapping[str, Agreement]]
    averages: Mapping[str, Agreement]
    ranking: MetricRanking
    test: str
    limit: str = ""
    notes: tuple[str, ...] = ()

    @property
    def statistic(self) -> Statistic:
        """The statistic that measures agreement."""
        return self.plan.statistic


def study_agreement(tasks: Sequence[JudgedScores], plan: AgreementPlan) -> AgreementStudy:
    """Measure every metric on every task, average, test every pair of metrics on the average, and rank.

    All tasks must hold the same metrics. Raises InputError where they do not, and OptionError where the test does not
    fit the statistic.
    """
    metrics = _check_tasks(tasks)
    measured = [
        measure_agreement(task, plan.statistic, level=plan.level, resampling=replace(plan.resampling, seed=seed))
        for task, seed in zip(tasks, choose_seeds(tasks, plan.resampling.seed), strict=True)
    ]
    agreements = {m: {task.name: found[m] for task, found in zip(tasks, measured, strict=True)} for m in metrics}
    confidence = plan.resampling.confidence
    averages = {m: average_agreement(list(own.values()), confidence=confidence) for m, own in agreements.items()}
    test = choose_test(tasks, plan)
    p = _test_pairs(test, tasks, plan, averages) if len(metrics) > 1 else {}
    ranking = rank_metrics(averages, p, correct=CORRECTIONS[plan.correction], alpha=plan.alpha)
    limit = "" if ranking.beats.any() or not p else _find_limit(test, tasks, plan)
    names = tuple(task.name for task in tasks)
    return AgreementStudy(plan, names, agreements, averages, ranking, test, limit, _notes(tasks))


def choose_test(tasks: Sequence[JudgedScores], plan: AgreementPlan) -> str:
    """Return the test that ``auto`` stands for, or refuse one that does not fit.

    Williams' test is exact for Pearson's r of one pool of outputs; swapping metrics (permutation) fits every other case
    except soft accuracy, where it would take hours, and Kendall's tau of large pools, where it would take minutes.
    """
    name, pooled = plan.statistic.name, plan.level == "segment"
    fits_williams = name == "pearson" and pooled and len(tasks) == 1
    if plan.test == "williams" and not fits_williams:
        raise OptionError("Williams' test is for Pearson's r at segment level on one task; choose permutation")
    if plan.test == "permutation" and name == "soft-accuracy":
        raise OptionError("soft pairwise accuracy is tested by bootstrap, not by permutation")
    if plan.test != "auto":
        return plan.test
    if fits_williams:
        return "williams"
    slow = name == "kendall" and pooled and max(int(task.used.sum()) for task in tasks) > _SLOW
    return "bootstrap" if slow or name == "soft-accuracy" else "permutation"


def _check_tasks(tasks: Sequence[JudgedScores]) -> list[str]:
    """Return the metrics that all tasks share."""
    if not tasks:
        raise InputError("there is no task to measure agreement on")
    metrics = list(tasks[0].metrics)
    for task in tasks:
        if list(task.metrics) != metrics:
            raise InputError(f"{task.name} has other metrics than {tasks[0].name}")
    names = [task.name for task in tasks]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"two tasks are called {repeated!r}: one would hide the other")
    return metrics


def _test_pairs(
    test: str, tasks: Sequence[JudgedScores], plan: AgreementPlan, averages: Mapping[str, Agreement]
) -> PairValues:
    if test == "williams":
        return williams_pairs(tasks[0])
    if test == "permutation":
        return permutation_pairs(
            tasks,
            plan.statistic,
            level=plan.level,
            count=plan.permutations,
            needed=plan.needed_permutations(len(averages)),
            alpha=plan.alpha,
            seed=plan.resampling.seed,
        )
    if not plan.resampling.count:
        raise OptionError("the bootstrap test needs resamples, but their number is 0")
    return bootstrap_pairs(averages)


def _find_limit(test: str, tasks: Sequence[JudgedScores], plan: AgreementPlan) -> str:
    """Return why even the smallest p-value that the test can give is not significant, or nothing."""
    pairs = plan.corrected_pairs(len(tasks[0].metrics))
    asked = f"{pairs} pairs of metrics at level {plan.alpha:g}" if pairs > 1 else f"level {plan.alpha:g}"
    if test == "bootstrap":
        needed = count_needed_draws(2 * pairs, plan.alpha)
        count = plan.resampling.count
        return f"{count:,} resamples are too few for {asked}, which need {needed:,}" if count < needed else ""
    if test == "permutation":
        count = max(plan.permutations, plan.needed_permutations(len(tasks[0].metrics)))
        if 1 / (1 + count) * pairs > plan.alpha:
            return f"{count:,} permutations are too few for {asked}"
        whole = plan.level == "system" and all(len(t.metrics) - len(t.metric_totals) < 2 for t in tasks)
        swapped = sum(int(task.used.any(axis=1).sum() if whole else task.used.sum()) for task in tasks)
        if 2.0 ** (1 - swapped) * pairs > plan.alpha:  # no swap and all swaps give the same difference
            return f"{swapped} {'systems' if whole else 'judged outputs'} are too few for {asked}"
    return ""


def _notes(tasks: Sequence[JudgedScores]) -> tuple[str, ...]:
    return tuple(f"{task.name}: {note}" if len(tasks) > 1 else note for task in tasks for note in task.notes)
