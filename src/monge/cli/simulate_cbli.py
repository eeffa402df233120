"""Simulate two languages in the plane and find the translations of words in context (CBLI).

  monge simulate cbli --plot panels.svg
  monge simulate cbli --transform rigid --turns 1 --methods identity rotation real-nvp

Twenty words have their places; occurrences lie around them. The other language is made by rotations and translations in
turn, which move every word by itself (word) or all alike (rigid). Methods are those of `monge align`; tested
occurrences are moved by every ε. Printed is how often the nearest point of the other language has the same word, or is
the same occurrence (chapter 10 of Zhao's thesis). Trained methods need torch.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from monge.cli.values import check_figures, check_target, seed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--methods", nargs="+", metavar="NAMES", help="methods (default: the chapter's)")
    parser.add_argument("--occurrences", type=int, default=100, metavar="K", help="per word (default: 100)")
    parser.add_argument("--turns", type=int, default=5, metavar="T", help="rotations and translations (default: 5)")
    parser.add_argument(
        "--epsilons", type=float, nargs="+", default=[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], metavar="E", help="shifts ε"
    )
    parser.add_argument("--transform", choices=("word", "rigid"), default="word", help="what moves (default: word)")
    parser.add_argument("--spread", type=float, default=1.0, help="of the occurrences of a word (default: 1)")
    parser.add_argument("--reach", type=float, default=5.0, help="of a translation (default: 5)")
    parser.add_argument("--runs", type=int, default=10, metavar="N", help="runs, which are averaged (default: 10)")
    parser.add_argument("--seed", type=seed, default=1, help="seed (default: 1)")
    parser.add_argument("--plot", metavar="FILE", help="draw the panels to FILE (.svg, .png or .pdf)")
    parser.add_argument(
        "-f", "--format", choices=("text", "markdown", "latex"), default="text", help="how to print (default: text)"
    )


def run(args: argparse.Namespace) -> int:
    from monge.crosslingual.cbli import CbliSetting
    from monge.report.cbli import cbli_correlations, cbli_table, draw_cbli
    from monge.report.tables import latex_table, markdown_table, text_table
    from monge.workflows.cbli import DEFAULT_METHODS, CbliRequest, simulate_cbli

    check_target(args.plot, endings=(".svg", ".png", ".pdf"))
    check_figures(args.plot)
    setting = CbliSetting(
        occurrences=args.occurrences,
        turns=args.turns,
        transform=args.transform,
        spread=args.spread,
        reach=args.reach,
    )
    methods = tuple(args.methods or DEFAULT_METHODS)
    request = CbliRequest(setting, tuple(args.epsilons), methods, args.runs, args.seed)
    result = simulate_cbli(request, show_progress=_show_progress)
    if args.plot:
        from monge.report.plots import save_figure

        save_figure(draw_cbli(result), args.plot)
    print({"text": text_table, "markdown": markdown_table, "latex": latex_table}[args.format](*cbli_table(result)))
    if args.format == "text":
        print(f"\nmeans of {request.runs} runs; k={setting.occurrences}, t={setting.turns}, {setting.transform}")
        for method, value in cbli_correlations(result).items():
            print(f"r of word P@1 with ε, {method}: {value:.2f}")
        print("\n".join(result.notes))
    return 0


def _show_progress(fits: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str]]:
    from tqdm import tqdm

    shown: Iterable[tuple[int, str]] = tqdm(fits, desc="fits", file=sys.stderr, leave=False, disable=None)
    return shown
