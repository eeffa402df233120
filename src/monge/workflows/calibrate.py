"""Measuring what unrelated texts score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.baseline import Baseline, measure_baseline
from monge.metrics.variants import MetricVariant
from monge.workflows.score import DEFAULT_METRIC


@dataclass(frozen=True)
class CalibrateRequest:
    """Texts to pair at random, the metric to calibrate, and how many pairs to score at most."""

    texts: Sequence[str]
    metrics: tuple[MetricVariant, ...] = (MetricVariant(DEFAULT_METRIC, DEFAULT_METRIC),)
    pairs: int = 10_000
    seed: int = 12345

    def __post_init__(self) -> None:
        if self.pairs < 1:
            raise OptionError(f"--pairs {self.pairs}: must be at least 1")


def run_calibrate(request: CalibrateRequest, *, environment: Environment | None = None) -> Baseline:
    """Return the baseline of the metric: what random pairs of different texts score, and what copies score."""
    environment = environment or Environment.read()
    loaded = [variant.load(environment) for variant in request.metrics]
    if len(loaded) != 1:
        raise OptionError(f"calibrate measures one metric at a time, not {len(loaded)}")
    metric = loaded[0]
    return measure_baseline(metric, request.texts, pairs=request.pairs, seed=request.seed)
