"""Other pairings of the same scores: means and medians stay, who wins how often changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from monge.errors import InputError, OptionError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pairing:
    """Scores of two systems, paired again: ``first`` and ``second`` are the given scores in another order (n,).

    ``share`` is the share of instances that the first wins, ties counted half; ``least`` and ``most`` are the shares
    that pairings of this family reach.
    """

    first: Floats
    second: Floats
    share: float
    least: float
    most: float


def pair_scores_anew(first: ArrayLike, second: ArrayLike, *, share: float, seed: int = 12345) -> Pairing:
    """Pair two sets of scores so that the first system wins as near to *share* of the instances as possible.

    Marginals are untouched, so every comparison of means, medians or distributions stays as it is; only paired
    mechanisms (Bradley–Terry, sign test) see a difference (Peyrard et al. 2021). The k best scores of the first system
    meet the k worst of the second, and the rest meet the rest, each in order; k runs from 0 to n.

    Raises InputError if sizes differ, are zero or scores are missing, and OptionError if *share* is not in [0, 1].

    >>> found = pair_scores_anew([1, 2, 3, 4], [1.5, 2.5, 3.5, 4.5], share=0.75)
    >>> found.share, sorted(found.first.tolist()), float(found.second.mean())
    (0.75, [1.0, 2.0, 3.0, 4.0], 3.0)
    """
    x, y = (np.sort(np.asarray(side, dtype=np.float64)) for side in (first, second))
    if x.shape != y.shape or x.ndim != 1 or not len(x):
        raise InputError(f"two systems need equally many scores, at least one, not {x.size} and {y.size}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("scores to be paired again must all be numbers")
    if not 0 <= share <= 1:
        raise OptionError(f"share={share:g}: must lie between 0 and 1")
    reached = [_win_share(x, np.roll(y, k)) for k in range(len(x))]
    best = int(np.argmin(np.abs(np.array(reached) - share)))
    order = np.random.default_rng(seed).permutation(len(x))
    return Pairing(x[order], np.roll(y, best)[order], reached[best], min(reached), max(reached))


def _win_share(first: Floats, second: Floats) -> float:
    return float(np.mean((first > second) + 0.5 * (first == second)))
