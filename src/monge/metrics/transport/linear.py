"""Scores of transport metrics as linear functions of transport costs.

Every readout is written as ``value = base + Σ_k rate_k · <C_k, P_k>`` over the plans k that made it, with the rates at
the very costs found, so the identity is exact:

* distance: base 0, rate 1. One minus: base 1, rate −1. Inverse 1/(1+D): base 1, rate −1/(1+D), because
  1/(1+D) − 1 = −D/(1+D).
* F of precision 1−p and recall 1−r: base 1; the loss 1−F is shared between the two plans in proportion to cost times
  slope, p·∂F/∂P : r·∂F/∂R = p·(1−α)R² : r·αP²; α is that of the pair, where F leans to the shorter text.
* rescaling (x−u)/(c−u) divides rates by c−u, and leaves base 1 alone where c = 1; the mean of K references divides
  rates by K.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from monge.metrics.baseline import Baseline
from monge.metrics.transport.readout import READOUTS, combine_f, lean_alpha
from monge.metrics.transport.settings import ReadoutChoice
from monge.scores import Alignment, LinearForm, Score


def linearise_transport(score: Score, choice: ReadoutChoice, baseline: Baseline | None) -> LinearForm:
    """Return the linear form of a score that carries its alignments (ordered by role, then by reference)."""
    readout = READOUTS[choice.kind]
    count = len(score.alignments) // len(readout.roles)
    rates = np.empty(len(score.alignments))
    for k in range(count):
        costs = [alignment.plan.transport_cost for alignment in score.alignments[k::count]]
        rates[k::count] = _rates(choice.kind, costs, _alpha(choice, score.alignments[k]))
    base = 0.0 if choice.kind == "distance" else 1.0
    if baseline and readout.value in baseline.unrelated:
        ends = baseline.of_part(readout.value)
        base, rates = ends.place(base), rates / (ends.copy - ends.unrelated)
    return LinearForm(base, tuple((rates / count).tolist()))


def _alpha(choice: ReadoutChoice, alignment: Alignment) -> float:
    clouds = (alignment.hypothesis, alignment.reference)
    sizes = [np.array(np.count_nonzero(cloud.weights > 0), dtype=np.float64) for cloud in clouds]
    return float(lean_alpha(choice.alpha, choice.lean, *sizes))


def _rates(kind: str, costs: Sequence[float], alpha: float) -> tuple[float, ...]:
    if kind == "f":
        return share_f_loss(*costs, alpha=alpha)
    return ({"distance": 1.0, "one_minus": -1.0}.get(kind) or -1.0 / (1.0 + costs[0]),)


def share_f_loss(precision_cost: float, recall_cost: float, *, alpha: float) -> tuple[float, float]:
    """Return the rates of the precision and the recall plan, so that 1 + Σ rate·cost = F.

    >>> rates = share_f_loss(0.2, 0.1, alpha=0.5)
    >>> round(1 + rates[0] * 0.2 + rates[1] * 0.1, 12) == round(2 * 0.8 * 0.9 / 1.7, 12)
    True
    """
    precision, recall = 1 - precision_cost, 1 - recall_cost
    loss = 1 - float(combine_f(np.array([precision]), np.array([recall]), alpha)[0])
    slopes = ((1 - alpha) * recall**2, alpha * precision**2)
    total = slopes[0] * precision_cost + slopes[1] * recall_cost
    if total == 0:  # nothing is lost, or F is flat here: share by cost alone
        slopes, total = (1.0, 1.0), precision_cost + recall_cost
    return (0.0, 0.0) if total == 0 else (-loss * slopes[0] / total, -loss * slopes[1] / total)
