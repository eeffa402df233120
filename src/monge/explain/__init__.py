"""Why a score is what it is: additive, local and global explanations, and what a metric misses."""

from monge.explain.additive import LinearForm, explain_score, explain_segments, is_explainable, linearise
from monge.explain.corpus import fit_on
from monge.explain.explanation import ExplainedPair, ExplainedPlan, ExplainedText, Explanation, Flow, Word

__all__ = [
    "ExplainedPair",
    "ExplainedPlan",
    "ExplainedText",
    "Explanation",
    "Flow",
    "LinearForm",
    "Word",
    "explain_score",
    "explain_segments",
    "fit_on",
    "is_explainable",
    "linearise",
]
