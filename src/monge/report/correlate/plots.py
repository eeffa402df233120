"""Figures of a study: the significance matrix, agreement with intervals, score distributions, curves over layers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from monge.meta.correlation import Array
from monge.meta.judged import JudgedScores
from monge.meta.study import AgreementStudy
from monge.meta.wording import show_number
from monge.report.correlate.text import TEST_TITLES
from monge.report.dark import ON_FILL
from monge.report.plots import BLUE, GREEN, GREY, ORANGE, figure_style, new_figure

if TYPE_CHECKING:
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

_COLOURS = (BLUE, ORANGE, GREEN, GREY, "#CC79A7", "#56B4E9", "#E69F00")


def draw_significance_matrix(study: AgreementStudy) -> Figure:
    """Draw which metric is significantly better than which: from best to worst, filled = row better."""
    names = study.ranking.metrics
    size = len(names)
    with figure_style():
        figure = new_figure(2.4 + 0.42 * size, 1.3 + 0.36 * size)
        axes = figure.subplots()
        shown = np.full((size, size), np.nan)
        shown[np.triu_indices(size, 1)] = 0.0
        shown[study.ranking.beats] = 1.0
        axes.imshow(shown, cmap=_two_colours(), vmin=0, vmax=1, aspect="auto")
        for i in range(size):
            for j in range(i + 1, size):
                p = study.ranking.corrected[i, j]
                if math.isfinite(p):
                    better = bool(study.ranking.beats[i, j])  # on grey the text follows the theme, on blue it does not
                    colour, mark = ("white", ON_FILL) if better else ("black", None)
                    axes.text(j, i, _show_p(p), ha="center", va="center", fontsize=7, color=colour, gid=mark)
        labels = [f"{n}  {show_number(study.averages[n].value)}" for n in names]
        axes.set_yticks(range(size), labels)
        axes.set_xticks(range(size), names, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_xticks(np.arange(-0.5, size), minor=True)
        axes.set_yticks(np.arange(-0.5, size), minor=True)
        axes.grid(which="minor", color="white", linewidth=1.5)
        axes.tick_params(which="both", length=0)
        axes.set_axisbelow(False)
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        for i in range(1, size):
            if study.ranking.clusters[i] != study.ranking.clusters[i - 1]:
                axes.axhline(i - 0.5, color="black", linewidth=0.8)
        test = f"({TEST_TITLES[study.test]}, corrected p)"
        axes.set_title(f"{study.statistic.title}: blue = row better than column\n{test}")
    return figure


def draw_agreement(study: AgreementStudy) -> Figure:
    """Draw every metric's agreement with its interval, best on top; small marks are the tasks."""
    names = study.ranking.metrics[::-1]
    with figure_style():
        figure = new_figure(5.6, 0.9 + 0.3 * len(names))
        axes = figure.subplots()
        for y, name in enumerate(names):
            average = study.averages[name]
            if len(study.tasks) > 1:
                values = [a.value for a in study.agreements[name].values()]
                axes.plot(values, [y] * len(values), "|", color=GREY, markersize=7, alpha=0.7)
            if math.isfinite(average.low):
                axes.plot([average.low, average.high], [y, y], color=BLUE, linewidth=2)
            axes.plot([average.value], [y], "o", color=BLUE, markersize=5)
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(-0.6, len(names) - 0.4)
        axes.set_xlabel(study.statistic.title)
        axes.grid(axis="x", alpha=0.3)
        marks = "bar: interval, grey: tasks" if len(study.tasks) > 1 else "bar: interval"
        axes.set_title(f"agreement with people ({marks})")
    return figure


def draw_distributions(tasks: Sequence[JudgedScores], *, bins: int = 4) -> Figure:
    """Draw each metric's scores, standardised, in groups of outputs from worst to best judged: apart is good."""
    metrics = list(tasks[0].metrics)
    columns = min(3, len(metrics))
    rows = math.ceil(len(metrics) / columns)
    with figure_style():
        figure = new_figure(2.6 * columns, 2.0 * rows + 0.4)
        grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
        for k, metric in enumerate(metrics):
            axes = grid[k // columns][k % columns]
            groups = _by_quality(tasks, metric, bins)
            parts = axes.violinplot([g for g in groups if g.size], showmedians=True, showextrema=False, widths=0.85)
            for body in parts["bodies"]:
                body.set_facecolor(BLUE)
                body.set_alpha(0.45)
            parts["cmedians"].set_color(ORANGE)
            axes.set_title(metric, fontsize=8)
            axes.set_xticks(range(1, bins + 1), ["worst", *[""] * (bins - 2), "best"])
            axes.set_ylim(-3.5, 3.5)
        for k in range(len(metrics), rows * columns):
            grid[k // columns][k % columns].set_axis_off()
        figure.supylabel("score (standardised)", fontsize=9)
        figure.supxlabel("quality by people, in equal groups", fontsize=9)
    return figure


def draw_curves(curves: Mapping[str, Mapping[float, float]], *, x_label: str, y_label: str) -> Figure:
    """Draw one line per name: agreement over layers, λ, α or any other number; the best of each is marked."""
    with figure_style():
        figure = new_figure(5.6, 3.4)
        axes = figure.subplots()
        for k, (name, points) in enumerate(curves.items()):
            xs = sorted(points)
            ys = [points[x] for x in xs]
            colour = _COLOURS[k % len(_COLOURS)]
            axes.plot(xs, ys, marker="o", markersize=3.5, color=colour, label=name)
            finite = [(y, x) for x, y in zip(xs, ys, strict=True) if math.isfinite(y)]
            if finite:
                top, where = max(finite)
                axes.annotate(
                    show_number(top), (where, top), textcoords="offset points", xytext=(0, 6 + 9 * k), ha="center",
                    fontsize=8, color=colour,
                )  # fmt: skip
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.margins(y=0.15)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    return figure


def _by_quality(tasks: Sequence[JudgedScores], metric: str, bins: int) -> list[Array]:
    """Return the metric's scores in *bins* groups of rising judgment, standardised within each task."""
    human, scores = [], []
    for task in tasks:
        if not np.isfinite(task.human[task.used]).all():
            continue
        h, s = task.human[task.used], task.metrics[metric][task.used]
        human.append(np.argsort(np.argsort(h, kind="stable"), kind="stable") / max(1, len(h)))
        scores.append((s - s.mean()) / (s.std() or 1.0))
    if not human:
        return [np.empty(0)] * bins
    ranks, values = np.concatenate(human), np.concatenate(scores)
    return [values[(ranks >= b / bins) & (ranks < (b + 1) / bins)] for b in range(bins)]


def _show_p(p: float) -> str:
    return "<.001" if p < 0.001 else show_number(p)


def _two_colours() -> ListedColormap:
    from matplotlib.colors import ListedColormap

    return ListedColormap(["#E8E8E8", BLUE])
