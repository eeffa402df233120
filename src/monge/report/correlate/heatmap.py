"""The heat map of correlations between metrics and judgments, and the same numbers as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from monge.meta.intercorrelation import Intercorrelation
from monge.meta.wording import LEVEL_TITLES, show_number
from monge.report.dark import ON_FILL
from monge.report.plots import figure_style, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NUMBERS_UP_TO = 30  # names from which numbers in the cells could not be read


def draw_correlation_matrix(found: Intercorrelation) -> Figure:
    """Draw every correlation: judgments first, then metrics from best to worst; blue = agree, red = disagree."""
    size = len(found.names)
    with figure_style():
        figure = new_figure(2.2 + 0.46 * size, 1.5 + 0.4 * size)
        axes = figure.subplots()
        image = axes.imshow(found.values, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
        if size <= _NUMBERS_UP_TO:
            for i, j in zip(*np.nonzero(np.isfinite(found.values)), strict=True):
                value = float(found.values[i, j])
                if i != j:
                    colour = "white" if abs(value) > 0.6 else "black"
                    text = f"{100 * value:.0f}".replace("-", "−")
                    axes.text(j, i, text, ha="center", va="center", fontsize=8, color=colour, gid=ON_FILL)
        axes.set_yticks(range(size), found.names)
        axes.set_xticks(range(size), found.names, rotation=45, ha="right", rotation_mode="anchor")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        if 0 < found.humans < size:
            for line in (axes.axhline, axes.axvline):
                line(found.humans - 0.5, color="white", linewidth=3)
        level = LEVEL_TITLES[found.level].replace("{} ", "")
        axes.set_title(f"{found.statistic.title} × 100 between judgments and metrics\n({level})")
        bar = figure.colorbar(image, ax=axes, fraction=0.046, pad=0.03, ticks=[-1, -0.5, 0, 0.5, 1])
        bar.ax.set_yticklabels(["−1", "−.5", "0", ".5", "1"])
        bar.outline.set_visible(False)
    return figure


def correlation_table(found: Intercorrelation) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the matrix."""
    rows = [
        [name, *(show_number(float(value)) for value in row)]
        for name, row in zip(found.names, found.values, strict=True)
    ]
    return ["", *found.names], rows
