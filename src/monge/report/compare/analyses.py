"""Tables, sentences and figures of further looks at a comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from monge.comparison.budget import Budget
from monge.comparison.profile import ScoreProfile
from monge.comparison.runs import THRESHOLD, RunComparison
from monge.comparison.size import SizeCurve
from monge.comparison.tests_overlap import TestOverlap
from monge.meta.wording import show_number
from monge.report.compare.tables import Table, cut_middle
from monge.report.dark import ON_FILL
from monge.report.plots import BLUE, GREEN, GREY, ORANGE, figure_style, new_figure
from monge.workflows.analyse_comparison import ComparisonAnalyses

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MECHANISMS = {"mean": "mean", "median": "median", "bt": "Bradley–Terry"}
_MOST_SYSTEMS = 8  # columns of a table of systems against systems


def analysis_tables(found: ComparisonAnalyses) -> list[Table]:
    """Return the tables of all analyses that were made."""
    tables: list[Table] = []
    if found.profile is not None:
        tables += profile_tables(found.profile)
    if found.overlap is not None:
        tables.append(overlap_table(found.overlap))
    if found.sizes is not None:
        tables.append(size_table(found.sizes))
    if found.runs is not None:
        tables += run_tables(found.runs)
    if found.budget is not None and found.scores is not None:
        tables.append(budget_table(found.budget, found.scores))
    return tables


def profile_tables(profile: ScoreProfile) -> list[Table]:
    """Return outliers and rank spread by system, and Kendall's τ between systems where they are few."""
    rows = [
        (name, f"{profile.system_outliers[name]:.1%}", f"{profile.rank_spread[name]:.2f}") for name in profile.systems
    ]
    ratio = profile.between_instances / profile.between_systems if profile.between_systems else math.inf
    title = (
        f"scores: {profile.outliers:.1%} are outliers; instances differ by {profile.between_instances:.3g}, systems on "
        f"one instance by {profile.between_systems:.3g} (standard deviations, ratio {ratio:.1f})"
    )
    tables = [Table(title, ("system", "outliers", "spread of its rank"), tuple(rows))]
    if len(profile.systems) <= _MOST_SYSTEMS:
        names = [cut_middle(name, 12) for name in profile.systems]
        cells = tuple(
            (name, *("" if i == j else show_number(float(v), 2) for j, v in enumerate(row)))
            for i, (name, row) in enumerate(zip(names, profile.kendall, strict=True))
        )
        tables.append(Table("Kendall's τ between the scores of systems", ("", *names), cells))
    return tables


def overlap_table(overlap: TestOverlap) -> Table:
    """Return P(column significant | row significant); the diagonal is the share that is significant at all."""
    rows = tuple(
        (name, *(_percent(float(v)) for v in row)) for name, row in zip(overlap.tests, overlap.shares, strict=True)
    )
    title = (
        f"P(test in the column is significant | test in the row is), percent of {overlap.pairs} pairs; diagonal: share "
        "of significant pairs"
    )
    return Table(title, ("", *overlap.tests), rows)


def size_table(sizes: SizeCurve) -> Table:
    """Return by test-set size the share of pairs that two mechanisms order differently."""
    header = ("instances", *(f"{_MECHANISMS[a]} / {_MECHANISMS[b]}" for a, b in sizes.shares))
    rows = tuple(
        (f"{size:,}", *(_percent(values[k]) for values in sizes.shares.values())) for k, size in enumerate(sizes.sizes)
    )
    title = f"pairs of systems ordered differently, percent (mean of {sizes.repeats} samples of the test set)"
    return Table(title, header, rows, left=0)


def run_tables(runs: RunComparison) -> list[Table]:
    """Return the distribution of each system's runs, and ε_min of every order."""
    sign = 1 if runs.higher_is_better else -1
    rows = tuple(
        (
            name,
            str(len(values)),
            f"{sign * values.mean():.4g}",
            f"{values.std(ddof=1):.2g}" if len(values) > 1 else "–",
            f"{(sign * values).min():.4g}",
            f"{(sign * values).max():.4g}",
        )
        for name, values in runs.scores.items()
    )
    first = Table("runs of each system", ("system", "runs", "mean", "deviation", "lowest", "highest"), rows)
    names = list(runs.scores)
    cells = tuple(
        (name, *("" if name == other else f"{runs.order(name, other).bound:.2f}" for other in names)) for name in names
    )
    title = (
        f"almost stochastic order: ε_min of row better than column ({1 - runs.alpha:.0%} bound; below {THRESHOLD:g} "
        "the row is better, 0.5 or more says nothing)"
    )
    return [first, Table(title, ("", *names), cells)]


