"""Draw the figures of docs/tutorial-compare.md, and write its example scores to examples/compare/scores.tsv.

The scores are made up: 240 instances, a baseline, a changed system that is a little better on most of them but left
seven answers empty, and an older system. Everything is seeded, so that running this again changes nothing.
"""

from pathlib import Path

import numpy as np

from monge.comparison import CompareSettings, compare_systems
from monge.comparison.simulation import Grid, run_simulations
from monge.report.compare.plots import (
    draw_differences,
    draw_pairwise_matrix,
    draw_rank_intervals,
    draw_score_density,
)
from monge.report.compare.simulation import draw_simulations
from monge.report.plots import save_figure
from monge.scores.files import read_scores
from monge.text import write_tsv

ROOT = Path(__file__).parent.parent
SCORES = ROOT / "examples" / "compare" / "scores.tsv"
FIGURES = ROOT / "docs" / "figures"
EMPTY = (17, 60, 88, 101, 163, 199, 222)


def write_scores() -> None:
    """Write a table whose means are misleading."""
    rng = np.random.default_rng(2021)
    quality = rng.normal(0.62, 0.09, size=240)
    gains = {"old": -0.025, "baseline": 0.0, "changed": 0.012}
    scores = {name: np.clip(quality + gain + rng.normal(0, 0.035, size=240), 0, 1) for name, gain in gains.items()}
    scores["changed"][list(EMPTY)] = 0.0
    rows = [
        [f"q{k + 1:03}", *(round(float(scores[name][k]), 4) for name in gains), "chat" if k % 3 == 0 else "news"]
        for k in range(240)
    ]
    SCORES.parent.mkdir(parents=True, exist_ok=True)
    write_tsv(SCORES, ["id", *gains, "type"], rows)


def main() -> None:
    write_scores()
    (table,) = read_scores(SCORES).values()
    comparison = compare_systems(table, settings=CompareSettings())
    figures = {
        "compare-pairwise": draw_pairwise_matrix(comparison),
        "compare-ranks": draw_rank_intervals(comparison),
        "compare-density": draw_score_density(comparison, "changed", "baseline"),
        "compare-differences": draw_differences(comparison, "changed", "baseline"),
        "compare-simulation": draw_simulations(run_simulations(Grid())),
    }
    FIGURES.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        save_figure(figure, FIGURES / f"{name}.svg")
        print(f"docs/figures/{name}.svg")


if __name__ == "__main__":
    main()
