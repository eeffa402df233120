"""How often mean, median, Bradley–Terry, Elo and TrueSkill disagree on real evaluations, beside the published numbers.

python benchmarks/bt_eval.py [--data FOLDER] [--repeats 30]

Reads the TAC and dialogue scores that Peyrard et al. (2021) released (65 of their 296 setups: 5 sets, 13 metrics);
FOLDER holds bt_eval_multisystem, by default MONGE_DATA or shared/data beside the checkout. Prints the tables of
docs/results-compare.md; the last one takes minutes.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.comparison import fit_bradley_terry
from monge.comparison.disagreement import Disagreement, measure_disagreement
from monge.comparison.pairs import PairCounts, PairedScores, count_pairs
from monge.comparison.ratings import rate_elo, rate_trueskill, schedule_games
from monge.comparison.significance import run_tests
from monge.report.tables import markdown_table
from monge.text import iter_lines

Floats = NDArray[np.float64]
Setups = dict[tuple[str, str], Floats]

SETS = {"08": "TAC-08", "09": "TAC-09", "11": "TAC-11", "tc": "Topical-Chat", "pc": "Persona-Chat"}
GROUPS = {
    "BLEU": ("BLEU",),
    "ROUGE": ("ROUGE_1", "ROUGE_2", "ROUGE_L"),
    "ROUGE-WE": ("ROUGE_WE_1", "ROUGE_WE_2"),
    "MoverScore": ("MoverScore",),
    "BERTScore": ("BERTScore",),
}
COMPARED = (("mean", "bt"), ("median", "bt"), ("mean", "median"))
# table 1: share of pairs ordered differently, other winner, other top three, over all 296 setups
PUBLISHED = {
    ("mean", "median"): (0.04, 0.18, 0.30),
    ("mean", "bt"): (0.09, 0.40, 0.49),
    ("median", "bt"): (0.09, 0.41, 0.55),
}
# table 3, share of pairs: mean/BT, median/BT, mean/median for each metric group (TAC-08's ROUGE-WE as printed)
PUBLISHED_SETS = {
    "08": ((0.09, 0.13, 0.15), (0.07, 0.13, 0.14), (0.12, 0.06, 0.13), (0.05, 0.11, 0.12), (0.05, 0.11, 0.12)),
    "09": ((0.08, 0.13, 0.13), (0.08, 0.16, 0.16), (0.07, 0.15, 0.16), (0.06, 0.14, 0.13), (0.06, 0.12, 0.12)),
    "11": ((0.07, 0.12, 0.12), (0.06, 0.13, 0.12), (0.05, 0.13, 0.12), (0.04, 0.11, 0.10), (0.04, 0.11, 0.10)),
    "tc": ((0.26, 0.22, 0.34), (0.24, 0.19, 0.24), (0.27, 0.28, 0.22), (0.28, 0.19, 0.29), (0.18, 0.24, 0.20)),
    "pc": ((0.28, 0.24, 0.32), (0.25, 0.23, 0.22), (0.21, 0.22, 0.22), (0.12, 0.20, 0.19), (0.13, 0.12, 0.13)),
}
# table 4 and appendix D, over all 296 setups
PUBLISHED_RATINGS = {("mean", "elo"): 0.20, ("mean", "trueskill"): 0.18, ("bt", "elo"): 0.16, ("bt", "trueskill"): 0.18}
PUBLISHED_TESTS = {"t": 0.41, "wilcoxon": 0.40, "sign": 0.35, "mood": 0.21}


def read_setups(folder: Path) -> Setups:
    """Return scores (systems, instances) by set and metric."""
    rows: dict[tuple[str, str], list[list[float]]] = {}
    for name in ("tac", "dialogue"):
        lines = iter_lines(folder / "bt_eval_multisystem" / f"{name}.csv.gz")
        next(lines)
        for line in lines:
            set_name, metric, _, *cells = line.split(",")
            rows.setdefault((set_name, metric), []).append([float(cell) if cell else np.nan for cell in cells])
    tables = {key: np.array(table).T for key, table in rows.items()}
    return {key: table[~np.isnan(table).all(axis=1)] for key, table in tables.items()}


def paired(values: Floats) -> PairedScores:
    return PairedScores(tuple(map(str, range(len(values)))), tuple(map(str, range(values.shape[1]))), values)


def ties_half(counts: PairCounts) -> Floats:
    return counts.points


def ties_to_the_second(counts: PairCounts) -> Floats:
    """Return the win matrix of the released code, which counts a tie as a win of the system that is listed second."""
    return counts.wins + np.tril(counts.ties, -1)


def aggregate(values: Floats, rule: Callable[[PairCounts], Floats] = ties_half) -> dict[str, Floats]:
    strengths = fit_bradley_terry(rule(count_pairs(paired(values)))).strengths
    return {"mean": values.mean(axis=1), "median": np.median(values, axis=1), "bt": strengths}


def average(found: Iterable[Disagreement]) -> tuple[float, float, float]:
    table = np.array([(d.pairs, d.winner, d.top3) for d in found], dtype=np.float64)
    pairs, winner, top3 = np.nanmean(table, axis=0)
    return float(pairs), float(winner), float(top3)


def percents(values: Iterable[float]) -> str:
    return " / ".join(f"{100 * value:.0f}" for value in values)


def whole_sets(setups: Setups) -> str:
    """Return the measures of table 1 on the whole test sets."""
    rows = []
    for first, second in COMPARED:
        cells = []
        for rule in (ties_half, ties_to_the_second):
            for chosen in (*SETS, None):
                estimates = [aggregate(v, rule) for (name, _), v in setups.items() if chosen in (name, None)]
                cells.append(percents(average(measure_disagreement(e[first], e[second]) for e in estimates)))
        rows.append([f"{first} vs {second}", "half", *cells[: len(SETS) + 1], percents(PUBLISHED[first, second])])
        if "bt" in (first, second):
            rows.append(["", "to the second", *cells[len(SETS) + 1 :], ""])
    return markdown_table(["mechanisms", "ties", *SETS.values(), "all 65", "published, all 296"], rows, left=2)


def subsample(setups: Setups, key: str, rule: Callable[[PairCounts], Floats], repeats: int) -> Floats:
    """Return the shares of pairs ordered differently (as in COMPARED) on test sets of a fifth of the instances.

    Averaged over the metrics of a group, then over groups, as table 3 is read.
    """
    rng = np.random.default_rng(12345)
    groups = []
    for metrics in GROUPS.values():
        shares = []
        for values in (setups[key, metric] for metric in metrics):
            for _ in range(repeats):
                part = values[:, rng.choice(values.shape[1], round(0.2 * values.shape[1]), replace=False)]
                estimates = aggregate(part, rule)
                shares.append([measure_disagreement(estimates[a], estimates[b]).pairs for a, b in COMPARED])
        groups.append(np.nanmean(np.array(shares), axis=0))
    return np.mean(np.array(groups), axis=0)


def subsamples(setups: Setups, repeats: int) -> str:
    """Return the shares of pairs of table 3, averaged over its five metrics."""
    rows = []
    for key, name in SETS.items():
        second, half = (subsample(setups, key, rule, repeats) for rule in (ties_to_the_second, ties_half))
        published = np.mean(np.array(PUBLISHED_SETS[key]), axis=0)
        rows.append([name, *(percents(shares) for shares in (second, published, half))])
    return markdown_table(["set", "ours, ties to the second", "published", "ours, ties half"], rows)


def ratings(setups: Setups) -> str:
    """Return the shares of pairs of table 4: Elo and TrueSkill after one order of games, and averaged over fifty."""
    found: dict[tuple[str, str], dict[int, list[float]]] = {pair: {1: [], 50: []} for pair in PUBLISHED_RATINGS}
    for values in setups.values():
        estimates = aggregate(values)
        for orders in (1, 50):
            games = schedule_games(paired(values), orders=orders, rng=np.random.default_rng(12345))
            rated = estimates | {"elo": rate_elo(games).values, "trueskill": rate_trueskill(games).values}
            for first, second in found:
                found[first, second][orders].append(measure_disagreement(rated[first], rated[second]).pairs)
    rows = []
    for (first, second), by in found.items():
        shares = (np.nanmean(by[1]), np.nanmean(by[50]), PUBLISHED_RATINGS[first, second])
        rows.append([f"{first} vs {second}", *(f"{100 * share:.0f}" for share in shares)])
    return markdown_table(["mechanisms", "one order", "mean of 50 orders", "published, all 296"], rows)


def stopping_rule(setups: Setups) -> str:
    """Return how far the paper's iteration, stopped as it says (Σ(Δλ)² < 1e-9), is from the maximum."""
    farthest, reordered, fitted = 0.0, 0, 0
    for values in setups.values():
        wins = ties_half(count_pairs(paired(values)))
        fit = fit_bradley_terry(wins)
        if fit.regularised:
            continue
        stopped = climb(wins)
        fitted += 1
        farthest = max(farthest, float(np.abs(stopped - fit.strengths).max()))
        reordered += measure_disagreement(stopped, fit.strengths).pairs > 0
    return f"{farthest:.3f} at most; {reordered} of {fitted} setups order at least one pair differently"


