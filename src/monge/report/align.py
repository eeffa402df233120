"""What a re-mapping does, as text and as a figure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from monge.crosslingual.criteria import SpaceQuality
from monge.report.plots import BLUE, ORANGE, figure_style, new_figure
from monge.report.tables import text_table
from monge.wording import count_noun
from monge.workflows.align import AlignResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAR = 24  # characters of the longest bar


def align_text(result: AlignResult) -> str:
    """Return the table of qualities before and after, and the cosines of matched and random pairs."""
    facts = result.fitted.facts
    what = {"words": "aligned words", "sentences": "sentences", "dictionary": "dictionary entries"}[facts.origin]
    head = (
        f"{' then '.join(facts.methods)}, fitted on {count_noun(facts.pairs, 'pair')} "
        f"of {what} ({count_noun(result.sentences, 'text')}), "
        f"judged on {result.held_out} others\n{facts.encoder}, layer {','.join(map(str, facts.layers))}"
    )
    rows = [
        _row("translation found (P@1)", result, lambda q: q.forward),
        _row("source found (P@1)", result, lambda q: q.backward),
        _row("translation found by CSLS", result, lambda q: q.csls),
        _row("cosine of matched pairs", result, lambda q: float(q.matched.mean())),
        _row("cosine of random pairs", result, lambda q: float(q.random.mean())),
        _row("matched above random", result, lambda q: q.separation),
    ]
    table = text_table(["held-out pairs", "before", "after"], rows)
    return "\n\n".join([head, *(["\n".join(result.notes)] if result.notes else []), table, _histograms(result)])


def _row(name: str, result: AlignResult, value: Callable[[SpaceQuality], float]) -> list[str]:
    return [name, *(f"{value(quality):.3f}" for quality in (result.before, result.after))]


def _histograms(result: AlignResult) -> str:
    lines = [f"{'cosine':>12}  {'before: matched ▇, random ░':<{2 * _BAR + 3}}  after"]
    parts = [quality.histogram() for quality in (result.before, result.after)]
    largest = max(max(matched.max(), random.max()) for _, matched, random in parts)
    edges = parts[0][0]
    for k in range(len(edges) - 1):
        if not any(matched[k] or random[k] for _, matched, random in parts):
            continue
        cells = [_bar(m[k], largest, "▇") + " " + _bar(r[k], largest, "░") for _, m, r in parts]
        lines.append(f"{edges[k]:5.1f} …{edges[k + 1]:5.1f}  {cells[0]}  {cells[1].rstrip()}")
    return "\n".join(lines)


def _bar(count: int, largest: int, mark: str) -> str:
    length = round(_BAR * count / largest) if largest else 0
    return (mark * max(length, int(count > 0))).ljust(_BAR)


def draw_cosines(result: AlignResult) -> Figure:
    """Return two histograms, before and after: cosines of matched and of random pairs."""
    with figure_style():
        figure = new_figure(7.0, 2.6)
        axes = figure.subplots(1, 2, sharex=True, sharey=True)
        for place, title, quality in zip(axes, ("before", "after"), (result.before, result.after), strict=True):
            _draw(place, title, quality)
        axes[0].set_ylabel("pairs")
        axes[0].legend()
    return figure


def _draw(axes: Axes, title: str, quality: SpaceQuality) -> None:
    edges, matched, random = quality.histogram()
    axes.stairs(random, edges, color=ORANGE, label="random", fill=True, alpha=0.5)
    axes.stairs(matched, edges, color=BLUE, label="matched", linewidth=1.5)
    axes.set_title(f"{title}: P@1 {quality.forward:.2f}")
    axes.set_xlabel("cosine")
