"""Rerun the synthetic study of paired evaluation, or another study.

  monge simulate --plot figure3.svg
  monge simulate cbli --plot panels.svg

Systems of known strength are scored on simulated instances with types and outliers; mean, median and Bradley–Terry
try to recover their order (Peyrard et al. 2021, section 4 and figure 3). The numbers are Kendall's tau with the true
strengths, averaged over all simulations of a kind. `monge simulate cbli --help` explains the study of words in context.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from monge.cli import simulate_cbli
from monge.cli.values import check_figures, check_target, seed

if TYPE_CHECKING:
    from monge.comparison.simulation import Setup
    from monge.workflows.simulate import SimulateResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "monge simulate [OPTION ...]\n       monge simulate cbli [OPTION ...]"
    studies = parser.add_subparsers(dest="study", metavar="STUDY", title="another study", required=False)
    cbli = studies.add_parser(
        "cbli",
        help="words in context of two simulated languages",
        description=simulate_cbli.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    simulate_cbli.add_arguments(cbli)
    parser.add_argument(
        "--recipe",
        choices=("paper", "released"),
        default="released",
        help="how scores are made: by the released code, which drew figure 3, or as in the paper (default: released)",
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
    if args.study == "cbli":
        return simulate_cbli.run(args)
    from monge.comparison.simulation import Grid
    from monge.workflows.simulate import SimulateRequest, simulate

    check_target(args.plot, endings=(".svg", ".png", ".pdf"))
    check_figures(args.plot)
    check_target(args.segments, endings=(".tsv", ".tsv.gz"))
    grid = Grid(tuple(args.types), tuple(args.outliers), tuple(args.systems), tuple(args.instances), args.repeats)
    result = simulate(SimulateRequest(grid, args.recipe, args.seed), show_progress=_show_progress)
    if args.plot:
        from monge.report.compare.simulation import draw_simulations
        from monge.report.plots import save_figure

        save_figure(draw_simulations(result.study), args.plot)
    if args.segments:
        from monge.report.compare.simulation import SIMULATION_COLUMNS, simulation_rows
        from monge.text import write_tsv

        write_tsv(args.segments, SIMULATION_COLUMNS, simulation_rows(result.study))
    _print(result, args.format)
    return 0


def _show_progress(setups: Iterable[Setup]) -> Iterable[Setup]:
    from tqdm import tqdm

    shown: Iterable[Setup] = tqdm(setups, desc="simulations", file=sys.stderr, leave=False, disable=None)
    return shown


def _print(result: SimulateResult, kind: str) -> None:
    from monge.report.compare.simulation import simulation_notes, simulation_table
    from monge.report.tables import latex_table, markdown_table, text_table

    render = {"text": text_table, "markdown": markdown_table, "latex": latex_table}[kind]
    table = simulation_table(result.study)
    print(render(table.header, table.rows, left=table.left))
    if kind == "text":
        request = result.request
        print(f"\n{len(result.study.setups):,} simulations ({request.recipe} recipe, seed {request.seed});")
        print("Kendall's tau with the true strengths, in brackets its 95 % bootstrap interval.")
        for note in simulation_notes(result.study):
            print(note)
