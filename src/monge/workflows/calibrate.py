"""Measuring what unrelated texts score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from monge.errors import OptionError
from monge.metrics.transport.baseline import Baseline
from monge.metrics.transport.metric import TransportMetric
from monge.text import Segment


def measure_baseline(
    metric: TransportMetric, texts: Sequence[str], *, pairs: int = 10_000, seed: int = 12345
) -> Baseline:
    """Return the mean parts of *metric* over random pairs of different texts (Zhang et al. 2020, rescaling)."""
    if metric.settings.readout == "distance":
        raise OptionError(f"{metric.spec.name} is a distance and cannot be rescaled")
    count = len(texts)
    chosen = np.random.default_rng(seed).choice(count * (count - 1), min(pairs, count * (count - 1)), replace=False)
    first = chosen // (count - 1)
    second = (first + 1 + chosen % (count - 1)) % count  # every ordered pair of different texts at most once
    segments = [Segment(texts[i], (texts[j],)) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    fitted = metric if metric.fitted else metric.fit(segments)
    scores = fitted.score(segments)
    parts = {
        name: float(np.mean([score.parts[name] for score in scores])) for name in scores[0].parts if name != "distance"
    }
    return Baseline(str(fitted.signature), parts, len(segments))
