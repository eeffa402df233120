"""Transport against POT on the same pairs, in one process: exact EMD by text length, and KL-unbalanced.

  python benchmarks/transport.py [--rounds 7] [--pairs 1000]

Vectors are MiniLM's last layer on WMT17 pairs where the judgment data is present (MONGE_DATA, or shared/data beside the
checkout), otherwise on made-up ones, without special tokens and continuation pieces, as in MoverScore; longer texts are
concatenated sentences; masses are idf or uniform. POT is called once per pair, as its users call it, ot.dist included,
with BLAS limited to one thread (which is faster at these sizes); monge gets the float32 vectors of all pairs in one
call. The candidates take turns, and medians over rounds are printed. `off` is the largest difference of <C,P> from a
converged reference in double precision.
"""

from __future__ import annotations

import argparse
import os
import statistics
import warnings
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import ot
from numpy.typing import NDArray
from shared import find_pairs, median_ratio, report_target, run_in_turns

from monge.encoders import load_encoder
from monge.transport import RaggedClouds, TransportProblem, TransportSetting, cost_matrix, reference, solve_pairs

Points = NDArray[np.float32]
Masses = NDArray[np.float64]
LAZY = TransportSetting("cosine", rho_a=0.23, rho_b=0.31, epsilon=0.009, regulariser="kl")


def encode(count: int) -> tuple[list[Points], list[Points], list[Masses], list[Masses], str]:
    """Return vectors and idf masses of hypotheses and references, and where they are from; see above for the tokens."""
    hypotheses, references, origin = find_pairs(count)
    encoder = load_encoder("minilm")
    sides = [encoder.encode(texts, [encoder.layers - 1]) for texts in (hypotheses, references)]
    documents = [set(text.tokens) for text in sides[1]]
    known = {token for document in documents for token in document}
    idf = {token: np.log((count + 1) / (1 + sum(token in document for document in documents))) for token in known}
    points, masses = [], []
    for side in sides:
        kept = [~text.special & np.array([not t.startswith("##") for t in text.tokens]) for text in side]
        points.append([text.vectors[0][keep] for text, keep in zip(side, kept, strict=True)])
        weights = [np.array([idf.get(t, np.log(count + 1.0)) + 1e-3 for t in text.tokens]) for text in side]
        masses.append([weight[keep] for weight, keep in zip(weights, kept, strict=True)])
    return points[0], points[1], masses[0], masses[1], origin


def lengthen(points: list[Points], masses: list[Masses], length: int, count: int) -> tuple[list[Points], list[Masses]]:
    """Return *count* texts of exactly *length* tokens, each made of concatenated sentences."""
    order = np.random.default_rng(length).permutation(len(points) * 8) % len(points)
    all_points = np.concatenate([points[k] for k in order])
    all_masses = np.concatenate([masses[k] for k in order])
    parts = [slice(k * length, (k + 1) * length) for k in range(count)]
    return [all_points[part] for part in parts], [all_masses[part] for part in parts]


class Problem:
    """Pairs of clouds, as lists for POT and concatenated for monge."""

    def __init__(self, x: list[Points], y: list[Points], a: list[Masses], b: list[Masses]) -> None:
        self.x, self.y = x, y
        self.a, self.b = [mass / mass.sum() for mass in a], [mass / mass.sum() for mass in b]
        self.left, self.right = RaggedClouds.from_clouds(x, self.a), RaggedClouds.from_clouds(y, self.b)
        self.pairs = np.stack([np.arange(len(x))] * 2, axis=1)

    @property
    def size(self) -> str:
        """Mean number of tokens on both sides."""
        return f"{np.mean([len(p) for p in self.x]):.0f}×{np.mean([len(p) for p in self.y]):.0f}"

    def uniform(self) -> Problem:
        """Return the same points with equal masses."""
        return Problem(self.x, self.y, [np.ones(len(p)) for p in self.x], [np.ones(len(p)) for p in self.y])

    def ours(self, setting: TransportSetting, threads: int | None) -> Callable[[], NDArray[np.float64]]:
        """Return monge's call."""
        return lambda: solve_pairs(self.left, self.right, self.pairs, setting, threads=threads).costs

    def pot_exact(self) -> list[float]:
        """Call ot.emd2 once per pair, distances included."""
        return [
            ot.emd2(a, b, ot.dist(x, y, metric="euclidean"))
            for x, y, a, b in zip(self.x, self.y, self.a, self.b, strict=True)
        ]

    def pot_unbalanced(self, costs: list[NDArray[np.float64]]) -> list[float]:
        """Call ot.unbalanced.sinkhorn_unbalanced with its defaults (KL(P | abᵀ), 1,000 iterations, 1e-6)."""
        solve = ot.unbalanced.sinkhorn_unbalanced
        return [
            float(np.sum(cost * solve(a, b, cost, LAZY.epsilon, (LAZY.rho_a, LAZY.rho_b))))
            for a, b, cost in zip(self.a, self.b, costs, strict=True)
        ]


