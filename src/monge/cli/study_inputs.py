"""What the commands that measure agreement share: naming data and metrics, reading and scoring them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from monge.cli.study_outputs import part_name, save_scores
from monge.errors import OptionError

if TYPE_CHECKING:
    from monge.meta.data import DataSpec, JudgedSet, MetricScores
    from monge.meta.judged import JudgedScores
    from monge.metrics.variants import MetricVariant


def add_data_arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add what names the judged outputs."""
    data = parser.add_argument_group("judgments")
    place = data.add_argument("data", metavar="DATA", help="file, folder or name of judged outputs")
    place.nargs = "+" if several else None
    data.add_argument(
        "--human",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN",
        help="columns of a file that hold judgments (default: human, rating, score …)",
    )
    data.add_argument(
        "--columns",
        nargs="+",
        action="extend",
        default=[],
        metavar="ROLE=COLUMN",
        help="which columns of a file hold hypothesis, reference, source, id, system, document",
    )
    data.add_argument(
        "--score-columns",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN",
        help="columns of a file that hold scores of metrics",
    )
    data.add_argument(
        "--captions",
        metavar="FILE",
        help="captions (IMAGE#N, tab, text) that DATA judges, as in Flickr8k's expert file",
    )
    data.add_argument(
        "--aspect",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="aspects to use when several were judged (default: all)",
    )
    data.add_argument("--sample", type=int, metavar="N", help="use a random sample of N inputs of each part")
    data.add_argument(
        "--texts",
        choices=("auto", "as-is", "detokenised"),
        default="auto",
        help="undo Moses tokenisation and HTML entities before scoring (default: where the set is known to have them)",
    )


def add_variant_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add what names metrics with options."""
    group = parser.add_argument_group("metrics")
    group.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        default=[],
        metavar="METRIC",
        help="metrics to compute: NAME, NAME,option=value,… or LABEL:=NAME,…; `monge metrics` lists them",
    )
    group.add_argument("--encoder", metavar="NAME|DIR", help="encoder of every metric that has one")
    group.add_argument("--layers", metavar="LAYERS", help="layers of every metric that has them")
    group.add_argument(
        "-o",
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="option of every metric that has it; may be repeated",
    )
    group.add_argument("--offline", action="store_true", help="never touch the network")
    return group


@dataclass(frozen=True, eq=False)
class ScoredTasks:
    """Tasks ready for a study, the signature of every metric, and the scores behind them by part."""

    tasks: list[JudgedScores]
    signatures: dict[str, str]
    scores: Sequence[tuple[JudgedSet, Mapping[str, MetricScores]]]


def gather_sets(args: argparse.Namespace) -> list[JudgedSet]:
    """Read the judged sets that the arguments name."""
    from monge.workflows.judging import sample_inputs

    sets = [judged.choose_aspects(args.aspect) for judged in _read_sets(args)]
    if args.sample is not None:
        if args.sample < 3:
            raise OptionError(f"--sample {args.sample}: fewer than 3 inputs say nothing")
        sets = [sample_inputs(judged, args.sample, seed=args.seed) for judged in sets]
    spec = _spec_of(args.data)
    if args.texts == "detokenised" or (args.texts == "auto" and spec is not None and spec.tokenised):
        from monge.text.detokenize import detokenize

        sets = [judged.change_texts(detokenize) for judged in sets]
    return sets


def choose_defaults(args: argparse.Namespace) -> None:
    """Fill in level and statistic: what the field reports for a known set, else Pearson's r of all outputs."""
    spec = _spec_of(args.data)
    ranked = _is_ranking(args.data)
    if args.level is None:
        args.level = "item" if ranked else spec.level if spec else "segment"
    if not args.statistic:
        args.statistic = ["tau-like" if ranked else spec.statistic if spec else "pearson"]
    if ranked and args.threshold is None:
        from monge.meta.ranked import RANKED_THRESHOLD

        args.threshold = RANKED_THRESHOLD


def gather_tasks(args: argparse.Namespace, sets: Sequence[JudgedSet]) -> ScoredTasks:
    """Read and compute scores and lay them beside the judgments."""
    from monge.meta.tasks import choose_part, make_tasks, resolve_directions
    from monge.metrics import metric_specs
    from monge.metrics.variants import parse_variants

    read = _read_scores(args)
    variants = parse_variants(args.metrics, shared_options(args))
    clash = next((v.label for v in variants if v.label in {item.metric for item in read}), None)
    if clash:
        raise OptionError(f"{clash} is both computed (-m) and read (--scores): label it, as in -m mine:={clash}")
    known = {name: spec.higher_is_better for name, spec in metric_specs().items()}
    if _is_ranking(args.data):
        if variants:
            raise OptionError("ranked pairs hold no texts to compute metrics on: leave out -m, and give --scores FILE")
        return _ranked_tasks(args, resolve_directions(read, higher=args.higher, lower=args.lower, known=known))
    read_by_set = [choose_part(read, part_name(args, judged)) for judged in sets]
    pairs = []
    for judged, given, own in zip(sets, read_by_set, compute_scores(variants, sets), strict=True):
        shipped = _shipped(judged, directed=not args.score_columns) if not given and not own else {}
        everything = [*shipped.values(), *given.values(), *own.values()]
        if not everything:
            raise OptionError("no metric: compute some with -m NAME, or give scores with --scores FILE")
        resolved = resolve_directions(everything, higher=args.higher, lower=args.lower, known=known)
        pairs.append((judged, {item.metric: item for item in resolved}))
    signatures = {m: s.table.signature for m, s in pairs[0][1].items()}
    save_scores(args, pairs)
    return ScoredTasks(make_tasks(pairs, level=args.level), signatures, pairs)


