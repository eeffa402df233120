"""Which tests agree, and how mechanisms disagree as the test set grows: the tables and figures of docs/analyses.md.

  python benchmarks/analyses.py [--figures docs/figures] [--repeats 30]

After figures 4 and 6 of chapter 11 of Zhao's thesis, on the scores of BT-eval (TAC and dialogue: 65 setups) and,
because these have at most a few hundred instances, on whole outputs of WMT17 (two language pairs, four metrics).
Reads MONGE_DATA (or ../shared/data beside the checkout). Prints Markdown.
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from bt_eval import paired, read_setups

from monge.comparison.pairings import pair_scores_anew
from monge.comparison.pairs import PairedScores
from monge.comparison.significance import run_tests
from monge.comparison.size import SizeCurve, aggregate_scores, disagree_by_size
from monge.comparison.tests_overlap import overlap_p_values
from monge.environment import Environment
from monge.metrics.variants import parse_variants
from monge.report.compare.analyses import draw_overlap, draw_sizes, overlap_table, size_table
from monge.report.plots import save_figure
from monge.report.tables import markdown_table
from monge.workflows.judged_data import JudgedData, read_judged_sets
from monge.workflows.judged_scores import score_sets

PAIRS = ("de-en", "zh-en")
METRICS = ("bleu", "chrf", "rougel", "wer")


def overlap(folder: Path, figures: Path | None) -> None:
    """Print P(test j | test i) over all pairs of systems of all setups."""
    found: dict[str, list[np.ndarray]] = {}
    for values in read_setups(folder).values():
        for name, (_, p) in run_tests(paired(values), draws=1, seed=0).items():
            if name not in ("bootstrap", "randomisation"):  # with one draw they are not computed
                found.setdefault(name, []).append(p)
    overlapping = overlap_p_values({name: np.concatenate(parts) for name, parts in found.items()})
    table = overlap_table(overlapping)
    print(f"{table.title}\n\n{markdown_table(table.header, table.rows)}\n")
    if figures:
        save_figure(draw_overlap(overlapping), figures / "tests-overlap.svg")


def sizes(figures: Path | None, repeats: int) -> None:
    """Print disagreement by test-set size for every metric on whole outputs."""
    environment = Environment.read()
    curves: dict[str, SizeCurve] = {}
    for pair in PAIRS:
        sets = read_judged_sets(JudgedData(f"wmt17-systems/{pair}"), environment=environment)
        for table in score_sets(parse_variants(METRICS), sets, environment=environment)[0]:
            scores = PairedScores.from_table(table)
            curves[f"{pair}, {table.name}"] = disagree_by_size(scores, repeats=repeats)
    for name, curve in curves.items():
        table = size_table(curve)
        print(f"{name}: {table.title}\n\n{markdown_table(table.header, table.rows, left=0)}\n")
    if figures:
        shown = {name: curve for name, curve in curves.items() if not name.endswith("wer")}
        save_figure(draw_sizes(shown), figures / "sizes.svg")


def pairings() -> None:
    """Print how far the same two sets of scores can be pushed apart by pairing alone."""
    rng = np.random.default_rng(12345)
    first, second = rng.normal(0.52, 0.1, 1000), rng.normal(0.50, 0.1, 1000)
    rows = []
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        found = pair_scores_anew(first, second, share=share)
        table = np.stack([found.first, found.second])
        values = aggregate_scores(table)
        p = run_tests(paired(table), draws=1, seed=0)["sign"][1][0]
        rows.append(
            [f"{share:.0%}", f"{found.share:.1%}", *(f"{values[m][0] - values[m][1]:+.3f}" for m in ("mean", "median")),
             _preferred(values["bt"]), f"{p:.2g}"]
        )  # fmt: skip
    header = ["wins asked for", "wins", "mean difference", "median difference", "Bradley–Terry prefers", "sign test p"]
    print(markdown_table(header, rows))


def _preferred(strengths: np.ndarray) -> str:
    gap = float(strengths[0] - strengths[1])
    return "neither" if abs(gap) < 1e-9 else "first" if gap > 0 else "second"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, help="folder for figures")
    parser.add_argument("--repeats", type=int, default=30)
    args = parser.parse_args()
    data = Path(os.environ.get("MONGE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not (data / "bt_eval_multisystem").is_dir():
        print("no data on this machine: set MONGE_DATA", file=sys.stderr)
        return 2
    overlap(data, args.figures)
    sizes(args.figures, args.repeats)
    pairings()
    return 0


if __name__ == "__main__":
    sys.exit(main())
