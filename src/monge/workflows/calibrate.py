"""Measuring what unrelated texts score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.metrics.base import bind_to
from monge.metrics.transport.baseline import Baseline
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.variants import MetricVariant
from monge.text import Segment
from monge.workflows.inputs import require_transport
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
    """Return the baseline of the metric: its mean parts over random pairs of different texts."""
    environment = environment or Environment.read()
    loaded = [variant.load(environment) for variant in request.metrics]
    metric = require_transport(loaded, "calibrate", "bertscore")
    return measure_baseline(metric, request.texts, pairs=request.pairs, seed=request.seed)


def measure_baseline(
    metric: TransportMetric, texts: Sequence[str], *, pairs: int = 10_000, seed: int = 12345
) -> Baseline:
    """Return the mean parts of *metric* over random pairs of different texts (Zhang et al. 2020, rescaling)."""
    if metric.settings.readout.kind == "distance":
        raise OptionError(f"{metric.spec.name} is a distance and cannot be rescaled")
    different = list(dict.fromkeys(text for text in texts if text.strip()))
    count = len(different)
    if count < 2:
        raise InputError("a baseline needs at least two different texts")
    chosen = np.random.default_rng(seed).choice(count * (count - 1), min(pairs, count * (count - 1)), replace=False)
    first = chosen // (count - 1)
    second = (first + 1 + chosen % (count - 1)) % count  # every ordered pair of different texts at most once
    segments = [
        Segment(different[i], (different[j],), different[j])
        for i, j in zip(first.tolist(), second.tolist(), strict=True)
    ]
    bound = bind_to(metric, segments)
    scores = bound.score(segments)
    parts = {
        name: float(np.mean([score.parts[name] for score in scores])) for name in scores[0].parts if name != "distance"
    }
    return Baseline(str(bound.signature), parts, len(segments))
