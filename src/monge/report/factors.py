"""What metrics respond to: a table of coefficients, a sentence per metric, and bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from monge.explanation.regression import FactorRegression
from monge.explanation.response import FACTORS, MetricResponse
from monge.meta.wording import show_number
from monge.report.plots import BLUE, GREEN, GREY, ORANGE, figure_style, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEGEND = "standardised coefficients; * = not significant (p ≥ .05)"
_COLOURS = {"SEM": BLUE, "SYN": "#CC79A7", "LEX": ORANGE, "MOR": GREEN, "CLB": GREY}
_HATCHES = {"SEM": "", "SYN": "//", "LEX": "", "MOR": "..", "CLB": "xx"}  # apart in black and white too
_ALPHA = 0.05


def factor_table(responses: Sequence[MetricResponse]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: one row per metric, with R² and, where CLB is a factor, R² without it."""
    factors = used_factors(responses)
    bias = any(one.plain is not None for one in responses)
    rows = []
    for one in responses:
        cells = [_cell(one.regression, factor) for factor in factors]
        without = [show_number(one.plain.r_squared, 2) if one.plain else "–"] if bias else []
        rows.append([one.metric, *cells, show_number(one.regression.r_squared, 2), *without, _count(one.regression)])
    return ["metric", *factors, "R²", *(["R² without CLB"] if bias else []), "pairs"], rows


def factor_sentences(responses: Sequence[MetricResponse]) -> list[str]:
    """Return one sentence per metric: what it responds to most, and how much of it the factors explain."""
    sentences = []
    for one in responses:
        found = one.regression
        sure = {f: c for f, c in found.coefficients.items() if found.p_values[f] < _ALPHA}
        order = sorted(sure, key=lambda f: -abs(sure[f]))
        top = f"responds most to {_name(order[0])} ({show_number(sure[order[0]], 2)})" if order else "responds to none"
        then = f", then {_name(order[1])} ({show_number(sure[order[1]], 2)})" if len(order) > 1 else ""
        share = f"the factors explain {found.r_squared:.0%} of its variance"
        if one.plain is not None:
            share += f", {one.plain.r_squared:.0%} without CLB"
        sentences.append(f"{one.metric} {top}{then}; {share}.")
    return sentences


def draw_coefficients(responses: Sequence[MetricResponse], *, title: str = "") -> Figure:
    """Draw the coefficients of every metric as bars with 95 % intervals; R² stands beside the name."""
    factors = used_factors(responses)
    with figure_style():
        figure = new_figure(6.4, 1.1 + 0.13 * len(responses) * (len(factors) + 1.5))
        axes = figure.subplots()
        step = 1 / (len(factors) + 1.2)
        for k, factor in enumerate(factors):
            for row, one in enumerate(responses):
                if factor not in one.regression.coefficients:
                    continue
                value = one.regression.coefficients[factor]
                low, high = one.regression.intervals[factor]
                y = row + (k - (len(factors) - 1) / 2) * step
                axes.barh(
                    y, value, height=step * 0.9, color=_COLOURS[factor], hatch=_HATCHES[factor], edgecolor="white",
                    linewidth=0, label=factor if row == 0 else None,
                )  # fmt: skip
                axes.plot([low, high], [y, y], color="black", linewidth=0.9)
        labels = [f"{one.metric}\nR² {show_number(one.regression.r_squared, 2)}" for one in responses]
        axes.set_yticks(range(len(responses)), labels)
        axes.invert_yaxis()
        axes.axvline(0, color="black", linewidth=0.8)
        axes.grid(axis="x", alpha=0.3)
        axes.set_xlabel("standardised coefficient (line: 95 % interval)")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
        axes.set_title(title or "what metrics respond to")
    return figure


def used_factors(responses: Sequence[MetricResponse]) -> list[str]:
    """Return the factors of at least one metric, in their usual order."""
    return [name for name in FACTORS if any(name in one.regression.coefficients for one in responses)]


def _cell(regression: FactorRegression, factor: str) -> str:
    if factor not in regression.coefficients:
        return "–"
    star = "*" if regression.p_values[factor] >= _ALPHA else ""
    return show_number(regression.coefficients[factor], 2) + star


def _count(regression: FactorRegression) -> str:
    return f"{regression.instances:,}"


def _name(factor: str) -> str:
    return {
        "SEM": "meaning",
        "SYN": "syntax",
        "LEX": "shared words",
        "MOR": "morphology",
        "CLB": "its own language bias",
    }[factor]
