"""Fast lower bounds of the earth mover's distance, which make it unnecessary to solve most problems exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.clouds import PointCloud
from monge.encoders.unit import unit_vectors
from monge.errors import OptionError
from monge.transport import RaggedClouds

Floats = NDArray[np.float64]

BOUNDED_COSTS = ("euclidean", "sqeuclidean", "cosine")
SAFETY = 1e-6  # relative: a bound is lowered by this much, far more than rounding in float64 can raise it


@dataclass(frozen=True, eq=False)
class BoundedClouds:
    """Clouds prepared for bounds: points as float64 (of length 1 for the cosine), and the centroid of every cloud.

    All costs are functions of D = ‖x − y‖: D itself, D², or 1 − cos = D²/2 between vectors of length 1. (The cost from
    a zero vector to any other is 1, which is more than its D²/2 = 1/2, so the bound still holds.)
    """

    cost: str
    points: Floats
    squares: Floats
    weights: Floats
    offsets: NDArray[np.int64]
    centroids: Floats
    largest: float  # of the squares

    @classmethod
    def of(cls, clouds: RaggedClouds, cost: str) -> BoundedClouds:
        """Prepare *clouds*; raises OptionError if there are no bounds for *cost*."""
        if cost not in BOUNDED_COSTS:
            raise OptionError(
                f"there are no bounds for the cost {cost!r}; it must be one of {', '.join(BOUNDED_COSTS)}"
            )
        points = clouds.points.astype(np.float64)
        if cost == "cosine":
            points = unit_vectors(points)
        centroids = np.add.reduceat(points * clouds.weights[:, None], clouds.offsets[:-1], axis=0)
        squares = np.sum(points**2, axis=1)
        return cls(cost, points, squares, clouds.weights, clouds.offsets, centroids, float(squares.max()))

    def centroid_bounds(self, query: BoundedClouds) -> Floats:
        """Return the distance (K,) of the centroids to that of the one cloud of *query*.

        No plan costs less, because moving mass moves the centroid with it (word centroid distance; Kusner et al. 2015,
        §4).
        """
        squares = np.sum((self.centroids - query.centroids[0]) ** 2, axis=1)
        return self._lowered(self._cost(squares), query)

    def relaxed_bounds(self, query: BoundedClouds, chosen: NDArray[np.int64]) -> Floats:
        """Return the larger of the two one-sided costs between each *chosen* cloud and the one cloud of *query*.

        Dropping a marginal constraint never raises the cost of transport (relaxed WMD; Kusner et al. 2015, §4).
        """
        sizes = np.diff(self.offsets)[chosen]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        rows = np.repeat(self.offsets[chosen] - starts, sizes) + np.arange(sizes.sum())
        squares = self.squares[rows, None] + query.squares - 2 * (self.points[rows] @ query.points.T)
        costs = self._cost(np.maximum(squares, 0.0))
        to_query = np.add.reduceat(self.weights[rows] * costs.min(axis=1), starts)
        from_query = np.minimum.reduceat(costs, starts, axis=0) @ query.weights
        return self._lowered(np.maximum(to_query, from_query), query)

    def _cost(self, squares: Floats) -> Floats:
        if self.cost == "euclidean":
            return np.sqrt(squares)
        return squares if self.cost == "sqeuclidean" else squares / 2

    def _lowered(self, bounds: Floats, query: BoundedClouds) -> Floats:
        scale = float(self._cost(np.array([max(self.largest, query.largest)]))[0])
        return bounds - SAFETY * (bounds + scale)


def lay_out(clouds: Sequence[PointCloud]) -> RaggedClouds:
    """Return clouds concatenated, in the form that solvers take."""
    return RaggedClouds.from_clouds([cloud.points for cloud in clouds], [cloud.weights for cloud in clouds])
