"""How mean, median and Bradley–Terry disagree as the test set grows."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.comparison.bradley_terry import fit_bradley_terry
from monge.comparison.disagreement import measure_disagreement
from monge.comparison.pairs import PairedScores, count_pairs
from monge.errors import OptionError

Floats = NDArray[np.float64]
SIZES = (10, 50, 100, 500, 1000, 5000)  # of chapter 11 of Zhao's thesis, figure 4
MECHANISMS = ("mean", "median", "bt")
_FEWEST = 3  # instances of which an order can be asked


@dataclass(frozen=True)
class SizeCurve:
    """By number of instances, the mean share of pairs of systems that two mechanisms order differently.

    ``shares`` maps (first, second) mechanism to one value per size; ``repeats`` samples were drawn at each size.
    """

    sizes: tuple[int, ...]
    shares: Mapping[tuple[str, str], tuple[float, ...]]
    repeats: int

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        named = {f"{first}/{second}": list(values) for (first, second), values in self.shares.items()}
        return {"sizes": list(self.sizes), "repeats": self.repeats, "shares": named}


def disagree_by_size(
    scores: PairedScores, *, sizes: Sequence[int] = SIZES, repeats: int = 50, seed: int = 12345
) -> SizeCurve:
    """Draw test sets of several sizes and measure how differently mean, median and Bradley–Terry order the systems.

    Instances that all systems were scored on are drawn without replacement; sizes beyond their number are replaced by
    that number. Raises OptionError if there are fewer than three of them or *repeats* is not positive.
    """
    if repeats < 1:
        raise OptionError(f"repeats={repeats}: at least one sample must be drawn")
    common = scores.values[:, ~np.isnan(scores.values).any(axis=0)]
    count = common.shape[1]
    if count < _FEWEST:
        raise OptionError(f"{count} instances that all systems share are too few to draw test sets from")
    used = tuple(sorted({min(size, count) for size in sizes if size >= _FEWEST}))
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(MECHANISMS, 2))
    shares: dict[tuple[str, str], list[float]] = {pair: [] for pair in pairs}
    for size in used:
        found: dict[tuple[str, str], list[float]] = {pair: [] for pair in pairs}
        for _ in range(1 if size == count else repeats):
            drawn = common[:, rng.permutation(count)[:size]]
            values = aggregate_scores(drawn, tie_margin=scores.tie_margin)
            for first, second in pairs:
                found[first, second].append(measure_disagreement(values[first], values[second]).pairs)
        for pair in pairs:
            known = [share for share in found[pair] if np.isfinite(share)]
            shares[pair].append(float(np.mean(known)) if known else float("nan"))
    return SizeCurve(used, {pair: tuple(own) for pair, own in shares.items()}, repeats)


def aggregate_scores(values: Floats, *, tie_margin: float = 0.0) -> dict[str, Floats]:
    """Return each mechanism's value of every system (S,) on scores (S, N)."""
    names = tuple(map(str, range(len(values))))
    paired = PairedScores(names, tuple(map(str, range(values.shape[1]))), values, tie_margin)
    strengths = fit_bradley_terry(count_pairs(paired).points).strengths
    return {"mean": values.mean(axis=1), "median": np.median(values, axis=1), "bt": strengths}
