"""Train NLP-Capsule to find the labels of texts, or to rank answers.

  monge train capsules train.tsv --test test.tsv --output tags.safetensors
  monge train capsules answers.tsv --task answers --output rank.safetensors
  monge classify tags.safetensors texts.txt

DATA has lines `text TAB label label …`, or `question TAB answer TAB 0|1` with --task answers. Models: kde (capsules
with adaptive KDE routing, Zhao et al. 2019), sabour (capsules with the routing of Sabour et al. 2017), cnn (a
convolutional network without capsules, Kim 2014, Liu et al. 2017), linear (logistic regression on tf·idf; labels only).
A tenth of the data, at most 500, is held out; the weights that are best there are kept (NDCG@5 of labels, MAP of
answers).
"""

from __future__ import annotations

import argparse

from monge.cli.arguments import add_environment_arguments, read_environment
from monge.cli.values import check_target, seed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA", help="texts with labels, or questions with answers")
    parser.add_argument("--output", required=True, metavar="FILE", help="where to write what was learned")
    parser.add_argument(
        "--task", choices=("labels", "answers"), default="labels", help="what to learn (default: labels)"
    )
    parser.add_argument("--test", default="", metavar="FILE", help="measure the result on this file too")
    options = parser.add_argument_group("training")
    options.add_argument("--model", default="kde", choices=("kde", "sabour", "cnn", "linear"), help="default: kde")
    options.add_argument("--epochs", type=int, default=30, metavar="N", help="most epochs (default: 30)")
    options.add_argument("--batch", type=int, default=32, metavar="N", help="texts per step (default: 32)")
    options.add_argument("--rate", type=float, default=1e-3, metavar="X", help="learning rate of Adam (default: 0.001)")
    options.add_argument(
        "--patience",
        type=int,
        default=3,
        metavar="N",
        help="judgements without a better one before it stops; one every epoch, of at least 50 steps (default: 3)",
    )
    options.add_argument(
        "--drop", type=float, default=0.3, metavar="X", help="share of words left out in each step (default: 0.3)"
    )
    options.add_argument(
        "--negatives",
        type=int,
        default=10,
        metavar="N",
        help="labels outside a batch that capsules are routed to as well (default: 10)",
    )
    options.add_argument(
        "--share", type=float, default=1.0, metavar="X", help="share of the data to train on (default: 1)"
    )
    options.add_argument("--seed", type=seed, default=1, metavar="N", help="default: 1")
    options.add_argument("--device", default="auto", metavar="NAME", help="auto, cpu or cuda (default: auto)")
    network = parser.add_argument_group("network")
    network.add_argument(
        "--axis",
        choices=("embedding", "time"),
        default="embedding",
        help="what filters of capsules slide along: the dimensions of word vectors (the paper) or the words, as those "
        "of cnn always do (default: embedding)",
    )
    network.add_argument(
        "--length", type=int, default=100, metavar="N", help="words of a text (default: 100; paper: 500)"
    )
    network.add_argument(
        "--capsules",
        type=int,
        default=64,
        metavar="N",
        help="of kde and sabour, after compression (default: 64; paper: 128)",
    )
    network.add_argument("--rounds", type=int, default=3, metavar="N", help="most rounds of KDE routing (default: 3)")
    network.add_argument(
        "--vectors",
        default="glove",
        metavar="NAME|FILE",
        help="word vectors to start from; none: random (default: glove)",
    )
    add_environment_arguments(network, cache=False)
    parser.add_argument("-f", "--format", choices=("text", "json"), default="text", help="how to print (default: text)")


def run(args: argparse.Namespace) -> int:
    import json

    from monge.learned.capsules.convolution import ConvolutionShape
    from monge.learned.capsules.network import CapsuleShape
    from monge.learned.capsules.settings import CapsuleSettings
    from monge.workflows.train_capsules import TrainCapsulesRequest, run_train_capsules

    check_target(args.output, inputs=(args.data, args.test))
    shape = CapsuleShape(axis=args.axis, length=args.length, compressed=args.capsules, rounds=args.rounds)
    names = ("model", "epochs", "batch", "rate", "patience", "negatives", "drop", "share", "seed", "device")
    settings = CapsuleSettings(
        shape=shape,
        convolution=ConvolutionShape(length=args.length) if args.model == "cnn" else ConvolutionShape(),
        vectors="" if args.vectors == "none" else args.vectors,
        **{name: getattr(args, name) for name in names},
    )
    request = TrainCapsulesRequest(args.data, args.output, args.task, settings, args.test)
    result = run_train_capsules(request, environment=read_environment(args))
    if args.format == "json":
        print(json.dumps(result.record(), indent=1))
        return 0
    for name, measures in (("held out", result.held_out), ("test", result.test)):
        if measures:
            print(f"{name:9}" + "".join(f" {key} {value:.3f} " for key, value in measures.items()).rstrip())
    for note in result.notes:
        print(f"note: {note}")
    what = f"{result.used} texts, {result.labels} labels" if result.labels else f"{result.used} pairs"
    print(f"{what}, {result.steps} steps; written to {args.output} ({result.digest[:8]})")
    return 0
