"""Run the benchmarks and write docs/benchmarks.md.

  python benchmarks/run.py [--only cache.py …] [--quick] [--million]

Needs the torch extra and the peers (`make bench` installs them): pip install -e '.[test,torch,peers]', then
pip install --no-deps moverscore pyemd. Takes about 25 minutes on two cores without other load. The page shows the
latest output of every benchmark; --only runs some of them and takes the others from build/benchmarks.json. --quick only
shows that everything runs. The status is 1 when a benchmark fails or a target is not met.
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
import time
from pathlib import Path
from typing import NamedTuple

from monge.report.tables import markdown_table, text_table
from monge.storage.atomic import write_text

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
BUILD = HERE.parent / "build"
BEFORE = "dd285c6~1"  # the service before vectors of recent texts were kept in memory


class Script(NamedTuple):
    """A benchmark, its arguments in a full run, and those of `--quick`."""

    name: str
    full: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()


SCRIPTS = (
    Script("transport.py", ("--rounds", "5"), ("--rounds", "1", "--pairs", "200")),
    Script("encoder.py", ("--rounds", "3"), ("--texts", "100", "--rounds", "1")),
    Script("precision.py", (), ("--texts", "100", "--rounds", "1", "--pairs", "20")),
    Script("metrics.py", ("--rounds", "2"), ("--pairs", "100", "--rounds", "1")),
    Script("cache.py", ("--rounds", "2"), ("--pairs", "200", "--rounds", "1")),
    Script("warm.py", (), ("--pairs", "200", "--rounds", "2")),
    Script("sweep.py", (), ("--pairs", "200", "--cold-pairs", "10", "--rounds", "1")),
    Script(
        "load_service.py",
        ("--before", BEFORE, "--seconds", "6"),
        ("--before", BEFORE, "--seconds", "2", "--rounds", "1", "--clients", "20"),
    ),
    Script("cluster.py", (), ("--pairs", "9000", "--metrics", "rouge1")),
    Script("scheduling.py"),
    Script("scale.py", (), ("--sizes", "1000", "4000", "--rounds", "1")),
)
PACKAGES = ("numpy", "scipy", "onnxruntime", "torch", "transformers", "POT", "bert-score", "moverscore", "pyemd")


class Report(NamedTuple):
    """What one benchmark printed."""

    script: str
    title: str
    output: str
    passed: bool
    load: float  # of the machine when it started
    seconds: float

    @property
    def targets(self) -> list[list[str]]:
        """The cells of its target lines: name, value, wanted, verdict."""
        return self._cells("target: ")

    @property
    def reasons(self) -> dict[str, str]:
        """Why targets were not met, by name, as the benchmark measured it."""
        unmet = {name for name, *_, verdict in self.targets if verdict != "met"}
        found = dict(self._cells("why: "))
        return {name: found.get(name, f"not known; load of the machine {self.load:.1f}") for name in sorted(unmet)}

    @property
    def tables(self) -> str:
        """What it printed besides targets and reasons."""
        lines = [line for line in self.output.splitlines() if not line.startswith(("target: ", "why: "))]
        return "\n".join(lines).strip()

    def _cells(self, mark: str) -> list[list[str]]:
        lines = [line.removeprefix(mark) for line in self.output.splitlines() if line.startswith(mark)]
        return [[cell.strip() for cell in line.split("|")] for line in lines]


def leave_out_missing(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Return arguments without a comparison with a commit that this clone does not have, and a line that says so."""
    if "--before" not in arguments:
        return arguments, []
    place = arguments.index("--before")
    commit = arguments[place + 1]
    command = ["git", "-C", str(HERE), "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"]
    if subprocess.run(command, capture_output=True, check=False).returncode == 0:
        return arguments, []
    reason = f"not compared with an earlier version: this clone does not have the commit {commit}\n"
    return arguments[:place] + arguments[place + 2 :], [reason]


def run_script(script: str, arguments: list[str]) -> Report:
    """Run one benchmark and show its output while it runs."""
    documentation = ast.get_docstring(ast.parse((HERE / script).read_text(encoding="utf-8"))) or script
    print(f"\n== {script}", flush=True)
    arguments, lines = leave_out_missing(arguments)
    print(*lines, sep="", end="", flush=True)
    load, start = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0, time.monotonic()
    process = subprocess.Popen(
        [sys.executable, str(HERE / script), *arguments], stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    passed = process.wait() == 0
    return Report(
        script, documentation.splitlines()[0], "".join(lines), passed, load, round(time.monotonic() - start, 1)
    )


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
    reasons = [f"- {name}: {why}." for report in reports for name, why in report.reasons.items()]
    parts += ["Not met, and what was measured about it:", "\n".join(reasons)] if reasons else []
    for report in reports:
        origin = (
            f"`benchmarks/{report.script}`, {report.seconds:.0f} s; load of the machine at the start {report.load:.1f}"
        )
        parts += [f"## {report.title}", origin, f"```\n{report.tables}\n```"]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Run all benchmarks, print the targets, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[script.name for script in SCRIPTS], help="run these only")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, one round: a check, written to build/, not a measurement"
    )
    parser.add_argument("--million", action="store_true", help="let scale.py score a million pairs")
    parser.add_argument("--output", type=Path, help="where to write the page; default docs/benchmarks.md")
    args = parser.parse_args()
    keep = BUILD / ("benchmarks-quick.json" if args.quick else "benchmarks.json")
    page = args.output or (BUILD / "benchmarks-quick.md" if args.quick else PAGE)
    stored = json.loads(keep.read_text(encoding="utf-8")) if keep.exists() else []
    kept = {row[0]: Report(*row) for row in stored if len(row) == len(Report._fields)}
    for script in SCRIPTS:
        if args.only and script.name not in args.only:
            continue
        million = ["--million"] if args.million and script.name == "scale.py" else []
        kept[script.name] = run_script(script.name, [*(script.quick if args.quick else script.full), *million])
        BUILD.mkdir(exist_ok=True)
        write_text(keep, json.dumps(list(kept.values()), ensure_ascii=False, indent=1) + "\n")
    reports = [kept[script.name] for script in SCRIPTS if script.name in kept]
    rows = [cells for report in reports for cells in report.targets]
    print("\n" + text_table(["target", "measured", "wanted", ""], rows))
    for report in reports:
        for name, why in report.reasons.items():
            print(f"not met: {name}: {why}")
        if not report.passed:
            print(f"failed: {report.script}")
    print(f"\n{sum(report.seconds for report in reports) / 60:.1f} minutes")
    about = "A check with small sizes, not a measurement. " if args.quick else ""
    write_text(page, render(about + describe_machine(), reports))
    print(f"\nwritten to {page}")
    good = all(report.passed for report in reports) and all(cells[3] == "met" for cells in rows)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
