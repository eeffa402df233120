"""A trained classifier or ranker, used without torch."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError, OptionError
from monge.learned.capsules.arrays import as_array, sigmoid
from monge.learned.capsules.convolution import ConvolutionShape
from monge.learned.capsules.data import Answers, LabelledTexts, number_words, split_words
from monge.learned.capsules.measures import mean_average_precision, mean_reciprocal_rank, ndcg_at, precision_at
from monge.learned.capsules.network import CapsuleShape
from monge.storage.artifact import Artifact

KIND = "capsules"
TASKS = ("labels", "answers")
NETWORKS: Mapping[str, type[CapsuleShape] | type[ConvolutionShape]] = {
    "kde": CapsuleShape, "sabour": CapsuleShape, "cnn": ConvolutionShape,
}  # fmt: skip
MODELS = (*NETWORKS, "linear")
_AT_ONCE = 32


@dataclass(frozen=True, eq=False)
class CapsuleModel:
    """What ``monge train capsules`` learned: probabilities of labels, or scores of answers.

    ``settings`` of the artifact: ``task``, ``model``, ``shape``, ``vocabulary`` and ``labels``.
    """

    artifact: Artifact

    def __post_init__(self) -> None:
        if self.artifact.settings["model"] not in MODELS:
            raise InputError(f"{self.artifact.path}: holds a model that this monge does not know")
        rows = len(self.artifact.settings["vocabulary"]) + 2
        table = self.artifact.arrays.get("embedding" if self.shape is not None else "linear")
        if table is None or len(table) != rows:
            raise InputError(f"{self.artifact.path}: the table of words is missing or has the wrong form")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that ``monge train capsules`` wrote; raises InputError or OptionError for any other."""
        return cls(Artifact.load(path, kind=KIND))

    @property
    def task(self) -> str:
        """``labels`` or ``answers``."""
        return str(self.artifact.settings["task"])

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that it knows, in the order of their probabilities."""
        return tuple(self.artifact.settings["labels"])

    @cached_property
    def shape(self) -> CapsuleShape | ConvolutionShape | None:
        """The sizes of the network; None for the linear model."""
        found: dict[str, Any] | None = self.artifact.settings["shape"]
        return None if found is None else NETWORKS[self.artifact.settings["model"]](**found)

    def predict(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability of every label (n, labels); raises OptionError for a model of answers."""
        if self.task != "labels":
            raise OptionError(f"{self.artifact.path}: ranks answers and has no labels")
        if self.shape is None:
            return self._predict_linear(texts)
        return self._compute(self.shape.probabilities, self.shape.length, texts)

    def rank(self, questions: Sequence[str], answers: Sequence[str]) -> NDArray[np.float64]:
        """Return the score of every answer to the question beside it, cos(v_q, v_a); higher is better."""
        if self.task != "answers" or self.shape is None:
            raise OptionError(f"{self.artifact.path}: finds labels and ranks no answers")
        texts = list(dict.fromkeys([*questions, *answers]))
        vectors = self._compute(self.shape.vectors, self.shape.length, texts)
        units = vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9)
        numbers = {text: i for i, text in enumerate(texts)}
        pairs = zip(questions, answers, strict=True)
        return np.array([units[numbers[q]] @ units[numbers[a]] for q, a in pairs], dtype=np.float64)

    def _compute(self, compute: Callable[..., Any], length: int, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return what the network computes of word vectors and parameters: one row per text."""
        arrays = self.artifact.arrays
        rows = number_words(texts, self.artifact.settings["vocabulary"], length)
        found = [
            as_array(compute(arrays["embedding"][rows[start : start + _AT_ONCE]], arrays))
            for start in range(0, len(rows), _AT_ONCE)
        ]
        return np.concatenate(found or [np.zeros((0, len(self.labels)))]).astype(np.float64)

    def _predict_linear(self, texts: Sequence[str]) -> NDArray[np.float64]:
        arrays = self.artifact.arrays
        logits = [arrays["bias"] + weights @ arrays["linear"][rows] for rows, weights in self._bags(texts)]
        table = np.array(logits, dtype=np.float64).reshape(len(texts), len(self.labels))
        return np.asarray(sigmoid(table))

    def _bags(self, texts: Sequence[str]) -> list[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        return weigh_words(texts, self.artifact.settings["vocabulary"], self.artifact.arrays["idf"])


def evaluate(model: CapsuleModel, data: LabelledTexts | Answers) -> dict[str, float]:
    """Return P@1, 3, 5 and NDCG@1, 3, 5 of labels (as many as there are), or MAP and MRR of answers."""
    if isinstance(data, Answers):
        groups = data.group(model.rank(data.questions, data.answers).tolist())
        return {"MAP": mean_average_precision(groups), "MRR": mean_reciprocal_rank(groups)}
    scores, truth = model.predict(data.texts), data.table(model.labels)
    if not truth.any():
        raise InputError("no text has a label that the model knows")
    ranks = [k for k in (1, 3, 5) if k <= len(model.labels)]
    found = {f"P@{k}": precision_at(scores, truth, k) for k in ranks}
    return found | {f"NDCG@{k}": ndcg_at(scores, truth, k) for k in ranks}


def weigh_words(
    texts: Sequence[str], vocabulary: Sequence[str], idf: NDArray[np.floating]
) -> list[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """Return the rows of the different words of every text, and their tf·idf weights (1 + log tf)·idf, of length 1."""
    numbers = {word: i for i, word in enumerate(vocabulary, start=2)}
    found = []
    for text in texts:
        words = [numbers.get(word, 1) for word in split_words(text)]
        rows, counts = np.unique(np.array(words, dtype=np.int64), return_counts=True)
        weights = (1 + np.log(counts)) * np.asarray(idf)[rows]
        found.append((rows, (weights / (np.linalg.norm(weights) + 1e-9)).astype(np.float32)))
    return found
