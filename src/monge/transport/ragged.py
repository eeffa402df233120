"""Many point clouds in one block of memory, and the setting in which pairs of them are transported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError, OptionError, suggest
from monge.transport.problem import LARGEST_COST, SMALLEST_MASS

CostName = Literal["euclidean", "sqeuclidean", "cosine", "position"]
RegulariserName = Literal["entropy", "kl"]


@dataclass(frozen=True, eq=False)
class RaggedClouds:
    """K clouds laid end to end: cloud k has points ``points[offsets[k]:offsets[k+1]]`` and masses alike.

    ``points`` is (N, d) float32, ``weights`` (N,) float64, ``offsets`` (K+1,) int64. ``positions`` (N,), from 0 to 1,
    say where in its text each point is, for the cost ``position``; without them point i of a cloud of n is at i/n.

    >>> clouds = RaggedClouds.from_clouds([np.eye(2), np.ones((1, 2))], [np.full(2, 0.5), np.ones(1)])
    >>> len(clouds), clouds.offsets.tolist()
    (2, [0, 2, 3])
    """

    points: NDArray[np.float32]
    weights: NDArray[np.float64]
    offsets: NDArray[np.int64]
    positions: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", np.ascontiguousarray(self.points, dtype=np.float32))
        object.__setattr__(self, "weights", np.ascontiguousarray(self.weights, dtype=np.float64))
        object.__setattr__(self, "offsets", np.ascontiguousarray(self.offsets, dtype=np.int64))
        if self.points.ndim != 2 or self.points.shape[1] == 0 or self.weights.shape != self.points.shape[:1]:
            raise InputError(f"points {self.points.shape} and masses {self.weights.shape} do not make clouds")
        if self.positions is not None:
            object.__setattr__(self, "positions", check_positions(self.positions, len(self.points)))
        ends, total = self.offsets, len(self.points)
        if ends.ndim != 1 or ends.size == 0 or ends[0] != 0 or ends[-1] != total or (np.diff(ends) < 0).any():
            raise InputError(f"cloud offsets must rise from 0 to the number of points, {total}")
        if not np.isfinite(self.points).all():
            bad = np.array([not np.isfinite(point).all() for point in self.points])
            raise InputError(f"cloud {self._cloud_with(bad)} has NaN or infinite points")
        bad = ~((self.weights >= 0) & (self.weights <= LARGEST_COST))
        if bad.any():
            raise InputError(f"cloud {self._cloud_with(bad)} has a NaN, infinite, negative or huge mass")
        small = (self.masses > 0) & (self.masses < SMALLEST_MASS)
        if small.any():
            k = int(small.argmax())
            raise InputError(
                f"cloud {k}: a total mass of {self.masses[k]} is too small (at least {SMALLEST_MASS}, or 0)"
            )

    def __len__(self) -> int:
        return self.offsets.size - 1

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of points of each cloud (K,)."""
        return np.diff(self.offsets)

    @cached_property
    def masses(self) -> NDArray[np.float64]:
        """Total mass of each cloud (K,)."""
        filled = self.sizes > 0
        masses = np.zeros(len(self))
        if filled.any():
            masses[filled] = np.add.reduceat(self.weights, self.offsets[:-1][filled])
        return masses

    def _cloud_with(self, bad: NDArray[np.bool_]) -> int:
        """Number of the cloud that holds the first marked point."""
        return int(np.searchsorted(self.offsets, int(bad.argmax()), side="right")) - 1

    @classmethod
    def from_clouds(
        cls,
        points: Sequence[NDArray[np.floating]],
        weights: Sequence[NDArray[np.floating]],
        positions: Sequence[NDArray[np.floating]] | None = None,
    ) -> RaggedClouds:
        """Lay clouds with points (n_k, d), masses (n_k,) and, if the cost needs them, positions (n_k,) end to end."""
        if len(points) != len(weights):
            raise InputError(f"{len(points)} clouds need as many mass vectors, not {len(weights)}")
        if not points:
            raise InputError("no clouds were given")
        if len({cloud.shape[1:] for cloud in points}) != 1:
            raise InputError(f"clouds differ in dimension: {sorted({cloud.shape[1:] for cloud in points})}")
        for k, (cloud, mass) in enumerate(zip(points, weights, strict=True)):
            if cloud.ndim != 2 or mass.shape != cloud.shape[:1]:
                raise InputError(f"cloud {k}: points {cloud.shape} do not fit masses {mass.shape}")
        offsets = np.concatenate([[0], np.cumsum([len(cloud) for cloud in points])])
        where = None if positions is None else np.concatenate(positions).astype(np.float64)
        return cls(np.concatenate(points).astype(np.float32, copy=False), np.concatenate(weights), offsets, where)


