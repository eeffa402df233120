"""Show why a score is what it is: who is matched to whom, how much, at what cost, and what each word adds.

  monge explain -m bertscore --hypothesis "The boy ran home." --reference "The young man hurried home."
  monge explain REF -i HYP --line 12 -m lazy_emd -f html --output why.html
  monge explain --global rated.tsv -m bertscore chrf --plot factors.svg

A transport metric is taken apart exactly: contributions of all words, base and named terms sum to the score. A metric
of documents shows the foci of both texts, what each adds, and which sentences they link. Any other metric is asked
again with words left out (--how shapley, lime or occlusion). --global explains metrics rather than scores: what they
respond to over many judged texts.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from monge.cli.arguments import (
    add_input_arguments,
    add_metric_arguments,
    input_files,
    read_environment,
    read_metrics,
    read_text_files,
)
from monge.cli.explain_global import add_global_arguments, run_global
from monge.cli.values import check_target, seed
from monge.errors import OptionError

if TYPE_CHECKING:
    from monge.workflows.explain import Explained, ExplainedSegment, ExplainRequest, SystemExplanation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    texts = parser.add_argument_group("one pair of texts")
    texts.add_argument("--hypothesis", metavar="TEXT", help="the output to explain")
    texts.add_argument(
        "--reference",
        dest="reference_text",
        action="append",
        default=[],
        metavar="TEXT",
        help="a reference; may be repeated",
    )
    texts.add_argument("--source-text", metavar="TEXT", help="the source, for metrics that need it")
    add_input_arguments(parser)
    add_global_arguments(parser)
    parser.add_argument("--line", type=int, metavar="N", help="the line of the files to explain, from 1")
    parser.add_argument(
        "--how",
        choices=("auto", "additive", "occlusion", "shapley", "lime"),
        default="auto",
        help="additive: from the transport itself; occlusion, shapley, lime: leave words out; auto: additive where "
        "there is transport, else shapley",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="also delete words in the order of the explanation: is it true to the metric?",
    )
    parser.add_argument(
        "--confidence",
        metavar="FILE",
        help="show intervals of the scores, which `monge confidence --save FILE` wrote",
    )
    parser.add_argument("--samples", type=int, default=500, metavar="N", help="shortened texts for lime (default: 500)")
    parser.add_argument("--orders", type=int, default=32, metavar="N", help="random orders for shapley (default: 32)")
    parser.add_argument("--seed", type=seed, default=12345, help="seed of the random orders (default: 12345)")
    add_metric_arguments(parser)
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f",
        "--format",
        choices=("text", "json", "svg", "html", "markdown", "latex"),
        default="text",
        help="text, json, a picture (svg) or a page (html); with --global also markdown and latex; default: text",
    )
    output.add_argument("--output", metavar="FILE", default="-", help="where to write (default: standard output)")
    output.add_argument(
        "--colour",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours in text (default: on a terminal, unless NO_COLOR is set)",
    )


def run(args: argparse.Namespace) -> int:
    from monge.storage.atomic import write_text
    from monge.workflows.explain import ExplainRequest, run_explain

    if args.data is not None:
        return run_global(args)
    check_target(args.output, inputs=input_files(args))
    request = ExplainRequest(
        read_segments(args), read_metrics(args), args.how, args.orders, args.seed, args.samples, args.check
    )
    intervals = _find_intervals(args, request) if args.confidence else []
    content = _render(run_explain(request, environment=read_environment(args)).explanations, args)
    content = "\n".join([content.removesuffix("\n"), *intervals])
    write_text(args.output, content + "\n")
    return 0


def _find_intervals(args: argparse.Namespace, request: ExplainRequest) -> list[str]:
    """Return the intervals of the explained scores as sentences."""
    from monge.workflows.confidence import explain_intervals

    if args.format != "text":
        raise OptionError("--confidence is printed with -f text")
    return explain_intervals(args.confidence, request, environment=read_environment(args))


def read_segments(args: argparse.Namespace) -> tuple[ExplainedSegment, ...]:
    """Return the segments that the arguments name: one pair of texts, or one line of every system."""
    from monge.text import Segment
    from monge.workflows.explain import ExplainedSegment, choose_line

    if args.hypothesis is not None:
        if args.reference or args.input or args.jsonl or args.parquet or args.line is not None:
            raise OptionError("give either --hypothesis and --reference, or files with --line, not both")
        segment = Segment(args.hypothesis, tuple(args.reference_text), args.source_text)
        return (ExplainedSegment(segment, [segment]),)
    if args.reference_text:
        raise OptionError("--reference TEXT needs --hypothesis TEXT")
    if args.line is None:
        raise OptionError("nothing to explain: give --hypothesis TEXT --reference TEXT, or files and --line N")
    return choose_line(read_text_files(args), args.line)


def _render(found: Sequence[SystemExplanation], args: argparse.Namespace) -> str:
    from monge.report.alignment.page import render_page
    from monge.report.printable import make_printable

    if args.format == "json":
        records = [one.record() for one in found]
        return json.dumps(records[0] if len(records) == 1 else records, ensure_ascii=False, indent=1)
    several = len({one.system for one in found}) > 1
    explanations: list[Explained] = [
        dataclasses.replace(one.explanation, metric=f"{make_printable(one.system)}: {one.explanation.metric}")
        if several
        else one.explanation
        for one in found
    ]
    if args.format == "html":
        return render_page(explanations)
    if args.format == "svg":
        return _draw(explanations)
    colour = use_colour(args.colour, args.output == "-" and sys.stdout.isatty())
    checks = [f"\n{one.deletion.describe()}" if one.deletion is not None else "" for one in found]
    return "\n\n".join(_write(each, colour) + check for each, check in zip(explanations, checks, strict=True))


def _write(explanation: Explained, colour: bool) -> str:
    from monge.explanation import DocumentExplanation, LocalExplanation
    from monge.report.alignment.page import render_text
    from monge.report.alignment.word_effects import render_effects_text
    from monge.report.documents.page import render_document_text

    if isinstance(explanation, DocumentExplanation):
        return render_document_text(explanation, colour=colour)
    if isinstance(explanation, LocalExplanation):
        return render_effects_text(explanation, colour=colour)
    return render_text(explanation, colour=colour)


def _draw(explanations: Sequence[Explained]) -> str:
    from monge.explanation import DocumentExplanation, Explanation, LocalExplanation
    from monge.report.alignment.ribbons import render_ribbons
    from monge.report.alignment.word_effects import render_effects
    from monge.report.documents.picture import render_document

    only = explanations[0]
    if len(explanations) == 1 and isinstance(only, DocumentExplanation):
        return render_document(only)  # beside its first reference
    if len(explanations) == 1 and isinstance(only, LocalExplanation):
        return render_effects(only)
    if len(explanations) != 1 or not isinstance(only, Explanation) or len(only.pairs) != 1:
        raise OptionError("a picture shows one metric, one system and one reference; use -f html for several")
    return render_ribbons(only)


def use_colour(wish: str, terminal: bool) -> bool:
    """Whether to colour: as wished, else on a terminal that is not dumb when NO_COLOR is unset or empty."""
    if wish != "auto":
        return wish == "always"
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
