"""How a user wants agreement measured: what is left open is what the field reports for the data."""

from __future__ import annotations

from dataclasses import dataclass

from monge.meta import AgreementPlan, Resampling, find_statistic
from monge.meta.ranked import RANKED_THRESHOLD
from monge.workflows.judged_data import JudgedData


@dataclass(frozen=True)
class AgreementOptions:
    """How agreement is measured and tested.

    Parameters
    ----------
    statistics
        Names of statistics; the first one decides. None given: what the field reports for the data.
    level
        segment, item, by-system, summary or system; None: what the field reports for the data.
    threshold
        The judgment difference from which tau-like counts a pair.
    resample, draws, confidence
        What the bootstrap draws (segments, systems or both), how often, and the confidence of the intervals.
    test, correction, alpha
        The test between metrics, the correction for the number of pairs, and the level of significance.
    seed
        The seed of every random draw.
    """

    statistics: tuple[str, ...] = ()
    level: str | None = None
    threshold: float | None = None
    resample: str = "segments"
    draws: int = 1000
    confidence: float = 0.95
    test: str = "auto"
    correction: str = "holm"
    alpha: float = 0.05
    seed: int = 0

    def plans(self, data: JudgedData) -> tuple[AgreementPlan, ...]:
        """Return one plan per statistic, with what is open filled in for *data*."""
        ranked, spec = data.is_ranking or data.is_preference, data.spec
        level = self.level or ("item" if ranked else spec.level if spec else "segment")
        usual = "tau-like" if ranked else spec.statistic if spec else "pearson"
        threshold = RANKED_THRESHOLD if ranked and self.threshold is None else self.threshold
        resampling = Resampling(self.resample, self.draws, self.seed, self.confidence)
        return tuple(
            AgreementPlan(
                find_statistic(name, threshold=threshold if name == "tau-like" else None),
                level,
                resampling,
                self.test,
                self.correction,
                self.alpha,
            )
            for name in self.statistics or (usual,)
        )
