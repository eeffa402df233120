"""How far a single score can be trusted, and when two outputs cannot be told apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.explanation.spread import LayerScales, measure_spreads, scale_layers, spread_over_layers
from monge.meta.confidence import CONSTANT, ConfidenceStudy, ScoreConfidence, study_confidence
from monge.metrics.base import bind_to, sign_scores
from monge.metrics.protocols import Metric
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.variants import MetricVariant, parse_variant
from monge.scores import Signature
from monge.text import Segment
from monge.workflows.explain import ExplainRequest
from monge.workflows.explain_global import JudgedOutputs
from monge.workflows.judged_data import JudgedData, Source, read_judged_sets

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ConfidenceRequest:
    """Judged outputs, one metric, the coverage that its intervals should have, and the seed of the division."""

    data: JudgedData
    metric: MetricVariant
    level: float = 0.9
    seed: int = 0


def run_confidence(request: ConfidenceRequest, *, environment: Environment | None = None) -> ConfidenceStudy:
    """Calibrate intervals of single scores on judged outputs and choose their source by the interval score."""
    environment = environment or Environment.read()
    sets = read_judged_sets(request.data, environment=environment, seed=request.seed)
    values, human, parts = [], [], []
    signature, scales = "", list[LayerScales]()
    for judged in sets:
        outputs = JudgedOutputs.of(judged)
        metric = bind_to(request.metric.load(environment), outputs.segments)
        signature = str(sign_scores(metric, outputs.segments))
        own = np.array([score.value for score in metric.score(outputs.segments)])
        values.append(-own if metric.spec.higher_is_better is False else own)
        human.append(_rank_within(outputs.human))
        spreads = measure_spreads(metric, outputs.segments)
        place = _find_layer(metric)
        if place is not None:
            load = _layer_loader(request.metric, environment)
            scales.append(scale_layers(load, *place, outputs.segments))
            spreads["layers"] = spread_over_layers(load, scales[-1], outputs.segments)
        parts.append(spreads)
    scores, judgments = np.concatenate(values), np.concatenate(human)
    shared = [name for name in parts[0] if all(name in part for part in parts)]
    kept = np.isfinite(scores)
    joined = {name: np.concatenate([part[name] for part in parts])[kept] for name in shared}
    fitted, found = study_confidence(scores[kept], judgments[kept], joined, level=request.level, seed=request.seed)
    if not found:
        raise InputError(f"{request.data.name}: no interval can be calibrated")
    best = found[0].source
    factor, offset = fitted[best]
    layers = _average_scales(scales) if best == "layers" else {}
    named = (request.metric.label, signature, best, request.level)
    chosen = ScoreConfidence(*named, factor, offset, request.data.name, layers)
    return ConfidenceStudy(chosen, tuple(found), int(kept.sum()))


def confidence(
    data: Source, metric: str, *, level: float = 0.9, sample: int | None = None, environment: Environment | None = None
) -> ConfidenceStudy:
    """Calibrate intervals of one metric's single scores; *data* and *metric* are as for ``monge.correlate``.

    Raises MongeError if the data cannot be read or are too few.
    """
    request = ConfidenceRequest(JudgedData(data, sample=sample), parse_variant(metric), level)
    return run_confidence(request, environment=environment)


@dataclass(frozen=True)
class ScoreInterval:
    """One score with its interval."""

    system: str
    value: float
    low: float
    high: float
    spread: float


def find_intervals(
    confidence: ScoreConfidence,
    variant: MetricVariant,
    metric: Metric,
    segments: Sequence[Segment],
    *,
    environment: Environment,
) -> list[ScoreInterval]:
    """Return the intervals of scores of *segments*; raises OptionError if they were calibrated for another metric."""
    theirs, ours = (Signature.parse(text) for text in (confidence.signature, str(sign_scores(metric, segments))))
    for field in ("metric", "encoder", "layers", "readout"):
        if theirs.fields.get(field) != ours.fields.get(field):
            raise OptionError(
                f"the interval was calibrated for {field} {theirs.fields.get(field)}, not {ours.fields.get(field)}"
            )
    values = [score.value for score in metric.score(segments)]
    spreads = np.zeros(len(segments))
    if confidence.source == "layers":
        own = {int(layer): (numbers[0], numbers[1]) for layer, numbers in confidence.layers.items()}
        spreads = spread_over_layers(_layer_loader(variant, environment), own, segments)
    elif confidence.source != CONSTANT:
        spreads = measure_spreads(metric, segments).get(confidence.source, np.full(len(segments), np.nan))
    spreads = np.nan_to_num(spreads, nan=confidence.offset)
    halves = [confidence.half_width(float(spread)) for spread in spreads]
    return [
        ScoreInterval(s.system, v, v - h, v + h, float(spread))
        for s, v, h, spread in zip(segments, values, halves, spreads, strict=True)
    ]


def explain_intervals(path: str, request: ExplainRequest, *, environment: Environment | None = None) -> list[str]:
    """Return, for the segments of *request*, their intervals by the file *path* as sentences.

    Raises OptionError unless *request* has one metric, the one that was calibrated.
    """
    if len(request.metrics) != 1:
        raise OptionError("an interval belongs to one metric: name it alone")
    environment = environment or Environment.read()
    known, variant = ScoreConfidence.load(path), request.metrics[0]
    metric = bind_to(variant.load(environment), [s for one in request.segments for s in one.corpus])
    segments = [one.segment for one in request.segments]
    return describe_intervals(known, find_intervals(known, variant, metric, segments, environment=environment))


def describe_intervals(confidence: ScoreConfidence, intervals: Sequence[ScoreInterval]) -> list[str]:
    """Return what the intervals mean: each of them, and which differences are too small to decide anything."""
    level = f"{confidence.level:.0%}"
    sentences = [
        f"{one.system + ': ' if one.system else ''}{one.value:.4f}, {level} interval [{one.low:.4f}, {one.high:.4f}]"
        for one in intervals
    ]
    for i, first in enumerate(intervals):
        for second in intervals[i + 1 :]:
            if not confidence.decides(first.value, second.value, (first.spread, second.spread)):
                sentences.append(
                    f"{first.system} and {second.system} differ by {abs(first.value - second.value):.4f} here, less "
                    "than these two scores may be wrong: this segment alone decides nothing"
                )
    return sentences


def _rank_within(human: Floats) -> Floats:
    """Return judgments as levels within their set, so that sets with different scales can be pooled."""
    order = np.argsort(np.argsort(human, kind="stable"), kind="stable").astype(np.float64)
    for value in np.unique(human):
        order[human == value] = order[human == value].mean()
    return order / max(1, len(human) - 1)


def _average_scales(scales: Sequence[LayerScales]) -> dict[str, list[float]]:
    """Return mean and deviation of scores by layer, averaged over sets."""
    return {str(layer): np.mean([one[layer] for one in scales], axis=0).tolist() for layer in scales[0]}


def _find_layer(metric: Metric) -> tuple[int, int] | None:
    """Return the one layer that a metric reads and how many its encoder has; None for other metrics."""
    if not isinstance(metric, TransportMetric) or len(metric.hypothesis.layers) != 1 or metric.encoder.layers < 2:
        return None
    return metric.hypothesis.layers[0], metric.encoder.layers


def _layer_loader(variant: MetricVariant, environment: Environment) -> Callable[[int], Metric]:
    """Return a function that loads the metric at another layer."""

    def load(layer: int) -> Metric:
        options = {**variant.options, "layers": str(layer)}
        return MetricVariant(variant.label, variant.name, options).load(environment)

    return load
