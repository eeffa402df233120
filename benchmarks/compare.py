"""How long a large comparison takes: 50 systems, 10,000 instances, all mechanisms, 1,000 draws.

python benchmarks/compare.py [--systems 50] [--instances 10000] [--draws 1000]
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from monge.comparison import CompareSettings, compare_systems, explain_comparison
from monge.scores import ScoreTable


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=50)
    parser.add_argument("--instances", type=int, default=10_000)
    parser.add_argument("--draws", type=int, default=1000)
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    values = rng.normal(size=(args.systems, args.instances)) + rng.normal(size=args.instances)
    values += np.linspace(0, 0.3, args.systems)[:, None]
    names = tuple(f"system{k}" for k in range(args.systems)), tuple(str(k) for k in range(args.instances))
    start, used = time.perf_counter(), time.process_time()
    comparison = compare_systems(ScoreTable(*names, values), settings=CompareSettings(draws=args.draws))
    middle = time.perf_counter()
    explain_comparison(comparison)
    end = time.perf_counter()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{args.systems} systems x {args.instances:,} instances, {args.draws:,} draws, {len(comparison.pairs):,} pairs"
    )
    print(f"compare {middle - start:.1f} s, explain {end - middle:.1f} s, total {end - start:.1f} s")
    print(f"processor {time.process_time() - used:.1f} s, memory {memory:.0f} MB")


if __name__ == "__main__":
    main()
