"""Using a trained classifier or ranker on a file."""

from __future__ import annotations

import os

import numpy as np

from monge.errors import InputError
from monge.learned.capsules.model import CapsuleModel
from monge.text import read_lines


def classify_file(
    model: str | os.PathLike[str], texts: str | os.PathLike[str], most: int = 5
) -> list[dict[str, float]] | list[float]:
    """Return the *most* probable labels of every line with their probabilities, or the scores of answers.

    Which of the two depends on what *model* learned; for answers, a line is a question, a tab and an answer. Raises
    InputError for lines that are not that, and for files that are not a model.
    """
    loaded = CapsuleModel.load(model)
    lines = read_lines(texts)
    if loaded.task == "answers":
        cells = [line.split("\t") for line in lines]
        for number, own in enumerate(cells, start=1):
            if len(own) < 2:
                raise InputError(f"{texts}, line {number}: not a question, a tab and an answer")
        return [float(value) for value in loaded.rank([own[0] for own in cells], [own[1] for own in cells])]
    found = []
    for row in loaded.predict(lines):
        best = np.argsort(-row, kind="stable")[:most]
        found.append({loaded.labels[i]: float(row[i]) for i in best})
    return found
