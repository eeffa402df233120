"""Warnings: where the result depends on the mechanism, on the mix of instances, or on very few of them."""

from __future__ import annotations

import numpy as np

from monge.comparison.certainty import smallest_decisive
from monge.comparison.clusters import count_cycles, find_cycles
from monge.comparison.compare import Comparison, PairResult
from monge.comparison.influence import (
    decisive_instances,
    extremes_to_drop,
    instances_behind_mean,
    wins_to_drop,
)
from monge.comparison.instance_types import TypeSplit, split_by_difficulty, split_by_type
from monge.comparison.ranking import TITLES
from monge.comparison.settings import MAX_DRAWS
from monge.comparison.significance import CORRECTIONS, correct_holm, level_of_pair
from monge.comparison.wording import amount, listed, p_value, percent
from monge.wording import count_noun

FEW = 0.01  # an outcome that depends on at most this share of the instances (or on two) is called fragile


def find_warnings(comparison: Comparison) -> tuple[str, ...]:
    """Return one sentence for each reason to look at the outcome with care."""
    return (
        *_disagreement(comparison),
        *_contradictions(comparison),
        *_types(comparison),
        *_influence(comparison),
        *_ties(comparison),
        *_constant(comparison),
        *_size(comparison),
    )


def find_notes(comparison: Comparison) -> tuple[str, ...]:
    """Return what was done to the data and how: missing scores, ties, regularisation, order of games."""
    notes = []
    missing = np.isnan(comparison.table.values).sum(axis=1)
    if missing.any():
        names = [f"{n} of {s}" for s, n in zip(comparison.table.systems, missing, strict=True) if n]
        least = min(pair.instances for pair in comparison.pairs)
        notes.append(
            f"{count_noun(int(missing.sum()), 'score')} missing ({listed(names)}): "
            f"each pair uses the instances both have, at least {least} of {len(comparison.table.segments)}"
        )
    ties = sum(pair.ties for pair in comparison.pairs)
    if ties:
        margin = comparison.settings.tie_margin
        exact = "equal scores" if margin == 0 else f"scores within {margin:g}"
        notes.append(
            f"ties ({exact}, {percent(ties / sum(p.instances for p in comparison.pairs))} of comparisons) "
            "count half a win to each side in P and Bradley–Terry; the sign test leaves them out"
        )
    notes.append(_detectable(comparison))
    for ranking in comparison.rankings:
        notes += ranking.notes
    notes += comparison.remarks
    s = comparison.settings
    draws = f"bs:{s.resamples}|ar:{s.trials}"  # the names of sacrebleu's signature
    notes.append(f"test:{s.decide_by}|correction:{s.correction}|alpha:{s.alpha:g}|{draws}|seed:{s.seed}")
    if comparison.table.signature:
        notes.append(comparison.table.signature)
    return tuple(notes)


def _detectable(comparison: Comparison) -> str:
    """Describe which differences this many instances can show, for the pair where it is hardest."""
    share = max(pair.detectable_share for pair in comparison.pairs)
    mean = max(pair.detectable_advantage for pair in comparison.pairs)
    level = comparison.settings.level(len(comparison.pairs))
    found = [f"shares of wins from {percent(share)} (of decided instances)"] if share <= 1 else []
    found += [f"mean advantages from {amount(mean)}"] if 0 < mean < np.inf else []  # else nothing varies
    chance = f"with a probability of {percent(comparison.settings.power)} (level {amount(level)})"
    if not found:
        return f"so few decided instances cannot show any difference {chance}"
    return f"this many instances can show {' and '.join(found)} {chance}"


def key_pairs(comparison: Comparison, *, limit: int = 12) -> list[PairResult]:
    """Return the pairs worth a sentence: all of a small comparison, else neighbours in rank and the top cluster."""
    if len(comparison.pairs) <= limit:
        order = {name: k for k, name in enumerate(comparison.order)}
        return sorted(comparison.pairs, key=lambda p: sorted((order[p.first], order[p.second])))
    order = {name: k for k, name in enumerate(comparison.order)}
    chosen = [comparison.pair(a, b) for a, b in zip(comparison.order, comparison.order[1:], strict=False)]
    return chosen[:limit]


