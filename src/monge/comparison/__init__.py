"""Which system is better, and how certain that is."""

from monge.comparison.bradley_terry import BradleyTerry, fit_bradley_terry
from monge.comparison.compare import Comparison, PairResult, compare_systems
from monge.comparison.corpus import CorpusComparison, CorpusSums, compare_corpora
from monge.comparison.metrics_agreement import CombinedVerdict, MetricAgreement, combine_metrics, describe_verdict
from monge.comparison.ranking import MECHANISMS, Ranking
from monge.comparison.settings import CompareSettings
from monge.comparison.significance import CORRECTIONS, TESTS
from monge.comparison.verdict import Findings, describe_pair, explain_comparison

__all__ = [
    "CORRECTIONS",
    "MECHANISMS",
    "TESTS",
    "BradleyTerry",
    "CombinedVerdict",
    "CompareSettings",
    "Comparison",
    "CorpusComparison",
    "CorpusSums",
    "Findings",
    "MetricAgreement",
    "PairResult",
    "Ranking",
    "combine_metrics",
    "compare_corpora",
    "compare_systems",
    "describe_pair",
    "describe_verdict",
    "explain_comparison",
    "fit_bradley_terry",
]
