"""Weighted point clouds: the vectors of a text as points with mass (filters, weights, n-grams, re-mapping)."""

from monge.clouds.build import CloudRecipe, join_clouds
from monge.clouds.cloud import PointCloud
from monge.clouds.filters import FILTERS, parse_filters
from monge.clouds.remap import IDENTITY, Remapping
from monge.clouds.weights import WEIGHTINGS, IdfModel

__all__ = [
    "ALGORITHM",
    "FILTERS",
    "IDENTITY",
    "WEIGHTINGS",
    "CloudRecipe",
    "IdfModel",
    "PointCloud",
    "Remapping",
    "join_clouds",
    "parse_filters",
]

ALGORITHM = 2  # raise it when clouds change on purpose: stored scores are keyed by it
