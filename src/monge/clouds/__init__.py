"""Weighted point clouds: the vectors of a text as points with mass (filters, weights, n-grams, re-mapping)."""

from monge.clouds.batch import CloudBatch, build_clouds
from monge.clouds.build import CloudRecipe, join_clouds
from monge.clouds.cloud import MARKED_SHARE, PointCloud, are_comparable
from monge.clouds.filters import FILTERS, parse_filters
from monge.clouds.remap import IDENTITY, BatchRemapping, Remapping
from monge.clouds.weights import WEIGHTINGS, IdfModel

__all__ = [
    "ALGORITHM",
    "FILTERS",
    "IDENTITY",
    "MARKED_SHARE",
    "WEIGHTINGS",
    "BatchRemapping",
    "CloudBatch",
    "CloudRecipe",
    "IdfModel",
    "PointCloud",
    "Remapping",
    "are_comparable",
    "build_clouds",
    "join_clouds",
    "parse_filters",
]

ALGORITHM = 3  # raise it when clouds change on purpose: stored scores are keyed by it
