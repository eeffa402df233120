"""Why a score is what it is: additive, local and global explanations, and what a metric misses."""

from monge.explanation.additive import explain_score, explain_segments
from monge.explanation.faithfulness import DeletionCurve, delete_words
from monge.explanation.lime import fit_lime
from monge.explanation.local import (
    LocalExplanation,
    WordEffect,
    explain_by_shares,
    explain_occlusion,
    occlude_words,
    occlusion_variants,
    sample_shapley,
)
from monge.explanation.methods import LOCAL_METHODS
from monge.explanation.plausibility import Plausibility, measure_plausibility
from monge.explanation.result import ExplainedPair, ExplainedPlan, ExplainedText, Explanation, Flow, Word
from monge.explanation.stress import AttackResult, Rate, StressResult, own_pairs, run_stress
from monge.explanation.triples import score_triples
from monge.explanation.verbal import describe_loss

__all__ = [
    "LOCAL_METHODS",
    "AttackResult",
    "DeletionCurve",
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
    "delete_words",
    "describe_loss",
    "explain_by_shares",
    "explain_occlusion",
    "explain_score",
    "explain_segments",
    "fit_lime",
    "measure_plausibility",
    "occlude_words",
    "occlusion_variants",
    "own_pairs",
    "run_stress",
    "sample_shapley",
    "score_triples",
]
