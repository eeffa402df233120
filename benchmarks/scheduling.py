"""How many workers a job of a hundred million pairs can use: a simulation with the chunk times of this machine.

  python benchmarks/scheduling.py [--pairs 100000000] [--rate 150] [--chunk 1000] [--dispatch 0.004]

A chunk takes as long as one drawn from measured chunk times (scaled so that a worker scores --rate pairs a second). The
client hands out one chunk after the other, which takes it --dispatch seconds each (reading, digest, submission, taking
the result), and keeps two chunks per worker under way; a worker first loads its encoder (--start seconds). Efficiency
is the work done divided by workers × time.
"""

from __future__ import annotations

import argparse
import heapq
import time

import numpy as np
from shared import make_pairs

from monge.metrics import load_metric
from monge.report.tables import text_table
from monge.text import make_segments


def measure_chunks(count: int = 60, size: int = 100) -> np.ndarray:
    """Return the times of small chunks of made-up pairs, divided by their mean: how much chunks differ."""
    hypotheses, references = make_pairs(count * size)
    segments, metric = make_segments(hypotheses, references), load_metric("wmd")
    metric.score(segments[:size])
    taken = []
    for start in range(0, len(segments), size):
        begin = time.process_time()
        metric.score(segments[start : start + size])
        taken.append(time.process_time() - begin)
    return np.array(taken) / np.mean(taken)


def simulate(workers: int, times: np.ndarray, *, dispatch: float, start: float) -> float:
    """Return the seconds until all chunks are scored, when the client serves one event after the other."""
    free = [start] * workers  # when each worker is done with what it has
    heapq.heapify(free)
    client = end = 0.0
    running: list[float] = []
    for seconds in times:
        client += dispatch
        if len(running) >= 2 * workers:  # two chunks per worker are under way: wait for one to end
            client = max(client, heapq.heappop(running))
        done = max(heapq.heappop(free), client) + seconds
        heapq.heappush(free, done)
        heapq.heappush(running, done)
        end = max(end, done)
    return end


def main() -> None:
    """Print hours and efficiency by number of workers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000_000)
    parser.add_argument("--rate", type=float, default=150.0, help="pairs per second and worker")
    parser.add_argument("--chunk", type=int, default=1000)
    parser.add_argument("--dispatch", type=float, default=0.004)
    parser.add_argument("--start", type=float, default=20.0)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 10, 100, 300, 1000, 2000, 4000])
    args = parser.parse_args()
    spread = measure_chunks()
    chunks = args.pairs // args.chunk
    times = np.random.default_rng(0).choice(spread, chunks) * args.chunk / args.rate
    rows = []
    for workers in args.workers:
        seconds = simulate(workers, times, dispatch=args.dispatch, start=args.start)
        rows.append([f"{workers:,}", f"{seconds / 3600:.2f}", f"{times.sum() / (workers * seconds):.0%}"])
    print(
        f"{args.pairs:,} pairs in {chunks:,} chunks of {args.chunk:,}; {args.rate:g} pairs/s per worker; "
        f"{1e3 * args.dispatch:g} ms per chunk in the client; chunk times differ by {spread.std():.0%}"
    )
    print(text_table(["workers", "hours", "efficiency"], rows))
    limit = args.chunk / args.rate / args.dispatch
    print(f"one client keeps at most {limit:,.0f} workers busy (chunk time / dispatch time)")


if __name__ == "__main__":
    main()
