"""Score outputs against references.

  monge score REF [REF ...] -i HYP [HYP ...] -m moverscore bleu
  monge score --jsonl FILE -m bertscore
  cat HYP | monge score REF -m bleu -b

Files hold one text a line (plain or gzip; - is standard input). Every REF is a reference for every line.

Any number of lines may be scored: memory does not grow with them. Vectors and finished chunks of scores are kept in the
cache (`monge cache`), so that an interrupted job, started again, goes on where it stopped; --no-cache keeps nothing.
"""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from monge.cli.values import check_target, seed
from monge.errors import OptionError, suggest

if TYPE_CHECKING:
    from monge.clouds import IdfModel
    from monge.engine.spool import SegmentSpool
    from monge.text import TestSet


DEFAULT_METRIC = "bertscore"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input_arguments(parser)
    add_metric_arguments(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f", "--format", choices=("text", "json", "latex"), default="text", help="how to print (default: text)"
    )
    output.add_argument(
        "-w",
        "--width",
        type=int,
        default=None,
        metavar="DIGITS",
        help="digits after the point (default: 4, or 2 for scores up to 100)",
    )
    output.add_argument(
        "-b", "--score-only", action="store_true", help="print bare numbers: a line a system, a column a metric"
    )
    output.add_argument("--save-idf", metavar="FILE", help="write the idf statistics that were fitted")
    output.add_argument(
        "--segments", metavar="OUT", help="also write every segment's score to OUT (.tsv or .jsonl, may end in .gz)"
    )
    output.add_argument("--confidence", action="store_true", help="add the half width of the 95%% bootstrap interval")
    output.add_argument("--seed", type=seed, default=12345, help="seed of the bootstrap (default: 12345)")
    output.add_argument("-q", "--quiet", action="store_true", help="print the scores only, no signatures or notes")
    output.add_argument(
        "--progress", action="store_true", default=None, help="show progress although stderr is no terminal"
    )


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what names the texts; shared by the commands that score."""
    texts = parser.add_argument_group("texts")
    texts.add_argument("reference", nargs="*", metavar="REF", help="reference file(s), a line a segment")
    texts.add_argument(
        "-i", "--input", nargs="+", action="extend", metavar="HYP", default=[], help="output file(s), one a system"
    )
    texts.add_argument("-s", "--source", metavar="SOURCE", help="source file")
    texts.add_argument(
        "--jsonl", metavar="FILE", help="one JSON object a line: id, system, source, hypothesis, references"
    )


def add_metric_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what chooses and configures metrics; shared by the commands that score."""
    metrics = parser.add_argument_group("metrics")
    metrics.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="NAME",
        default=[],
        help=f"metrics (default: {DEFAULT_METRIC}); `monge metrics` lists them",
    )
    metrics.add_argument(
        "-l", "--language", metavar="LANG", help="target language (en, zh, de …): chooses presets and tokenizers"
    )
    metrics.add_argument("--encoder", metavar="NAME|DIR", help="encoder or word vectors (default: the metric's own)")
    metrics.add_argument("--layers", metavar="LAYERS", help="layers to use: 4, -1, 6-8, last5, middle, all")
    metrics.add_argument(
        "--reference-aggregation",
        choices=("max", "mean", "joint"),
        help="how several references count (default: the metric's own)",
    )
    metrics.add_argument(
        "--long",
        choices=("window", "truncate", "error"),
        help="texts longer than the encoder's window (default: window)",
    )
    metrics.add_argument("--idf", metavar="FILE", help="idf statistics to use instead of fitting them on the texts")
    metrics.add_argument(
        "-o",
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="any other option of the metrics; may be repeated",
    )
    metrics.add_argument("--offline", action="store_true", help="never touch the network")
    metrics.add_argument("--no-cache", action="store_true", help="neither use nor keep stored vectors and scores")


