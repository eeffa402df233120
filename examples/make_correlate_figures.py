"""Draw the figure of docs/tutorial-correlate.md from examples/correlate/rated.tsv."""

from pathlib import Path

from monge.compare.significance import correct_holm
from monge.meta import Resampling, find_statistic
from monge.meta.data import read_named_columns
from monge.meta.study import StudyPlan, run_study
from monge.meta.tasks import make_tasks
from monge.metrics.variants import parse_variant
from monge.report.correlate.plots import draw_agreement, draw_significance_matrix
from monge.report.plots import save_figure
from monge.workflows.judging import score_judged_set

ROOT = Path(__file__).parent.parent
METRICS = ("bleu", "chrf", "rougel", "ter", "bertscore")


def main() -> None:
    """Score the rated outputs with five metrics and draw how they agree."""
    judged = read_named_columns(ROOT / "examples" / "correlate" / "rated.tsv")
    scores = {name: score_judged_set(parse_variant(name).load(), judged, label=name) for name in METRICS}
    tasks = make_tasks([(judged, scores)], level="segment")
    plan = StudyPlan(resampling=Resampling(count=1000))
    study = run_study(tasks, find_statistic("pearson"), plan=plan, correct=correct_holm)
    save_figure(draw_agreement(study), ROOT / "docs" / "figures" / "correlate-agreement.svg")
    save_figure(draw_significance_matrix(study), ROOT / "docs" / "figures" / "correlate-matrix.svg")


if __name__ == "__main__":
    main()
