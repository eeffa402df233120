"""Agreement of metrics with human judgments."""

from monge.meta.agreement import Agreement, Resampling, average_agreement, measure_agreement
from monge.meta.judged import JudgedScores, pair_scores
from monge.meta.levels import LEVELS
from monge.meta.significance import (
    MetricRanking,
    bootstrap_pairs,
    permutation_pairs,
    rank_metrics,
    williams,
    williams_pairs,
)
from monge.meta.statistics import STATISTICS, Statistic, find_statistic
from monge.meta.study import AgreementPlan, AgreementStudy, study_agreement

__all__ = [
    "LEVELS",
    "STATISTICS",
    "Agreement",
    "AgreementPlan",
    "AgreementStudy",
    "JudgedScores",
    "MetricRanking",
    "Resampling",
    "Statistic",
    "average_agreement",
    "bootstrap_pairs",
    "find_statistic",
    "measure_agreement",
    "pair_scores",
    "permutation_pairs",
    "rank_metrics",
    "study_agreement",
    "williams",
    "williams_pairs",
]
