"""Trains NLP-Capsule, Sabour's routing, a convolutional network and a linear model on debtags, and prints the tables
of tutorial-capsules.md.

python docs/results_capsules.py FOLDER [labels] [figure] [answers]

FOLDER is what docs/make_debtags.py made. Every model is trained on the same shares of the training texts, networks on
small shares with three seeds, and measured on the same 1,500 test texts (200 questions of answers). Figures are kept in
results_capsules.json in FOLDER: a run that was interrupted goes on.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from monge.encoders import load_encoder
from monge.learned.capsules.data import (
    Answers,
    LabelledTexts,
    make_vocabulary,
    read_answers,
    read_labelled,
    split_words,
)
from monge.learned.capsules.measures import mean_average_precision, mean_reciprocal_rank, ndcg_at, precision_at
from monge.learned.capsules.model import evaluate, weigh_words
from monge.learned.capsules.network import CapsuleShape
from monge.learned.capsules.settings import CapsuleSettings
from monge.learned.capsules.training import split_data, train_capsules
from monge.report.plots import BLUE, GREEN, GREY, ORANGE, figure_style, new_figure, save_figure
from monge.report.tables import markdown_table
from monge.storage.atomic import write_text
from monge.workflows.train_capsules import read_examples

SHARES = {0.01: (1, 2, 3), 0.02: (1, 2, 3), 0.05: (1,), 0.1: (1,)}  # of the training texts, with the seeds
ANSWERS = 0.02
TESTED = 1500
QUESTIONS = 200
SMALL = CapsuleShape(compressed=64, rounds=3)
MODELS = {  # epochs are more than any needs: what is held out ends a training
    "linear": CapsuleSettings(model="linear", rate=0.05, epochs=100),
    "kde": CapsuleSettings(model="kde", shape=SMALL, epochs=100),
    "sabour": CapsuleSettings(model="sabour", shape=SMALL, epochs=100),
    "cnn": CapsuleSettings(model="cnn", epochs=100),
}
OTHERS = {  # for a share of OTHERS_AT
    "kde, axis=time": CapsuleSettings(model="kde", shape=CapsuleShape(compressed=64, rounds=3, axis="time")),
    "kde, drop=0": CapsuleSettings(model="kde", shape=SMALL, drop=0.0),
}
OTHERS_AT = 0.02
FIGURES = Path(__file__).parent / "figures"
MEASURES = ("P@1", "P@3", "P@5", "NDCG@3", "NDCG@5")


def keep(folder: Path, key: str, compute: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Return what an earlier run found under *key*, or compute and store it."""
    path = folder / "results_capsules.json"
    known: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if key not in known:
        found = compute()
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}  # another run may have added some
        known[key] = found
        write_text(path, json.dumps(known, indent=0))
        print("done", key, known[key], file=sys.stderr, flush=True)
    return known[key]


def measure(folder: Path, name: str, share: float, task: str, seed: int = 1) -> dict[str, float]:
    """Train one model on a share of the data and return its measures on the test texts."""
    prefix = "answers-" if task == "answers" else ""
    data, test = (read_examples(folder / f"{prefix}{part}.tsv", task) for part in ("train", "test"))
    settings = replace((MODELS | OTHERS)[name], share=share, seed=seed)
    began = time.process_time()
    made = train_capsules(data, settings, checkpoint=str(folder / f"{task}-{name}-{share}-{seed}.checkpoint"))
    made.loop.discard_checkpoint()
    seconds = time.process_time() - began
    most = TESTED if task == "labels" else QUESTIONS * 10
    found = evaluate(made.model, test.part(range(min(most, len(test)))))
    return found | {"texts": len(split_data(data, share)[0]), "steps": len(made.loop.losses), "seconds": seconds}


def measure_frequent(folder: Path) -> dict[str, float]:
    """Return what naming the most frequent labels for every text gives."""
    data, test = (read_labelled(folder / f"{part}.tsv") for part in ("train", "test"))
    names = sorted({label for own in data.labels for label in own})
    truth = test.part(range(min(TESTED, len(test)))).table(names)
    scores = np.tile(data.table(names).mean(axis=0), (len(truth), 1))
    found = {f"P@{k}": precision_at(scores, truth, k) for k in (1, 3, 5)}
    return found | {f"NDCG@{k}": ndcg_at(scores, truth, k) for k in (3, 5)}


def measure_means(folder: Path, share: float) -> dict[str, float]:
    """Return what a logistic regression on the mean of GloVe's vectors of a text gives: no word order, no capsules."""
    import torch

    encoder = load_encoder("glove", oov="zero")
    data, test = (read_labelled(folder / f"{part}.tsv") for part in ("train", "test"))
    learned, test = split_data(data, share)[0], test.part(range(min(TESTED, len(test))))
    assert isinstance(learned, LabelledTexts)
    names = sorted({label for own in data.labels for label in own})
    tables = []
    for texts in (learned.texts, test.texts):
        first = [" ".join(split_words(text)[: SMALL.length]) for text in texts]
        tables.append(np.array([own.vectors[0].mean(axis=0) for own in encoder.encode(first, [encoder.layers - 1])]))
    center, spread = tables[0].mean(axis=0), tables[0].std(axis=0)
    inputs, tested = (torch.from_numpy((table - center) / spread).float() for table in tables)
    wanted = torch.from_numpy(learned.table(names)).float()
    weights, bias = torch.zeros(inputs.shape[1], len(names)), torch.full((len(names),), -3.0)
    optimizer = torch.optim.Adam([weights.requires_grad_(), bias.requires_grad_()], lr=0.02)
    for _ in range(400):
        optimizer.zero_grad()
        fit = torch.nn.functional.binary_cross_entropy_with_logits(inputs @ weights + bias, wanted) * len(names)
        (fit + 0.01 * (weights**2).sum()).backward()
        optimizer.step()
    scores, truth = (tested @ weights + bias).detach().numpy(), test.table(names)
    found = {f"P@{k}": precision_at(scores, truth, k) for k in (1, 3, 5)}
    return found | {f"NDCG@{k}": ndcg_at(scores, truth, k) for k in (3, 5)} | {"texts": len(learned)}


