"""The synthetic study: how well mean, median and Bradley–Terry recover strengths that are known.

Scores of systems with known strengths are disturbed by instance types (an offset that all systems share on a type) and
by outliers; each mechanism's order is compared with the true one by Kendall's τ (Peyrard et al. 2021, section 4).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from monge.comparison.bradley_terry import fit_bradley_terry
from monge.comparison.pairs import PairedScores, count_pairs
from monge.errors import OptionError

Floats = NDArray[np.float64]

OFFSET = 100.0  # types lie anywhere between 0 and this, in units of the noise (the authors' released value)
MECHANISMS = ("mean", "median", "bt")
# the largest simulation holds 1,000 × 10,000 scores (80 MB) and looks at half a million pairs of systems
_LIMITS = {"systems": (2, 1_000), "instances": (1, 10_000), "types": (1, 10_000)}
MAX_SIMULATIONS = 1_000_000


@dataclass(frozen=True)
class Setup:
    """One evaluation to simulate: the numbers of systems, instances and instance types, and the share of outliers."""

    systems: int
    instances: int
    types: int
    outliers: float

    def __post_init__(self) -> None:
        for name, (least, most) in _LIMITS.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise OptionError(f"a simulation needs at least {least} {name} and at most {most:,}, not {value:,}")
        if not 0.0 <= self.outliers <= 1.0:
            raise OptionError(f"the share of outliers must lie between 0 and 1, not {self.outliers}")


Sampler = Callable[[Setup, np.random.Generator], tuple[Floats, Floats]]


def sample_as_described(setup: Setup, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return strengths (S,) and scores (S, N) as the paper's text describes them.

    Strengths are uniform on [0, 1], scores normal around strength + offset of the type with σ = 1; on an outlier the
    drawn scores are dealt out to the systems in random order (Appendix A.2). The text leaves the size of the offsets
    open; they are uniform on [0, 100] as in the released code.
    """
    strengths = rng.uniform(size=setup.systems)
    offsets = rng.uniform(0.0, OFFSET, size=setup.types)[rng.integers(setup.types, size=setup.instances)]
    scores = rng.normal(strengths[:, None] + offsets, 1.0)
    for instance in rng.choice(setup.instances, round(setup.outliers * setup.instances), replace=False):
        scores[:, instance] = rng.permutation(scores[:, instance])
    return strengths, scores


