"""How long trained maps take: processor seconds per step, and of a whole training by default.

python benchmarks/alignment.py [--pairs 20000] [--dimension 512] [--steps 4]

Random vectors are as good as real ones for this. Torch runs on one thread: processor seconds are those of one core.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from monge.crosslingual.fit import VectorPairs
from monge.learned.density import SUPERVISED, UNSUPERVISED, DensitySettings, default_steps, fit_density


def measure(name: str, sample: VectorPairs, steps: int) -> float:
    """Return the processor seconds of one step, the least of those taken."""
    spent: list[float] = []

    def report(*_: object) -> object:
        return lambda *_: spent.append(time.process_time())

    fit_density(name, sample, DensitySettings(steps=steps, patience=0), report=report)  # type: ignore[arg-type]
    gaps = np.diff(spent)
    return float(np.min(gaps)) if len(gaps) else float("nan")


def main() -> None:
    """Print one line per method."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--dimension", type=int, default=512)
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args()
    torch.set_num_threads(1)
    draw = np.random.default_rng(0)
    source = draw.standard_normal((args.pairs, args.dimension))
    sample = VectorPairs(source, source[:, ::-1] + 0.1 * draw.standard_normal(source.shape))
    for name in (*SUPERVISED, *UNSUPERVISED):
        seconds = measure(name, sample, args.steps)
        steps = default_steps(name, sample)
        print(f"{name}: {seconds:.3f} s per step with judging, at most {steps} steps, {seconds * steps / 60:.1f} min")


if __name__ == "__main__":
    main()