def make_long(x: list[Points], a: list[Masses], y: list[Points], b: list[Masses], length: int, count: int) -> Problem:
    """Return pairs of texts of *length* tokens; the same sentences, in the same order, on both sides."""
    (long_x, long_a), (long_y, long_b) = lengthen(x, a, length, count), lengthen(y, b, length, count)
    return Problem(long_x, long_y, long_a, long_b)


def show(name: str, seconds: dict[str, list[float]], count: int, off: tuple[float, float]) -> float:
    """Print one row and return the ratio with all threads."""
    pot, one, everything = (1e6 * statistics.median(seconds[key]) / count for key in ("pot", "one", "all"))
    single, ratio = median_ratio(seconds["pot"], seconds["one"]), median_ratio(seconds["pot"], seconds["all"])
    print(
        f"{name:<28}{pot:>11.1f}{one:>11.1f}{everything:>11.1f}{single:>9.1f}×{ratio:>9.1f}×{off[0]:>10.0e}{off[1]:>10.0e}",
        flush=True,
    )
    return ratio


def race_exact(name: str, problem: Problem, rounds: int) -> float:
    """Exact EMD: print the row and return the ratio."""
    setting = TransportSetting("euclidean")
    rivals = {"pot": problem.pot_exact, "one": problem.ours(setting, 1), "all": problem.ours(setting, None)}
    exact = [
        ot.emd2(a, b, cost_matrix(x, y, "euclidean"))
        for x, y, a, b in zip(problem.x, problem.y, problem.a, problem.b, strict=True)
    ]
    off = np.abs(np.subtract(problem.pot_exact(), exact)).max(), np.abs(np.subtract(rivals["all"](), exact)).max()
    return show(f"EMD {name} {problem.size}", run_in_turns(rivals, rounds), len(exact), off)


def race_unbalanced(problem: Problem, rounds: int) -> tuple[float, float]:
    """KL-unbalanced transport: print the row, return the ratio and monge's error."""
    costs = [cost_matrix(x, y, "cosine") for x, y in zip(problem.x, problem.y, strict=True)]
    converged = [
        reference.solve_regularised(
            TransportProblem(cost, a, b, LAZY.rho_a, LAZY.rho_b), LAZY.epsilon, LAZY.regulariser, tolerance=1e-13
        ).transport_cost
        for cost, a, b in zip(costs, problem.a, problem.b, strict=True)
    ]
    rivals = {
        "pot": lambda: problem.pot_unbalanced(costs),
        "one": problem.ours(LAZY, 1),
        "all": problem.ours(LAZY, None),
    }
    off = (
        float(np.abs(np.subtract(rivals["pot"](), converged)).max()),
        float(np.abs(np.subtract(rivals["all"](), converged)).max()),
    )
    return show(f"KL-UOT {problem.size}", run_in_turns(rivals, rounds), len(costs), off), off[1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--pairs", type=int, default=1000)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    x, y, a, b, origin = encode(args.pairs)
    print(f"{args.pairs} {origin}, MiniLM; microseconds per pair, median of {args.rounds} rounds\n")
    heads = ("POT", "1 thread", "all", "ratio", "ratio all", "POT off", "off")
    print(f"{'':<28}{heads[0]:>11}{heads[1]:>11}{heads[2]:>11}{heads[3]:>10}{heads[4]:>10}{heads[5]:>10}{heads[6]:>10}")
    short = Problem(x, y, a, b)
    ratios = {"short": race_exact("idf", short, args.rounds)}
    race_exact("uniform", short.uniform(), args.rounds)
    for length, count in ((80, 200), (128, 100), (256, 40), (512, 16)):
        problem = make_long(x, a, y, b, length, count)
        ratios[str(length)] = race_exact("idf", problem, args.rounds)
        race_exact("uniform", problem.uniform(), args.rounds)
    ratio, error = race_unbalanced(make_long(x, a, y, b, 25, 60), args.rounds)
    print()
    why = f"POT runs in one thread, monge in all of {os.cpu_count()}; load of the machine {os.getloadavg()[0]:.1f}"
    report_target("exact EMD on sentence pairs against ot.emd2", ratios["short"], 20, why=why)
    for length in ("80", "128", "256", "512"):
        report_target(f"exact EMD, {length} tokens", ratios[length], 6, why=why)
    report_target("KL-UOT 25×25 against POT's default", ratio, 100, why=why)
    report_target("KL-UOT error", error, 1e-9, unit="", at_most=True)


if __name__ == "__main__":
    main()
