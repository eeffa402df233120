"""The figure of the synthetic study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from monge.compare.ranking import TITLES
from monge.compare.simulation import MECHANISMS, PANELS, Study
from monge.report.plots import BLUE, GREEN, ORANGE, figure_style, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {"mean": BLUE, "median": GREEN, "bt": ORANGE}
_LABELS = {
    "systems": "number of systems",
    "instances": "number of instances",
    "types": "number of instance types",
    "outliers": "share of outliers",
}


def draw_study(study: Study) -> Figure:
    """Draw the eight panels of figure 3: Kendall's τ with the true strengths, bars holding the mean at 95 %."""
    with figure_style():
        figure = new_figure(10.5, 5.2)
        axes = figure.subplots(2, 4, sharey=True)
        for k, (title, by, fixed) in enumerate(PANELS):
            panel = axes[k % 2, k // 2]
            selected = study.select(**fixed)
            if selected.setups:
                rows = selected.average(by)
                for m, mechanism in enumerate(MECHANISMS):
                    y = np.array([row[1][m] for row in rows])
                    reach = np.array([[row[1][m] - row[2][m], row[3][m] - row[1][m]] for row in rows]).T
                    panel.errorbar(
                        [row[0] for row in rows], y, np.maximum(reach, 0), marker="o", markersize=4, capsize=2,
                        color=_COLOURS[mechanism], label=TITLES[mechanism],
                    )  # fmt: skip
                if by == "outliers":
                    panel.set_xticks([row[0] for row in rows], [f"{100 * row[0]:g} %" for row in rows])
            panel.set(title=title, xlabel=_LABELS[by])
            panel.grid(axis="y", linewidth=0.4, alpha=0.5)
        axes[0, 0].legend(loc="lower left", fontsize=8)
        figure.supylabel("Kendall's τ with the true strengths", fontsize=9)
    return figure
