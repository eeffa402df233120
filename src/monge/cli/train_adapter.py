"""Train a low-rank adapter of an encoder, so that the transport score itself is right (not a classifier on top).

  monge train adapter minilm --pairs pairs.tsv --teacher mpnet --corrupt --output mine.safetensors
  monge score ref.txt -i system.txt -m mongescore,encoder=mine.safetensors

Without human labels: --teacher ENCODER teaches what a larger encoder thinks of the pairs (distillation); --corrupt
ranks ever more damaged texts, and paraphrases above references with two words exchanged. With human labels:
--judgments DATA, a set or file as `monge correlate` reads it. The manifest of the file says which of them it was.

PAIRS is a table (.tsv, .csv, .jsonl) with the columns hypothesis and reference. The adapter is a small file
that can be given wherever an encoder can: it names its encoder, whose weights must be the ones it was trained for,
and changes them when they are loaded. Nothing but training needs torch.
"""

from __future__ import annotations

import argparse
import dataclasses

from monge.cli.arguments import add_environment_arguments, read_environment
from monge.cli.values import check_target, count, seed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("encoder", metavar="ENCODER", help="name or folder of the encoder to adapt")
    parser.add_argument("--output", required=True, metavar="FILE", help="where to write the adapter (.safetensors)")
    data = parser.add_argument_group("what to learn from")
    data.add_argument("--pairs", nargs="+", action="extend", default=[], metavar="FILE", help="texts without judgments")
    data.add_argument("--teacher", default="", metavar="ENCODER", help="teach the opinions of this encoder")
    data.add_argument(
        "--teacher-dtype",
        default="float32",
        metavar="NAME",
        help="what it computes in; int8 takes half the time (default: float32)",
    )
    data.add_argument("--corrupt", action="store_true", help="teach the order of damaged texts")
    data.add_argument(
        "--judgments", nargs="+", action="extend", default=[], metavar="DATA", help="teach human judgments"
    )
    data.add_argument(
        "--note", action="append", default=[], metavar="TEXT", help="for the manifest: source and licence of the data"
    )
    options = parser.add_argument_group("training")
    options.add_argument("--rank", type=int, metavar="N", help="rank of the changes (default: 8)")
    options.add_argument("--steps", type=count, metavar="N", help="steps (default: 400)")
    options.add_argument("--batch", type=int, metavar="N", help="references per step (default: 12)")
    options.add_argument("--rate", type=float, metavar="X", help="learning rate of AdamW (default: 0.001)")
    options.add_argument("--length", type=int, metavar="N", help="tokens of a text that are read (default: 128)")
    for name, meaning in (("ladder", "ever more damaged texts"), ("exchange", "exchanged words")):
        options.add_argument(f"--{name}", type=float, metavar="X", help=f"with --corrupt: weight of {meaning}")
    options.add_argument(
        "--floor", type=float, metavar="X", help="do not teach pairs with a lower cosine by the teacher (default: none)"
    )
    options.add_argument(
        "--wide",
        type=float,
        metavar="X",
        help="weight of what the teacher says of all pairs, whatever --floor says (default: 0)",
    )
    options.add_argument(
        "--blend",
        type=float,
        metavar="X",
        help="mix the teacher's sentence cosine into the matching that is taught, X against 1 (default: 0)",
    )
    options.add_argument(
        "--dtype",
        metavar="NAME",
        help="float32, or bfloat16: up to twice as fast if the processor has it (default: float32)",
    )
    options.add_argument("--seed", type=seed, default=1, help="seed (default: 1)")
    options.add_argument("--device", default="auto", metavar="NAME", help="auto, cpu or cuda (default: auto)")
    add_environment_arguments(options)
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")


def run(args: argparse.Namespace) -> int:
    import json
    import sys

    from monge.workflows.train_adapter import TrainAdapterRequest, run_train_adapter

    check_target(args.output)
    request = TrainAdapterRequest(
        args.encoder,
        args.output,
        tuple(args.pairs),
        args.teacher,
        args.corrupt,
        tuple(args.judgments),
        seed=args.seed,
        device=args.device,
        notes=tuple(args.note),
        teacher_dtype=args.teacher_dtype,
    )
    names = ("rank", "steps", "batch", "rate", "length", "ladder", "exchange", "floor", "wide", "blend", "dtype")
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    request = dataclasses.replace(request, settings=dataclasses.replace(request.chosen_settings, **given))
    result = run_train_adapter(
        request, environment=read_environment(args), announce=lambda text: print(text, file=sys.stderr, flush=True)
    )
    if args.format == "json":
        print(json.dumps(result.record(), indent=1))
        return 0
    told = result.artifact.history
    print(f"{told['variant']}; {told['steps']} steps in {result.seconds:.0f} s")
    print(f"loss {told['loss_first']:.4f} → {told['loss_last']:.4f}; kept: step {told['best_step']}")
    for note in result.loop.notes:
        print(f"note: {note}")
    base = result.artifact.settings["base"]
    if base != args.encoder:
        print(f"note: keep the folder {base} beside the adapter, or say where it is: monge models add {base} FOLDER")
    print(f"written to {args.output} ({result.artifact.digest[:8]}); use it as encoder={args.output}")
    return 0
