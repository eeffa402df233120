"""The synthetic study of paired evaluation: which mechanism recovers the order of systems of known strength."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from monge.comparison.simulation import RECIPES, Grid, Setup, SimulationStudy, run_simulations
from monge.errors import OptionError, suggest


@dataclass(frozen=True)
class SimulateRequest:
    """What to simulate.

    Parameters
    ----------
    grid
        The combinations of systems, instances, types and outliers, and how often each is repeated.
    recipe
        How scores are made: ``released`` (the authors' code, which drew figure 3) or ``paper`` (as the text describes).
    seed
        Seed of everything random.

    Raises OptionError for an unknown recipe or a negative seed.
    """

    grid: Grid = field(default_factory=Grid)
    recipe: str = "released"
    seed: int = 12345

    def __post_init__(self) -> None:
        if self.recipe not in RECIPES:
            near = suggest(self.recipe, RECIPES)
            raise OptionError(f"no recipe {self.recipe!r}{near}; there are {', '.join(RECIPES)}")
        if self.seed < 0:
            raise OptionError(f"seed must be at least 0, not {self.seed}")


@dataclass(frozen=True, eq=False)
class SimulateResult:
    """The study, and the request that it answers."""

    request: SimulateRequest
    study: SimulationStudy


def simulate(
    request: SimulateRequest, *, show_progress: Callable[[Iterable[Setup]], Iterable[Setup]] = iter
) -> SimulateResult:
    """Run every simulation of a request; *show_progress* may wrap the iteration (``tqdm``).

    Reference: Peyrard, Zhao, Eger and West (2021), Better than Average, section 4 and figure 3.

    >>> result = simulate(SimulateRequest(Grid((1,), (0.0,), (5,), (200,), 20)))
    >>> bool(result.study.taus.mean() > 0.5)
    True
    """
    study = run_simulations(
        request.grid, recipe=RECIPES[request.recipe], seed=request.seed, show_progress=show_progress
    )
    return SimulateResult(request, study)
