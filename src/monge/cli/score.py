"""Score outputs against references.

  monge score REF [REF ...] -i HYP [HYP ...] -m moverscore bleu
  monge score --jsonl FILE -m bertscore

Files hold one text a line (plain or gzip; - is standard input). Every REF is a reference for every line.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from monge.errors import OptionError, suggest

if TYPE_CHECKING:
    from monge.engine.scoring import SystemScores
    from monge.text import TestSet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_input_arguments(parser)
    add_metric_arguments(parser)
    output = parser.add_argument_group("output")
    output.add_argument("-f", "--format", choices=("text", "json", "latex"), default="text", help="how to print (default: text)")
    output.add_argument("-w", "--width", type=int, default=None, metavar="DIGITS", help="digits after the point (default: 4, or 2 for scores up to 100)")
    output.add_argument("--segments", metavar="OUT", help="also write every segment's score to OUT (.tsv or .jsonl, may end in .gz)")
    output.add_argument("--confidence", action="store_true", help="add the half width of the 95%% bootstrap interval")
    output.add_argument("--seed", type=int, default=12345, help="seed of the bootstrap (default: 12345)")
    output.add_argument("-q", "--quiet", action="store_true", help="print the scores only, no signatures or notes")


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what names the texts; shared by the commands that score."""
    texts = parser.add_argument_group("texts")
    texts.add_argument("reference", nargs="*", metavar="REF", help="reference file(s), a line a segment")
    texts.add_argument("-i", "--input", nargs="+", metavar="HYP", default=[], help="output file(s), one a system")
    texts.add_argument("-s", "--source", metavar="SOURCE", help="source file")
    texts.add_argument("--jsonl", metavar="FILE", help="one JSON object a line: id, system, source, hypothesis, references")


