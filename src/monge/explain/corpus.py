"""Corpus statistics when there is hardly a corpus."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from monge.metrics.base import Metric
from monge.metrics.transport_metric import TransportMetric
from monge.text import Segment

SMALLEST_CORPUS = 2  # segments with different references; idf of one gives weight to nothing but mismatches


def fit_on(metric: Metric, corpus: Sequence[Segment]) -> tuple[Metric, tuple[str, ...]]:
    """Return the metric fitted on *corpus*, and what had to be said about that.

    A metric that weighs words by idf cannot learn it from one pair of texts: its weights become uniform.
    """
    if metric.fitted:
        return metric, ()
    texts = {segment.references for segment in corpus}
    learns_idf = isinstance(metric, TransportMetric) and metric.settings.weighting != "uniform"
    if not learns_idf or len(texts) >= SMALLEST_CORPUS:
        return metric.fit(corpus), ()
    assert isinstance(metric, TransportMetric)
    plain = dataclasses.replace(metric, settings=metric.settings.replace({"weighting": "uniform"}))
    note = f"{metric.settings.weighting} cannot be learnt from one segment: uniform weights"
    return (plain if plain.fitted else plain.fit(corpus)), (note,)
