"""Align a multilingual encoder on translations (JOINT-ALIGN): words that translate each other get the same vector.

  monge train joint path/to/mbert train.de train.en --output mbert-aligned
  monge train joint path/to/mbert train.de train.en train.fr train.en2 --linker use --output mbert-aligned
  monge score -s test.de -i system.en -m xmoverscore,encoder=mbert-aligned

ENCODER is a folder with a BERT-shaped encoder (mBERT, XLM-R). SOURCE and TARGET are line-by-line translations, English
second: the target is the pivot, whose vectors are held where they are (--pivot). Words are linked one to one: by the
encoder's own vectors, by those of --linker, or by files of an aligner (--links, lines `0-0 1-2 …`). A tenth of the
pairs, at most 500, is held out; the weights with the best semantic criterion there are kept: the mean cosine of
translations that are guessed without links. The folder is used without torch.
"""

from __future__ import annotations

import argparse

from monge.cli.arguments import add_environment_arguments, read_environment
from monge.cli.values import count, seed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("encoder", metavar="ENCODER", help="folder of the encoder to start from")
    parser.add_argument("texts", nargs="+", metavar="FILE", help="SOURCE and TARGET, or several such pairs")
    parser.add_argument("--output", required=True, metavar="DIR", help="folder to write")
    linked = parser.add_argument_group("links")
    linked.add_argument(
        "--links", nargs="+", default=[], metavar="FILE", help="links of words, one file per pair of files"
    )
    linked.add_argument(
        "--linker", default="", metavar="NAME|DIR", help="encoder that links words (default: ENCODER itself)"
    )
    linked.add_argument("--layers", default="last", metavar="LAYERS", help="its layers (default: last)")
    linked.add_argument("--most", type=count, metavar="N", help="use only the first pairs of lines")
    options = parser.add_argument_group("training")
    options.add_argument(
        "--pivot",
        choices=("target", "source", "none"),
        default="target",
        help="side whose vectors are held in their place (default: target)",
    )
    options.add_argument("--epochs", type=float, default=3.0, metavar="X", help="passes over the pairs (default: 3)")
    options.add_argument("--batch", type=int, default=16, metavar="N", help="pairs per step (default: 16)")
    options.add_argument(
        "--rate", type=float, default=5e-5, metavar="X", help="learning rate of AdamW (default: 0.00005)"
    )
    options.add_argument("--length", type=int, default=128, metavar="N", help="tokens that are read (default: 128)")
    options.add_argument(
        "--patience",
        type=int,
        default=3,
        metavar="N",
        help="judgements without a better one before it stops (default: 3)",
    )
    options.add_argument("--seed", type=seed, default=1, metavar="N", help="default: 1")
    options.add_argument("--device", default="auto", metavar="NAME", help="auto, cpu or cuda (default: auto)")
    add_environment_arguments(options)
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")


def run(args: argparse.Namespace) -> int:
    import json

    from monge.learned.joint import JointSettings
    from monge.report.tables import text_table
    from monge.workflows.train_joint import TrainJointRequest, record_quality, run_train_joint

    names = ("pivot", "epochs", "batch", "rate", "length", "patience")
    request = TrainJointRequest(
        args.encoder,
        tuple(args.texts),
        args.output,
        JointSettings(**{name: getattr(args, name) for name in names}),
        tuple(args.links),
        linker=args.linker,
        layers=args.layers,
        most=args.most,
        seed=args.seed,
        device=args.device,
    )
    result = run_train_joint(request, environment=read_environment(args))
    if args.format == "json":
        print(json.dumps(result.record(), indent=1))
        return 0
    manifest = result.manifest
    print(f"{manifest['pairs']} pairs with {manifest['links']} linked words, {manifest['steps']} steps")
    before, after = record_quality(result.before), record_quality(result.after)
    judged = manifest["judgements"].get(str(manifest["best_step"]), manifest["semantic"])
    rows = [["semantic criterion", f"{manifest['semantic']:.3f}", f"{judged:.3f}"]]
    titles = ("translation found", "source found", "cosine of linked words", "of random words", "linked above random")
    for title, old, new in zip(titles, before.values(), after.values(), strict=True):
        rows.append([title, f"{old:.3f}", f"{new:.3f}"])
    print(text_table(["held out", "before", "after"], rows))
    for note in result.notes:
        print(f"note: {note}")
    print(f"written to {result.directory}")
    return 0
