"""Put the vectors of two languages into one space: fit a re-mapping from translations.

  monge align train.de train.en --method clp --output de-en.clp
  monge align train.de train.en --method umd,clp --layers conv2 --output de-en.map
  monge score -s test.de -i system.en -m xmoverscore,remap=de-en.clp

SOURCE and TARGET are line-by-line translations. Maps are fitted on most of them and judged on the rest: how often the
nearest text of the other language is the translation, and how the cosines of words that translate each other differ
from those of words put together at random. Methods are applied in the order given. From translations:

  clp     rotate the source language onto the target language (orthogonal Procrustes; also: rotation)
  lsq     the same with any matrix (least squares)
  umd     remove the direction in which the languages differ most, from both (also: gbdd)
  fcnn, real-nvp   a network; two invertible flows through one latent space (trained, need torch)

Without looking at which texts translate each other:

  norm    mean 0 and variance 1 in every dimension, for each language by itself
  centre  mean 0        unit  length 1        layer  normalise every vector by itself
  vecmap  self-learned dictionary and rotation of both languages
  muse, gan-real-nvp   adversarial matrix; adversarial flows (trained, need torch). With +cc, +graph or +procrustes,
          as in gan-real-nvp+cc, guessed translations hold the map (bootstrapping)

Trainings show their loss and the criterion, keep the weights that the criterion likes best, stop when it stalls, and go
on where they were killed if --output is given.

  monge align --gold links.txt pairs.txt

measures how well words are aligned: pairs.txt has lines `source ||| target`, links.txt sure links 1-2 and possible 1p2.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from monge.cli.arguments import add_environment_arguments, read_environment
from monge.cli.values import check_target, seed
from monge.errors import OptionError

if TYPE_CHECKING:
    from monge.environment import Environment
    from monge.workflows.align import AlignRequest, SpaceChoice


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("texts", nargs="*", metavar="FILE", help="SOURCE and TARGET; one file of pairs with --gold")
    parser.add_argument(
        "--method", default="clp", metavar="NAMES", help="methods, in order, with commas (default: clp)"
    )
    parser.add_argument(
        "--pairs",
        choices=("words", "sentences"),
        default="words",
        help="what a pair of vectors is: aligned words in context, or means of whole texts (default: words)",
    )
    parser.add_argument("--dictionary", metavar="FILE", help="fit on the entries of a bilingual dictionary instead")
    space = parser.add_argument_group("vectors")
    space.add_argument("--encoder", default="use", metavar="NAME|DIR", help="encoder (default: use)")
    space.add_argument("--layers", default="last", metavar="LAYERS", help="layers to use (default: last)")
    space.add_argument("--aggregation", default="single", metavar="NAME", help="how several layers are joined")
    space.add_argument(
        "--unit",
        choices=("tokens", "sentence"),
        default="tokens",
        help="sentence: the encoder's own sentence vectors, for cosine_xl (default: tokens)",
    )
    add_environment_arguments(space)
    trained = parser.add_argument_group("training")
    trained.add_argument("--steps", type=int, default=0, metavar="N", help="steps of a training (default: by size)")
    trained.add_argument("--seed", type=seed, default=1, help="seed of a training (default: 1)")
    trained.add_argument(
        "--criterion",
        choices=("semantic", "structural"),
        default="semantic",
        help="what chooses the weights: cosines of guessed translations, or singular values (default: semantic)",
    )
    trained.add_argument("--rounds", type=int, default=3, metavar="N", help="rounds of bootstrapping (default: 3)")
    trained.add_argument("--words", type=int, default=4000, metavar="N", help="vocabulary of vecmap (default: 4000)")
    judged = parser.add_argument_group("judging")
    judged.add_argument("--held-out", type=int, metavar="N", help="pairs to judge by (default: a fifth, at most 500)")
    judged.add_argument("--most", type=int, metavar="N", help="use only so many of the other pairs")
    judged.add_argument("--gold", metavar="FILE", help="word links to compare with; nothing is fitted")
    judged.add_argument("--remap", metavar="FILE", help="with --gold: map vectors before words are aligned")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--languages", metavar="SRC-TGT", default="", help="codes to record in the file, as de-en (default: guessed)"
    )
    output.add_argument("--output", metavar="FILE", help="where to write the re-mapping (for the option remap=FILE)")
    output.add_argument("--plot", metavar="FILE", help="draw the cosines before and after (.svg, .png or .pdf)")
    output.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")


def run(args: argparse.Namespace) -> int:
    import json

    for path in (args.output, args.plot):
        if path:
            check_target(path)
    environment = read_environment(args)
    if args.gold:
        return _run_gold(args, environment)
    from monge.report.align import align_text, draw_cosines
    from monge.workflows.align import run_align

    request = _read_request(args)
    result = run_align(request, environment=environment)
    if args.output:
        result.fitted.save(args.output)
        request.fitting.discard_checkpoints()
    if args.plot:
        from monge.report.plots import save_figure

        save_figure(draw_cosines(result), args.plot)
    if args.format == "json":
        print(json.dumps(result.record() | {"file": args.output}, indent=1))
    else:
        print(align_text(result))
        print(f"\nwritten to {args.output}" if args.output else "\nnothing was written: --output FILE keeps the maps")
    return 0


def _space(args: argparse.Namespace) -> SpaceChoice:
    from monge.workflows.align import SpaceChoice

    return SpaceChoice(args.encoder, args.layers, args.aggregation, args.unit)


def _read_request(args: argparse.Namespace) -> AlignRequest:
    from monge.learned.density import DensitySettings
    from monge.workflows.align import AlignRequest, read_dictionary_pairs, read_parallel_texts
    from monge.workflows.align_methods import Fitting, parse_all_methods

    if args.dictionary:
        if args.texts:
            raise OptionError("give two files of translations or --dictionary FILE, not both")
        texts = read_dictionary_pairs(args.dictionary)
    elif len(args.texts) != 2:
        raise OptionError(f"monge align needs SOURCE and TARGET, two files of translations, not {len(args.texts)}")
    else:
        texts = read_parallel_texts(*args.texts, origin=args.pairs)
    source, _, target = args.languages.partition("-")
    training = DensitySettings(args.steps, args.seed, args.criterion, args.rounds)
    checkpoint = f"{args.output}.training" if args.output else None
    return AlignRequest(
        texts,
        parse_all_methods(args.method),
        _space(args),
        args.held_out,
        args.most,
        source_language=source,
        target_language=target,
        fitting=Fitting(training, checkpoint, args.words),
    )


def _run_gold(args: argparse.Namespace, environment: Environment) -> int:
    import json

    from monge.crosslingual.fitted import FittedRemap
    from monge.text import read_lines
    from monge.workflows.align import align_gold

    if len(args.texts) != 1:
        raise OptionError("--gold needs one file of pairs, with lines `source ||| target`")
    remap = FittedRemap.load(args.remap) if args.remap else None
    quality = align_gold(
        read_lines(args.texts[0]),
        read_lines(args.gold),
        space=_space(args),
        remap=remap,
        name=args.gold,
        environment=environment,
    )
    if args.format == "json":
        values = {"aer": quality.error_rate, "precision": quality.precision, "recall": quality.recall, "f": quality.f}
        print(json.dumps(values | {"links": quality.links}))
    else:
        print(f"alignment error rate {quality.error_rate:.3f}", end="  ")
        print(
            f"precision {quality.precision:.3f}  recall {quality.recall:.3f}  F {quality.f:.3f}  links {quality.links}"
        )
    return 0
