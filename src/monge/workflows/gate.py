"""Checks that a build can fail by: a score under a threshold, a system that is worse than a baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from monge.engine.system_scores import SystemScores
from monge.errors import InputError, OptionError, suggest
from monge.metrics.base import NOTHING_TO_COMPARE

if TYPE_CHECKING:  # comparisons need scipy; a threshold does not
    from monge.comparison import Comparison, PairResult
    from monge.workflows.compare import CompareResult

CONDITIONS = ("worse", "not-better")
"""When a comparison with a baseline fails: significantly worse, or not significantly better."""


@dataclass(frozen=True)
class GateCheck:
    """One check: what was asked of which system by which metric, whether it holds, and a sentence that says why."""

    system: str
    metric: str
    asked: str
    passed: bool
    message: str

    @property
    def title(self) -> str:
        """A short name of the check."""
        return f"{self.system}, {self.metric}: {self.asked}"


def read_thresholds(texts: Sequence[str], metrics: Sequence[str]) -> dict[str, float]:
    """Return thresholds by the label of a metric from ``METRIC=VALUE``; with one metric alone ``VALUE`` is enough.

    Raises OptionError for a metric that is not computed, a value that is not a number and a metric named twice.

    >>> read_thresholds(["bleu=30"], ["bleu", "chrf"])
    {'bleu': 30.0}
    """
    found: dict[str, float] = {}
    for text in texts:
        label, equals, value = text.rpartition("=")
        if not equals and len(metrics) == 1:
            label = metrics[0]
        elif not equals:
            raise OptionError(f"--fail-under {text}: name the metric, as in --fail-under {metrics[0]}={text}")
        matching = [metric for metric in metrics if metric == label] or [
            metric for metric in metrics if metric.lower() == label.lower() or metric.partition(",")[0] == label
        ]
        if len(matching) != 1:
            listed = ", ".join(metrics)
            raise OptionError(f"--fail-under {text}: {label!r}{suggest(label, metrics)} is not one of {listed}")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise OptionError(f"--fail-under {text}: {value!r} is not a number")
        if matching[0] in found:
            raise OptionError(f"--fail-under: {matching[0]} is given twice")
        found[matching[0]] = number
    return found


def check_thresholds(results: Sequence[SystemScores], thresholds: Mapping[str, float]) -> list[GateCheck]:
    """Return one check per system and threshold: a score must not be worse than it.

    Worse means lower, or higher where lower is better (TER, distances). A missing score fails.
    """
    checks = []
    for result in results:
        if result.metric not in thresholds:
            continue
        limit = thresholds[result.metric]
        higher = result.higher_is_better
        if higher is None:
            raise OptionError(f"--fail-under: {result.metric} is neither better when higher nor when lower")
        passed = result.score >= limit if higher else result.score <= limit
        relation = "at least" if higher else "at most"
        message = f"{result.score:.{result.digits}f} is {'' if passed else 'not '}{relation} {limit:g}"
        if not math.isfinite(result.score):
            empty = result.notes[NOTHING_TO_COMPARE] == len(result)
            message = f"has no score ({'every text is empty' if empty else f'no {result.unit} has one'})"
        checks.append(GateCheck(result.system, result.metric, f"{relation} {limit:g}", bool(passed), message))
    return checks


def check_baseline(result: CompareResult, baseline: str, *, fail_if: str = "worse") -> list[GateCheck]:
    """Return one check per system and metric: whether the system stands against *baseline*.

    A check fails if the deciding test finds the system significantly worse (``worse``), or does not find it
    significantly better (``not-better``). Raises OptionError for an unknown system or condition, and InputError if the
    instances are too few for the sign test to find any difference: such a check could never fail.
    """
    if fail_if not in CONDITIONS:
        raise OptionError(f"fail_if={fail_if!r}{suggest(fail_if, CONDITIONS)}: must be one of {', '.join(CONDITIONS)}")
    checks = []
    for metric, comparison in result.comparisons.items():
        systems = comparison.table.systems
        if baseline not in systems:
            near = suggest(baseline, systems)
            raise OptionError(f"the baseline {baseline!r}{near} is not among the systems {', '.join(systems)}")
        for system in systems:
            if system != baseline:
                checks.append(_check_pair(comparison, comparison.pair(system, baseline), system, metric, fail_if))
    return checks


def _check_pair(comparison: Comparison, pair: PairResult, system: str, metric: str, fail_if: str) -> GateCheck:
    from monge.comparison.verdict import describe_pair

    seen = pair if pair.first == system else pair.swapped()
    baseline = seen.second
    _require_instances(comparison, seen.instances, fail_if)
    passed = seen.winner != baseline if fail_if == "worse" else seen.winner == system
    asked = f"not worse than {baseline}" if fail_if == "worse" else f"better than {baseline}"
    return GateCheck(system, metric or "scores", asked, passed, describe_pair(comparison, pair))


def _require_instances(comparison: Comparison, instances: int, fail_if: str) -> None:
    """Raise if the sign test could not even find that one system wins on every instance."""
    settings = comparison.settings
    pairs = 1 if settings.correction == "none" else len(comparison.pairs)
    if fail_if == "worse" and settings.decide_by == "sign" and 2.0 * 0.5**instances * pairs > settings.alpha:
        needed = math.ceil(math.log2(2 * pairs / settings.alpha))
        raise InputError(
            f"{instances} instances are too few to find a system worse at the level {settings.alpha:g}: "
            f"at least {needed} are needed, or the check can never fail"
        )
