"""How long trained maps take: processor seconds per step, and of a whole training by default.

python benchmarks/alignment.py [--pairs 20000] [--dimension 512] [--steps 4] [--methods real-nvp …]

Random vectors are as good as real ones for this. Torch runs on one thread: processor seconds are those of one core.
The least of some steps is taken, since a busy machine only makes them longer. A whole training judges itself twenty
times; one that stops early takes less.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from monge.crosslingual.fit import VectorPairs
from monge.learned.density import SUPERVISED, UNSUPERVISED, DensitySettings, default_steps, fit_density
from monge.learned.supervised import Judge

_JUDGEMENTS = 20


def measure(name: str, sample: VectorPairs, steps: int, judge: Judge | None = None) -> float:
    """Return the processor seconds of one step with its judgement, the least of those taken."""
    spent: list[float] = []

    def report(*_: object) -> object:
        return lambda *_: spent.append(time.process_time())

    settings = DensitySettings(steps=steps, patience=0)
    fit_density(name, sample, settings, report=report, judge=judge)  # type: ignore[arg-type]
    gaps = np.diff(spent)
    return float(np.min(gaps)) if len(gaps) else float("nan")


def main() -> None:
    """Print one line per method."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--dimension", type=int, default=512)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--methods", nargs="+", default=(*SUPERVISED, *UNSUPERVISED))
    args = parser.parse_args()
    torch.set_num_threads(1)
    draw = np.random.default_rng(0)
    source = draw.standard_normal((args.pairs, args.dimension))
    sample = VectorPairs(source, source[:, ::-1] + 0.1 * draw.standard_normal(source.shape))
    quick = Judge(source[:100], sample.target[:100], lambda *_: 0.0)
    for name in args.methods:
        seconds, judged = measure(name, sample, args.steps, quick), measure(name, sample, args.steps)
        steps = default_steps(name.partition("+")[0], sample)
        whole = (seconds * steps + max(0.0, judged - seconds) * _JUDGEMENTS) / 60
        print(
            f"{name}: {seconds:.3f} s per step, {judged:.3f} with a judgement, at most {steps} steps, {whole:.1f} min"
        )


if __name__ == "__main__":
    main()
