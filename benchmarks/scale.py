"""How time and memory grow: with pairs, references, systems and metrics, and with the length of texts.

  python benchmarks/scale.py [--sizes 1000 10000 100000] [--million] [--metrics wmd] [--rounds 3]

Every size is one `monge score --no-cache` in a separate process on made-up pairs that all differ. Processor time, wall
time and peak memory are counted by the operating system; the time of a job of 10 pairs (start, loading) is
subtracted. --million adds 1,000,000 pairs. References, systems and metrics are varied on 4,000 pairs, one at a time.
Lengths are measured in one process: a text of n tokens against another of n tokens, encoded by MiniLM (in windows
beyond 512 tokens) and transported exactly.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from shared import ROOT, make_pairs, report_target

from monge.encoders import load_encoder
from monge.report.tables import text_table
from monge.transport import RaggedClouds, TransportSetting, solve_pairs

LENGTHS = (16, 32, 64, 128, 256, 512, 1000, 2000)


class Usage(NamedTuple):
    """What a process used: wall and processor seconds, and peak memory in megabytes."""

    wall: float
    processor: float
    memory: float


def run_job(
    metric: str, folder: Path, count: int, *, references: int = 1, systems: int = 1, metrics: Sequence[str] = ()
) -> Usage:
    """Score *count* pairs of each system in a separate process."""
    paths: dict[str, list[str]] = {"hypotheses": [], "references": []}
    for (side, own), wanted in zip(paths.items(), (systems, references), strict=True):
        for number in range(wanted):
            path = folder / f"{side}-{count}-{number}.txt"
            if not path.exists():
                lines = make_pairs(count, seed=number)[side == "references"]
                path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            own.append(str(path))
    files = [*paths["references"], "-i", *paths["hypotheses"]]
    command = [sys.executable, "-m", "monge", "score", *files, "-m", metric, *metrics]
    start = time.perf_counter()
    process = subprocess.Popen(
        [*command, "-q", "--no-cache", "--segments", str(folder / "segments.tsv")],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"monge score failed on {count} pairs")
    return Usage(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def measure_sizes(metric: str, sizes: list[int], rounds: int) -> None:
    """Print time per pair and memory by size, and whether both stay constant."""
    rows, costs, memories = [], {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_job(metric, folder, 10)  # fetches and converts what is missing
        empty = [run_job(metric, folder, 10) for _ in range(rounds)]
        for size in sizes:
            runs = [run_job(metric, folder, size) for _ in range(rounds if size < 100_000 else 1)]
            wall = statistics.median(run.wall for run in runs) - statistics.median(run.wall for run in empty)
            used = statistics.median(run.processor for run in runs) - statistics.median(e.processor for e in empty)
            costs[size], memories[size] = used / size, max(run.memory for run in runs)
            rows.append([f"{size:,}", f"{1e3 * wall / size:.3f}", f"{1e3 * used / size:.3f}", f"{memories[size]:.0f}"])
    print(f"\n{metric}, cost by number of pairs")
    print(text_table(["pairs", "wall ms/pair", "processor ms/pair", "memory MB"], rows))
    smallest, largest = min(sizes), max(sizes)
    growth = costs[largest] / costs[smallest]
    report_target(f"{metric}, processor time per pair at {largest:,} against {smallest:,}", growth, 1.25, at_most=True)
    report_target(f"{metric}, memory at {largest:,} pairs", memories[largest] / 1024, 1.5, unit="GB", at_most=True)


def measure_breadth(metric: str, count: int, rounds: int) -> None:
    """Print how processor time and memory grow with references, systems and metrics."""
    given = [f"{metric},order={order}" for order in (2, 3, 4)]  # the same work with other numbers
    kinds: dict[str, list[dict[str, Any]]] = {
        "references": [{"references": n} for n in (1, 2, 4)],
        "systems": [{"systems": n} for n in (1, 2, 4)],
        "metrics": [{"metrics": given[: n - 1]} for n in (1, 2, 4)],
    }
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        empty = min(run_job(metric, folder, 10).processor for _ in range(rounds))
        for kind, variants in kinds.items():
            runs = [[run_job(metric, folder, count, **one) for _ in range(rounds)] for one in variants]
            used = [min(run.processor for run in own) - empty for own in runs]  # other load only adds
            memory = [max(run.memory for run in own) for own in runs]
            rows.append([kind, *(f"{part:.2f}" for part in used), *(f"{part:.0f}" for part in memory)])
            growth = used[-1] / used[0]
            why = f"{', '.join(f'{part:.2f} s' for part in used)} for 1, 2 and 4, the start subtracted"
            report_target(f"{metric}, processor time of four {kind} against one", growth, 4.4, at_most=True, why=why)
    print(f"\n{metric} on {count} pairs: processor seconds (fastest run) and memory in MB with 1, 2 and 4 of")
    print(text_table(["", "1", "2", "4", "MB, 1", "MB, 2", "MB, 4"], rows))


def measure_lengths(rounds: int) -> None:
    """Print how the time of one pair grows with its length."""
    encoder = load_encoder("minilm")
    words = set((ROOT / "examples" / "demo" / "reference.txt").read_text(encoding="utf-8").lower().split())
    single = sorted(
        word for word in words if len(encoder.tokenize([word])[0]) == 3
    )  # one token between [CLS] and [SEP]
    encoder.encode(["warm up"], [4])
    rows = []
    for length in LENGTHS:
        encoding, solving = [], []
        for number in range(rounds):
            generator = random.Random(number)
            texts = [" ".join(generator.choices(single, k=length - 2)) for _ in range(2)]
            start = time.perf_counter()
            vectors = [one.vectors[0] for one in encoder.encode(texts, [4])]
            encoding.append(time.perf_counter() - start)
            clouds = RaggedClouds.from_clouds(vectors, [np.full(length, 1 / length)] * 2)
            start = time.perf_counter()
            solve_pairs(clouds, clouds, [(0, 1)], TransportSetting("cosine"))
            solving.append(time.perf_counter() - start)
        taken = [1e3 * statistics.median(times) for times in (encoding, solving)]
        rows.append([str(length), f"{taken[0]:.1f}", f"{taken[1]:.2f}"])
    print("\none pair of texts by length: MiniLM up to layer 4, then exact transport under 1 - cos")
    print(text_table(["tokens each", "encode ms", "transport ms"], rows))


def main() -> None:
    """Measure sizes, then lengths."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=int, default=[1000, 10_000, 100_000])
    parser.add_argument("--million", action="store_true", help="also score 1,000,000 pairs")
    parser.add_argument("--metrics", nargs="+", default=["wmd"])
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    for metric in args.metrics:
        measure_breadth(metric, 4000, args.rounds)
        measure_sizes(metric, [*args.sizes, *([1_000_000] if args.million else [])], args.rounds)
    measure_lengths(args.rounds)


if __name__ == "__main__":
    main()
