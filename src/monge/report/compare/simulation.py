"""The figure, the table and the rows of the synthetic study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from monge.comparison.ranking import TITLES
from monge.comparison.simulation import MECHANISMS, PANELS, SimulationStudy
from monge.report.compare.tables import Table
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


def draw_simulations(study: SimulationStudy) -> Figure:
    """Draw the eight panels of figure 3: Kendall's τ with the true strengths, with 95 % intervals of the mean."""
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


def simulation_table(study: SimulationStudy) -> Table:
    """Return the numbers behind the panels: mean τ of each mechanism with its 95 % bootstrap interval."""
    rows = []
    for title, by, fixed in PANELS:
        selected = study.select(**fixed)
        if not selected.setups:
            continue
        for value, mean, low, high in selected.average(by):
            cells = [f"{m:.2f} [{a:.2f}, {b:.2f}]" for m, a, b in zip(mean, low, high, strict=True)]
            rows.append((title[0], f"{by} = {value:g}", *cells))
    header = ("panel", "where", *(TITLES[mechanism] for mechanism in MECHANISMS))
    return Table("Kendall's τ with the true strengths", header, tuple(rows), left=2)


def simulation_notes(study: SimulationStudy) -> list[str]:
    """Return one sentence for each mechanism that tied all systems in some simulations."""
    tied = zip(MECHANISMS, np.isnan(study.taus).sum(axis=0).tolist(), strict=True)
    return [
        f"{TITLES[mechanism]} tied all systems in {count:,} simulations, which its averages leave out."
        for mechanism, count in tied
        if count
    ]


SIMULATION_COLUMNS = ("systems", "instances", "types", "outliers", *(f"tau_{mechanism}" for mechanism in MECHANISMS))


def simulation_rows(study: SimulationStudy) -> list[list[float]]:
    """Return one row per simulation, with the columns SIMULATION_COLUMNS."""
    return [
        [s.systems, s.instances, s.types, s.outliers, *(float(tau) for tau in taus)]
        for s, taus in zip(study.setups, study.taus, strict=True)
    ]
