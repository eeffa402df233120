"""Rerun the synthetic study of paired evaluation.

  monge simulate --plot figure3.svg

Systems of known strength are scored on simulated instances with types and outliers; mean, median and Bradley–Terry are
asked to recover their order (Peyrard et al. 2021, section 4 and figure 3). The numbers are Kendall's tau with the true
strengths, averaged over all simulations of a kind.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from monge.cli.values import check_figures, check_target, seed

if TYPE_CHECKING:
    from monge.compare.simulation import Setup, Study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--recipe",
        choices=("paper", "released"),
        default="released",
        help="how scores are made: by the released code, which drew figure 3, or as the text says (default: released)",
    )
    parser.add_argument(
        "--types", type=int, nargs="+", default=[1, 3, 5, 10], metavar="N", help="numbers of instance types"
    )
    parser.add_argument(
        "--outliers", type=float, nargs="+", default=[0.0, 0.01, 0.025], metavar="SHARE", help="shares of outliers"
    )
    parser.add_argument(
        "--systems", type=int, nargs="+", default=[2, 3, 5, 10, 25, 50], metavar="N", help="numbers of systems"
    )
    parser.add_argument(
        "--instances", type=int, nargs="+", default=[10, 30, 100, 200], metavar="N", help="numbers of instances"
    )
    parser.add_argument(
        "--repeats", type=int, default=10, metavar="N", help="simulations of each combination (default: 10)"
    )
    parser.add_argument("--seed", type=seed, default=12345, help="seed (default: 12345)")
    parser.add_argument("--plot", metavar="FILE", help="draw figure 3 to FILE (.svg, .png or .pdf)")
    parser.add_argument("--segments", metavar="OUT", help="write every simulation's result to OUT (.tsv)")
    parser.add_argument(
        "-f", "--format", choices=("text", "markdown", "latex"), default="text", help="how to print (default: text)"
    )


def run(args: argparse.Namespace) -> int:
    from monge.compare.simulation import RECIPES, Grid, run_study

    check_target(args.plot, endings=(".svg", ".png", ".pdf"))
    check_figures(args.plot)
    check_target(args.segments, endings=(".tsv", ".tsv.gz"))
    grid = Grid(tuple(args.types), tuple(args.outliers), tuple(args.systems), tuple(args.instances), args.repeats)
    study = run_study(grid, recipe=RECIPES[args.recipe], seed=args.seed, watch=_watch)
    if args.plot:
        from monge.report.compare.simulation import draw_study
        from monge.report.plots import save_figure

        save_figure(draw_study(study), args.plot)
    if args.segments:
        _write(study, args.segments)
    _print(study, args)
    return 0


def _watch(setups: Iterable[Setup]) -> Iterable[Setup]:
    from tqdm import tqdm

    shown: Iterable[Setup] = tqdm(setups, desc="simulations", file=sys.stderr, leave=False, disable=None)
    return shown


def _write(study: Study, path: str) -> None:
    from monge.text import write_tsv

    header = ["systems", "instances", "types", "outliers", "tau_mean", "tau_median", "tau_bt"]
    rows = [
        [s.systems, s.instances, s.types, s.outliers, *(float(tau) for tau in taus)]
        for s, taus in zip(study.setups, study.taus, strict=True)
    ]
    write_tsv(path, header, rows)


def _print(study: Study, args: argparse.Namespace) -> None:
    import numpy as np

    from monge.compare.ranking import TITLES
    from monge.compare.simulation import MECHANISMS, PANELS
    from monge.report.tables import latex_table, markdown_table, text_table

    render = {"text": text_table, "markdown": markdown_table, "latex": latex_table}[args.format]
    rows = []
    for title, by, fixed in PANELS:
        selected = study.select(**fixed)
        if not selected.setups:
            continue
        for value, mean, low, high in selected.average(by):
            cells = [f"{m:.2f} [{a:.2f}, {b:.2f}]" for m, a, b in zip(mean, low, high, strict=True)]
            rows.append([title[0], f"{by} = {value:g}", *cells])
    print(render(["panel", "where", "mean", "median", "BT"], rows, left=2))
    if args.format == "text":
        print(f"\n{len(study.setups):,} simulations ({args.recipe} recipe, seed {args.seed});")
        print("Kendall's tau with the true strengths, in brackets its 95 % bootstrap interval.")
        for mechanism, taus in zip(MECHANISMS, study.taus.T, strict=True):
            tied = int(np.isnan(taus).sum())
            if tied:
                print(f"{TITLES[mechanism]} tied all systems in {tied:,} simulations, which its averages leave out.")
