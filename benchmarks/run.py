"""Run the benchmarks and write docs/benchmarks.md.

  python benchmarks/run.py [--only cache.py …] [--quick] [--million]

Needs the torch extra and the peers (`make bench` installs them): pip install -e '.[test,torch,peers]', then
pip install --no-deps moverscore pyemd. The page shows the latest output of every benchmark; --only runs some of them
and takes the others from build/benchmarks.json. The status is 1 when a benchmark fails or a target is missed.
"""

from __future__ import annotations

import argparse
import ast
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from monge.report.tables import markdown_table, text_table
from monge.storage.atomic import write_text

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
KEPT = HERE.parent / "build" / "benchmarks.json"
# script, arguments when --quick
SCRIPTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("transport.py", ()),
    ("encoder.py", ("--texts", "200", "--rounds", "3")),
    ("precision.py", ("--texts", "100", "--pairs", "40")),
    ("metrics.py", ("--pairs", "200", "--rounds", "1")),
    ("cache.py", ("--pairs", "400", "--rounds", "1")),
    ("warm.py", ("--pairs", "200", "--rounds", "2")),
    ("sweep.py", ("--pairs", "200", "--cold-pairs", "20", "--rounds", "1")),
    ("cluster.py", ("--pairs", "10000", "--metrics", "rouge1")),
    ("scale.py", ("--sizes", "1000", "10000", "--rounds", "1")),
)
PACKAGES = ("numpy", "scipy", "onnxruntime", "torch", "transformers", "POT", "bert-score", "moverscore", "pyemd")


# why a target may be missed; the page shows the reason then
REASONS = {
    "bertscore, vectors stored": "of 80 µs of processor time per pair 46 are reading 64 KB of vectors and their "
    "checksums, and 20 transport, both on all cores; the rate by the clock needs two cores without other load.",
    "emd, vectors stored": "as for bertscore.",
    "moverscore, vectors stored": "of 180 µs of processor time per pair 100 are reading 203 KB of joined vectors and "
    "their checksums, 20 taking out the tokens that are dropped, 22 transport.",
    "bertscore,order=3, vectors stored": "as for bertscore.",
    "five metrics against their deepest encoder pass": "they need two encoders, and the pass of MiniLM takes a seventh "
    "of that of MPNet: 1.14 is the least.",
    "MoverScore cold against moverscore_v2": "nine tenths of the time is the encoder; it runs at the machine's limit: "
    "p-means and transport are the rest.",
    "moverscore, the same job again from the cache": "idf is part of the key of stored scores, so it is computed again "
    "before they can be found.",
}


class Report(NamedTuple):
    """What one benchmark printed."""

    script: str
    title: str
    output: str
    passed: bool
    load: float  # of the machine when it started

    @property
    def targets(self) -> list[list[str]]:
        """The cells of its target lines: name, value, wanted, verdict."""
        lines = [line.removeprefix("target: ") for line in self.output.splitlines() if line.startswith("target: ")]
        return [[cell.strip() for cell in line.split("|")] for line in lines]


def run_script(script: str, arguments: list[str]) -> Report:
    """Run one benchmark and show its output while it runs."""
    documentation = ast.get_docstring(ast.parse((HERE / script).read_text(encoding="utf-8"))) or script
    print(f"\n== {script}", flush=True)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    process = subprocess.Popen(
        [sys.executable, str(HERE / script), *arguments], stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    return Report(script, documentation.splitlines()[0], "".join(lines), process.wait() == 0, load)


def describe_machine() -> str:
    """Return processor, cores and versions in one paragraph."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text(encoding="utf-8").splitlines() if information.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{package} absent")
    return f"{model}, {os.cpu_count()} cores; Python {platform.python_version()}, {', '.join(versions)}."


def render(machine: str, reports: list[Report]) -> str:
    """Return the page."""
    rows = [cells for report in reports for cells in report.targets]
    rows += [[report.script, "failed", "", "FAILED"] for report in reports if not report.passed]
    parts = ["# Benchmarks", "Made by `python benchmarks/run.py`; peers are timed in the same run, in turns.", machine]
    parts += ["## Targets", markdown_table(["", "measured", "wanted", ""], rows, left=1)]
    parts += [f"Why {name} is missed: {REASONS[name]}" for name, *_, met in rows if met == "MISSED" and name in REASONS]
    for report in reports:
        shown = "\n".join(line for line in report.output.splitlines() if not line.startswith("target: ")).strip()
        origin = f"`benchmarks/{report.script}`, load of the machine at the start {report.load:.1f}"
        parts += [f"## {report.title}", origin, f"```\n{shown}\n```"]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Run all benchmarks, print the targets, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[script for script, _ in SCRIPTS], help="run these only")
    parser.add_argument(
        "--quick", action="store_true", help="smaller sizes and fewer rounds: a check, not a measurement"
    )
    parser.add_argument("--million", action="store_true", help="let scale.py score a million pairs")
    parser.add_argument("--output", type=Path, default=PAGE, help="where to write the page")
    args = parser.parse_args()
    kept = {row[0]: Report(*row) for row in json.loads(KEPT.read_text(encoding="utf-8"))} if KEPT.exists() else {}
    for script, quick in SCRIPTS:
        if args.only and script not in args.only:
            continue
        arguments = [*(quick if args.quick else ()), *(["--million"] if args.million and script == "scale.py" else [])]
        kept[script] = run_script(script, arguments)
        KEPT.parent.mkdir(exist_ok=True)
        write_text(KEPT, json.dumps(list(kept.values()), ensure_ascii=False, indent=1) + "\n")
    reports = [kept[script] for script, _ in SCRIPTS if script in kept]
    rows = [cells for report in reports for cells in report.targets]
    print("\n" + text_table(["target", "measured", "wanted", ""], rows))
    write_text(args.output, render(describe_machine(), reports))
    print(f"\nwritten to {args.output}")
    good = all(report.passed for report in reports) and all(cells[3] == "met" for cells in rows)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
