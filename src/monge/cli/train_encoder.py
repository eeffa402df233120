"""Fine-tune an encoder on pairs of texts with labels, as MoverScore's encoder was on MultiNLI.

  monge train encoder minilm --pairs train.tsv --task nli --output my-encoder
  monge train encoder bert-base-uncased --pairs stsb-train.csv --task similarity --output my-encoder
  monge score ref.txt -i system.txt -m moverscore,encoder=my-encoder

PAIRS are .tsv, .csv or .jsonl: MNLI, SNLI, QNLI, QQP, PAWS, MRPC and STS-B as they are published, or files of your own
with columns a, b and label. Tasks: nli (up to three classes), paraphrase (0 or 1), similarity (a number). A tenth of
the pairs is held out; training stops when it gets no better there, and the best weights are kept. The folder holds the
weights as safetensors, tokenizer, configuration and training.json, and is used without torch.
"""

from __future__ import annotations

import argparse
import dataclasses

from monge.cli.arguments import add_environment_arguments, read_environment
from monge.cli.values import seed

TASKS = ("nli", "paraphrase", "similarity")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("encoder", metavar="ENCODER", help="name or folder of the encoder to start from")
    parser.add_argument("--pairs", nargs="+", required=True, metavar="FILE", help="pairs of texts with labels")
    parser.add_argument("--task", required=True, choices=TASKS, help="what the labels mean")
    parser.add_argument("--output", required=True, metavar="DIR", help="folder to write")
    options = parser.add_argument_group("training")
    options.add_argument(
        "--head",
        choices=("joint", "cosine"),
        help="joint: a classifier on both texts together; cosine: of two encodings (default: by task)",
    )
    options.add_argument("--epochs", type=float, metavar="X", help="passes over the pairs (default: 3)")
    options.add_argument("--batch", type=int, metavar="N", help="pairs per step (default: 32)")
    options.add_argument("--rate", type=float, metavar="X", help="learning rate of AdamW (default: 0.00002)")
    options.add_argument("--length", type=int, metavar="N", help="tokens that are read (default: 128)")
    options.add_argument(
        "--patience", type=int, metavar="N", help="judgements without a better one before it stops (default: 3)"
    )
    options.add_argument("--freeze", action="store_true", default=None, help="keep the embeddings as they are")
    options.add_argument("--seed", type=seed, default=1, help="seed (default: 1)")
    options.add_argument("--device", default="auto", metavar="NAME", help="auto, cpu or cuda (default: auto)")
    add_environment_arguments(options)
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")


def run(args: argparse.Namespace) -> int:
    import json
    import sys

    from monge.workflows.train_encoder import TrainEncoderRequest, run_train_encoder

    request = TrainEncoderRequest(
        args.encoder, tuple(args.pairs), args.task, args.output, seed=args.seed, device=args.device
    )
    names = ("head", "epochs", "batch", "rate", "length", "patience", "freeze")
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    request = dataclasses.replace(request, settings=dataclasses.replace(request.chosen_settings, **given))
    result = run_train_encoder(
        request, environment=read_environment(args), announce=lambda text: print(text, file=sys.stderr, flush=True)
    )
    if args.format == "json":
        print(json.dumps(result.record(), indent=1))
        return 0
    told = result.manifest
    measure = "accuracy" if told["classes"] else "r"
    held_out = told["held_out"].get(str(told["best_step"]))
    print(f"{told['pairs']} pairs, {told['steps']} steps in {result.seconds:.0f} s")
    print(f"loss {told['loss_first']:.4f} → {told['loss_last']:.4f}")
    print(f"held out: {measure} {held_out} (step {told['best_step']}, whose weights are kept)")
    for note in result.notes:
        print(f"note: {note}")
    print(f"written to {args.output}; use it as encoder={args.output}")
    return 0