def add_metric_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what chooses and configures metrics; shared by the commands that score."""
    metrics = parser.add_argument_group("metrics")
    metrics.add_argument("-m", "--metrics", nargs="+", metavar="NAME", default=["bertscore"], help="metrics (default: bertscore); `monge metrics` lists them")
    metrics.add_argument("-l", "--language", metavar="LANG", help="target language (en, zh, de …): chooses presets")
    metrics.add_argument("--encoder", metavar="NAME|DIR", help="encoder or word vectors (default: the metric's own)")
    metrics.add_argument("--layers", metavar="LAYERS", help="layers to use: 4, -1, 6-8, last5, middle, all")
    metrics.add_argument("--reference-aggregation", choices=("max", "mean", "joint"), help="how several references count (default: the metric's own)")
    metrics.add_argument("--long", choices=("window", "truncate", "error"), help="texts longer than the encoder's window (default: window)")
    metrics.add_argument("--idf", metavar="FILE", help="idf statistics to use instead of fitting them on the texts")
    metrics.add_argument("--save-idf", metavar="FILE", help="write the idf statistics that were fitted")
    metrics.add_argument("-o", "--option", action="append", default=[], metavar="KEY=VALUE", help="any other option of the metrics; may be repeated")
    metrics.add_argument("--offline", action="store_true", help="never touch the network")


def run(args: argparse.Namespace) -> int:
    from monge.engine.scoring import score_systems

    if args.width is not None and not 0 <= args.width <= 17:
        raise OptionError(f"--width {args.width}: must be between 0 and 17")
    test_set = read_test_set(args)
    metrics = load_metrics(args)
    results = []
    for metric in metrics:
        results.extend(score_systems(metric, test_set, confidence=args.confidence, seed=args.seed))
    if args.save_idf:
        _save_idf(metrics, test_set, args.save_idf)
    if args.segments:
        _write_segments(args.segments, results)
    if args.format == "json":
        print(json.dumps([result.record() for result in results], ensure_ascii=False, indent=1))
    else:
        _print_table(results, args)
    return 0


def read_test_set(args: argparse.Namespace) -> TestSet:
    """Read the texts that the arguments name."""
    from monge.text import read_jsonl, read_parallel

    if args.jsonl:
        if args.reference or args.input or args.source:
            raise OptionError("--jsonl names all texts: leave out REF, -i and -s")
        return read_jsonl(args.jsonl)
    if not args.input:
        raise OptionError("no outputs to score: name them with -i HYP, or use --jsonl FILE")
    return read_parallel(args.input, args.reference, args.source)


def load_metrics(args: argparse.Namespace) -> list[Any]:
    """Load the metrics that the arguments name; an option goes to every metric that has it, and must fit at least one."""
    from monge.metrics import load_metric, metric_options

    if args.offline:
        os.environ["MONGE_OFFLINE"] = "1"
    chosen = dict(_split_option(text) for text in args.option)
    flags = {
        "language": args.language, "encoder": args.encoder, "layers": args.layers, "long": args.long, "idf": args.idf,
        "references": args.reference_aggregation,
    }  # fmt: skip
    chosen = {key: value for key, value in flags.items() if value is not None} | chosen
    known = {name: metric_options(name) for name in dict.fromkeys(args.metrics)}
    _check_options(chosen, known, optional={"language", "encoder", "long"})
    return [
        load_metric(name, **{key: value for key, value in chosen.items() if key in options})
        for name, options in known.items()
    ]


def _check_options(chosen: Mapping[str, str], known: Mapping[str, Mapping[str, object]], optional: set[str]) -> None:
    everything = {key for options in known.values() for key in options}
    for key in chosen:
        if key not in everything and key not in optional:
            listed = ", ".join(known)
            raise OptionError(f"no option {key!r}{suggest(key, everything)} in {listed}; `monge metrics NAME` lists options")


def _split_option(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise OptionError(f"--option {text!r}: write it as KEY=VALUE")
    return key.strip().replace("-", "_"), value


def _save_idf(metrics: Sequence[Any], test_set: TestSet, path: str) -> None:
    from monge.metrics.transport_metric import TransportMetric

    fitted = {}
    for metric in metrics:
        if isinstance(metric, TransportMetric) and metric.settings.weighting != "uniform":
            model = (metric if metric.fitted else metric.fit(list(test_set.segments))).statistics.idf_reference
            assert model is not None
            fitted[model.hash] = model
    if len(fitted) != 1:
        raise OptionError(f"--save-idf: {len(fitted)} different idf statistics were fitted; score with one idf metric")
    next(iter(fitted.values())).save(path)


def _write_segments(path: str, results: Sequence[SystemScores]) -> None:
    from monge.engine.scoring import segment_record
    from monge.text import write_jsonl, write_tsv

    rows = [
        {"system": result.system, "metric": result.metric} | segment_record(segment, score)
        for result in results
        for segment, score in zip(result.segments, result.scores, strict=True)
    ]
    name = path.removesuffix(".gz")
    if name.endswith(".jsonl"):
        write_jsonl(path, rows)
    elif name.endswith(".tsv"):
        write_tsv(path, ["system", "metric", "id", "score"], [[r["system"], r["metric"], r["id"], r["score"]] for r in rows])
    else:
        raise OptionError(f"--segments {path}: the name must end in .tsv or .jsonl (or .gz after that)")


def _print_table(results: Sequence[SystemScores], args: argparse.Namespace) -> None:
    from monge.report.tables import latex_table, text_table

    metrics = list(dict.fromkeys(result.metric for result in results))
    systems = list(dict.fromkeys(result.system for result in results))
    cells = {(result.system, result.metric): result for result in results}
    arrows = {result.metric: "↑" if result.higher_is_better else "↓" for result in results}
    header = ["system", *(f"{metric} {arrows[metric]}" for metric in metrics)]
    rows = [[system, *(_cell(cells[system, metric], args.width) for metric in metrics)] for system in systems]
    best = [(systems.index(_best(results, metric)), column) for column, metric in enumerate(metrics, start=1)]
    if args.format == "latex":
        print(latex_table(header, rows, bold=best if len(systems) > 1 else ()))
    else:
        if len(systems) > 1:
            marked = set(best)
            rows = [[cell + ("*" if (r, c) in marked else " " if c else "") for c, cell in enumerate(row)] for r, row in enumerate(rows)]
            header = [name + (" " if c else "") for c, name in enumerate(header)]
        print(text_table(header, rows))
    if not args.quiet:
        _print_remarks(results, len(systems), sys.stdout if args.format == "text" else sys.stderr)


def _print_remarks(results: Sequence[SystemScores], systems: int, stream: Any) -> None:
    from monge.engine.scoring import count_notes

    if systems > 1:
        print("* best by this score alone; `monge compare` says how surely", file=stream)
    print(file=stream)
    for signature in dict.fromkeys(result.signature for result in results):
        print(signature, file=stream)
    for result in results:
        for note, count in count_notes(result.scores).items():
            print(f"note: {result.system}, {result.metric}: {note} ({count} of {len(result.scores)} segments)", file=stream)


def _best(results: Sequence[SystemScores], metric: str) -> str:
    own = [result for result in results if result.metric == metric]
    choose = max if own[0].higher_is_better else min
    return choose(own, key=lambda result: result.score).system


def _cell(result: SystemScores, width: int | None) -> str:
    from monge.metrics import find_spec

    if width is None:
        width = 2 if find_spec(result.metric).bounds[1] == 100 else 4
    interval = "" if result.half_width is None else f" ± {result.half_width:.{width}f}"
    return f"{result.score:.{width}f}{interval}"


