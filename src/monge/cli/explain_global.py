"""The part of `monge explain` that looks at many texts: what metrics respond to."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from monge.cli.arguments import read_environment, read_shared_options
from monge.cli.values import FIGURES, add_theme_argument, check_figures, check_target
from monge.errors import OptionError

if TYPE_CHECKING:
    from monge.workflows.explain_global import GlobalResult

_FORMATS = ("text", "json", "markdown", "latex")


def add_global_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of --global."""
    group = parser.add_argument_group("many judged texts: what metrics respond to")
    group.add_argument(
        "--global",
        dest="data",
        metavar="DATA",
        help="judged outputs (as for `monge correlate`) or a table of factors and scores: regress each metric on "
        "meaning (SEM), syntax (SYN), words (LEX), morphology (MOR) and, for metrics without references, bias (CLB)",
    )
    group.add_argument(
        "--factors", nargs="+", action="extend", default=[], metavar="NAME", help="factors to use (default: all)"
    )
    group.add_argument(
        "--names",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="columns of a table of factors and scores that has no header; - leaves one out",
    )
    group.add_argument(
        "--translations", metavar="FILE", help="a translation of every source, for LEX and CLB (default: the reference)"
    )
    group.add_argument("--sample", type=int, metavar="N", help="use a random sample of N inputs of each part")
    group.add_argument("--plot", metavar="FILE", help="draw the coefficients as bars (.svg, .png, .pdf)")
    add_theme_argument(group)


def run_global(args: argparse.Namespace) -> int:
    """Carry out `monge explain --global`."""
    from monge.storage.atomic import write_text
    from monge.workflows.explain_global import GlobalRequest, run_explain_global
    from monge.workflows.judged_data import JudgedData

    if args.format not in _FORMATS:
        raise OptionError(f"--global prints {', '.join(_FORMATS)}; --plot FILE draws a figure")
    check_target(args.plot, endings=FIGURES)
    check_figures(args.plot)
    check_target(args.output)
    request = GlobalRequest(
        JudgedData(args.data, sample=args.sample),
        tuple(args.metrics),
        read_shared_options(args),
        names=tuple(args.names),
        factors=tuple(args.factors),
        translations=args.translations or "",
    )
    result = run_explain_global(request, environment=read_environment(args), progress=_show_progress)
    if args.plot:
        from monge.report.factors import draw_coefficients
        from monge.report.plots import save_figure

        save_figure(
            draw_coefficients(result.responses, title=f"{Path(result.data).name}: what metrics respond to"),
            args.plot,
            theme=args.theme,
        )
    write_text(args.output, _render(result, args.format) + "\n")
    return 0


def _render(result: GlobalResult, style: str) -> str:
    from monge.report.factors import LEGEND, factor_sentences, factor_table
    from monge.report.tables import latex_table, markdown_table, text_table

    if style == "json":
        return json.dumps(result.record(), ensure_ascii=False, indent=1)
    header, rows = factor_table(result.responses)
    if style == "latex":
        return latex_table(header, rows)
    sentences = [*factor_sentences(result.responses), *(f"note: {note}" for note in result.notes)]
    if style == "markdown":
        listed = "\n".join(f"- {sentence}" for sentence in sentences)
        return f"{markdown_table(header, rows)}\n\n{LEGEND}\n\n{listed}"
    listed = "\n".join(textwrap.fill(sentence, 100, subsequent_indent="  ") for sentence in sentences)
    return f"{result.data}: what metrics respond to\n\n{text_table(header, rows)}\n{LEGEND}\n\n{listed}"


def _show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty() and (done % 50 == 0 or done == total):
        end = "\n" if done == total else ""
        print(f"\rmonge: trees of {done:,} of {total:,} pairs", end=end, file=sys.stderr, flush=True)