def budget_table(budget: Budget, scores: Mapping[str, float]) -> Table:
    """Return costs beside scores, best first; * marks systems that none beats without costing more."""
    fronts = {cost: set(budget.efficient(cost, scores)) for cost in budget.costs}
    rows = []
    for name in sorted(scores, key=lambda n: -scores[n]):
        cells = []
        for cost, own in budget.costs.items():
            value = own.get(name, math.nan)
            cells.append("–" if math.isnan(value) else f"{value:.4g}{'*' if name in fronts[cost] else ''}")
        rows.append((name, f"{abs(scores[name]):.4g}", *cells))
    title = "scores and costs (* no other system is better without costing more)"
    return Table(title, ("system", "mean", *budget.costs), tuple(rows))


def analysis_figures(found: ComparisonAnalyses) -> list[tuple[str, str, Callable[[], Figure]]]:
    """Return file name, caption and drawing function of every figure."""
    figures: list[tuple[str, str, Callable[[], Figure]]] = []
    overlap, sizes, runs = found.overlap, found.sizes, found.runs
    if overlap is not None:
        figures.append(("tests", "Which tests agree", lambda: draw_overlap(overlap)))
    if sizes is not None and len(sizes.sizes) > 1:
        figures.append(("sizes", "Disagreement of mechanisms by test-set size", lambda: draw_sizes({"": sizes})))
    if runs is not None:
        figures.append(("runs", "Scores of every run", lambda: draw_runs(runs)))
    return figures


def draw_overlap(overlap: TestOverlap) -> Figure:
    """Draw P(column significant | row significant) as a heat map."""
    size = len(overlap.tests)
    with figure_style():
        figure = new_figure(1.6 + 0.75 * size, 1.2 + 0.5 * size)
        axes = figure.subplots()
        axes.imshow(overlap.shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for i, j in zip(*np.nonzero(np.isfinite(overlap.shares)), strict=True):
            value = float(overlap.shares[i, j])
            colour = "white" if value > 0.55 else "black"
            weight = "bold" if i == j else "normal"
            axes.text(
                j, i, _percent(value), ha="center", va="center", fontsize=8, color=colour, weight=weight, gid=ON_FILL
            )
        axes.set_xticks(range(size), overlap.tests, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(size), overlap.tests)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_title(f"P(column significant | row significant), %\ndiagonal: share of {overlap.pairs} pairs")
    return figure


def draw_sizes(curves: Mapping[str, SizeCurve]) -> Figure:
    """Draw the disagreement of mean, median and Bradley–Terry against test-set size, one panel per name."""
    styles = ((BLUE, "-", "o"), (ORANGE, "--", "s"), (GREEN, ":", "^"))
    with figure_style():
        columns = min(3, len(curves))
        rows = math.ceil(len(curves) / columns)
        figure = new_figure(max(4.2, 2.7 * columns), 2.5 * rows + 0.5)
        grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
        for axes, (name, curve) in zip(grid.flat, curves.items(), strict=False):
            for (pair, values), (colour, line, mark) in zip(curve.shares.items(), styles, strict=True):
                label = f"{_MECHANISMS[pair[0]]} / {_MECHANISMS[pair[1]]}"
                axes.plot(
                    curve.sizes,
                    [100 * v for v in values],
                    color=colour,
                    linestyle=line,
                    marker=mark,
                    markersize=4,
                    label=label,
                )
            axes.set_xscale("log")
            axes.set_xticks(curve.sizes, [f"{size:,}" for size in curve.sizes], fontsize=7)
            axes.minorticks_off()
            axes.grid(alpha=0.3)
            axes.set_title(name)
            axes.set_ylim(bottom=0)
        for axes in grid.flat[len(curves) :]:
            axes.set_axis_off()
        figure.supylabel("pairs ordered differently, %", fontsize=9)
        figure.supxlabel("instances in the test set", fontsize=9)
        handles, labels = grid[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=3, fontsize=8)
    return figure


def draw_runs(runs: RunComparison) -> Figure:
    """Draw the score of every run as a dot, with the mean of each system."""
    sign = 1 if runs.higher_is_better else -1
    with figure_style():
        figure = new_figure(5.6, 0.9 + 0.4 * len(runs.scores))
        axes = figure.subplots()
        for row, values in enumerate(runs.scores.values()):
            shown = sign * values
            axes.plot(shown, [row] * len(shown), "o", color=BLUE, alpha=0.6, markersize=6)
            axes.plot([shown.mean()] * 2, [row - 0.28, row + 0.28], color=ORANGE, linewidth=2.2)
        axes.set_yticks(range(len(runs.scores)), list(runs.scores))
        axes.invert_yaxis()
        axes.grid(axis="x", alpha=0.3)
        axes.spines["left"].set_color(GREY)
        axes.set_title("score of every run (bar: mean of the system)")
    return figure


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.0f}"