def run(args: argparse.Namespace) -> int:
    from monge.cli.score_output import print_json, print_numbers, print_table, tell_reuse, write_segments
    from monge.engine.inputs import spool_jsonl, spool_parallel
    from monge.engine.job import JobOptions, score_job
    from monge.engine.journal import score_store

    if args.width is not None and not 0 <= args.width <= 17:
        raise OptionError(f"--width {args.width}: must be between 0 and 17")
    if args.segments and not args.segments.removesuffix(".gz").endswith((".jsonl", ".tsv")):
        raise OptionError(f"--segments {args.segments}: the name must end in .tsv or .jsonl (or .gz after that)")
    if args.score_only and args.format != "text":
        raise OptionError(f"--score-only prints bare numbers: leave out -f {args.format}")
    if args.reference and not args.input and not args.jsonl and _is_piped():
        args.input = ["-"]
    check_target(args.segments, inputs=input_files(args))
    check_target(args.save_idf, inputs=input_files(args))
    _check_inputs(args)
    systems = spool_jsonl(args.jsonl) if args.jsonl else spool_parallel(args.input, args.reference, args.source)
    metrics = load_metrics(args)
    idf = _fit_idf(metrics, systems) if args.save_idf else None
    options = JobOptions(confidence=args.confidence, seed=args.seed, progress=args.progress)
    results = score_job(metrics, systems, store=score_store(), options=options)
    if idf:
        idf.save(args.save_idf)
    if args.segments:
        write_segments(args.segments, results)
    if args.score_only:
        print_numbers(results, args.width)
    elif args.format == "json":
        print_json(results)
    else:
        print_table(results, args)
    if not args.quiet and not args.score_only:
        tell_reuse(results)
    return 0


def read_test_set(args: argparse.Namespace) -> TestSet:
    """Read the texts that the arguments name."""
    from monge.text import read_jsonl, read_parallel

    _check_inputs(args)
    return read_jsonl(args.jsonl) if args.jsonl else read_parallel(args.input, args.reference, args.source)


def input_files(args: argparse.Namespace) -> list[str | None]:
    """Return the files that the arguments name as texts."""
    return [*args.reference, *args.input, args.source, args.jsonl]


def _is_piped() -> bool:
    """Whether something was piped or redirected into standard input, as in ``cat HYP | monge score REF``."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _check_inputs(args: argparse.Namespace) -> None:
    if args.jsonl and (args.reference or args.input or args.source):
        raise OptionError("--jsonl names all texts: leave out REF, -i and -s")
    if not args.jsonl and not args.input:
        raise OptionError("no outputs to score: name them with -i HYP (- is standard input), or use --jsonl FILE")


def load_metrics(args: argparse.Namespace) -> list[Any]:
    """Load the metrics that the arguments name; an option goes to every metric that has it and must fit one or more."""
    from monge.metrics import load_metric, metric_options

    flags = {
        "language": args.language, "encoder": args.encoder, "layers": args.layers, "long": args.long, "idf": args.idf,
        "references": args.reference_aggregation,
    }  # fmt: skip
    chosen: dict[str, str] = {key: value for key, value in flags.items() if value is not None}
    for key, value in map(_split_option, args.option):
        if chosen.setdefault(key, value) != value:
            raise OptionError(f"option {key!r} is given twice: as {chosen[key]!r} and as {value!r}")
    known = {name: metric_options(name) for name in dict.fromkeys(args.metrics or [DEFAULT_METRIC])}
    _check_options(chosen, known, optional={"language", "encoder", "long"})
    return [
        load_metric(name, **{key: value for key, value in chosen.items() if key in options})
        for name, options in known.items()
    ]


def _check_options(chosen: Mapping[str, str], known: Mapping[str, Mapping[str, object]], optional: set[str]) -> None:
    from monge.metrics import metric_options, metric_specs

    everything = {key for options in known.values() for key in options}
    for key in chosen:
        if key not in everything and key not in optional:
            misspelt = not any(key in metric_options(name) for name in metric_specs())
            near = suggest(key, everything) if misspelt else ""
            raise OptionError(f"no option {key!r}{near} in {', '.join(known)}; `monge metrics NAME` lists options")


def _split_option(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise OptionError(f"--option {text!r}: write it as KEY=VALUE")
    return key.strip().replace("-", "_"), value


def _fit_idf(metrics: Sequence[Any], systems: Sequence[SegmentSpool]) -> IdfModel:
    """Return the idf statistics that scoring will fit, which must be one and the same for all metrics and systems."""
    from monge.metrics.transport.metric import TransportMetric

    fitted = {}
    for metric in metrics:
        if isinstance(metric, TransportMetric) and metric.settings.weighting != "uniform":
            if metric.settings.idf_from == "sides":
                raise OptionError(f"--save-idf: {metric.spec.name} weighs outputs by statistics of their own")
            for segments in systems:
                model = (metric if metric.fitted else metric.fit(segments)).statistics.idf_reference
                if model is None:
                    raise OptionError("--save-idf: idf cannot be learnt from one segment")
                fitted[model.hash] = model
    if len(fitted) != 1:
        raise OptionError(f"--save-idf: there are {len(fitted)} different idf statistics; score with one idf metric")
    return next(iter(fitted.values()))
