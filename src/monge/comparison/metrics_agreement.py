"""Several metrics on the same systems: where they agree, and a joint verdict that shows where they do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from monge.comparison.compare import Comparison
from monge.comparison.wording import listed
from monge.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CombinedVerdict:
    """What all metrics together say about one pair: which metrics decide for whom, and which do not decide.

    ``kind``: all metrics decide for one system ("unanimous"), some do and none objects ("leaning"), they decide
    against each other ("conflict"), or none decides ("undecided"). ``winner`` is None in the last two.
    """

    first: str
    second: str
    kind: Literal["unanimous", "leaning", "conflict", "undecided"]
    winner: str | None
    for_first: tuple[str, ...]
    for_second: tuple[str, ...]
    silent: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class MetricAgreement:
    """Comparisons by metric, and how far the metrics agree.

    ``rank_agreement`` (M, M) is Kendall's τ-b between Bradley–Terry orders, ``instance_agreement`` (M, M) the share of
    single instances on which two metrics prefer the same system.
    """

    comparisons: Mapping[str, Comparison]
    rank_agreement: Floats
    instance_agreement: Floats
    verdicts: tuple[CombinedVerdict, ...]


def combine_metrics(comparisons: Mapping[str, Comparison]) -> MetricAgreement:
    """Combine several metrics' comparisons of the same systems.

    Kendall's τ of two systems is ±1; it is NaN for a metric that ties all systems. Raises InputError when the metrics
    do not score the same systems.
    """
    tables = [c.table for c in comparisons.values()]
    for name, table in zip(comparisons, tables, strict=True):
        if set(table.systems) != set(tables[0].systems):
            odd = sorted(set(table.systems) ^ set(tables[0].systems))[0]
            raise InputError(f"metric {name!r} does not score the same systems as the others ({odd!r} differs)")
    size = len(tables)
    ranks, singles = np.eye(size), np.eye(size)
    items = list(comparisons.values())
    for i in range(size):
        for j in range(i + 1, size):
            ranks[i, j] = ranks[j, i] = _rank_agreement(items[i], items[j])
            singles[i, j] = singles[j, i] = _instance_agreement(items[i], items[j])
    pairs = [(p.first, p.second) for p in items[0].pairs]
    return MetricAgreement(comparisons, ranks, singles, tuple(_combine(comparisons, a, b) for a, b in pairs))


def describe_verdict(verdict: CombinedVerdict) -> str:
    """Return in one sentence what all metrics together say about a pair.

    >>> describe_verdict(CombinedVerdict("A", "B", "leaning", "B", (), ("bleu",), ("chrf",)))
    'B beats A by bleu; chrf does not separate them'
    """
    a, b = verdict.first, verdict.second
    if verdict.kind == "undecided":
        every = "both metrics" if len(verdict.silent) == 2 else f"all {len(verdict.silent)} metrics"
        return f"{a} and {b} cannot be told apart by {every}"
    if verdict.kind == "conflict":
        return (
            f"metrics contradict each other on {a} and {b}: {listed(verdict.for_first)} prefer{_s(verdict.for_first)} "
            f"{a}, {listed(verdict.for_second)} prefer{_s(verdict.for_second)} {b}; there is no joint verdict"
        )
    loser = b if verdict.winner == a else a
    speaking = verdict.for_first or verdict.for_second
    if verdict.kind == "unanimous":
        every = "both metrics" if len(speaking) == 2 else f"all {len(speaking)} metrics"
        return f"{verdict.winner} beats {loser} by {every}"
    silent = f"{listed(verdict.silent)} {_do(verdict.silent)} separate them"
    return f"{verdict.winner} beats {loser} by {listed(speaking)}; {silent}"


def _s(names: Sequence[str]) -> str:
    return "s" if len(names) == 1 else ""


def _do(names: Sequence[str]) -> str:
    return "does not" if len(names) == 1 else "do not"


def _combine(comparisons: Mapping[str, Comparison], first: str, second: str) -> CombinedVerdict:
    winners = {name: c.pair(first, second).winner for name, c in comparisons.items()}
    ours, theirs, silent = (
        tuple(name for name, winner in winners.items() if winner == who) for who in (first, second, None)
    )
    if ours and theirs:
        return CombinedVerdict(first, second, "conflict", None, ours, theirs, silent)
    if not ours and not theirs:
        return CombinedVerdict(first, second, "undecided", None, ours, theirs, silent)
    winner = first if ours else second
    return CombinedVerdict(first, second, "leaning" if silent else "unanimous", winner, ours, theirs, silent)


def _rank_agreement(one: Comparison, other: Comparison) -> float:
    order = [other.table.systems.index(name) for name in one.table.systems]
    return float(kendalltau(one.ranking("bt").ranks, other.ranking("bt").ranks[order]).statistic)


def _instance_agreement(one: Comparison, other: Comparison) -> float:
    """Return the share of (pair, instance) comparisons decided alike, of those that both metrics decide (NaN: none)."""
    places = {name: k for k, name in enumerate(other.table.segments)}
    shared = [(k, places[name]) for k, name in enumerate(one.table.segments) if name in places]
    systems = [other.table.systems.index(name) for name in one.table.systems]
    ours = one.scores.values[:, [k for k, _ in shared]]
    theirs = other.scores.values[systems][:, [k for _, k in shared]]
    same = both = 0
    for i, j in one.scores.pairs:
        product = np.sign(ours[i] - ours[j]) * np.sign(theirs[i] - theirs[j])
        same, both = same + int(np.sum(product > 0)), both + int(np.sum(np.abs(product) > 0))
    return same / both if both else float("nan")
