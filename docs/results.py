"""Updates the tables of docs/results.md and docs/results-*.md from the reports of `monge benchmark`.

python docs/results.py FOLDER|SUITE=FILE [...]

A folder is what `monge benchmark SUITE --folder FOLDER` wrote, a file what `monge correlate DATA … -f json` printed
(which reads scores of earlier runs with `--scores`). A table is placed between the comments
``<!-- DATA STATISTIC LEVEL [WORD] -->`` and ``<!-- end -->``: all metrics, or those whose name has WORD
(an encoder, or ``own`` for those that name none). ``discourse`` or ``discourse-ablation`` at the end takes the report
of that suite; ``thesis`` before it adds the values that Zhao (2022, ch. 6, table 1) prints, without their sign.
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
# average Kendall τ over four aspects of SummEval, 12 abstractive systems, as absolute values
THESIS = {
    "rouge1": 0.159, "rougel": 0.189, "bertscore": 0.417, "moverscore": 0.508, "rc": 0.523, "lc": 0.508,
    "entity_graph": 0.220, "lexical_graph": 0.220, "lexical_chain": 0.189, "ds_focus": 0.750, "ds_sent": 0.583,
}  # fmt: skip
_BLOCK = re.compile(r"(<!-- (?!end)([^>]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def show(value: float | None) -> str:
    """Return a correlation as the field prints it: three digits, no leading zero."""
    return "–" if value is None else f"{value:.3f}".replace("0.", ".", 1)


def study_table(study: dict[str, Any], word: str, before: str, thesis: bool = False) -> str:
    """Return one row per metric, best first: every task, the average and its interval; other rows of *before* stay."""
    rows = []
    for record in study["metrics"]:
        name = record["metric"]
        encoder = name.rpartition(" ")[2] if " " in name else "own"
        if word in ("", encoder):
            average, tasks = record["average"], [record["tasks"][task]["value"] for task in study["tasks"]]
            low, high = average["low"], average["high"]
            interval = "–" if low is None else f"[{show(low)}, {show(high)}]"
            mean = [show(average["value"])] if len(tasks) > 1 else []
            published = THESIS.get(name.removesuffix(f" {encoder}"))
            rows.append([name, *map(show, tasks), *mean, interval, *([show(published)] if thesis else [])])
    mean = ["average"] if len(study["tasks"]) > 1 else []
    header = ["metric", *study["tasks"], *mean, "95 % interval", *(["thesis, size"] if thesis else [])]
    known = {row[0] for row in rows}
    old = [[cell.strip() for cell in line.strip("|").split("|")] for line in before.splitlines()]
    if old and old[0] == header:
        rows += [row for row in old[2:] if row[0] not in known]
    decisive = header.index("95 % interval") - 1
    return markdown_table(header, sorted(rows, key=lambda row: -_read(row[decisive])))


def _read(cell: str) -> float:
    return -2.0 if cell == "–" else float(cell.replace("−", "-"))


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
    data, what, *more = [*key.split(), ""]  # a block of one word belongs to another script
    more = [word for word in more if word]
    suite = more.pop() if more and more[-1].startswith("discourse") else ""
    thesis = more[-1:] == ["thesis"]
    more = [word for word in more if word != "thesis"]
    for part in (part for part in parts if part["data"] == data):
        if part["suite"] != suite if suite else part["suite"].startswith("discourse"):
            continue
        if what == "layers" and part["curves"]:
            return curve_table(part["curves"])
        if what == "switches" and part["ablations"]:
            return "\n\n".join(map(ablation_table, part["ablations"]))
        for study in part["studies"]:
            if [study["statistic"], study["level"]] == [what, *more[:1]]:
                return study_table(study, more[1] if len(more) > 1 else "", before, thesis)
    return None


def read_parts(source: str) -> list[dict[str, Any]]:
    """Return the data sets of a folder, or of SUITE=FILE."""
    suite, found, file = source.partition("=")
    if found:
        study = json.loads(Path(file).read_text(encoding="utf-8"))
        return [{"suite": suite, "data": study["data"], "studies": [study], "curves": {}, "ablations": []}]
    report = json.loads((Path(source) / "report.json").read_text(encoding="utf-8"))
    return [part | {"suite": report["suite"]} for part in report["data"]]


def main(sources: list[str]) -> int:
    """Refresh what the sources hold; tell what they do not."""
    parts = [part for source in sources for part in read_parts(source)]

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
