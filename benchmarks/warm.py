"""Pairs per second when vectors are stored already: `metric.score` on MiniLM, in one process.

  python benchmarks/warm.py [--pairs 1000] [--rounds 6]

Pairs of 14 to 22 words. The vectors are encoded once before timing; scores are not stored. The fastest round counts, by
the clock and by processor time (which other load on the machine disturbs less). Vectors are read and clouds built by
two threads while those before are compared: the last column is what two cores without other load could reach at most.
"""

from __future__ import annotations

import argparse
import os
import time

from shared import find_pairs, report_target

from monge.metrics import load_metric
from monge.report.tables import text_table
from monge.storage.gather import reads_natively
from monge.text import make_segments

# metric, pairs per second wanted
TARGETS = {"bertscore": 15_000, "emd": 15_000, "moverscore": 8_000, "bertscore,order=3": 8_000, "cosine": 15_000}
# pairs per second when clouds were built one by one, on the same machine, which tenfold were wanted
BEFORE = {"bertscore": 2000 / 0.75, "moverscore": 2000 / 3.8, "bertscore,order=3": 2000 / 1.2}


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
        wall, processor = [], []
        for _ in range(args.rounds):
            start, used = time.perf_counter(), time.process_time()
            metric.score(segments)
            wall.append(time.perf_counter() - start)
            processor.append(time.process_time() - used)
        rates = [len(segments) / min(taken) for taken in (wall, processor)]
        rows.append([label, *(f"{rate:,.0f}" for rate in (*rates, 2 * rates[1]))])
        load = os.getloadavg()[0]
        why = (
            f"{1e6 / rates[1]:.0f} µs of processor time per pair, so that two cores without other load could reach "
            f"{2 * rates[1]:,.0f} pairs/s if they never waited for each other; load of the machine {load:.1f}"
        )
        report_target(f"{label}, vectors stored", rates[0], TARGETS[label], unit="pairs/s", why=why)
        if label in BEFORE:
            ratio = rates[0] / BEFORE[label]
            report_target(f"{label}, vectors stored, against {BEFORE[label]:,.0f} pairs/s before", ratio, 10, why=why)
    reader = "native reader" if reads_natively() else "WITHOUT the native reader: python setup.py build_ext --inplace"
    print(f"{len(segments)} {origin}, fastest of {args.rounds} rounds, {reader}")
    print(text_table(["", "pairs/s", "pairs per processor second", "two cores at most"], rows))


if __name__ == "__main__":
    main()
