"""How certain a result is: intervals, differences that can be detected, and sizes of test sets that decide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def win_interval(wins: Ints, ties: Ints, instances: Ints, *, alpha: float = 0.05) -> tuple[Floats, Floats]:
    r"""Return the score interval of P(A>B) + ½ P(tie).

    It holds every θ with :math:`|\hatθ − θ| ≤ z \sqrt{(θ(1−θ) − τ/4)/n}`, θ̂ = (wins + ties/2)/n and τ the share of
    ties, taken as ties/(n + 1) so that ties alone never give an interval of no width. Without ties this is Wilson's
    interval (1927).

    >>> [round(float(x), 3) for x in win_interval(np.array(62), np.array(0), np.array(100))]
    [0.522, 0.709]
    """
    n = np.asarray(instances, dtype=np.float64)
    z2 = norm.ppf(1 - alpha / 2) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = (np.asarray(wins) + 0.5 * np.asarray(ties)) / n
        tied = np.asarray(ties) / (n + 1)
        # θ²(1 + z²/n) − θ(2θ̂ + z²/n) + θ̂² + z²τ/4n ≤ 0
        middle = (estimate + z2 / (2 * n)) / (1 + z2 / n)
        radius = np.sqrt(np.maximum(0.0, middle**2 - (estimate**2 + z2 * tied / (4 * n)) / (1 + z2 / n)))
    low, high = np.maximum(0.0, middle - radius), np.minimum(1.0, middle + radius)
    return np.where(n > 0, low, 0.0), np.where(n > 0, high, 1.0)


def detectable_share(decided: Ints, *, alpha: float, power: float) -> Floats:
    """Return the smallest P(A wins | decided) above ½ that a sign test on *decided* instances finds.

    *power* is the probability of finding it. A result above 1 means that no difference can be found.

    >>> round(float(detectable_share(np.array(200), alpha=0.05, power=0.8)), 3)
    0.601
    """
    n = np.maximum(np.asarray(decided, dtype=np.float64), 1e-9)
    size, sought = norm.ppf(1 - alpha / 2), norm.ppf(power)
    gap = np.zeros_like(n)
    for _ in range(100):  # solves decided_needed(½ + gap) = n
        spread = np.sqrt(np.maximum(0.0, 0.25 - np.minimum(gap, 0.5) ** 2))
        lost = np.minimum(1.0 / np.maximum(gap, 1e-9), 0.9 * n)  # what the exact test loses because it is discrete
        gap = (0.5 * size + sought * spread) / np.sqrt(n - lost if gap.any() else n)
    return np.asarray(0.5 + gap)


def decided_needed(share: Floats, *, alpha: float, power: float) -> Floats:
    """Return how many decided instances a sign test needs for a true share of wins; infinite at one half.

    Normal approximation, plus 1/|p − ½| for what the exact test loses because it is discrete.

    >>> float(decided_needed(np.array(0.6), alpha=0.05, power=0.8).round())
    204.0
    """
    p = np.asarray(share, dtype=np.float64)
    size, sought = norm.ppf(1 - alpha / 2), norm.ppf(power)
    with np.errstate(divide="ignore"):
        gap = np.abs(p - 0.5)
        return np.asarray(((0.5 * size + sought * np.sqrt(p * (1 - p))) / gap) ** 2 + 1.0 / gap)


def detectable_mean(deviation: Floats, instances: Ints, *, alpha: float, power: float) -> Floats:
    """Return the smallest mean difference a paired t-test finds: (t_{1−α/2} + t_power)·σ/√n."""
    n = np.asarray(instances, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = t.ppf(1 - alpha / 2, n - 1) + t.ppf(power, n - 1)
        return np.where(n > 1, factor * np.asarray(deviation) / np.sqrt(n), np.inf)


def instances_needed(effect_size: Floats, *, alpha: float, power: float) -> Floats:
    """Return how many instances a paired t-test needs for a standardised mean difference; infinite at 0.

    n = ((z_{1−α/2} + z_power)/d)² + z²_{1−α/2}/2, the last term for the unknown variance (Guenther 1981).

    >>> float(instances_needed(np.array(0.2), alpha=0.05, power=0.8).round())
    198.0
    """
    size, sought = norm.ppf(1 - alpha / 2), norm.ppf(power)
    with np.errstate(divide="ignore"):
        return np.asarray(((size + sought) / np.abs(np.asarray(effect_size, dtype=np.float64))) ** 2 + size**2 / 2)


def smallest_decisive(alpha: float) -> int:
    """Return how many instances a sign test needs before even winning all of them is significant.

    >>> smallest_decisive(0.05)
    6
    """
    return int(np.ceil(1.0 - np.log2(alpha)))  # 2·½ⁿ ≤ α
