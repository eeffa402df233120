"""The same job again: `monge score` cold, from stored vectors, and from stored scores.

  python benchmarks/cache.py [--pairs 3920] [--rounds 3] [--metrics bertscore moverscore]

Every run is a separate process with a separate cache; the time is that of the command after the imports, so it
includes loading the model where the model is needed. `no cache` keeps nothing; `cold` starts from an empty cache and
fills it; `vectors` finds all hidden states but no scores, as another metric on the same texts would; `again` is
the same job once more, whose chunks of scores are all stored. All four must print the same scores.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from shared import find_pairs, median_ratio, report_target

from monge.encoders.models import find_model, require_model
from monge.environment import Environment
from monge.report.tables import text_table

TIMED = """
import contextlib, io, json, sys, time
import numpy, monge.cli.score, monge.cli.score_output, monge.engine.inputs, monge.engine.job
import monge.metrics.transport.metric, monge.metrics.transport.presets, monge.encoders.cached, tqdm
from monge.cli import main
printed = io.StringIO()
start = time.perf_counter()
with contextlib.redirect_stdout(printed):
    status = main(sys.argv[1:])
print(json.dumps({"seconds": time.perf_counter() - start, "status": status, "printed": printed.getvalue()}))
"""
STATES = ("no cache", "cold", "vectors", "again")


def run_job(arguments: list[str], cache: Path) -> tuple[float, str]:
    """Return the seconds and the output of one `monge score` in a fresh process."""
    environment = {**os.environ, "MONGE_CACHE": str(cache), "MONGE_NO_CACHE": "", "MONGE_CACHE_SIZE": "20GB"}
    done = subprocess.run(
        [sys.executable, "-c", TIMED, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode or not done.stdout:
        raise SystemExit(f"monge score failed: {done.stderr}")
    result = json.loads(done.stdout)
    assert result["status"] == 0, done.stderr
    return result["seconds"], result["printed"]


def run_round(arguments: list[str], cache: Path) -> dict[str, float]:
    """Run the job in all four states, starting with an empty cache."""
    for name in ("embeddings", "scores"):
        shutil.rmtree(cache / name, ignore_errors=True)
    seconds, printed = {}, {}
    for state in STATES:
        if state == "vectors":
            shutil.rmtree(cache / "scores")
        flags = ["--no-cache"] if state == "no cache" else []
        seconds[state], printed[state] = run_job([*arguments, *flags], cache)
    assert len(set(printed.values())) == 1, f"scores differ: {printed}"
    return seconds


def main() -> None:
    """Measure every metric and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=3920)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--metrics", nargs="+", default=["bertscore", "moverscore"])
    args = parser.parse_args()
    hypotheses, references, origin = find_pairs(args.pairs)
    print(f"{len(hypotheses)} {origin}, MiniLM, median of {args.rounds} rounds, seconds (and times faster than cold)\n")
    rows, ratios, again, cold = [], {}, {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = require_model(find_model("minilm"), Environment.read())
        (folder / "cache" / "models").mkdir(parents=True)
        (folder / "cache" / "models" / model.name).symlink_to(model, target_is_directory=True)
        for file, lines in (("hypotheses.txt", hypotheses), ("references.txt", references)):
            (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
        run_job(["models", "list"], folder / "cache")
        for metric in args.metrics:
            files = [str(folder / "references.txt"), "-i", str(folder / "hypotheses.txt")]
            job = ["score", *files, "-m", metric, "-q", "-w", "10"]
            rounds = [run_round(job, folder / "cache") for _ in range(args.rounds)]
            taken = {state: [one[state] for one in rounds] for state in STATES}
            size = sum(file.stat().st_size for file in (folder / "cache" / "embeddings").iterdir())
            ratios[metric] = {state: median_ratio(taken["cold"], taken[state]) for state in STATES}
            cells = [f"{statistics.median(taken[state]):.2f} ({ratios[metric][state]:.3g} ×)" for state in STATES]
            rows.append([metric, *cells, f"{size / 2**20:.0f} MB"])
            again[metric], cold[metric] = (statistics.median(taken[state]) for state in ("again", "cold"))
    print(text_table(["", *STATES, "vectors on disk"], rows))
    for metric, ratio in ratios.items():
        why = f"{again[metric]:.2f} s are left of {cold[metric]:.1f} s"
        if metric == "moverscore":
            why += ". The idf of all texts is counted before stored scores can be found: it is part of their key"
        report_target(f"{metric}, the same job again from the cache", ratio["again"], 100, why=why)


if __name__ == "__main__":
    main()
