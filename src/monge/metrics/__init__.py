"""Metrics and their registry."""

from monge.metrics.protocols import Metric, MetricSpec
from monge.metrics.registry import find_spec, load_metric, metric_options, metric_specs

__all__ = ["Metric", "MetricSpec", "find_spec", "load_metric", "metric_options", "metric_specs"]
