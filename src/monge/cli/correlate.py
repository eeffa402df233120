"""Measure how metrics agree with human judgments, and which of them to trust.

  monge correlate rated.tsv -m bertscore moverscore rougel chrf bleu
  monge correlate wmt17 -m bertscore bertscore,encoder=mpnet,layers=7 bleu
  monge correlate ratings.tsv --scores scores.json
  monge correlate summeval/coherence,relevance -m rougel bertscore --level summary

DATA is a table of rated outputs (.tsv, .csv, .jsonl; columns such as hypothesis, reference, human, system, id), a set
that `monge data list` names (NAME/PART,PART chooses parts or aspects), a folder of mt-metrics-eval, or WMT's
RR-seglevel.csv of ranked pairs. Scores come from files (--scores) or are computed (-m NAME,option=value).
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from monge.cli.study_inputs import add_data_arguments, add_variant_arguments, choose_defaults, gather_sets, gather_tasks
from monge.cli.values import check_figures, check_target, seed
from monge.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from monge.meta import Statistic
    from monge.meta.judged import JudgedScores
    from monge.meta.study import Study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    scores = add_variant_arguments(parser)
    scores.add_argument(
        "--scores",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="scores of metrics: what `monge score -f json` prints, or a table (TSV, CSV, JSONL) with system, id and "
        "metrics, perhaps part (or lp) and higher_is_better",
    )
    scores.add_argument(
        "--higher",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="metrics of which higher scores are better (all: every one)",
    )
    scores.add_argument(
        "--lower",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="metrics of which lower scores are better",
    )
    add_study_arguments(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f",
        "--format",
        choices=("text", "json", "markdown", "latex"),
        default="text",
        help="how to print (default: text)",
    )
    output.add_argument("--plot", metavar="FILE", help="draw the significance matrix (.svg, .png, .pdf)")
    output.add_argument("--html", metavar="FILE", help="write the whole report with figures as one page")
    output.add_argument(
        "--save-scores", metavar="FILE", help="write every computed score (.tsv or .jsonl), for --scores of a later run"
    )
    output.add_argument(
        "--mtme",
        metavar="FOLDER",
        help="write computed scores into a test-set folder of mt-metrics-eval; a new one gets texts and judgments too",
    )


def add_study_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what decides how agreement is measured and tested; shared with `monge benchmark` and `monge tune`."""
    study = parser.add_argument_group("agreement")
    study.add_argument(
        "-s",
        "--statistic",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="pearson, spearman, kendall, tau-like, accuracy, tie-accuracy, soft-accuracy; the first decides "
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
        "--draws", type=int, default=1000, metavar="N", help="bootstrap resamples and permutations (default: 1000)"
    )
    study.add_argument("--confidence", type=float, default=0.95, metavar="C", help="of the intervals (default: 0.95)")
    study.add_argument(
        "--test",
        choices=("auto", "williams", "permutation", "bootstrap"),
        default="auto",
        help="test between metrics (default: Williams where it applies, else permutation)",
    )
    study.add_argument(
        "--correction", choices=("holm", "fdr", "none"), default="holm", help="for the number of pairs (default: holm)"
    )
    study.add_argument("--alpha", type=float, default=0.05, help="level of significance (default: 0.05)")
    study.add_argument("--seed", type=seed, default=0, help="of every random draw (default: 0)")


def run(args: argparse.Namespace) -> int:
    import json

    from monge.report.correlate.text import study_markup, study_record, study_text

    check_target(args.html)
    check_target(args.plot, endings=(".svg", ".png", ".pdf"))
    check_figures(args.html, args.plot)
    check_target(args.save_scores, endings=(".tsv", ".jsonl", ".tsv.gz", ".jsonl.gz"))
    sets = gather_sets(args)
    threshold = args.threshold
    choose_defaults(args)
    if threshold is not None and "tau-like" not in args.statistic:
        raise OptionError(f"--threshold {threshold:g} speaks of tau-like only: add -s tau-like, or leave it out")
    scored = gather_tasks(args, sets)
    studies = [make_study(args, scored.tasks, name) for name in args.statistic]
    label = args.data
    if args.format == "json":
        records = [study_record(study, data=label, signatures=scored.signatures) for study in studies]
        print(json.dumps(records if len(records) > 1 else records[0], ensure_ascii=False, indent=1))
    elif args.format == "text":
        width = _terminal_width()
        print("\n\n".join(study_text(s, data=label, width=width, correction=args.correction) for s in studies))
    else:
        latex = args.format == "latex"
        print("\n\n".join(study_markup(s, data=label, latex=latex, correction=args.correction) for s in studies))
    _write_files(args, studies, scored.tasks, scored.signatures)
    return 0


def make_study(args: argparse.Namespace, tasks: Sequence[JudgedScores], statistic: str) -> Study:
    """Run the study that the arguments describe for one statistic."""
    from monge.compare.significance import CORRECTIONS
    from monge.meta import Resampling
    from monge.meta.study import StudyPlan, run_study

    plan = StudyPlan(
        level=args.level,
        resampling=Resampling(args.resample, args.draws, args.seed, args.confidence),
        test=args.test,
        alpha=args.alpha,
        permutations=max(args.draws, 99),
    )
    return run_study(tasks, choose_statistic(args, statistic), plan=plan, correct=CORRECTIONS[args.correction])


def choose_statistic(args: argparse.Namespace, name: str) -> Statistic:
    """Return the statistic called *name*, with the threshold of the arguments where it has one."""
    from monge.meta import find_statistic

    return find_statistic(name, threshold=args.threshold if name == "tau-like" else None)


def _write_files(
    args: argparse.Namespace, studies: Sequence[Study], tasks: Sequence[JudgedScores], signatures: dict[str, str]
) -> None:
    if args.plot:
        from monge.report.correlate.plots import draw_significance_matrix
        from monge.report.plots import save_figure

        save_figure(draw_significance_matrix(studies[0]), args.plot)
    if args.html:
        from monge.report.correlate.page import study_page
        from monge.storage.atomic import write_text

        write_text(
            args.html, study_page(studies, tasks, data=args.data, signatures=signatures, correction=args.correction)
        )


def _terminal_width() -> int:
    import shutil

    return max(60, min(shutil.get_terminal_size((100, 24)).columns, 140))
