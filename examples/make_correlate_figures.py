"""Draw the figures of docs/tutorial-correlate.md from examples/correlate/rated.tsv."""

from pathlib import Path

from monge.report.correlate.heatmap import draw_correlation_matrix
from monge.report.correlate.plots import draw_agreement, draw_significance_matrix
from monge.report.plots import save_figure
from monge.workflows.correlate import correlate

ROOT = Path(__file__).parent.parent
METRICS = ("bleu", "chrf", "rougel", "ter", "bertscore")


def main() -> None:
    """Score the rated outputs with five metrics and draw how they agree."""
    result = correlate(ROOT / "examples" / "correlate" / "rated.tsv", metrics=METRICS)
    study = result.study
    save_figure(draw_agreement(study), ROOT / "docs" / "figures" / "correlate-agreement.svg")
    save_figure(draw_significance_matrix(study), ROOT / "docs" / "figures" / "correlate-matrix.svg")
    found = result.intercorrelation()
    save_figure(draw_correlation_matrix(found), ROOT / "docs" / "figures" / "correlate-heatmap.svg")


if __name__ == "__main__":
    main()
