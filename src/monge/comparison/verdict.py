"""The findings of a comparison in words, one sentence for each."""

from __future__ import annotations

from dataclasses import dataclass

from monge.comparison.compare import Comparison, PairResult
from monge.comparison.diagnosis import find_notes, find_warnings, key_pairs
from monge.comparison.influence import instances_behind_mean
from monge.comparison.significance import find_test
from monge.comparison.wording import amount, listed, p_value, percent
from monge.wording import count_noun

_CORRECTED = {"holm": ", Holm-corrected", "fdr": ", FDR-corrected", "none": ""}
_ENDLESS = 1_000_000  # more instances than anyone will collect


@dataclass(frozen=True)
class Findings:
    """What a comparison shows (``conclusions``), what to be careful about (``warnings``), and how it was done."""

    conclusions: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def explain_comparison(comparison: Comparison) -> Findings:
    """Describe a comparison in sentences: conclusions, warnings and notes.

    >>> from monge.comparison import compare_systems
    >>> from monge.scores import ScoreTable
    >>> table = ScoreTable(("A", "B"), tuple("12345678"), [[1, 2, 3, 4, 5, 6, 7, 8], [2, 3, 4, 5, 6, 7, 8, 9]])
    >>> explain_comparison(compare_systems(table)).conclusions[0][:47]
    'B beats A: better on 100 % of 8 instances (8 wi'
    """
    conclusions = []
    if len(comparison.table.systems) > 2:
        conclusions.append(describe_top(comparison))
    described = key_pairs(comparison)
    if len(described) < len(comparison.pairs):  # too many for one sentence each: the leader, and its closest rival
        conclusions.append(describe_leader(comparison))
        described = described[:1]
    conclusions += [describe_pair(comparison, pair) for pair in described]
    return Findings(tuple(conclusions), find_warnings(comparison), find_notes(comparison))


def describe_top(comparison: Comparison) -> str:
    """Return who leads, and whether that is significant."""
    top, *rest = comparison.clusters
    total = len(comparison.table.systems)
    test = find_test(comparison.settings.decide_by).title
    if not rest:
        return f"no group of the {total} systems is significantly better than the rest ({test})"
    if len(top) == 1:
        return f"{top[0]} is the best of {total} systems: it significantly beats every other ({test})"
    return f"{listed(list(top))} lead the {total} systems and cannot be ordered among themselves ({test})"


def describe_leader(comparison: Comparison) -> str:
    """Return how many systems the first one beats, and how many pairs are settled."""
    leader, *others = comparison.order
    winners = {name: comparison.pair(leader, name).winner for name in others}
    beaten, open_pairs = [n for n, w in winners.items() if w == leader], [n for n, w in winners.items() if w is None]
    settled = sum(pair.winner is not None for pair in comparison.pairs)
    place = f"{leader} is first by Bradley–Terry and beats {len(beaten)} of {len(others)} others"
    if open_pairs:
        place += f"; it cannot be told apart from {listed(open_pairs)}"
    return f"{place}; {settled:,} of all {len(comparison.pairs):,} pairs are settled"


def describe_pair(comparison: Comparison, pair: PairResult) -> str:
    """Return which of two systems is better and by what evidence, or how many instances would decide it."""
    if pair.ties == pair.instances:
        margin = comparison.settings.tie_margin
        same = "have the same score" if margin == 0 else f"differ by no more than {margin:g}"
        return f"{pair.first} and {pair.second} {same} on all {count_noun(pair.instances, 'instance')}"
    deciding = find_test(comparison.settings.decide_by)
    evidence = f"{deciding.title} {p_value(pair.adjusted[deciding.name])}" + (
        _CORRECTED[comparison.settings.correction] if len(comparison.pairs) > 1 else ""
    )
    if pair.winner is None:
        sentence = _undecided(comparison, pair, evidence)
    else:
        seen = pair if pair.winner == pair.first else pair.swapped()  # from the winner's side
        majority = deciding.claim == "majority"
        sentence = _majority(comparison, seen, evidence) if majority else _by_level(seen, deciding.claim, evidence)
    return sentence + _corpus(comparison, pair)


def _majority(comparison: Comparison, pair: PairResult, evidence: str) -> str:
    counts = [count_noun(pair.wins, "win"), count_noun(pair.losses, "loss")]
    counts += [count_noun(pair.ties, "tie")] if pair.ties else []
    head = f"{pair.first} beats {pair.second}: {_shares(pair)} ({', '.join(counts)}; {evidence})"
    mean_p = pair.adjusted["t"]
    size = f"by {amount(abs(pair.advantage))}, {p_value(mean_p)}"
    if pair.advantage > 0:
        sure = "" if mean_p <= comparison.settings.alpha else " though not significantly"
        return f"{head}; the mean agrees{sure} ({size})"
    if pair.advantage == 0:
        return f"{head}; the means are equal"
    return f"{head}; the mean prefers {pair.second} ({size}){_outliers(comparison, pair)}"


