"""The figure of adversarial triples: scores of paraphrases beside those of texts that only share the words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from monge.explanation.triples import TripleScores
from monge.report.plots import BLUE, ORANGE, figure_style, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
_POINTS = 200
_MOST_COLUMNS = 4


def draw_triples(scores: Mapping[str, Sequence[TripleScores]]) -> Figure:
    """Draw the distributions of m(A, B) and m(A, C): one row of panels per set and up to four metrics.

    A metric that listens to meaning has the paraphrases (blue) to the right of the others (orange), or to the left if
    it is a distance; the title gives the share of triples in which it prefers the paraphrase.
    """
    lines = [
        (name, own[i : i + _MOST_COLUMNS]) for name, own in scores.items() for i in range(0, len(own), _MOST_COLUMNS)
    ]
    columns = max(len(own) for _, own in lines)
    with figure_style():
        figure = new_figure(max(4.6, 2.9 * columns), 2.1 * len(lines) + 0.5)
        grid = figure.subplots(len(lines), columns, squeeze=False)
        for row, (name, own) in zip(grid, lines, strict=True):
            for axes, one in zip(row, own, strict=False):
                _draw_panel(axes, one)
            row[0].set_ylabel(name)
            for axes in row[len(own) :]:
                axes.set_axis_off()
        handles, labels = grid[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8)
    return figure


def _draw_panel(axes: Any, one: TripleScores) -> None:
    sides = [values[np.isfinite(values)] for values in (one.paraphrases, one.others)]
    everything = np.concatenate(sides)
    low, high = float(everything.min()), float(everything.max())
    margin = 0.05 * (high - low or 1.0)
    grid = np.linspace(low - margin, high + margin, _POINTS)
    for values, colour, style, label in (
        (sides[0], BLUE, "-", "m(A, B): paraphrase, other words"),
        (sides[1], ORANGE, "--", "m(A, C): other meaning, same words"),
    ):
        density = estimate_density(values, grid)
        axes.fill_between(grid, density, color=colour, alpha=0.25, linewidth=0)
        axes.plot(grid, density, style, color=colour, linewidth=1.4, label=label)
        axes.axvline(float(np.median(values)), color=colour, linestyle=style, linewidth=0.9)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    kind = "" if one.higher_is_better else " (distance)"
    axes.set_title(f"{one.metric}{kind}: {one.rate.share:.0%} prefer B", fontsize=9)


def estimate_density(values: Floats, grid: Floats) -> Floats:
    """Return a Gaussian kernel estimate at *grid*, its width by Silverman's rule, at least a hundredth of the range."""
    spread = min(float(values.std()), float(np.subtract(*np.percentile(values, [75, 25]))) / 1.34 or math.inf)
    width = max(0.9 * spread * len(values) ** -0.2, 0.01 * float(np.ptp(grid)))
    distances = (grid[:, None] - values[None, :]) / width
    density: Floats = np.exp(-0.5 * distances**2).mean(axis=1) / (width * math.sqrt(2 * math.pi))
    return density