def measure_seeds(folder: Path, name: str, share: float) -> list[dict[str, float]]:
    """Return the measures of a model with every seed of a share; the linear model starts from zeros and needs one."""
    seeds = (1,) if name == "linear" or name in OTHERS else SHARES[share]
    return [
        keep(folder, f"labels {name} {share} {seed}", partial(measure, folder, name, share, "labels", seed))
        for seed in seeds
    ]


def print_labels(folder: Path) -> None:
    """Print P@k and NDCG@k by model and share: the mean over seeds, and for P@1 their standard deviation."""
    rows = [make_row("the most frequent tags", [keep(folder, "labels frequent", partial(measure_frequent, folder))])]
    for share in SHARES:
        names = [*MODELS, *(OTHERS if share == OTHERS_AT else ())]
        rows += [make_row(name, measure_seeds(folder, name, share)) for name in names]
        means = keep(folder, f"labels means {share}", partial(measure_means, folder, share))
        rows.append(make_row("linear on mean vectors", [means]))
    print(markdown_table(["training texts", "model", *MEASURES], rows, left=2))


def draw_shares(folder: Path) -> None:
    """Draw P@1 and NDCG@5 by the number of training texts, of what is measured so far: means, worst and best seed."""
    path = folder / "results_capsules.json"
    known: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    with figure_style():
        figure = new_figure(7.0, 3.0)
        for axes, measured in zip(figure.subplots(1, 2), ("P@1", "NDCG@5"), strict=True):
            for name, colour in zip(MODELS, (GREY, BLUE, ORANGE, GREEN), strict=True):
                found: dict[float, list[float]] = {}  # by the number of texts
                for key, own in known.items():
                    if key.startswith(f"labels {name} "):
                        found.setdefault(own["texts"], []).append(own[measured])
                counts = sorted(found)
                means = np.array([np.mean(found[count]) for count in counts])
                reach = [means - [min(found[n]) for n in counts], [max(found[n]) for n in counts] - means]
                axes.errorbar(
                    counts, means, np.maximum(reach, 0), marker="o", markersize=3.5, capsize=2, color=colour,
                    label=name,
                )  # fmt: skip
            texts = sorted({own["texts"] for own in known.values() if "steps" in own and "P@1" in own})
            axes.set_xscale("log")
            axes.set_xticks(texts, [f"{count:,.0f}" for count in texts])
            axes.set_xticks([], minor=True)
            axes.set(title=measured, xlabel="training texts")
            axes.grid(axis="y", linewidth=0.4, alpha=0.5)
        axes.legend(fontsize=8, loc="lower right")
    save_figure(figure, FIGURES / "capsules-shares.svg")


def make_row(name: str, found: list[dict[str, float]]) -> list[str]:
    """Return the row of a model: how many texts, and means over seeds."""
    cells = [f"{np.mean([own[key] for own in found]):.3f}" for key in MEASURES]
    if len(found) > 1:
        cells[0] += f" ± {np.std([own['P@1'] for own in found], ddof=1):.3f}"
    texts = f"{found[0]['texts']:,.0f}" if "texts" in found[0] else ""
    return [texts, name, *cells]


def measure_words(folder: Path) -> dict[str, float]:
    """Return what the cosine of tf·idf weights gives: words that a question shares with an answer, nothing learned."""
    data, test = (read_answers(folder / f"answers-{part}.tsv") for part in ("train", "test"))
    mixed = np.random.default_rng(1).permutation(
        min(QUESTIONS * 10, len(test))
    )  # right answers come first, and equal scores keep their order
    learned, test = split_data(data, ANSWERS)[0], test.part(mixed.tolist())
    assert isinstance(learned, Answers)
    known = list(dict.fromkeys([*learned.questions, *learned.answers]))
    vocabulary = make_vocabulary(known, CapsuleSettings.words)
    counts = np.ones(len(vocabulary) + 2)
    for rows, _ in weigh_words(known, vocabulary, counts):
        counts[rows] += 1
    idf = np.log((1 + len(known)) / counts) + 1
    scores = []
    for pair in zip(test.questions, test.answers, strict=True):
        question, answer = (
            dict(zip(*map(np.ndarray.tolist, own), strict=True)) for own in weigh_words(pair, vocabulary, idf)
        )
        scores.append(sum(weight * answer.get(row, 0.0) for row, weight in question.items()))
    groups = test.group(scores)
    return {"MAP": mean_average_precision(groups), "MRR": mean_reciprocal_rank(groups), "texts": len(learned)}


def print_answers(folder: Path) -> None:
    """Print MAP of finding the long description of a package by its short one, among ten."""
    found = {"tf·idf": keep(folder, "answers words", partial(measure_words, folder))}
    for name in MODELS:
        if name != "linear":
            found[name] = keep(folder, f"answers {name}", partial(measure, folder, name, ANSWERS, "answers"))
    rows = [[name, f"{own['texts']:,.0f}", f"{own['MAP']:.3f}", f"{own['MRR']:.3f}"] for name, own in found.items()]
    print(markdown_table(["model", "pairs", "MAP", "MRR"], rows))


PARTS = {"labels": print_labels, "figure": draw_shares, "answers": print_answers}


def main(folder: str, names: Iterable[str]) -> None:
    """Print the parts that are named, or all."""
    for name in list(names) or PARTS:
        PARTS[name](Path(folder))
        print()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
