"""The synthetic study from Python: a request in, a study out."""

import numpy as np
import pytest

from monge.comparison.simulation import Grid, run_simulations
from monge.errors import OptionError
from monge.workflows.simulate import SimulateRequest, simulate

SMALL = Grid((1, 3), (0.0,), (4,), (20,), 2)


def test_a_request_gives_the_study_it_describes() -> None:
    request = SimulateRequest(SMALL, seed=5)
    result = simulate(request)
    assert result.request is request
    assert np.array_equal(result.study.taus, run_simulations(SMALL, seed=5).taus)
    other = simulate(SimulateRequest(SMALL, recipe="paper", seed=5))
    assert not np.array_equal(result.study.taus, other.study.taus)


def test_progress_sees_every_simulation() -> None:
    seen = []

    def show_progress(setups):
        for setup in setups:
            seen.append(setup)
            yield setup

    assert simulate(SimulateRequest(SMALL), show_progress=show_progress).study.setups == tuple(seen)


def test_requests_are_checked() -> None:
    with pytest.raises(OptionError, match=r"no recipe 'papers'.*paper"):
        SimulateRequest(recipe="papers")
    with pytest.raises(OptionError, match="seed must be at least 0, not -1"):
        SimulateRequest(seed=-1)
