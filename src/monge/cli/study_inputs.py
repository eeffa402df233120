"""Arguments that the commands on agreement share, and the parts of requests that they describe."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from monge.cli.arguments import add_environment_arguments
from monge.cli.values import seed
from monge.errors import OptionError

if TYPE_CHECKING:
    from monge.workflows.agreement_options import AgreementOptions
    from monge.workflows.judged_data import JudgedData
    from monge.workflows.judged_scores import ReportStep


def add_data_arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the arguments that name the judged outputs."""
    data = parser.add_argument_group("judgments")
    source = data.add_argument("data", metavar="DATA", help="file, folder or name of judged outputs")
    source.nargs = "+" if several else None
    data.add_argument(
        "--human",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN",
        help="columns of a file with judgments (default: human, rating, score …)",
    )
    data.add_argument(
        "--columns",
        nargs="+",
        action="extend",
        default=[],
        metavar="ROLE=COLUMN",
        help="the columns of a file with hypothesis, reference, source, id, system, document, part",
    )
    data.add_argument(
        "--score-columns",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN",
        help="columns of a file with scores of metrics",
    )
    data.add_argument(
        "--captions",
        metavar="FILE",
        help="captions (IMAGE#N, tab, text) that DATA judges: Flickr8k's expert or CrowdFlower file",
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
        help="undo Moses tokenisation and HTML entities before scoring (default: for sets that are known to have them)",
    )


def add_variant_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the arguments that name metrics with options."""
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
    add_environment_arguments(group)
    return group


def add_agreement_arguments(parser: argparse.ArgumentParser) -> None:
    """Add how agreement is measured and tested."""
    study = parser.add_argument_group("agreement")
    study.add_argument(
        "-s",
        "--statistic",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="pearson, spearman, kendall, tau-like, accuracy, tie-accuracy, soft-accuracy; the first one decides "
        "(default: what the field reports for DATA, else pearson)",
    )
    study.add_argument(
        "--level",
        choices=("segment", "item", "by-system", "summary", "system"),
        help="segment: all outputs pooled; item: by input; by-system; summary: by document; system: between systems",
    )
    study.add_argument(
        "--threshold",
        type=float,
        metavar="X",
        help="judgment difference from which tau-like counts a pair (default: 25)",
    )
    study.add_argument(
        "--resample",
        choices=("segments", "systems", "both"),
        default="segments",
        help="what the bootstrap draws (default: segments)",
    )
    study.add_argument(
        "--draws",
        type=int,
        default=1000,
        metavar="N",
        help="bootstrap resamples and permutations (default: 1000); "
        "many metrics get as many permutations as their pairs need",
    )
    study.add_argument("--confidence", type=float, default=0.95, metavar="C", help="of the intervals (default: 0.95)")
    study.add_argument(
        "--test",
        choices=("auto", "williams", "permutation", "bootstrap"),
        default="auto",
        help="test between metrics (default: Williams where it applies, else permutation)",
    )
    study.add_argument(
        "--correction",
        choices=("holm", "fdr", "none"),
        default="holm",
        help="for the number of pairs of metrics (default: holm)",
    )
    study.add_argument("--alpha", type=float, default=0.05, help="level of significance (default: 0.05)")
    study.add_argument("--seed", type=seed, default=0, help="of every random draw (default: 0)")


def judged_data(args: argparse.Namespace, source: str) -> JudgedData:
    """Return the data *source* as the arguments describe it."""
    from monge.workflows.judged_data import JudgedData

    return JudgedData(
        source,
        human=tuple(args.human),
        columns=dict(_role(text) for text in args.columns),
        score_columns=tuple(args.score_columns),
        captions=args.captions,
        aspects=tuple(args.aspect),
        sample=args.sample,
        texts=args.texts,
    )


def agreement_options(args: argparse.Namespace) -> AgreementOptions:
    """Return how the arguments want agreement measured."""
    from monge.workflows.agreement_options import AgreementOptions

    return AgreementOptions(
        statistics=tuple(args.statistic or ()),
        level=args.level,
        threshold=args.threshold,
        resample=args.resample,
        draws=args.draws,
        confidence=args.confidence,
        test=args.test,
        correction=args.correction,
        alpha=args.alpha,
        seed=args.seed,
    )


@contextlib.contextmanager
def show_progress() -> Iterator[ReportStep]:
    """Show the steps of scoring on standard error where that is a terminal."""
    import sys

    from tqdm import tqdm

    with tqdm(total=0, unit="set", file=sys.stderr, disable=None, leave=False) as bar:

        def report_step(what: str, done: int, total: int) -> None:
            bar.total = total
            bar.set_description(what)
            bar.update(done - bar.n)

        yield report_step


def _role(text: str) -> tuple[str, str]:
    role, equals, column = text.partition("=")
    if not equals:
        raise OptionError(f"--columns {text!r}: write it as ROLE=COLUMN")
    return role, column
