"""Trains NLP-Capsule, Sabour's routing and a linear model on debtags, and prints the tables of tutorial-capsules.md.

python docs/results_capsules.py FOLDER [labels] [answers]

FOLDER is what docs/make_debtags.py made. Every model is trained on the same shares of the training texts and measured
on the same 1,500 test texts (200 questions of answers). Figures are kept in results_capsules.json in FOLDER: a run that
was interrupted goes on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np

from monge.learned.capsules.data import read_labelled
from monge.learned.capsules.measures import ndcg_at, precision_at
from monge.learned.capsules.model import evaluate
from monge.learned.capsules.network import CapsuleShape
from monge.learned.capsules.tasks import CapsuleSettings
from monge.learned.capsules.training import train_capsules
from monge.report.tables import markdown_table
from monge.storage.atomic import write_text
from monge.workflows.train_capsules import read_examples

SHARES = (0.02, 0.05, 0.1)
TESTED = 1500
QUESTIONS = 200
SMALL = CapsuleShape(compressed=64, rounds=3)
MODELS = {
    "linear": CapsuleSettings(model="linear", rate=0.05, epochs=30),
    "kde": CapsuleSettings(model="kde", shape=SMALL),
    "sabour": CapsuleSettings(model="sabour", shape=SMALL),
    "kde, axis=time": CapsuleSettings(model="kde", shape=CapsuleShape(compressed=64, rounds=3, axis="time")),
}


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


def measure(folder: Path, name: str, share: float, task: str) -> dict[str, float]:
    """Train one model on a share of the data and return its measures on the test texts."""
    prefix = "answers-" if task == "answers" else ""
    data, test = (read_examples(folder / f"{prefix}{part}.tsv", task) for part in ("train", "test"))
    settings = MODELS[name]
    changed = CapsuleSettings(**settings.__dict__ | {"share": share})
    made = train_capsules(data, changed, checkpoint=str(folder / "results_capsules.checkpoint"))
    most = TESTED if task == "labels" else QUESTIONS * 10
    found = evaluate(made.model, test.part(range(min(most, len(test)))))
    return found | {"texts": made.model.artifact.history["used"], "epochs": len(made.loop.judgements)}


def measure_frequent(folder: Path) -> dict[str, float]:
    """Return what naming the most frequent labels for every text gives."""
    data, test = (read_labelled(folder / f"{part}.tsv") for part in ("train", "test"))
    names = sorted({label for own in data.labels for label in own})
    truth = test.part(range(min(TESTED, len(test)))).table(names)
    scores = np.tile(data.table(names).mean(axis=0), (len(truth), 1))
    found = {f"P@{k}": precision_at(scores, truth, k) for k in (1, 3, 5)}
    return found | {f"NDCG@{k}": ndcg_at(scores, truth, k) for k in (3, 5)}


def print_labels(folder: Path) -> None:
    """Print P@k and NDCG@k by model and share."""
    names = ("P@1", "P@3", "P@5", "NDCG@3", "NDCG@5")
    frequent = keep(folder, "labels frequent", partial(measure_frequent, folder))
    rows = [["", "the most frequent tags", *(f"{frequent[key]:.3f}" for key in names)]]
    for share in SHARES:
        for name in MODELS:
            found = keep(folder, f"labels {name} {share}", partial(measure, folder, name, share, "labels"))
            rows.append([f"{found['texts']:,.0f}", name, *(f"{found[key]:.3f}" for key in names)])
    print(markdown_table(["training texts", "model", *names], rows))


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
