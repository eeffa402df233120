"""What a picture says about the word or the flow under the pointer; the numbers add up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from monge.explanation import ExplainedPair, Flow
from monge.report.alignment.parts import signed, svg_title, svg_title_lines
from monge.report.printable import shorten

NAMED = 4  # flows of a word that are named; the others are added up
DIGITS = 4
CLEAR = 0.1  # share of a word's mass from which a flow is named even if it costs nothing


def word_title(pair: ExplainedPair, side: int, number: int) -> str:
    """Return the tooltip of a word: what it adds, which of its flows that is, and what its partners are charged."""
    return svg_title_lines(word_lines(pair, side, number))


def word_lines(pair: ExplainedPair, side: int, number: int) -> list[str]:
    """Return the lines about a word; the flows that are charged to it sum to what it adds, as printed.

    A flow belongs to the word on the side that the plan must use up (precision: hypothesis, recall: the other text), or
    half to each end. What its partners are charged for flows with this word is listed apart.
    """
    word, others = pair.sides[side].words[number], pair.sides[1 - side].words
    own, theirs = (charged_flows(pair, side, number, bearer=bearer) for bearer in (side, 1 - side))
    half = any(plan.charged == (0.5, 0.5) for plan in pair.plans)
    lines = [f"{word.text}: adds {signed(word.contribution, DIGITS)}, mass {word.mass:.4f}"]
    moved = np.asarray(
        sum(plan.charged[side] * (plan.mass if side == 0 else plan.mass.T)[number] for plan in pair.plans)
    )
    worth = (np.abs(own) >= 0.5 * 10**-DIGITS) | (moved >= CLEAR * max(moved.sum(), 1e-12))
    order = [int(j) for j in np.lexsort((-moved, -np.abs(own))) if worth[j]]
    named, rest = order[:NAMED], order[NAMED:]
    amounts = [float(own[j]) for j in named] + ([float(np.sum(own[rest]))] if rest else [])
    for j, amount in zip([*named, None], fit_sum(amounts, word.contribution), strict=False):
        how = f"{len(rest)} other words" if j is None else f"{others[j].text} ({_mass_at_cost(pair, side, number, j)})"
        lines.append(
            f"  {signed(amount, DIGITS)} {('to', 'from')[side]} {how}" + (", half of the flow" if half else "")
        )
    paid = [j for j in np.argsort(-np.abs(theirs)).tolist() if abs(theirs[j]) >= 0.5 * 10**-DIGITS]
    if paid and not half:
        listed = ", ".join(f"{others[j].text} {signed(float(theirs[j]), DIGITS)}" for j in paid[:NAMED])
        more = f" and {len(paid) - NAMED} more" if len(paid) > NAMED else ""
        lines.append(f"counted for its partners: {listed}{more}")
    if word.unmoved > 0.02 * word.mass:
        lines.append(f"{word.unmoved / word.mass:.0%} of its mass is left unmoved ({('addition', 'omission')[side]})")
    return lines


def flow_title(pair: ExplainedPair, flow: Flow) -> str:
    """Return the tooltip of a flow: its mass and cost, and what it adds to the words at its ends."""
    i, j = flow.hypothesis, flow.reference
    names = pair.hypothesis.words[i].text, pair.reference.words[j].text
    shares = [sum(plan.charged[side] * plan.contributions[i, j] for plan in pair.plans) for side in (0, 1)]
    added = ", ".join(
        f"{signed(float(share), DIGITS)} to {shorten(name, 40)}"
        for share, name in zip(shares, names, strict=True)
        if share
    )
    return svg_title(f"{names[0]} → {names[1]}: mass {flow.mass:.4f}, cost {flow.cost:.4f}; adds {added or '0'}")


def charged_flows(
    pair: ExplainedPair, side: int, number: int, *, bearer: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return what the flows between a word and each word of the other text add to the words of side *bearer*."""
    total = sum(plan.charged[bearer] * plan.contributions for plan in pair.plans)
    matrix = np.asarray(total, dtype=np.float64)
    chosen: np.ndarray[tuple[int], np.dtype[np.float64]] = matrix[number] if side == 0 else matrix[:, number]
    return chosen


def fit_sum(amounts: Sequence[float], total: float, digits: int = DIGITS) -> list[float]:
    """Return amounts rounded so that they sum to the rounded *total*; the largest one takes the difference.

    >>> fit_sum([0.00044, 0.00044, 0.00044], 0.00132)
    [0.0005, 0.0004, 0.0004]
    """
    rounded = [round(amount, digits) for amount in amounts]
    if rounded:
        largest = max(range(len(rounded)), key=lambda k: abs(rounded[k]))
        rounded[largest] = round(rounded[largest] + round(total, digits) - sum(rounded), digits)
    return rounded


def _mass_at_cost(pair: ExplainedPair, side: int, number: int, other: int) -> str:
    """Return mass and cost of the flow that is charged to a word."""
    i, j = (number, other) if side == 0 else (other, number)
    plans = [plan for plan in pair.plans if plan.charged[side] and plan.mass[i, j] > 0] or list(pair.plans)
    mass = float(np.mean([plan.mass[i, j] for plan in plans]))
    cost = float(np.mean([plan.cost[i, j] for plan in plans]))
    return f"mass {mass:.4f} at cost {cost:.3f}"
