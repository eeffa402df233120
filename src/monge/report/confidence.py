"""The report on intervals of single scores."""

from __future__ import annotations

import math

from monge.meta.confidence import CONSTANT, ConfidenceStudy
from monge.meta.wording import show_number
from monge.report.tables import markdown_table, text_table

_TITLES = {
    CONSTANT: "constant width",
    "references": "single references",
    "words": "words left out",
    "layers": "neighbouring layers",
}


def confidence_report(study: ConfidenceStudy, *, markdown: bool = False) -> str:
    """Return the sources as a table, best first, and what the chosen interval means."""
    header = ["width follows", "coverage", "mean width", "interval score", "ρ with the error"]
    rows = [
        [
            _TITLES.get(one.source, one.source),
            f"{one.coverage:.1%}",
            f"{one.width:.4g}",
            f"{one.interval_score:.4g}",
            "–" if math.isnan(one.explains) else show_number(one.explains, 2),
        ]
        for one in study.sources
    ]
    chosen, best = study.confidence, study.sources[0]
    lines = [
        f"{chosen.metric} on {chosen.data}: {chosen.level:.0%} intervals of single scores ({study.outputs:,} outputs)",
        (markdown_table if markdown else text_table)(header, rows),
        f"Chosen: {_TITLES.get(chosen.source, chosen.source)}; on average a score may be off by {best.width / 2:.3g}.",
        "Two fifths of the outputs calibrate, three tenths choose, three tenths are reported here.",
    ]
    return "\n\n".join(lines[:2]) + "\n\n" + "\n".join(lines[2:])