@dataclass(frozen=True)
class TransportSetting:
    """What every pair of a batch has in common.

    Parameters
    ----------
    cost
        The cost C of a pair of points; see :func:`cost_matrix`.
    order
        p of the transported cost C^p and of the result (<C^p, P*>)^{1/p}, which is in the unit of C: Wasserstein's
        distance W_p when both marginals hold (Villani 2009, Def. 6.1). With p > 1 a few far points weigh more than
        many near ones.
    rho_a, rho_b
        Penalties of leaving a marginal, in the unit of C^p; see :class:`TransportProblem`.
    epsilon, regulariser
        Weight and kind of the regularisation; see :func:`solve_unbalanced`.
    """

    cost: CostName = "euclidean"
    _: KW_ONLY
    order: float = 1.0
    rho_a: float = np.inf
    rho_b: float = np.inf
    epsilon: float = 0.0
    regulariser: RegulariserName = "entropy"

    def __post_init__(self) -> None:
        check_name(self.cost, get_args(CostName), "cost")
        if not 0 < self.order < np.inf:
            raise OptionError(f"the order of transport must be positive and finite, not {self.order}")
        check_regularisation(self.epsilon, self.regulariser)
        if not (self.rho_a >= 0 and self.rho_b >= 0):
            raise OptionError(f"marginal penalties must be in [0, inf], not ({self.rho_a}, {self.rho_b})")


@dataclass(frozen=True, eq=False)
class BatchSolution:
    """Solutions of P pairs: ``costs`` (<C^p,P*>)^{1/p}, transported ``masses``, ``iterations``, ``converged``.

    Each is (P,); p is the order of the setting.

    ``couplings[p]`` is the plan (n_p, m_p) of pair p when couplings were kept, else ``couplings`` is None.
    """

    costs: NDArray[np.float64]
    masses: NDArray[np.float64]
    iterations: NDArray[np.int64]
    converged: NDArray[np.bool_]
    couplings: tuple[NDArray[np.float64], ...] | None = None

    def __len__(self) -> int:
        return self.costs.size

    def replaced(self, pairs: NDArray[np.int64], others: BatchSolution) -> BatchSolution:
        """Return these solutions, with *others* instead of those with the numbers *pairs*."""
        columns = []
        for name in ("costs", "masses", "iterations", "converged"):
            column = getattr(self, name).copy()
            column[pairs] = getattr(others, name)
            columns.append(column)
        couplings = None
        if self.couplings is not None and others.couplings is not None:
            fresh = dict(zip(pairs.tolist(), others.couplings, strict=True))
            couplings = tuple(fresh.get(i, coupling) for i, coupling in enumerate(self.couplings))
        return BatchSolution(columns[0], columns[1], columns[2], columns[3], couplings)


def check_positions(positions: NDArray[np.floating], count: int) -> NDArray[np.float64]:
    """Return the positions of *count* points as float64; refuse another number of them, or one outside [0, 1]."""
    checked = np.ascontiguousarray(positions, dtype=np.float64)
    if checked.shape != (count,) or not ((checked >= 0) & (checked <= 1)).all():
        raise InputError(f"{count} points need as many positions between 0 and 1, not an array {checked.shape}")
    return checked


def check_name(name: str, known: Sequence[str], what: str) -> None:
    """Refuse an unknown name of a *what*."""
    if name not in known:
        raise OptionError(f"unknown {what} '{name}'{suggest(name, known)}; known: {', '.join(known)}")


def check_regularisation(epsilon: float, regulariser: str) -> None:
    """Refuse an epsilon outside [0, inf) or an unknown regulariser."""
    check_name(regulariser, get_args(RegulariserName), "regulariser")
    if not 0 <= epsilon < np.inf:
        raise OptionError(f"epsilon must be in [0, inf), not {epsilon}")
