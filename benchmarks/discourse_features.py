"""Features of summaries beside those of their references, and how well they explain what the metrics find.

python benchmarks/discourse_features.py [--write]

For FREQ and CONN of nouns and entities (six features): D_R, the share of (summary, reference) pairs whose reference has
the lower value, beside Kendall's τ of the feature's own metric with coherence. `--write` puts the table between
``<!-- features -->`` and ``<!-- end -->`` of docs/results-discourse.md, where the page has them, and draws
docs/figures/discourse-freq.svg and discourse-discrimination.svg.
"""

from __future__ import annotations

import re
import sys

import numpy as np
from shared import ROOT

from monge.environment import Environment
from monge.meta import measure_agreement
from monge.meta.discrimination import discriminate
from monge.meta.statistics import find_statistic
from monge.meta.tasks import make_tasks
from monge.metrics.variants import parse_variant
from monge.report.plots import BLUE, GREY, figure_style, new_figure, save_figure
from monge.report.tables import markdown_table, text_table
from monge.storage.atomic import write_text
from monge.text import Segment
from monge.workflows.judged_data import JudgedData, read_judged_sets
from monge.workflows.judged_scores import score_sets

DATA = "summeval/abstractive"
FEATURES = {  # feature → the metric that is made of it
    "FREQ noun": ("freq", "ds_focus"),
    "FREQ entity": ("freq,focus=entity", "ds_focus,focus=entity"),
    "CONN U noun": ("conn", "ds_sent,weighted=false"),
    "CONN U entity": ("conn,focus=entity", "ds_sent,weighted=false,focus=entity"),
    "CONN W noun": ("conn,weighted=true", "ds_sent"),
    "CONN W entity": ("conn,weighted=true,focus=entity", "ds_sent,focus=entity"),
}
PAGE = ROOT / "docs" / "results-discourse.md"
FIGURES = ROOT / "docs" / "figures"


def main() -> int:
    environment = Environment.read()
    (judged,) = read_judged_sets(JudgedData(DATA, aspects=("coherence",)), environment=environment)
    metrics = list(dict.fromkeys(name for pair in FEATURES.values() for name in pair))
    tables = score_sets([parse_variant(name) for name in metrics], [judged], environment=environment)[0]
    task = make_tasks([(judged, {table.name: table for table in tables})], level="system")[0]
    agreement = measure_agreement(task, find_statistic("kendall"), level="system")
    rows, points = [], {}
    for feature, (name, metric) in FEATURES.items():
        own, others = measure(name, judged.segments, environment)
        found = discriminate(own, others)
        points[feature] = (found.lower, agreement[metric].value)
        rows.append([feature, show(found.lower), show(found.higher), show(agreement[name].value),
                     metric, show(agreement[metric].value)])  # fmt: skip
        if feature == "FREQ noun":
            frequencies = own, others
    header = ["feature", "D_R", "reference higher", "τ of the feature", "metric", "τ of the metric"]
    print(text_table(header, rows))
    r = float(np.corrcoef(np.array(list(points.values())).T)[0, 1])
    print(f"Pearson's r of D_R and τ of the metric over six features: {r:.2f}")
    if "--write" in sys.argv[1:]:
        draw_frequencies(*frequencies)
        draw_discrimination(points, r)
        table = markdown_table(header, rows)
        text = re.sub(
            r"(<!-- features -->\n).*?(<!-- end -->)",
            lambda block: f"{block[1]}{table}\n{block[2]}",
            PAGE.read_text(encoding="utf-8"),
            flags=re.DOTALL,
        )
        write_text(PAGE, text)
    return 0


def measure(
    name: str, segments: tuple[Segment, ...], environment: Environment
) -> tuple[list[float], list[list[float]]]:
    """Return a feature of every summary, and of its references."""
    metric = parse_variant(name).load(environment)
    texts = list(dict.fromkeys(text for s in segments for text in (s.hypothesis, *s.references)))
    values = {t: score.value for t, score in zip(texts, metric.score([Segment(t) for t in texts]), strict=True)}
    return [values[s.hypothesis] for s in segments], [[values[r] for r in s.references] for s in segments]


def draw_frequencies(own: list[float], others: list[list[float]]) -> None:
    """Draw FREQ of every summary against the mean of its references, with the diagonal."""
    with figure_style():
        figure = new_figure(4.2, 4)
        axes = figure.subplots()
        means = [float(np.mean(group)) for group in others]
        most = max(*own, *means) * 1.05
        axes.plot([0, most], [0, most], color=GREY, linewidth=0.8)
        axes.scatter(own, means, s=8, alpha=0.25, color=BLUE, linewidths=0)
        axes.set_xlabel("FREQ of the summary")
        axes.set_ylabel("FREQ of its references (mean)")
        axes.set_title("Mentions per repeated noun, SummEval's 12 abstractive systems")
        save_figure(figure, FIGURES / "discourse-freq.svg")


def draw_discrimination(points: dict[str, tuple[float, float]], r: float) -> None:
    """Draw D_R of every feature against the agreement of its metric."""
    with figure_style():
        figure = new_figure(4.6, 3.4)
        axes = figure.subplots()
        for rank, (name, (x, y)) in enumerate(sorted(points.items(), key=lambda point: point[1])):
            axes.scatter([x], [y], color=BLUE, s=22)
            axes.annotate(name, (x, y), xytext=(5, 4 if rank % 2 else -11), textcoords="offset points", fontsize=8)
        axes.margins(0.22)
        axes.set_xlabel("D_R: share of references with a lower value")
        axes.set_ylabel("τ of the metric with coherence")
        axes.set_title(f"Does a feature that discriminates make a good metric? r = {r:.2f}")
        save_figure(figure, FIGURES / "discourse-discrimination.svg")


def show(value: float) -> str:
    """Return a number with three digits, no leading zero, a true minus."""
    return f"{value:.3f}".replace("0.", ".", 1).replace("-", "−")


if __name__ == "__main__":
    sys.exit(main())
