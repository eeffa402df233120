"""Reports on preferences for bad translations: a table, and histograms of the differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from monge.explanation.translationese import REWRITES, Preferences
from monge.report.plots import BLUE, GREEN, ORANGE, figure_style, new_figure
from monge.report.tables import Row, markdown_table, text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Share of segments in which a bad translation scores above the human one (95 % interval); lower is better"


def translationese_table(preferences: Sequence[Preferences], *, markdown: bool = False) -> str:
    """Return a table: one row per set and metric, one column per kind of bad translation."""
    rows: list[Row] = []
    kinds = [kind for kind in REWRITES if any(found.kind == kind for found in preferences)]
    for part, metric in dict.fromkeys((found.part, found.metric) for found in preferences):
        own = {found.kind: found for found in preferences if (found.part, found.metric) == (part, metric)}
        rows.append([part, metric, str(next(iter(own.values())).rate.trials), *(_cell(own[kind]) for kind in kinds)])
    table = (markdown_table if markdown else text_table)(["set", "metric", "segments", *kinds], rows)
    gap = "\n\n" if markdown else "\n"
    published = "word-by-word is the published W2W (Zhao et al. 2020); " if "word-by-word" in kinds else ""
    return f"{TITLE}{gap}{table}\n\n{published}ties count half"


def _cell(found: Preferences) -> str:
    low, high = found.rate.interval
    return f"{found.rate.share:.1%} [{low:.1%}, {high:.1%}]"


def draw_preferences(preferences: Sequence[Preferences]) -> Figure:
    """Draw histograms of d: one panel per set (across) and metric (down), one outline per kind of bad translation."""
    parts = list(dict.fromkeys(found.part for found in preferences))
    metrics = list(dict.fromkeys(found.metric for found in preferences))
    with figure_style():
        figure = new_figure(2.6 * len(parts) + 0.8, 1.9 * len(metrics) + 0.6)
        panels = figure.subplots(len(metrics), len(parts), squeeze=False)
        for row, metric in enumerate(metrics):
            for column, part in enumerate(parts):
                axes = panels[row][column]
                own = [found for found in preferences if (found.part, found.metric) == (part, metric)]
                _draw_panel(axes, own)
                axes.set_title(f"{part}: {metric}" if len(metrics) > 1 else part)
        for axes in panels[-1]:
            axes.set_xlabel("d = score of the bad − of the human translation")
        panels[0][0].legend(loc="upper left", fontsize=7)
    return figure


def _draw_panel(axes: object, found: Sequence[Preferences]) -> None:
    panel: object = axes
    known = np.concatenate([one.differences[np.isfinite(one.differences)] for one in found])
    low, high = np.percentile(known, [0.5, 99.5]) if len(known) else (-1.0, 1.0)
    bins = np.linspace(min(low, 0.0), max(high, 0.0) + 1e-9, 31)
    colours = dict(zip(REWRITES, (BLUE, GREEN, ORANGE), strict=True))
    for one in found:
        panel.hist(  # type: ignore[attr-defined]
            one.differences, bins=bins, histtype="step", linewidth=1.4, color=colours[one.kind], label=one.kind
        )
    panel.axvline(0.0, color="black", linewidth=0.8)  # type: ignore[attr-defined]