def _shares(pair: PairResult, *, bounds: str = "") -> str:
    """Return on how many instances the first system is better and, where there are ties, on how many it is worse."""
    instances = count_noun(pair.instances, "instance")
    if not pair.ties:
        return f"better on {percent(pair.probability)}{bounds} of {instances}"
    worse = percent(pair.losses / pair.instances)
    return f"better on {percent(pair.wins / pair.instances)}{bounds}, worse on {worse} of {instances}"


def _outliers(comparison: Comparison, pair: PairResult) -> str:
    i, j = (comparison.table.systems.index(name) for name in (pair.first, pair.second))
    difference = comparison.scores.values[i] - comparison.scores.values[j]
    behind = instances_behind_mean(difference)
    if len(behind) > max(3, 0.1 * pair.instances):
        return ", whose wins are fewer but larger"
    names = listed([comparison.table.segments[k] for k in behind])
    if len(behind) == 1:
        return f" only because of instance {names}"
    return f" only because of {len(behind)} instances ({names})"


def _by_level(pair: PairResult, claim: str, evidence: str) -> str:
    if claim == "mean":
        head = (
            f"{pair.first} beats {pair.second}: its mean is better by {amount(pair.advantage)} "
            f"[{amount(pair.advantage_low)}, {amount(pair.advantage_high)}] over "
            f"{count_noun(pair.instances, 'instance')} ({evidence})"
        )
        if pair.advantage_low <= 0:  # the interval is widened for small samples, not every test is
            head += "; but the interval, widened for so few instances, includes 0"
    elif claim == "ranks":
        head = (
            f"{pair.first} beats {pair.second}: ranked by size, its wins outweigh its losses over "
            f"{count_noun(pair.instances, 'instance')} ({evidence})"
        )
    else:
        head = f"{pair.first} has the better median than {pair.second} ({evidence})"
    if pair.wins > pair.losses:
        return f"{head}; it also wins more instances ({pair.wins} to {pair.losses})"
    if pair.wins == pair.losses:
        return f"{head}; both win {count_noun(pair.wins, 'instance')}"
    return f"{head}; but {pair.second} wins more instances ({pair.losses} to {pair.wins})"


def _undecided(comparison: Comparison, pair: PairResult, evidence: str) -> str:
    pair = pair.swapped() if pair.probability < 0.5 else pair
    bounds = f"[{100 * pair.low:.0f}–{100 * pair.high:.0f}]"
    if pair.ties:
        evidence = f"P = {percent(pair.probability)} {bounds} with ties counted half, {evidence}"
    shares = _shares(pair, bounds="" if pair.ties else f" {bounds}")
    head = f"{pair.first} and {pair.second} cannot be told apart: {pair.first} is {shares} ({evidence})"
    mean_p = pair.adjusted["t"]
    claim = find_test(comparison.settings.decide_by).claim
    if claim != "mean" and mean_p <= comparison.settings.alpha:
        better = pair.first if pair.advantage > 0 else pair.second
        head += f"; the mean does prefer {better} (by {amount(abs(pair.advantage))}, {p_value(mean_p)})"
    if pair.more_instances is None or pair.more_instances > _ENDLESS:
        return f"{head}; no test set of realistic size would settle a difference this small"
    instances = "instance" if pair.more_instances == 1 else "instances"
    by = "" if claim in ("majority", "mean") else " by the sign test"  # sizes are known for these two claims
    return f"{head}; about {_rounded(pair.more_instances)} more {instances} would settle a difference of this size{by}"


def _corpus(comparison: Comparison, pair: PairResult) -> str:
    if comparison.corpus is None:
        return ""
    whole = comparison.corpus.pair(pair.first, pair.second)
    if whole.difference == 0:
        return "; the corpus scores are equal"
    first_better = (whole.difference > 0) == comparison.corpus.higher_is_better
    better = whole.first if first_better else whole.second
    return (
        f"; the corpus score prefers {better} (by {amount(abs(whole.difference))}, "
        f"bootstrap {p_value(whole.p_bootstrap)}, randomisation {p_value(whole.p_randomisation)})"
    )


def _rounded(number: int) -> str:
    """Return a number of instances with two significant digits.

    >>> _rounded(4837)
    '4,800'
    """
    digits = len(str(number))
    return f"{round(number, 2 - digits):,}" if digits > 2 else str(number)
