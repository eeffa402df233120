"""The simulation of contextual bilingual lexicon induction as a table and as panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from monge.report.plots import BLUE, ORANGE, figure_style, new_figure
from monge.workflows.cbli import CbliResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 4


def cbli_table(result: CbliResult) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: word precision at every ε, and that of occurrences at the first, means over runs."""
    epsilons = result.request.epsilons
    header = ["method", *(f"word P@1, ε = {value:g}" for value in epsilons), f"occurrence P@1, ε = {epsilons[0]:g}"]
    rows = []
    for method, values in result.precision.items():
        means = values.mean(axis=0)
        rows.append([method, *(f"{value:.3f}" for value in means[:, 1]), f"{means[0, 0]:.3f}"])
    return header, rows


def cbli_correlations(result: CbliResult) -> dict[str, float]:
    """Return Pearson's r of word precision with ε, method by method; methods that do not vary are left out."""
    epsilons = np.array(result.request.epsilons)
    found = {}
    for method, values in result.precision.items():
        means = values[:, :, 1].mean(axis=0)
        if len(epsilons) > 2 and means.std() > 0:
            found[method] = float(np.corrcoef(epsilons, means)[0, 1])
    return found


def draw_cbli(result: CbliResult) -> Figure:
    """Return one panel per method (mapped points on those of the other language), and precision against ε."""
    count = len(result.examples) + 1
    rows = -(-count // _COLUMNS)
    with figure_style():
        figure = new_figure(2.4 * _COLUMNS, 2.4 * rows)
        axes = figure.subplots(rows, _COLUMNS, squeeze=False).ravel()
        for place, (method, (mapped, target)) in zip(axes, result.examples.items(), strict=False):
            step = max(1, len(target) // 400)
            place.scatter(*target[::step].T, s=4, color=ORANGE, alpha=0.5, linewidths=0, label="target")
            place.scatter(*mapped[::step].T, s=4, color=BLUE, alpha=0.5, linewidths=0, label="mapped")
            place.set_title(f"{method}\nP@1 of words {result.precision[method][0, 0, 1]:.2f}", fontsize=7)
            place.set_xticks([])
            place.set_yticks([])
        axes[0].legend(fontsize=6, markerscale=2)
        _draw_precision(axes[len(result.examples)], result)
        for place in axes[count:]:
            place.set_visible(False)
    return figure


def _draw_precision(axes: Axes, result: CbliResult) -> None:
    for number, (method, values) in enumerate(result.precision.items()):
        means = values[:, :, 1].mean(axis=0)
        axes.plot(result.request.epsilons, means, marker=".", linewidth=1, label=method, color=f"C{number % 10}")
    axes.set_xlabel("ε", fontsize=7)
    axes.set_title("P@1 of words, mean of all runs", fontsize=7)
    axes.tick_params(labelsize=6)
    axes.legend(fontsize=4.5)
