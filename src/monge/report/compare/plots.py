"""The figures of a comparison: who beats whom, how certain that is, and where two systems differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from monge.comparison import Comparison
from monge.comparison.ranking import TITLES
from monge.report.dark import ON_FILL
from monge.report.plots import BLUE, GREEN, GREY, ORANGE, figure_style, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


def stars(p: float) -> str:
    """Return the usual marks of significance.

    >>> stars(0.03), stars(0.004), stars(0.0001), stars(0.2)
    ('*', '**', '***', '')
    """
    return "***" if p <= 0.001 else "**" if p <= 0.01 else "*" if p <= 0.05 else ""


def draw_pairwise_matrix(comparison: Comparison) -> Figure:
    """Draw P(row beats column) for all pairs, best system first, starred by the deciding test."""
    order = comparison.order
    size = len(order)
    shares = np.full((size, size), np.nan)
    marks = [["" for _ in order] for _ in order]
    for i, first in enumerate(order):
        for j, second in enumerate(order):
            if i != j:
                pair = comparison.pair(first, second)
                shares[i, j] = pair.probability if pair.first == first else 1 - pair.probability
                marks[i][j] = stars(pair.adjusted[comparison.settings.decide_by])
    with figure_style():
        side = min(14.0, 1.6 + 0.62 * size)
        figure = new_figure(side + 1.2, side)
        axes = figure.add_subplot()
        image = axes.imshow(shares, cmap="RdBu", vmin=0, vmax=1)
        for i, j in zip(*np.nonzero(~np.isnan(shares)), strict=True):
            text = f"{100 * shares[i, j]:.{1 if size <= 8 else 0}f}\n{marks[i][j]}".rstrip()
            if size > 25:  # no room for numbers
                text = "" if marks[i][j] else "·"
            colour = "white" if abs(shares[i, j] - 0.5) > 0.3 else "black"
            axes.text(j, i, text, ha="center", va="center", fontsize=8, color=colour, gid=ON_FILL)
        axes.set_xticks(range(size), order, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(size), order)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        axes.set_title("P(row beats column), percent" + ("; dots: not significant" if size > 25 else ""))
        bar = figure.colorbar(image, ax=axes, fraction=0.046, pad=0.03, ticks=[0, 0.25, 0.5, 0.75, 1])
        bar.ax.set_yticklabels(["0", "25", "50", "75", "100"])
        bar.outline.set_visible(False)
    return figure


def draw_score_density(comparison: Comparison, first: str, second: str) -> Figure:
    """Draw the density of (score of first, score of second) with marginals, means, medians and the diagonal.

    More mass on one side of the diagonal means more wins (Bradley–Terry); the crossing of the means or medians on one
    side means that the mean or median prefers that system (Peyrard et al. 2021, figure 2). The side with more instances
    is shaded.
    """
    x, y = _common_scores(comparison, first, second)
    bounds = _bounds(np.concatenate([x, y]))
    with figure_style():
        figure = new_figure(5.2, 5.2)
        grid = figure.add_gridspec(2, 2, width_ratios=(4, 1), height_ratios=(1, 4), wspace=0.02, hspace=0.02)
        axes = figure.add_subplot(grid[1, 0])
        above = figure.add_subplot(grid[0, 0], sharex=axes)
        beside = figure.add_subplot(grid[1, 1], sharey=axes)
        _shade_fuller_side(axes, x, y, bounds)
        _draw_joint(axes, x, y, bounds)
        axes.plot(bounds, bounds, ":", color="black", linewidth=1.2)
        _draw_marginal(above, x, bounds, GREEN)
        _draw_marginal(beside, y, bounds, BLUE, upright=False)
        for values, colour, line in ((x, GREEN, "axvline"), (y, BLUE, "axhline")):
            getattr(axes, line)(values.mean(), color=colour, linewidth=1.2)
            getattr(axes, line)(np.median(values), color=colour, linewidth=1.2, linestyle="--")
        axes.set(xlim=bounds, ylim=bounds, xlabel=first, ylabel=second)
        axes.xaxis.label.set_color(GREEN)
        axes.yaxis.label.set_color(BLUE)
        from matplotlib.lines import Line2D

        legend = [Line2D([], [], color=GREY, label="mean"), Line2D([], [], color=GREY, linestyle="--", label="median")]
        axes.legend(handles=legend, loc="upper left", fontsize=8)
    return figure


def draw_differences(comparison: Comparison, first: str, second: str) -> Figure:
    """Draw the histogram of paired differences, first minus second in favour of the first, with mean and median."""
    pair = comparison.pair(first, second)
    i, j = (comparison.table.systems.index(name) for name in (first, second))
    d = comparison.scores.differences(i, j)
    wins, losses = (pair.wins, pair.losses) if pair.first == first else (pair.losses, pair.wins)
    with figure_style():
        figure = new_figure(5.6, 3.2)
        axes = figure.add_subplot()
        low, high = _bounds(d)
        spread = max(abs(low), abs(high))
        edges = np.linspace(-spread, spread, 2 * _bins(d, spread) + 1)
        shown = np.clip(d, -spread, spread)
        far = int(np.count_nonzero(shown != d))
        for chosen, colour, label in (
            (shown[d > 0], GREEN, f"{first} better: {wins}"),
            (shown[d < 0], BLUE, f"{second} better: {losses}"),
        ):
            axes.hist(chosen, edges.tolist(), color=colour, alpha=0.75, label=label)
        if pair.ties:
            axes.bar(0, pair.ties, width=edges[1] - edges[0], color=GREY, alpha=0.6, label=f"ties: {pair.ties}")
        if far:
            axes.plot([], [], " ", label=f"outermost bars hold {far}\nfrom beyond the frame")
        axes.axvline(0, color="black", linewidth=0.8)
        axes.axvline(d.mean(), color="black", linewidth=1.3, label=f"mean {d.mean():+.3g}")
        axes.axvline(np.median(d), color="black", linewidth=1.3, linestyle="--", label=f"median {np.median(d):+.3g}")
        axes.set(xlabel=f"advantage of {first} over {second}", ylabel="instances")
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


_LANES = {
    "bt": (-0.3, ORANGE, "o"),
    "mean": (-0.15, BLUE, "s"),
    "median": (0.0, GREEN, "D"),
    "elo": (0.15, GREY, "^"),
    "trueskill": (0.3, GREY, "v"),
}


def draw_rank_intervals(comparison: Comparison) -> Figure:
    """Draw each system's rank by every mechanism, with bootstrap intervals where there are any."""
    order = comparison.order
    index = [comparison.table.systems.index(name) for name in order]
    level = f"{100 * (1 - comparison.settings.alpha):g} %"
    with figure_style():
        from matplotlib.ticker import MaxNLocator

        figure = new_figure(6.2, 1.0 + 0.5 * len(order))
        axes = figure.add_subplot()
        for edge in np.cumsum([len(c) for c in comparison.clusters])[:-1]:
            axes.axhline(edge - 0.5, color="black", linewidth=0.8, linestyle=":")
        for ranking in comparison.rankings:
            lane, colour, marker = _LANES[ranking.mechanism]
            y = np.arange(len(order)) + lane
            if ranking.rank_low is not None and ranking.rank_high is not None:
                axes.hlines(y, ranking.rank_low[index], ranking.rank_high[index], color=colour, linewidth=2, alpha=0.5)
            axes.plot(ranking.ranks[index], y, marker, color=colour, markersize=4.5, label=TITLES[ranking.mechanism])
        axes.set_yticks(range(len(order)), order)
        axes.tick_params(axis="y", length=0)
        axes.set(xlim=(0.5, len(order) + 0.5), ylim=(len(order) - 0.5, -0.5))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="x", linewidth=0.4, alpha=0.5)
        axes.set_xlabel(f"rank (bars: {level} of bootstrap draws; dotted: significance clusters)")
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _common_scores(comparison: Comparison, first: str, second: str) -> tuple[Floats, Floats]:
    i, j = (comparison.table.systems.index(name) for name in (first, second))
    both = ~np.isnan(comparison.table.values[[i, j]]).any(axis=0)
    return comparison.table.values[i, both], comparison.table.values[j, both]


