"""Trains NLP-Capsule, Sabour's routing and a linear model on debtags, and prints the tables of tutorial-capsules.md.

python docs/results_capsules.py FOLDER [labels] [answers]

FOLDER is what docs/make_debtags.py made. Every model is trained on the same shares of the training texts, capsules on
the smallest with three seeds, and measured on the same 1,500 test texts (200 questions of answers). Figures are kept in
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
from monge.learned.capsules.data import LabelledTexts, read_labelled, split_words
from monge.learned.capsules.measures import ndcg_at, precision_at
from monge.learned.capsules.model import evaluate
from monge.learned.capsules.network import CapsuleShape
from monge.learned.capsules.tasks import CapsuleSettings
from monge.learned.capsules.training import split_data, train_capsules
from monge.report.tables import markdown_table
from monge.storage.atomic import write_text
from monge.workflows.train_capsules import read_examples

SHARES = {0.02: (1, 2, 3), 0.05: (1,), 0.1: (1,)}  # of the training texts, with the seeds
TESTED = 1500
QUESTIONS = 200
SMALL = CapsuleShape(compressed=64, rounds=3)
MODELS = {
    "linear": CapsuleSettings(model="linear", rate=0.05, epochs=30),
    "kde": CapsuleSettings(model="kde", shape=SMALL),
    "sabour": CapsuleSettings(model="sabour", shape=SMALL),
}
OTHERS = {  # for the smallest share
    "kde, axis=time": CapsuleSettings(model="kde", shape=CapsuleShape(compressed=64, rounds=3, axis="time")),
    "kde, drop=0": CapsuleSettings(model="kde", shape=SMALL, drop=0.0),
}
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


def print_labels(folder: Path) -> None:
    """Print P@k and NDCG@k by model and share: the mean over seeds, and for P@1 their standard deviation."""
    rows = [make_row("the most frequent tags", [keep(folder, "labels frequent", partial(measure_frequent, folder))])]
    for share, seeds in SHARES.items():
        names = [*MODELS, *(OTHERS if share == min(SHARES) else ())]
        for name in names:
            own = (1,) if name == "linear" or name in OTHERS else seeds  # the linear model starts from zeros
            found = [
                keep(folder, f"labels {name} {share} {seed}", partial(measure, folder, name, share, "labels", seed))
                for seed in own
            ]
            rows.append(make_row(name, found))
        means = keep(folder, f"labels means {share}", partial(measure_means, folder, share))
        rows.append(make_row("linear on mean vectors", [means]))
    print(markdown_table(["training texts", "model", *MEASURES], rows, left=2))


def make_row(name: str, found: list[dict[str, float]]) -> list[str]:
    """Return the row of a model: how many texts, and means over seeds."""
    cells = [f"{np.mean([own[key] for own in found]):.3f}" for key in MEASURES]
    if len(found) > 1:
        cells[0] += f" ± {np.std([own['P@1'] for own in found], ddof=1):.3f}"
    texts = f"{found[0]['texts']:,.0f}" if "texts" in found[0] else ""
    return [texts, name, *cells]


def print_answers(folder: Path) -> None:
    """Print MAP of finding the long description of a package by its short one, among ten."""
    rows = []
    for name in ("kde", "sabour"):
        found = keep(folder, f"answers {name}", partial(measure, folder, name, 0.02, "answers"))
        rows.append([name, f"{found['texts']:,.0f}", f"{found['MAP']:.3f}", f"{found['MRR']:.3f}"])
    print(markdown_table(["model", "pairs", "MAP", "MRR"], rows))


PARTS = {"labels": print_labels, "answers": print_answers}


def main(folder: str, names: Iterable[str]) -> None:
    """Print the parts that are named, or all."""
    for name in list(names) or PARTS:
        PARTS[name](Path(folder))
        print()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