def _disagreement(comparison: Comparison) -> list[str]:
    names = comparison.table.systems
    tops: dict[tuple[int, ...], list[str]] = {}
    for ranking in comparison.rankings:
        tops.setdefault(ranking.winners, []).append(TITLES[ranking.mechanism])
    if len(tops) == 1:
        return []
    parts = []
    for winners, mechanisms in tops.items():
        who = listed([names[i] for i in winners])
        tied = " (tied)" if len(winners) > 1 else ""
        parts.append(f"{listed(mechanisms, limit=5)} put{'s' if len(mechanisms) == 1 else ''} {who}{tied} first")
    return [f"mechanisms disagree on the winner: {'; '.join(parts)}{_why(comparison)}"]


def _why(comparison: Comparison) -> str:
    """Explain a mean that contradicts Bradley–Terry by the instances that cause it."""
    bt, mean = comparison.ranking("bt").winners, comparison.ranking("mean").winners
    names = comparison.table.systems
    if set(bt) & set(mean) or comparison.pair(names[bt[0]], names[mean[0]]) in key_pairs(comparison):
        return ""  # agreed after all, or explained among the conclusions
    difference = comparison.scores.values[mean[0]] - comparison.scores.values[bt[0]]
    behind = instances_behind_mean(difference)
    n = int(np.count_nonzero(~np.isnan(difference)))
    wins = comparison.counts.wins[bt[0], mean[0]]
    carried = f"; {names[bt[0]]} wins {wins} of {n} instances against {names[mean[0]]}, but "
    if len(behind) > 0.1 * n:
        return f"{carried}its losses are larger than its wins"
    segments = listed([comparison.table.segments[i] for i in behind])
    return f"{carried}{count_noun(len(behind), 'large loss')} ({segments}) outweigh them in the mean"


def _contradictions(comparison: Comparison) -> list[str]:
    bt = comparison.ranking("bt")
    majority = comparison.counts.majority
    against = [(int(i), int(j)) for i, j in zip(*np.nonzero(majority), strict=True) if bt.ranks[i] > bt.ranks[j]]
    names = comparison.table.systems
    wins = comparison.counts.wins
    found = []
    if against:
        i, j = max(against, key=lambda pair: wins[pair] - wins[pair[::-1]])
        more = f" (and {len(against) - 1} more pairs)" if len(against) > 1 else ""
        found.append(
            f"Bradley–Terry ranks {names[j]} above {names[i]}, yet {names[i]} beats it {wins[i, j]} to {wins[j, i]}"
            f"{more}: the other systems decide this order; read the pair itself"
        )
    cycles = count_cycles(majority)
    if cycles:
        i, j, k = find_cycles(majority, limit=1)[0]
        found.append(
            f"no order fits all pairs: {names[i]} beats {names[j]}, {names[j]} beats {names[k]}, "
            f"{names[k]} beats {names[i]} on most instances" + (f" ({cycles} such cycles)" if cycles > 1 else "")
        )
    return found


def _types(comparison: Comparison) -> list[str]:
    index = {name: i for i, name in enumerate(comparison.table.systems)}
    pairs = [(index[p.first], index[p.second]) for p in key_pairs(comparison)]
    alpha = comparison.settings.alpha
    if comparison.types:
        splits = [split_by_type(comparison.scores, comparison.types, i, j) for i, j in pairs]
        adjusted = correct_holm(np.array([s.p_value for s in splits]))
        apart = [s for s, p in zip(splits, adjusted, strict=True) if p <= alpha and s.disagrees]
        return [f"instance types disagree: {_describe(s)}, {p_value(s.p_value)}; {_MIX}" for s in apart]
    level = alpha / len(pairs)
    halves = [split_by_difficulty(comparison.scores, i, j, alpha=level) for i, j in pairs]
    return [f"easy and hard instances disagree: {_describe(s)}; {_MIX}" for s in halves if s is not None]


