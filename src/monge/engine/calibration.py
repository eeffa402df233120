"""Measuring what unrelated texts score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from monge.errors import OptionError
from monge.metrics.baseline import Baseline
from monge.metrics.transport_metric import TransportMetric
from monge.text import Segment


def measure_baseline(
    metric: TransportMetric, texts: Sequence[str], *, pairs: int = 10_000, seed: int = 12345
) -> Baseline:
    """Return the mean parts of *metric* over random pairs of different texts (Zhang et al. 2020, rescaling)."""
    if metric.settings.readout == "distance":
        raise OptionError(f"{metric.spec.name} is a distance and cannot be rescaled")
    generator = np.random.default_rng(seed)
    first = np.arange(min(pairs, len(texts))) if pairs <= len(texts) else np.resize(np.arange(len(texts)), pairs)
    second = (first + generator.integers(1, len(texts), size=len(first))) % len(texts)
    segments = [Segment(texts[i], (texts[j],)) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    fitted = metric if metric.fitted else metric.fit(segments)
    scores = fitted.score(segments)
    parts = {
        name: float(np.mean([score.parts[name] for score in scores])) for name in scores[0].parts if name != "distance"
    }
    return Baseline(str(fitted.signature), parts, len(segments))