def sample_as_released(setup: Setup, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return strengths (S,) and scores (S, N) as the authors' released code draws them, which made their figure 3.

    Strengths are uniform, scaled to sum to 10; each type has the same number of instances; outliers are extra instances
    (at least one) with scores uniform on [0, 100] whose order contradicts the strengths (Kendall's τ < 0).
    """
    strengths = rng.uniform(size=setup.systems)
    strengths *= 10.0 / strengths.sum()
    each = max(1, setup.instances // setup.types)
    offsets = np.repeat(rng.uniform(0.0, OFFSET, size=setup.types), each)
    columns = [rng.normal(strengths[:, None] + offsets, 1.0)]
    wanted = max(1, int(setup.outliers * each * setup.types)) if setup.outliers > 0 else 0
    while wanted:
        drawn = rng.uniform(size=setup.systems)
        if kendalltau(drawn, strengths).statistic < 0:
            columns.append(OFFSET * drawn[:, None])
            wanted -= 1
    return strengths, np.concatenate(columns, axis=1)


RECIPES: dict[str, Sampler] = {"paper": sample_as_described, "released": sample_as_released}


@dataclass(frozen=True)
class Grid:
    """Every combination to simulate; the defaults are the paper's: 288 combinations, 10 times each.

    Raises OptionError when nothing is left to simulate, or more than a million simulations.
    """

    types: tuple[int, ...] = (1, 3, 5, 10)
    outliers: tuple[float, ...] = (0.0, 0.01, 0.025)
    systems: tuple[int, ...] = (2, 3, 5, 10, 25, 50)
    instances: tuple[int, ...] = (10, 30, 100, 200)
    repeats: int = 10

    def __post_init__(self) -> None:
        if self.repeats < 1 or not all((self.types, self.outliers, self.systems, self.instances)):
            raise OptionError("a simulation needs at least one value of everything and one repeat")
        size = len(self.types) * len(self.outliers) * len(self.systems) * len(self.instances) * self.repeats
        if size > MAX_SIMULATIONS:
            raise OptionError(f"{size:,} simulations are too many: at most {MAX_SIMULATIONS:,}, reduce the repeats")

    def setups(self) -> list[Setup]:
        """Return all combinations, each as often as it is repeated."""
        combinations = itertools.product(self.types, self.outliers, self.systems, self.instances)
        return [Setup(s, n, t, f) for t, f, s, n in combinations for _ in range(self.repeats)]


@dataclass(frozen=True, eq=False)
class SimulationStudy:
    """Results: ``setups`` and ``taus`` (simulations, 3), Kendall's τ of every mechanism in the order of MECHANISMS."""

    setups: tuple[Setup, ...]
    taus: Floats

    def select(self, **fixed: float) -> SimulationStudy:
        """Return the part where all named properties have the given value."""
        keep = [k for k, s in enumerate(self.setups) if all(getattr(s, name) == v for name, v in fixed.items())]
        return SimulationStudy(tuple(self.setups[k] for k in keep), self.taus[keep])

    def average(self, by: str, *, draws: int = 1000, seed: int = 12345) -> list[tuple[float, Floats, Floats, Floats]]:
        """Return (value, mean τ, low, high) for every value of one property; low and high bound the mean at 95 %."""
        values = np.array([getattr(setup, by) for setup in self.setups], dtype=np.float64)
        rng = np.random.default_rng(seed)
        rows = []
        for value in np.unique(values):
            taus = self.taus[values == value]
            drawn = np.nanmean(taus[rng.integers(len(taus), size=(draws, len(taus)))], axis=1)
            low, high = np.nanpercentile(drawn, [2.5, 97.5], axis=0)
            rows.append((float(value), np.nanmean(taus, axis=0), low, high))
        return rows


def run_simulations(
    grid: Grid,
    *,
    recipe: Sampler = sample_as_released,
    seed: int = 12345,
    show_progress: Callable[[Iterable[Setup]], Iterable[Setup]] = iter,
) -> SimulationStudy:
    """Simulate every setup of a grid; *show_progress* may wrap the iteration (``tqdm``).

    >>> study = run_simulations(Grid((1,), (0.0,), (5,), (200,), 20))
    >>> bool(study.taus.mean() > 0.5)
    True
    """
    rng = np.random.default_rng(seed)
    setups = tuple(grid.setups())
    return SimulationStudy(setups, np.array([_recover(*recipe(setup, rng)) for setup in show_progress(setups)]))


def _recover(strengths: Floats, scores: Floats) -> list[float]:
    """Return Kendall's τ between the true strengths and each mechanism's values; NaN where a mechanism ties all."""
    names = tuple(str(k) for k in range(len(strengths)))
    paired = PairedScores(names, tuple(str(k) for k in range(scores.shape[1])), scores)
    estimates: Sequence[Floats] = (
        scores.mean(axis=1),
        np.median(scores, axis=1),
        fit_bradley_terry(count_pairs(paired).points).strengths,
    )
    return [float(kendalltau(strengths, estimate).statistic) for estimate in estimates]


# the panels of the paper's figure 3: title, property on the x axis, what is held fixed
PANELS: tuple[tuple[str, str, dict[str, float]], ...] = (
    ("a  no outliers, one type", "systems", {"outliers": 0.0, "types": 1}),
    ("b  no outliers, one type", "instances", {"outliers": 0.0, "types": 1}),
    ("c  outliers, one type", "outliers", {"types": 1}),
    ("d  no outliers, types", "types", {"outliers": 0.0}),
    ("e  outliers and types", "types", {}),
    ("f  outliers and types", "outliers", {}),
    ("g  all simulations", "instances", {}),
    ("h  all simulations", "systems", {}),
)
