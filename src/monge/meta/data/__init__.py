"""Sets of human judgments: readers by format, the public sets by name."""

from monge.meta.data.catalog import CATALOG, DataSpec, find_data
from monge.meta.data.judged_set import DOCUMENTS, HALVES, JudgedSet, count_shared_outputs, make_judged_set, tabulate
from monge.meta.data.named_columns import judge_records, read_named_columns
from monge.meta.data.score_files import FileScores, read_scores

__all__ = [
    "CATALOG",
    "DOCUMENTS",
    "HALVES",
    "DataSpec",
    "FileScores",
    "JudgedSet",
    "count_shared_outputs",
    "find_data",
    "judge_records",
    "make_judged_set",
    "read_named_columns",
    "read_scores",
    "tabulate",
]