def climb(wins: Floats, *, stop: float = 1e-9) -> Floats:
    """Return the strengths after the iteration of appendix E, from 0.5 each."""
    strengths, change = np.full(len(wins), 0.5), np.inf
    while change >= stop:
        shares = (wins + wins.T) / (strengths[:, None] + strengths[None])
        np.fill_diagonal(shares, 0)
        new = wins.sum(axis=1) / shares.sum(axis=1)
        new /= new.sum()
        change, strengths = float(np.sum((new - strengths) ** 2)), new
    return strengths


def tests(setups: Setups) -> str:
    """Return the shares of pairs that each test calls different at 0.05, uncorrected (appendix D)."""
    share: dict[str, list[NDArray[np.bool_]]] = {name: [] for name in PUBLISHED_TESTS}
    for values in setups.values():
        results = run_tests(paired(values), draws=1, seed=0)
        for name in share:
            share[name].append(results[name][1] < 0.05)
    rows = [
        [name, f"{100 * np.mean(np.concatenate(found)):.0f}", f"{100 * PUBLISHED_TESTS[name]:.0f}"]
        for name, found in share.items()
    ]
    return markdown_table(["test", "all 65", "published, all 296"], rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("MONGE_DATA") or Path(__file__).parent.parent.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--repeats", type=int, default=30)
    args = parser.parse_args()
    if not (args.data / "bt_eval_multisystem").is_dir():
        print(f"no bt_eval_multisystem in {args.data}: name its folder with --data or MONGE_DATA", file=sys.stderr)
        return 2
    setups = read_setups(args.data)
    print("Pairs ordered differently / other winner / other top three, percent, whole test sets\n")
    print(whole_sets(setups))
    print(
        "\nPairs ordered differently, percent, a fifth of the instances: mean vs bt / median vs bt / mean vs median\n"
    )
    print(subsamples(setups, args.repeats))
    print("\nPairs ordered differently, percent, with Elo and TrueSkill\n")
    print(ratings(setups))
    print("\nDistance of the paper's stopped iteration from the Bradley–Terry maximum\n")
    print(stopping_rule(setups))
    print("\nPairs of systems called different at 0.05, percent\n")
    print(tests(setups))
    return 0


if __name__ == "__main__":
    sys.exit(main())
