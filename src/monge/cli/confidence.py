"""Calibrate how far a single score can be trusted, on outputs that people judged.

  monge confidence wmt17 -m bertscore --save bertscore.json
  monge explain REF -i A B --line 3 -m bertscore --confidence bertscore.json

An interval of a score should hold, in 90 % of cases, the score that the output would get if the metric ordered outputs
as people do. Its width is constant, or follows how unstable the score is: over references, over neighbouring layers, or
with words left out. The source with the best interval score on one part of the judged outputs is chosen; coverage and
width are reported on another part.
"""

from __future__ import annotations

import argparse
import json

from monge.cli.arguments import read_environment, read_shared_options
from monge.cli.study_inputs import add_data_arguments, add_variant_arguments, judged_data
from monge.cli.values import check_target, seed
from monge.errors import OptionError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    add_variant_arguments(parser)
    parser.add_argument("--level", type=float, default=0.9, help="coverage of the interval (default: 0.9)")
    parser.add_argument("--seed", type=seed, default=0, help="of the division of the outputs (default: 0)")
    parser.add_argument("--save", metavar="FILE", help="write the interval (JSON), for `monge explain --confidence`")
    parser.add_argument("-f", "--format", choices=("text", "json", "markdown"), default="text", help="default: text")


def run(args: argparse.Namespace) -> int:
    from monge.metrics.variants import parse_variants
    from monge.workflows.confidence import ConfidenceRequest, run_confidence

    check_target(args.save)
    variants = parse_variants(args.metrics, read_shared_options(args))
    if len(variants) != 1:
        raise OptionError("an interval belongs to one metric: name it with -m METRIC")
    request = ConfidenceRequest(judged_data(args, args.data), variants[0], args.level, args.seed)
    study = run_confidence(request, environment=read_environment(args))
    if args.save:
        study.confidence.save(args.save)
    if args.format == "json":
        print(json.dumps(study.record(), ensure_ascii=False, indent=1))
        return 0
    from monge.report.confidence import confidence_report

    print(confidence_report(study, markdown=args.format == "markdown"))
    return 0
