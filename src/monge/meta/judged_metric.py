"""One metric's scores beside the judgments, arranged for one level."""

from __future__ import annotations

from dataclasses import dataclass

from monge.meta.correlation import Array
from monge.meta.judged import JudgedScores
from monge.meta.levels import Arrangement, Draw, Sample


@dataclass(frozen=True, eq=False)
class JudgedMetric:
    """Tables (systems, segments) of judgments and of one metric; ``metric`` may carry leading axes (swapped copies)."""

    arrangement: Arrangement
    human: Array
    metric: Array
    human_totals: Array | None = None
    metric_totals: Array | None = None

    def samples(self, draw: Draw) -> tuple[Sample, Sample]:
        """Return the judgments and the metric's scores as samples."""
        return (
            self.arrangement.arrange(self.human, draw, totals=self.human_totals),
            self.arrangement.arrange(self.metric, draw, totals=self.metric_totals),
        )


def select_metric(scores: JudgedScores, metric: str, arrangement: Arrangement) -> JudgedMetric:
    """Return *metric* of *scores* beside the judgments."""
    totals = scores.metric_totals.get(metric)
    return JudgedMetric(arrangement, scores.human, scores.metrics[metric], scores.human_totals, totals)