def _shade_fuller_side(axes: Any, x: Floats, y: Floats, bounds: tuple[float, float]) -> None:
    below, above = np.count_nonzero(x > y), np.count_nonzero(x < y)
    if below != above:
        edge = bounds[0] if below > above else bounds[1]
        axes.fill_between(bounds, bounds, edge, color="black", alpha=0.06, linewidth=0)


def _draw_joint(axes: Any, x: Floats, y: Floats, bounds: tuple[float, float]) -> None:
    """Draw instances as points, far ones as crosses at the edge, and the density as contours where there is one."""
    near = (np.clip(x, *bounds) == x) & (np.clip(y, *bounds) == y)
    strength = min(1.0, max(0.08, 60 / len(x)))
    axes.plot(x[near], y[near], ".", color=GREY, markersize=3, alpha=strength, rasterized=len(x) > 2000)
    if not near.all():
        edge_x, edge_y = np.clip(x[~near], *bounds), np.clip(y[~near], *bounds)
        axes.plot(edge_x, edge_y, "x", color=ORANGE, markersize=6, clip_on=False)
        axes.set_title(f"× {np.count_nonzero(~near)} beyond the frame", fontsize=8, color=ORANGE, loc="right")
    x, y = x[near], y[near]
    if len(x) > 20 and np.ptp(x) > 0 and np.ptp(y) > 0 and abs(np.corrcoef(x, y)[0, 1]) < 0.9999:
        from scipy.stats import gaussian_kde

        ticks = np.linspace(*bounds, 80)
        grid = np.stack([g.ravel() for g in np.meshgrid(ticks, ticks)])
        density = gaussian_kde(np.stack([x, y]))(grid).reshape(80, 80)
        axes.contour(
            ticks, ticks, density, levels=np.linspace(0.08, 0.92, 6) * density.max(), cmap="copper_r", linewidths=1
        )


def _bounds(values: Floats) -> tuple[float, float]:
    """Return a frame around the values that lets far outliers (3 interquartile ranges out) stay outside."""
    q1, q3 = np.percentile(values, [25, 75])
    reach = 3 * (q3 - q1) or np.inf
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    low, high = float(inside.min()), float(inside.max())
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def _draw_marginal(
    axes: Any, values: Floats, bounds: tuple[float, float], colour: str, *, upright: bool = True
) -> None:
    values = values[(values >= bounds[0]) & (values <= bounds[1])]
    if len(values) > 2 and np.ptp(values) > 0:
        from scipy.stats import gaussian_kde

        ticks = np.linspace(*bounds, 200)
        density = gaussian_kde(values)(ticks)
        fill = axes.fill_between if upright else axes.fill_betweenx
        fill(ticks, density, color=colour, alpha=0.35, linewidth=0)
    axes.axis("off")


def _bins(differences: Floats, reach: float) -> int:
    """Return the number of bins on each side of 0: Freedman and Diaconis, between 5 and 40."""
    spread = np.subtract(*np.percentile(differences, [75, 25]))
    width = 2 * spread / len(differences) ** (1 / 3)
    return int(np.clip(reach / width if width > 0 else 5, 5, 40))