def compute_scores(variants: Sequence[MetricVariant], sets: Sequence[JudgedSet]) -> list[dict[str, MetricScores]]:
    """Score every set with every metric; progress goes to standard error."""
    import sys

    from tqdm import tqdm

    from monge.workflows.judging import score_judged_set

    found: list[dict[str, MetricScores]] = [{} for _ in sets]
    with tqdm(total=len(variants) * len(sets), unit="set", file=sys.stderr, disable=None, leave=False) as bar:
        for variant in variants:
            metric = variant.load()
            for place, judged in enumerate(sets):
                bar.set_description(f"{variant.label} on {judged.name}")
                found[place][variant.label] = score_judged_set(metric, judged, label=variant.label)
                bar.update()
    return found


def shared_options(args: argparse.Namespace) -> dict[str, str]:
    """Return the options that go to every metric that has them."""
    chosen = {"encoder": args.encoder, "layers": args.layers}
    options = {key: value for key, value in chosen.items() if value is not None}
    for text in args.option:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise OptionError(f"--option {text!r}: write it as KEY=VALUE")
        key = key.strip().replace("-", "_")
        if options.setdefault(key, value) != value:
            raise OptionError(f"option {key!r} is given twice: as {options[key]!r} and as {value!r}")
    return options


def _read_sets(args: argparse.Namespace) -> list[JudgedSet]:
    from monge.meta.data import JudgedSet, read_named_columns
    from monge.meta.data.generation import read_flickr
    from monge.meta.data.mtme import read_tree

    path = Path(args.data)
    if _is_ranking(args.data):
        return [JudgedSet("ranking", (), {})]
    if path.is_dir() and (path / "sources").is_dir():
        return read_tree(path)
    if getattr(args, "captions", None):
        return read_flickr(path, args.captions, name=path.name.partition(".")[0])
    if path.is_file():
        columns = dict(_role(text) for text in args.columns)
        return [read_named_columns(path, columns=columns, human=args.human, scores=args.score_columns)]
    return read_catalog_set(args.data)


def read_catalog_set(text: str) -> list[JudgedSet]:
    """Read ``NAME`` or ``NAME/PART,PART``; a part may be an aspect of every part (``summeval/coherence``)."""
    from monge.meta.data import find_data

    name, _, chosen = text.partition("/")
    if not _spec_of(text) and ("." in text or "/" in text):
        raise OptionError(f"{text}: no such file, folder or data set; `monge data list` names the sets")
    spec = find_data(name)
    wanted = [part for part in chosen.split(",") if part]
    sets = spec.load(["all"]) if wanted else spec.load()
    names = [judged.name for judged in sets]
    aspects = list(dict.fromkeys(aspect for judged in sets for aspect in judged.aspects))
    parts = [part for part in wanted if part in names or part == "all"]
    named = [part for part in wanted if part not in parts]
    if not set(named) <= set(aspects):
        spec.load([part for part in named if part not in aspects])  # says what there is
    if wanted and parts != ["all"]:
        sets = [judged for judged in sets if judged.name in parts] if parts else spec.load()
    return [judged.choose_aspects(named) for judged in sets]


def _spec_of(data: str) -> DataSpec | None:
    from monge.meta.data import CATALOG

    name = data.partition("/")[0]
    return next((spec for spec in CATALOG if spec.name == name and not Path(data).is_file()), None)


def _is_ranking(data: str) -> bool:
    """Whether a file holds ranked pairs, by its header (LP DATA SID BETTER WORSE)."""
    from monge.text import iter_lines

    if not Path(data).is_file() or Path(data).suffix not in (".csv", ".tsv", ".txt"):
        return False
    header = next(iter(iter_lines(data))).split()
    return {"BETTER", "WORSE", "SID"} <= set(header)


def _ranked_tasks(args: argparse.Namespace, scores: Sequence[MetricScores]) -> ScoredTasks:
    from monge.meta.data.wmt import read_ranked_pairs
    from monge.meta.ranked import pair_rankings
    from monge.meta.tasks import choose_part

    if not scores:
        raise OptionError("ranked pairs hold no texts: give scores with --scores FILE")
    tasks = []
    signatures: dict[str, str] = {}
    for name, pairs in read_ranked_pairs(args.data).items():
        tables = {metric: item.table for metric, item in choose_part(scores, name).items()}
        tasks.append(pair_rankings(pairs, tables, name=name))
        signatures |= {metric: table.signature for metric, table in tables.items()}
    return ScoredTasks(tasks, signatures, [])


def _read_scores(args: argparse.Namespace) -> list[MetricScores]:
    from monge.meta.data import read_scores

    return [item for path in args.scores for item in read_scores(path)]


def _shipped(judged: JudgedSet, *, directed: bool) -> dict[str, MetricScores]:
    """Return the scores that come with a set; of those in a user's columns nothing says which is better."""
    from monge.meta.data import MetricScores

    scores = judged.scores.items()
    return {m: MetricScores(m, table, {}, table.higher_is_better if directed else None) for m, table in scores}


def _role(text: str) -> tuple[str, str]:
    role, equals, column = text.partition("=")
    if not equals:
        raise OptionError(f"--columns {text!r}: write it as ROLE=COLUMN")
    return role, column
