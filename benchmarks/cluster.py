"""A large job on two Dask workers, one of which is killed: the same bytes as in one process?

  python benchmarks/cluster.py [--pairs 100000] [--metrics wmd] [--workers 2]

Scores made-up pairs, all different, in one process (`--executor inline`) and by Dask workers on this machine. When a
third of the chunks are finished, one worker is killed (SIGKILL). Both runs write every segment's score; the files are
compared byte by byte.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from shared import make_pairs, report_target

from monge.report.tables import text_table


def write_texts(folder: Path, count: int) -> list[str]:
    """Write made-up pairs and return the arguments that name them."""
    for name, lines in zip(("hypotheses", "references"), make_pairs(count), strict=True):
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [str(folder / "references.txt"), "-i", str(folder / "hypotheses.txt")]


def start_job(arguments: list[str], output: Path) -> subprocess.Popen[bytes]:
    """Start `monge score` in a process of its own; scores go to *output*, what is printed to the file beside it."""
    command = [sys.executable, "-m", "monge", "score", *arguments, "--segments", str(output), "-f", "text"]
    with output.with_suffix(".out").open("wb") as printed:
        return subprocess.Popen(command, stdout=printed, env={**os.environ, "TMPDIR": str(output.parent)})


def kill_worker(job: subprocess.Popen[bytes], shards: Path, chunks: int) -> int:
    """Wait until *chunks* shards are written, then kill the largest process below the job; return its number."""
    while sum(1 for path in shards.glob("*/*") if not path.name.endswith(".tmp")) < chunks:
        if job.poll() is not None:
            raise SystemExit("the job ended before a worker could be killed")
        time.sleep(0.2)
    below = psutil.Process(job.pid).children(recursive=True)
    victim = max(below, key=lambda process: process.memory_info().rss)  # a worker: nannies hold no metric
    victim.kill()
    return int(victim.pid)


def finish(job: subprocess.Popen[bytes], start: float) -> float:
    """Wait for a job and return how long it took."""
    if job.wait():
        raise SystemExit(f"monge score failed with status {job.returncode}")
    return time.perf_counter() - start


def main() -> None:
    """Run both jobs and compare what they wrote."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--metrics", nargs="+", default=["wmd"])
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shards = folder / "shards"
        arguments = [*write_texts(folder, args.pairs), "-m", *args.metrics]
        begin = time.perf_counter()
        inline = finish(start_job([*arguments, "--no-cache"], folder / "inline.tsv"), begin)
        begin = time.perf_counter()
        place = ["--executor", "dask", "--workers", str(args.workers), "--shards", str(shards)]
        job = start_job([*arguments, *place], folder / "dask.tsv")
        victim = kill_worker(job, shards, max(1, len(args.metrics) * args.pairs // 3000))
        dask = finish(job, begin)
        same = filecmp.cmp(folder / "inline.tsv", folder / "dask.tsv", shallow=False)
        same &= filecmp.cmp(folder / "inline.out", folder / "dask.out", shallow=False)
        size = (folder / "inline.tsv").stat().st_size
        count = sum(1 for path in shards.glob("*/*") if not path.name.endswith(".tmp"))
    rows = [["one process", f"{inline:.1f}"], [f"{args.workers} Dask workers, one killed", f"{dask:.1f}"]]
    print(f"{args.pairs:,} pairs by {', '.join(args.metrics)}; worker {victim} was killed")
    print(text_table(["", "seconds"], rows))
    print(f"{count:,} shards; {size:,} bytes of scores, {'the same' if same else 'DIFFERENT'}")
    report_target(
        f"{args.pairs:,} pairs with a killed worker: files that differ", float(not same), 0, at_most=True, unit=""
    )


if __name__ == "__main__":
    main()
