"""Further looks at a comparison: the scores themselves, the tests, the test-set size, several runs, costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from monge.comparison import Comparison
from monge.comparison.budget import Budget, read_budget
from monge.comparison.profile import ScoreProfile, profile_scores
from monge.comparison.runs import RunComparison, compare_runs, group_runs
from monge.comparison.size import SizeCurve, disagree_by_size
from monge.comparison.tests_overlap import TestOverlap, overlap_tests


@dataclass(frozen=True)
class AnalysisOptions:
    """What to add to a comparison.

    ``diagnose`` adds the profile of the scores, the overlap of tests and disagreement by test-set size; ``runs`` is the
    character before the number of a run in system names (``big/1``); ``budget`` is a file of costs.
    """

    diagnose: bool = False
    runs: str = ""
    budget: str = ""
    repeats: int = 50


@dataclass(frozen=True, eq=False)
class ComparisonAnalyses:
    """What was asked for; None otherwise. ``scores`` are the systems' means, higher = better, for the budget."""

    profile: ScoreProfile | None = None
    overlap: TestOverlap | None = None
    sizes: SizeCurve | None = None
    runs: RunComparison | None = None
    budget: Budget | None = None
    scores: Mapping[str, float] | None = None

    def record(self) -> dict[str, object]:
        """Return plain JSON values of what is there."""
        found: dict[str, object] = {}
        for name in ("profile", "overlap", "sizes", "runs"):
            part = getattr(self, name)
            if part is not None:
                found[name] = part.record()
        if self.budget is not None and self.scores is not None:
            found["budget"] = {
                cost: {"costs": dict(own), "efficient": self.budget.efficient(cost, self.scores)}
                for cost, own in self.budget.costs.items()
            }
        return found


def analyse_comparison(comparison: Comparison, options: AnalysisOptions) -> ComparisonAnalyses:
    """Return the analyses that *options* ask for; raises MongeError if runs or costs cannot be read."""
    settings, scores = comparison.settings, comparison.scores
    runs = None
    if options.runs:
        groups = group_runs(comparison.table, options.runs)
        runs = compare_runs(comparison.table, groups, alpha=settings.alpha, seed=settings.seed)
    ranking = comparison.ranking("mean")
    sign = 1 if comparison.table.higher_is_better else -1
    means = {name: sign * float(ranking.values[i]) for i, name in enumerate(comparison.table.systems)}
    return ComparisonAnalyses(
        profile_scores(scores) if options.diagnose else None,
        overlap_tests(comparison.pairs, alpha=settings.alpha) if options.diagnose else None,
        disagree_by_size(scores, repeats=options.repeats, seed=settings.seed) if options.diagnose else None,
        runs,
        read_budget(options.budget) if options.budget else None,
        means,
    )
