"""Which system is better, and how certain that is."""

from monge.compare.bradley_terry import BradleyTerry, fit_bradley_terry
from monge.compare.comparison import Comparison, PairResult, compare_systems
from monge.compare.corpus import CorpusComparison, CorpusSums, compare_corpora
from monge.compare.metrics_agreement import CombinedVerdict, MetricAgreement, combine_metrics, describe_verdict
from monge.compare.ranking import MECHANISMS, Ranking
from monge.compare.settings import CompareSettings
from monge.compare.significance import CORRECTIONS, TESTS
from monge.compare.verdict import Findings, describe_pair, explain_comparison

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