_MIX = "the overall outcome depends on their mix"


def _describe(split: TypeSplit) -> str:
    parts = []
    for count in sorted(split.counts, key=lambda c: -c.share)[:1] + sorted(split.counts, key=lambda c: c.share)[:1]:
        winner = split.first if count.share > 0.5 else split.second
        share = max(count.share, 1 - count.share)
        parts.append(f"{winner} wins {percent(share)} of {count.wins + count.losses} {count.type!r}")
    return f"{split.first} against {split.second}: {' but '.join(parts)} instances"


def _influence(comparison: Comparison) -> list[str]:
    settings = comparison.settings
    if settings.decide_by not in ("sign", "t"):  # for other tests, every subset would have to be tried
        return _single(comparison)
    found = []
    raw = np.array([pair.p_values[settings.decide_by] for pair in comparison.pairs])
    for pair in key_pairs(comparison):
        if pair.winner is None:
            continue
        number, correct = comparison.pairs.index(pair), CORRECTIONS[settings.correction]
        level = level_of_pair(raw, number, alpha=settings.alpha, correct=correct)
        if settings.decide_by == "sign":
            dropped = wins_to_drop(pair.wins, pair.losses, alpha=level)
        else:
            i, j = (comparison.table.systems.index(name) for name in (pair.first, pair.second))
            dropped = extremes_to_drop(comparison.scores.differences(i, j), alpha=level)
        if 0 < dropped <= max(2, FEW * pair.instances):
            loser = pair.second if pair.winner == pair.first else pair.first
            found.append(
                f"{pair.winner} over {loser} depends on {count_noun(dropped, 'instance')} of {pair.instances}: "
                f"without {'it' if dropped == 1 else 'them'} it is not significant"
            )
    return found + _single(comparison)


def _single(comparison: Comparison) -> list[str]:
    found = []
    for mechanism, instances in decisive_instances(comparison.scores, comparison.counts).items():
        if instances:
            names = listed([comparison.table.segments[i] for i in instances])
            one = "this one instance" if len(instances) == 1 else "any one of these instances"
            found.append(f"leaving out {one} changes the winner by {TITLES[mechanism]}: {names}")
    return found


def _ties(comparison: Comparison) -> list[str]:
    found = []
    for pair in key_pairs(comparison):
        if pair.ties == pair.instances:
            continue  # the conclusions say so
        if pair.ties > pair.wins + pair.losses:
            found.append(
                f"{pair.first} and {pair.second} tie on {percent(pair.ties / pair.instances)} of instances: "
                f"the sign test rests on the other {pair.wins + pair.losses}"
            )
    return found


def _constant(comparison: Comparison) -> list[str]:
    """Warn of pairs without variance, for which the t-test and the bootstrap give no p-value."""
    return [
        f"the scores of {pair.first} and {pair.second} differ by {amount(abs(pair.advantage))} on every instance: "
        "without variance the t-test and the bootstrap take the sign test's p-value, and there is no effect size d"
        for pair in key_pairs(comparison)
        if np.isinf(pair.effect_size) and pair.instances > 1
    ]


def _size(comparison: Comparison) -> list[str]:
    """Warn where not even the clearest outcome could have been significant."""
    settings, pairs = comparison.settings, len(comparison.pairs)
    level = settings.level(pairs)
    over = f" over {pairs} pairs" if pairs > 1 else ""
    draws = {"bootstrap": settings.resamples, "randomisation": settings.trials}.get(settings.decide_by)
    if draws is not None and 1 / (1 + draws) > level:
        wanted = int(np.ceil(2 / level))
        advice = f"use at least {wanted:,}" if wanted <= MAX_DRAWS else "let another test decide, such as the sign test"
        return [f"{draws:,} draws cannot show significance{over}: {advice}"]
    least, n = smallest_decisive(level), len(comparison.table.segments)
    if n < (least if settings.decide_by == "sign" else 2):
        return [f"{count_noun(n, 'instance')} cannot decide anything: a sign test needs at least {least}{over}"]
    return []
