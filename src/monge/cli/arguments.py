"""Flags that several commands share, and what they mean: texts, metrics, environment."""

from __future__ import annotations

import argparse
import dataclasses
import os
import stat
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from monge.cli.other_packages import check_source
from monge.errors import OptionError

if TYPE_CHECKING:
    from monge.engine.executors import ExecutorChoice
    from monge.environment import Environment
    from monge.metrics.variants import MetricVariant
    from monge.workflows.inputs import TextFiles

DEFAULT_METRIC = "bertscore"


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what names the texts."""
    texts = parser.add_argument_group("texts")
    texts.add_argument("reference", nargs="*", metavar="REF", help="reference file(s), one segment per line")
    texts.add_argument(
        "-i", "--input", nargs="+", action="extend", metavar="HYP", default=[], help="output file(s), one per system"
    )
    texts.add_argument("-s", "--source", metavar="SOURCE", help="source file")
    texts.add_argument(
        "-t",
        "--test-set",
        metavar="SET",
        help="a test set of sacrebleu (wmt17) instead of REF and -s; -l names the pair (de-en)",
    )
    texts.add_argument(
        "--jsonl",
        "--table",
        metavar="FILE",
        help="a table with all texts (JSON lines, a JSON array, .tsv or .csv): id, system, source, hypothesis,"
        " references, or the usual names of these (prediction, output, target, seg_id …)",
    )

    texts.add_argument(
        "--parquet",
        nargs="+",
        action="extend",
        metavar="FILE",
        default=[],
        help="Parquet or Arrow files (paths or URLs, * allowed) with the same columns",
    )
    texts.add_argument(
        "--docids",
        metavar="FILE",
        help="one document id per line: lines of REF and HYP with the same id make up a document",
    )


def add_documents_argument(parser: argparse.ArgumentParser) -> None:
    """Add how metrics of segments are lifted to documents."""
    parser.add_argument(
        "--documents",
        choices=("mean", "whole"),
        help="one score per document for metrics of segments too: the mean over its segments, or the score of the "
        "whole text",
    )


def add_metric_arguments(parser: argparse.ArgumentParser, *, default: str = DEFAULT_METRIC) -> None:
    """Add what chooses and configures metrics."""
    metrics = parser.add_argument_group("metrics")
    metrics.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="METRIC",
        default=[],
        help=f"metrics (default: {default}): NAME, NAME,option=value,… or LABEL:=NAME,…; `monge metrics` lists them",
    )
    metrics.add_argument(
        "-l",
        "--language",
        metavar="LANG",
        help="language of the outputs (en, zh, de-AT …; en-zh means zh): chooses presets and tokenizers",
    )
    metrics.add_argument("-lc", "--lowercase", action="store_true", help="ignore case (bleu, chrf; as in sacrebleu)")
    metrics.add_argument(
        "-tok", "--tokenize", metavar="TOKENIZER", help="tokenizer of bleu: 13a, intl, zh, char, none …"
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
    metrics.add_argument("--idf", metavar="FILE", help="idf statistics to use instead of computing them from the texts")
    metrics.add_argument(
        "-o",
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="any other option, for every metric that has it; may be repeated",
    )
    add_environment_arguments(metrics)


def add_rescale_argument(parser: argparse.ArgumentParser) -> None:
    """Add the flag that puts all metrics on one scale."""
    parser.add_argument(
        "--rescale",
        action="store_const",
        const="yes",
        help="put metrics on one scale: 0 is what unrelated texts score, 1 a copy; higher is better "
        "(metrics that do not score copies best stay as they are)",
    )


def add_environment_arguments(parser: argparse._ActionsContainer, *, cache: bool = True) -> None:
    """Add what says where to look and what to keep."""
    parser.add_argument("--offline", action="store_true", help="never use the network")
    if cache:
        parser.add_argument("--no-cache", action="store_true", help="neither use nor keep stored vectors and scores")


def add_executor_arguments(parser: argparse.ArgumentParser) -> None:
    """Add where chunks are scored."""
    group = parser.add_argument_group("workers")
    group.add_argument(
        "--executor",
        choices=("inline", "processes", "dask"),
        default="inline",
        help="where chunks are scored: in this process, in local processes, or by Dask workers (default: inline)",
    )
    group.add_argument("--workers", type=int, metavar="N", help="local processes to start (default: one per core)")
    group.add_argument(
        "--scheduler", metavar="ADDRESS", help="Dask scheduler, tcp://host:8786 (default: a local cluster)"
    )


def read_executor(args: argparse.Namespace) -> ExecutorChoice:
    """Return the executor that the arguments choose."""
    from monge.engine.executors import ExecutorChoice

    return ExecutorChoice(args.executor, args.scheduler, args.workers)


def read_environment(args: argparse.Namespace) -> Environment:
    """Return the environment of the process, changed by ``--offline`` and ``--no-cache``."""
    from monge.environment import Environment

    found = Environment.read()
    return dataclasses.replace(
        found,
        offline=found.offline or getattr(args, "offline", False),
        cache=found.cache and not getattr(args, "no_cache", False),
    )


def read_text_files(args: argparse.Namespace) -> TextFiles:
    """Return the files that the arguments name as texts."""
    from monge.workflows.inputs import TextFiles

    if getattr(args, "test_set", None):
        return _read_known_set(args)
    check_source(args.source)
    return TextFiles(
        tuple(args.input), tuple(args.reference), args.source, args.jsonl, tuple(args.parquet), args.docids
    )


def _read_known_set(args: argparse.Namespace) -> TextFiles:
    """Return the files of the test set that ``-t`` and ``-l`` name, with the outputs of ``-i``."""
    from monge.workflows.inputs import TextFiles
    from monge.workflows.known_sets import find_known_set

    if args.reference or args.source or args.jsonl or args.parquet:
        raise OptionError("-t names source and references: leave out REF, -s and --jsonl")
    if not getattr(args, "language", None) or "-" not in args.language:
        raise OptionError(f"-t {args.test_set} needs a language pair: -l de-en, for example")
    known = find_known_set(args.test_set, args.language, environment=read_environment(args))
    return TextFiles(tuple(args.input), known.references, known.source, document_ids=args.docids)


def input_files(args: argparse.Namespace) -> list[str | None]:
    """Return the names of all files that are read as texts."""
    return [*args.reference, *args.input, args.source, args.jsonl, *args.parquet, args.docids]


def read_metrics(
    args: argparse.Namespace, names: Sequence[str] = (), *, default: str = DEFAULT_METRIC
) -> tuple[MetricVariant, ...]:
    """Return the metrics that the arguments name; an option goes to every metric that has it and must fit one."""
    from monge.metrics.variants import OPTIONAL_OPTIONS, parse_variants

    chosen = [*names, *args.metrics] or [default]
    return tuple(parse_variants(chosen, read_shared_options(args), optional=OPTIONAL_OPTIONS))


def read_shared_options(args: argparse.Namespace) -> dict[str, str]:
    """Return the options that go to every metric that has them."""
    flags = {
        "language": "language", "encoder": "encoder", "layers": "layers", "long": "long", "idf": "idf",
        "references": "reference_aggregation", "tokenize": "tokenize", "rescale": "rescale",
    }  # fmt: skip
    found = {key: getattr(args, flag, None) for key, flag in flags.items()}
    chosen: dict[str, str] = {key: value for key, value in found.items() if value is not None}
    if "language" in chosen:
        chosen["language"] = read_language(args)
    if getattr(args, "lowercase", False):
        chosen["lowercase"] = "true"
    for text in args.option:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise OptionError(f"--option {text!r}: write it as KEY=VALUE")
        key = key.strip().replace("-", "_")
        if chosen.setdefault(key, value) != value:
            raise OptionError(f"option {key!r} is given twice: as {chosen[key]!r} and as {value!r}")
    return chosen


def read_language(args: argparse.Namespace) -> str:
    """Return the language that ``--language`` names, or nothing; raises OptionError for one that does not exist."""
    from monge.text import parse_language

    return parse_language(args.language) if getattr(args, "language", None) is not None else ""


def print_warnings(warnings: Sequence[str]) -> None:
    """Print what concerns a whole job on stderr."""
    for warning in warnings:
        print(f"monge: {warning}", file=sys.stderr)


def is_piped() -> bool:
    """Whether something was piped or redirected into standard input, as in ``cat HYP | monge score REF``."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)
