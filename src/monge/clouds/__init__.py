"""Weighted point clouds: filters, weights, n-grams."""

from monge.clouds.build import CloudRecipe, join_clouds
from monge.clouds.cloud import PointCloud
from monge.clouds.filters import FILTERS, parse_filters
from monge.clouds.weights import WEIGHTINGS, IdfModel

__all__ = ["FILTERS", "WEIGHTINGS", "CloudRecipe", "IdfModel", "PointCloud", "join_clouds", "parse_filters"]
