"""Problems for the transport tests, from tame to degenerate."""

import numpy as np
from hypothesis import strategies as st

from monge.transport import TransportProblem

INF = np.inf


def random_masses(rng: np.random.Generator, size: int) -> np.ndarray:
    """Masses that sum to 1: uniform, ragged, with zeros, or nearly all in one point."""
    kind = rng.integers(4)
    masses = np.ones(size) if kind == 0 else rng.random(size) + 1e-3
    if kind == 2:
        masses[rng.random(size) < 0.4] = 0.0
        masses[rng.integers(size)] = 1.0
    if kind == 3:
        masses = 1e-9 * masses
        masses[rng.integers(size)] = 1.0
    return masses / masses.sum()


def random_cost(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Costs that are plain, tied, all equal, or distances of points of which some coincide."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.random((n, m))
    if kind == 1:
        return rng.integers(0, 3, (n, m)).astype(float)
    if kind == 2:
        return np.full((n, m), rng.random())
    points = rng.normal(size=(max(n, m), 2))
    return np.abs(points[:n, None] - points[None, :m]).sum(2)


def random_problem(rng: np.random.Generator, rho_a: float, rho_b: float, largest: int = 8) -> TransportProblem:
    n, m = rng.integers(1, largest + 1, 2)
    return TransportProblem(random_cost(rng, n, m), random_masses(rng, n), random_masses(rng, m), rho_a, rho_b)


@st.composite
def problems(draw: st.DrawFn, rho_a: float = INF, rho_b: float = INF, square: bool = False) -> TransportProblem:
    """Small problems with many ties and zero masses, which hypothesis can shrink."""
    n = draw(st.integers(1, 6))
    m = n if square else draw(st.integers(1, 6))
    costs = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 2))
    masses = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(1e-3, 1))
    cost = draw(st.lists(costs, min_size=n * m, max_size=n * m))
    a = np.array(draw(st.lists(masses, min_size=n, max_size=n).filter(any)))
    b = np.array(draw(st.lists(masses, min_size=m, max_size=m).filter(any)))
    return TransportProblem(np.array(cost).reshape(n, m), a / a.sum(), b / b.sum(), rho_a, rho_b)
