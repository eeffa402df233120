"""How unstable one score is: over references, over layers, and with some words left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from monge.metrics.base import bind_to
from monge.metrics.protocols import Metric
from monge.text import Segment, word_spans

Floats = NDArray[np.float64]
LayerScales = Mapping[int, tuple[float, float]]  # mean and deviation of scores by layer, the metric's own first
DROPPED = 0.15  # share of words left out
DRAWS = 8
_LAYER_STEPS = (-2, -1, 1, 2)  # neighbours of the metric's own layer


def spread_over_references(metric: Metric, segments: Sequence[Segment]) -> Floats:
    """Return the standard deviation of the scores against each single reference; NaN where there is only one."""
    singles = [replace(s, references=(r,)) for s in segments if len(s.references) > 1 for r in s.references]
    values = iter([score.value for score in metric.score(singles)] if singles else [])
    found = []
    for segment in segments:
        own = [next(values) for _ in segment.references] if len(segment.references) > 1 else []
        found.append(_deviation(own))
    return np.array(found)


def spread_over_words(metric: Metric, segments: Sequence[Segment], *, seed: int = 12345) -> Floats:
    """Return the standard deviation of the scores of hypotheses with 15 % of their words left out, eight times."""
    rng = np.random.default_rng(seed)
    variants = [_drop(segment, rng) for segment in segments for _ in range(DRAWS)]
    values = np.array([score.value for score in metric.score(variants)]).reshape(len(segments), DRAWS)
    return np.array([_deviation(row.tolist()) for row in values])


def scale_layers(load: Callable[[int], Metric], layer: int, layers: int, segments: Sequence[Segment]) -> LayerScales:
    """Return mean and deviation of the scores at *layer*, the metric's own, and at its neighbours among *layers*.

    *load* gives the metric at a layer. Scores of different layers lie on different scales; these numbers join them.
    """
    near = [layer, *(layer + step for step in _LAYER_STEPS if 0 <= layer + step < layers)]
    found = {}
    for one in near:
        values = _values(load(one), segments)
        found[one] = (float(np.nanmean(values)), float(np.nanstd(values)) or 1.0)
    return found


def spread_over_layers(load: Callable[[int], Metric], scales: LayerScales, segments: Sequence[Segment]) -> Floats:
    """Return the standard deviation of scores at the layers of *scales*, all brought to the scale of the first."""
    mean, deviation = next(iter(scales.values()))
    rows = [
        mean + deviation * (_values(load(layer), segments) - own_mean) / own_deviation
        for layer, (own_mean, own_deviation) in scales.items()
    ]
    return np.asarray(np.std(rows, axis=0)) if len(rows) > 1 else np.full(len(segments), np.nan)


def measure_spreads(metric: Metric, segments: Sequence[Segment]) -> dict[str, Floats]:
    """Return σ of every score over references and over words left out, where these exist for the texts."""
    found = {"references": spread_over_references(metric, segments), "words": spread_over_words(metric, segments)}
    return {name: values for name, values in found.items() if np.isfinite(values).any()}


def _values(metric: Metric, segments: Sequence[Segment]) -> Floats:
    return np.array([score.value for score in bind_to(metric, segments).score(segments)])


def _drop(segment: Segment, rng: np.random.Generator) -> Segment:
    spans = word_spans(segment.hypothesis)
    if len(spans) < 2:
        return segment
    left_out = set(rng.permutation(len(spans))[: max(1, round(DROPPED * len(spans)))].tolist())
    pieces, reached = [], 0
    for i, (_, end) in enumerate(spans):
        if i not in left_out:
            pieces.append(segment.hypothesis[reached:end])
        reached = end
    return replace(segment, hypothesis="".join(pieces).strip())


def _deviation(values: Sequence[float]) -> float:
    known = [value for value in values if math.isfinite(value)]
    return float(np.std(known)) if len(known) > 1 else math.nan
