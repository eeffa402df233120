"""Train words in context from a test set: an LSTM encoder–decoder with attention, reference to source.

  monge train context ref.en src.de --output context.safetensors
  monge score ref.en -i system.en -m we_wpi_context,context=context.safetensors

REF and SOURCE are the references and sources of the set that is to be scored, line by line; no output of a system is
read. The paper repeats every pair 10 times for 50 epochs: --repeat 10 --epochs 50, which takes 25 times as long as the
defaults. With several --seeds one network per seed is trained, and scores use the mean of their cosines.
"""

from __future__ import annotations

import argparse

from monge.cli.values import check_target, seeds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("references", metavar="REF", help="references, one per line")
    parser.add_argument("sources", metavar="SOURCE", help="their sources, one per line")
    parser.add_argument("--output", required=True, metavar="FILE", help="where to write what was learned")
    options = parser.add_argument_group("training")
    options.add_argument("--dimension", type=int, default=300, metavar="N", help="length of a vector (default: 300)")
    options.add_argument("--epochs", type=int, default=20, metavar="N", help="epochs (default: 20; paper: 50)")
    options.add_argument(
        "--repeat",
        type=int,
        default=1,
        metavar="N",
        help="how often an epoch repeats a pair (default: 1; paper: 10)",
    )
    options.add_argument("--seeds", type=seeds, default=(1,), metavar="N,N", help="seeds, with commas (default: 1)")
    options.add_argument("--batch", type=int, default=32, metavar="N", help="pairs per step (default: 32)")
    options.add_argument("--rate", type=float, default=1e-3, metavar="X", help="learning rate of Adam (default: 0.001)")
    options.add_argument("--device", default="auto", metavar="NAME", help="auto, cpu or cuda (default: auto)")
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")


def run(args: argparse.Namespace) -> int:
    import json
    import sys

    from monge.learned.context import ContextSettings
    from monge.workflows.train_context import TrainContextRequest, run_train_context

    check_target(args.output, inputs=(args.references, args.sources))
    names = ("dimension", "epochs", "repeat", "seeds", "batch", "rate", "device")
    settings = ContextSettings(**{name: getattr(args, name) for name in names})
    request = TrainContextRequest(args.references, args.sources, args.output, settings)
    result = run_train_context(request, announce=lambda text: print(text, file=sys.stderr, flush=True))
    if args.format == "json":
        print(json.dumps(result.record(), indent=1))
        return 0
    for seed, figures in result.figures.items():
        print(
            f"seed {seed}: {figures['steps']} steps, cross-entropy per source word {figures['loss_before']:.3f} → "
            f"{figures['loss']:.3f}"
        )
        for note in figures.get("notes", ()):
            print(f"note: {note}")
    for note in result.notes:
        print(f"note: {note}")
    print(f"{result.words} words of {result.pairs} references; written to {args.output} ({result.digest[:8]})")
    return 0
