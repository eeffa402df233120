"""Updates the tables of docs/results.md and docs/results-*.md from the reports of `monge benchmark`.

python docs/results.py FOLDER [FOLDER ...]

A folder is what `monge benchmark SUITE --folder FOLDER` wrote. A table is placed between the comments
``<!-- DATA STATISTIC LEVEL [WORD] -->`` and ``<!-- end -->``: all metrics, or those whose name has WORD
(an encoder, or ``own`` for those that name none). ``discourse`` or ``discourse-ablation`` at the end takes the report
of that suite.
``<!-- DATA layers -->`` is the curve over layers, ``<!-- DATA switches -->`` the ablation. Other text stays, and so do
rows of metrics that no report holds, so that a metric can be measured again alone (`monge benchmark SUITE -m METRIC`).
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from monge.report.tables import markdown_table
from monge.storage.atomic import write_text

PAGES = sorted(Path(__file__).parent.glob("results*.md"))
_BLOCK = re.compile(r"(<!-- (?!end)([^>]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def show(value: float | None) -> str:
    """Return a correlation as the field prints it: three digits, no leading zero."""
    return "–" if value is None else f"{value:.3f}".replace("0.", ".", 1)


def study_table(study: dict[str, Any], word: str, before: str) -> str:
    """Return one row per metric, best first: every task, the average and its interval; other rows of *before* stay."""
    rows = []
    for record in study["metrics"]:
        encoder = record["metric"].rpartition(" ")[2] if " " in record["metric"] else "own"
        if word in ("", encoder):
            average, tasks = record["average"], [record["tasks"][task]["value"] for task in study["tasks"]]
            low, high = average["low"], average["high"]
            interval = "–" if low is None else f"[{show(low)}, {show(high)}]"
            mean = [show(average["value"])] if len(tasks) > 1 else []
            rows.append([record["metric"], *map(show, tasks), *mean, interval])
    mean = ["average"] if len(study["tasks"]) > 1 else []
    header = ["metric", *study["tasks"], *mean, "95 % interval"]
    known = {row[0] for row in rows}
    old = [[cell.strip() for cell in line.strip("|").split("|")] for line in before.splitlines()]
    if old and old[0] == header:
        rows += [row for row in old[2:] if row[0] not in known]
    return markdown_table(header, sorted(rows, key=lambda row: -float(row[-2])))


def curve_table(curves: dict[str, dict[str, float | None]]) -> str:
    """Return a line a layer, a column a metric."""
    layers = sorted({layer for points in curves.values() for layer in points}, key=int)
    rows = [
        [layer, *(show(points[layer]) if layer in points else "" for points in curves.values())] for layer in layers
    ]
    return markdown_table(["layer", *curves], rows)


def ablation_table(ablation: dict[str, Any]) -> str:
    """Return a line a switch."""
    return markdown_table(
        ["metric, then switches", "value"], [[step, show(v)] for step, v in ablation["steps"].items()]
    )


def render(key: str, parts: list[dict[str, Any]], before: str) -> str | None:
    """Return the table that *key* names, or None when no report has it; *before* is the table as it was."""
    if " " not in key:  # a table of another script
        return None
    data, what, *more = key.split()
    suite = more.pop() if more and more[-1].startswith("discourse") else ""
    for part in (part for part in parts if part["data"] == data):
        if part["suite"] != suite if suite else part["suite"].startswith("discourse"):
            continue
        if what == "layers" and part["curves"]:
            return curve_table(part["curves"])
        if what == "switches" and part["ablations"]:
            return "\n\n".join(map(ablation_table, part["ablations"]))
        for study in part["studies"]:
            if [study["statistic"], study["level"]] == [what, *more[:1]]:
                return study_table(study, more[1] if len(more) > 1 else "", before)
    return None


def main(folders: list[str]) -> int:
    """Refresh what the folders hold; tell what they do not."""
    reports = [json.loads((Path(folder) / "report.json").read_text(encoding="utf-8")) for folder in folders]
    parts = [part | {"suite": report["suite"]} for report in reports for part in report["data"]]

    def refresh(block: re.Match[str]) -> str:
        table = render(block[2], parts, block[3].strip())
        if table is None:
            print(f"kept as it was: {block[2]}", file=sys.stderr)
            return block[0]
        return f"{block[1]}{table}\n{block[4]}"

    for page in PAGES:
        write_text(page, _BLOCK.sub(refresh, page.read_text(encoding="utf-8")))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
