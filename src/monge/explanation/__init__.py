"""Why a score is what it is: additive, local and global explanations, and what a metric misses."""

from monge.explanation.additive import explain_score, explain_segments
from monge.explanation.local import (
    LOCAL_METHODS,
    LocalExplanation,
    WordEffect,
    explain_by_shares,
    explain_occlusion,
    occlude_words,
    occlusion_variants,
    sample_shapley,
)
from monge.explanation.plausibility import Plausibility, measure_plausibility
from monge.explanation.result import ExplainedPair, ExplainedPlan, ExplainedText, Explanation, Flow, Word
from monge.explanation.stress import AttackResult, Rate, StressResult, own_pairs, prefer_paraphrases, run_stress

__all__ = [
    "LOCAL_METHODS",
    "AttackResult",
    "ExplainedPair",
    "ExplainedPlan",
    "ExplainedText",
    "Explanation",
    "Flow",
    "LocalExplanation",
    "Plausibility",
    "Rate",
    "StressResult",
    "Word",
    "WordEffect",
    "explain_by_shares",
    "explain_occlusion",
    "explain_score",
    "explain_segments",
    "measure_plausibility",
    "occlude_words",
    "occlusion_variants",
    "own_pairs",
    "prefer_paraphrases",
    "run_stress",
    "sample_shapley",
]
