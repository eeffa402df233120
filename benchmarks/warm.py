"""Pairs per second when vectors are stored already: `metric.score` on MiniLM, in one process.

  python benchmarks/warm.py [--pairs 1000] [--rounds 6]

Pairs of 14 to 22 words. The vectors are encoded once before timing; scores are not stored. The fastest round counts, by
the clock and by processor time (which other load on the machine disturbs less). Reading and transport run on all cores,
the rest in one thread: the last column is what two cores without other load would reach by that, 1 / (own + others / 2)
of the processor seconds of this thread and of the others.
"""

from __future__ import annotations

import argparse
import time

from shared import find_pairs, report_target

from monge.metrics import load_metric
from monge.report.tables import text_table
from monge.text import make_segments

# metric, pairs per second wanted
TARGETS = {"bertscore": 15_000, "emd": 15_000, "moverscore": 8_000, "bertscore,order=3": 8_000, "cosine": 15_000}


def main() -> None:
    """Time every metric."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=6)
    args = parser.parse_args()
    hypotheses, references, origin = find_pairs(4000)
    both = zip(hypotheses, references, strict=True)
    chosen = [pair for pair in both if all(14 <= len(text.split()) <= 22 for text in pair)][: args.pairs]
    segments = make_segments(*zip(*chosen, strict=True))
    rows = []
    for label in TARGETS:
        name, *options = label.split(",")
        metric = load_metric(name, **dict(option.split("=") for option in options))
        metric = metric if metric.bound else metric.bind(segments)
        metric.score(segments)
        wall, processor, halved = [], [], []
        for _ in range(args.rounds):
            start, used, own = time.perf_counter(), time.process_time(), time.thread_time()
            metric.score(segments)
            wall.append(time.perf_counter() - start)
            processor.append(time.process_time() - used)
            halved.append((time.thread_time() - own + processor[-1]) / 2)
        rates = [len(segments) / min(taken) for taken in (wall, processor, halved)]
        rows.append([label, *(f"{rate:,.0f}" for rate in rates)])
        report_target(f"{label}, vectors stored", rates[0], TARGETS[label], unit="pairs/s")
    print(f"{len(segments)} {origin}, fastest of {args.rounds} rounds")
    print(text_table(["", "pairs/s", "pairs per processor second", "two free cores"], rows))


if __name__ == "__main__":
    main()
