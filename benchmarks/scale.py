"""How time and memory grow: with the number of pairs, and with the length of texts.

  python benchmarks/scale.py [--sizes 1000 10000 100000] [--million] [--metrics wmd] [--rounds 3]

Every size is one `monge score --no-cache` in a separate process on made-up pairs that all differ. Processor time, wall
time and peak memory are counted by the operating system; the time of a job of 10 pairs (start, loading) is
subtracted. --million adds 1,000,000 pairs. Lengths are measured in one process: a text of n tokens
against another of n tokens, encoded by MiniLM (in windows beyond 512 tokens) and transported exactly.
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
from pathlib import Path
from typing import NamedTuple

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


def run_job(metric: str, folder: Path, count: int) -> Usage:
    """Score *count* pairs in a separate process."""
    paths = [folder / f"{side}-{count}.txt" for side in ("hypotheses", "references")]
    if not paths[0].exists():
        for path, lines in zip(paths, make_pairs(count), strict=True):
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    output = str(folder / "segments.tsv")
    command = [sys.executable, "-m", "monge", "score", str(paths[1]), "-i", str(paths[0]), "-m", metric, "-q"]
    start = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--no-cache", "--segments", output],
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
        measure_sizes(metric, [*args.sizes, *([1_000_000] if args.million else [])], args.rounds)
    measure_lengths(args.rounds)


if __name__ == "__main__":
    main()
