"""Sets of human judgments: readers by format, the public sets by name."""

from monge.meta.data.catalog import CATALOG, DataSpec, find_data
from monge.meta.data.judged_set import JudgedSet, make_judged_set, tabulate
from monge.meta.data.named_columns import read_named_columns
from monge.meta.data.score_files import MetricScores, read_scores

__all__ = [
    "CATALOG",
    "DataSpec",
    "JudgedSet",
    "MetricScores",
    "find_data",
    "make_judged_set",
    "read_named_columns",
    "read_scores",
    "tabulate",
]
