"""What is trained: the parameters of capsules, a convolutional network or a linear model, for labels or for answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders import Encoder, load_encoder
from monge.encoders.torch_backend import choose_device, import_torch
from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.learned.capsules.data import Answers, LabelledTexts, make_vocabulary, number_words, split_words
from monge.learned.capsules.model import KIND, CapsuleModel, evaluate, weigh_words
from monge.learned.capsules.network import CapsuleShape
from monge.learned.capsules.settings import CapsuleSettings
from monge.learned.capsules.start import RARE, draw_parameters
from monge.learned.checkpoint import Tensors, pack_optimizer, unpack_optimizer
from monge.learned.loop import seed_step
from monge.storage.artifact import Artifact

_CLIP = 1e-6


def make_training(
    data: LabelledTexts | Answers,
    held_out: LabelledTexts | Answers,
    settings: CapsuleSettings,
    environment: Environment | None = None,
) -> ModelTraining:
    """Return what the loop trains; raises InputError for data that nothing can be learned from."""
    if isinstance(data, Answers):
        if settings.model == "linear":
            raise OptionError("model=linear finds labels: for answers take kde, sabour or cnn")
        if len(set(data.right)) < 2:
            raise InputError("all answers are right or all are wrong: nothing can be learned from them")
        return AnswerTraining(data, held_out, settings, environment)
    labels = sorted({label for own in data.labels for label in own})
    if len(labels) < 2:
        raise InputError(f"the texts have one label only ({labels[0]}): at least two are needed")
    return LabelTraining(data, held_out, labels, settings, environment)


class ModelTraining:
    """What both tasks share: parameters, Adam, batches in an order that depends on seed and epoch."""

    task = ""
    cut = 0  # texts with more words than are read

    def __init__(
        self, data: Any, held_out: Any, labels: list[str], settings: CapsuleSettings, environment: Environment | None
    ) -> None:
        self.torch, _ = import_torch()
        self.data, self.held_out, self.labels, self.settings = data, held_out, labels, settings
        self.device = choose_device(settings.device)
        texts = data.texts if isinstance(data, LabelledTexts) else (*data.questions, *data.answers)
        self.vocabulary = make_vocabulary(texts, settings.words)
        reading = bool(settings.vectors) and settings.model != "linear"
        self.shape = settings.network(self._vectors(environment).dimension if reading else 0)
        self.parameters = self._start(texts, environment)
        learned = [tensor for name, tensor in self.parameters.items() if name != "idf"]
        self.optimizer = self.torch.optim.Adam(learned, lr=settings.rate)
        self.steps_per_epoch = -(-len(data) // settings.batch)

    def _vectors(self, environment: Environment | None) -> Encoder:
        return load_encoder(self.settings.vectors, oov="zero", environment=environment)

    def _start(self, texts: Any, environment: Environment | None) -> dict[str, Any]:
        """Return parameters drawn with the seed."""
        seed_step(self.settings.seed, -1)
        torch, rows = self.torch, len(self.vocabulary) + 2
        if self.shape is None:
            counts = np.ones(rows)
            for text in texts:
                counts[
                    [i for i in set(number_words([text], self.vocabulary, len(split_words(text)) or 1)[0]) if i]
                ] += 1
            made = {"linear": torch.zeros(rows, len(self.labels)), "bias": torch.full((len(self.labels),), RARE)}
            made["idf"] = torch.from_numpy(np.log((1 + len(texts)) / counts) + 1).float()
        else:
            lengths = np.array([len(split_words(text)) for text in texts])
            self.cut = int((lengths > self.shape.length).sum())
            read = float(np.minimum(lengths, self.shape.length).mean())
            made = draw_parameters(self.shape, len(self.labels), read)
            made["embedding"] = self._embedding(rows, environment)
        return {name: t.to(self.device).requires_grad_(name != "idf") for name, t in made.items()}

    def _embedding(self, rows: int, environment: Environment | None) -> Any:
        """Return the vectors of the words, from a file where it knows them; padding is zero."""
        size = self.shape.embedding if self.shape else 0
        table = self.torch.randn(rows, size) * 0.1
        table[0] = 0
        if self.settings.vectors:
            encoder = self._vectors(environment)
            for row, encoded in enumerate(encoder.encode(self.vocabulary, [encoder.layers - 1]), start=2):
                if len(encoded.tokens) and encoded.vectors.any():
                    table[row] = self.torch.from_numpy(encoded.vectors[0].mean(axis=0))
        return table

    def rows_of(self, number: int) -> NDArray[np.int64]:
        """Return the numbers of the examples of a step."""
        epoch, place = divmod(number, self.steps_per_epoch)
        order = np.random.default_rng([self.settings.seed, epoch]).permutation(len(self.data))
        return order[place * self.settings.batch : (place + 1) * self.settings.batch]

    def step(self, number: int) -> float:
        """Learn from one batch."""
        loss = self.loss(self.rows_of(number), number)
        self.optimizer.zero_grad()
        loss.backward()
        if self.shape is not None:
            self.parameters["embedding"].grad[0] = 0  # padding stays zero
        self.optimizer.step()
        return float(loss.detach())

    def loss(self, rows: NDArray[np.int64], number: int) -> Any:
        """Return the loss of the examples *rows*."""
        raise NotImplementedError

    def words(self, rows: NDArray[np.int64]) -> Any:
        """Return the vectors of texts given as rows of word numbers, some of which are left out."""
        numbers = self.torch.from_numpy(rows)
        if self.settings.drop:
            numbers = numbers * (self.torch.rand(numbers.shape) >= self.settings.drop)  # 0 is padding
        return self.parameters["embedding"][numbers.to(self.device)]

    def judge(self) -> float:
        """Return NDCG@5 of labels, or the MAP of answers, on what was held out."""
        made = self.artifact({})
        if self.shape is not None:  # the same code computes faster on tensors
            tensors: dict[str, Any] = {name: tensor.detach() for name, tensor in self.parameters.items()}
            made = replace(made, arrays=tensors)
        found = evaluate(CapsuleModel(made), self.held_out)
        return found["MAP"] if "MAP" in found else list(found.values())[-1]

    def artifact(self, history: Mapping[str, Any]) -> Artifact:
        """Return the parameters as a file that is used without torch."""
        arrays = {name: tensor.detach().cpu().numpy().astype(np.float32) for name, tensor in self.parameters.items()}
        shape = None if self.shape is None else asdict(self.shape)
        shared = {"task": self.task, "model": self.settings.model, "shape": shape}
        return Artifact(KIND, arrays, shared | {"vocabulary": list(self.vocabulary), "labels": self.labels}, history)

    def weights(self) -> Tensors:
        """Return all parameters."""
        return dict(self.parameters)

    def load_weights(self, tensors: Mapping[str, Any]) -> None:
        """Take parameters back."""
        with self.torch.no_grad():
            for name, tensor in self.parameters.items():
                tensor.copy_(tensors[name])

    def state(self) -> Tensors:
        """Return the moments of Adam."""
        return pack_optimizer(self.optimizer)

    def load_state(self, tensors: Mapping[str, Any]) -> None:
        """Take the moments back."""
        unpack_optimizer(self.optimizer, tensors)


class LabelTraining(ModelTraining):
    """Texts with labels: binary cross-entropy of probabilities; those of capsules for some labels (partial routing)."""

    task = "labels"

    def __init__(
        self, data: Any, held_out: Any, labels: list[str], settings: CapsuleSettings, environment: Environment | None
    ) -> None:
        super().__init__(data, held_out, labels, settings, environment)
        self.truth = self.torch.from_numpy(data.table(labels)).float().to(self.device)
        self.rows: Any = None
        if self.shape is None:
            idf = self.parameters["idf"].cpu().numpy()
            self.bags = weigh_words(data.texts, self.vocabulary, idf)
        else:
            self.rows = number_words(data.texts, self.vocabulary, self.shape.length)

    def loss(self, rows: NDArray[np.int64], number: int) -> Any:
        truth = self.truth[self.torch.from_numpy(rows).to(self.device)]
        if self.shape is None:
            return self.torch.nn.functional.binary_cross_entropy_with_logits(self._logits(rows), truth)
        words = self.words(self.rows[rows])
        if isinstance(self.shape, CapsuleShape):  # votes for every label take most of the time
            chosen = self._routed(truth, number)
            truth, found = truth[:, chosen], self.shape.probabilities(words, self.parameters, chosen)
        else:
            found = self.shape.probabilities(words, self.parameters)
        return self.torch.nn.functional.binary_cross_entropy(found.clamp(_CLIP, 1 - _CLIP), truth)

    def _routed(self, truth: Any, number: int) -> Any:
        """Return the labels that a text of the batch has, and some others drawn at random."""
        present = truth.any(dim=0).cpu().numpy()
        others = np.flatnonzero(~present)
        drawn = np.random.default_rng([self.settings.seed, number, 1]).permutation(others)[: self.settings.negatives]
        return self.torch.from_numpy(np.sort(np.concatenate([np.flatnonzero(present), drawn]))).to(self.device)

    def _logits(self, rows: NDArray[np.int64]) -> Any:
        bags = [self.bags[i] for i in rows]
        words = self.torch.from_numpy(np.concatenate([own for own, _ in bags])).to(self.device)
        weights = self.torch.from_numpy(np.concatenate([own for _, own in bags])).to(self.device)
        starts = self.torch.from_numpy(np.cumsum([0, *(len(own) for own, _ in bags[:-1])])).to(self.device)
        table = self.parameters["linear"]
        return self.parameters["bias"] + self.torch.nn.functional.embedding_bag(
            words, table, starts, mode="sum", per_sample_weights=weights
        )


class AnswerTraining(ModelTraining):
    """Questions and answers: one vector for each text, (1 + cos) / 2 is the probability that an answer is right."""

    task = "answers"

    def __init__(
        self, data: Answers, held_out: Any, settings: CapsuleSettings, environment: Environment | None
    ) -> None:
        super().__init__(data, held_out, [], settings, environment)
        length = self.shape.length if self.shape else 1
        self.questions = number_words(data.questions, self.vocabulary, length)
        self.answers = number_words(data.answers, self.vocabulary, length)
        self.right = self.torch.tensor(data.right).float().to(self.device)

    def loss(self, rows: NDArray[np.int64], number: int) -> Any:
        if self.shape is None:
            raise OptionError("the linear model ranks no answers")
        sides = [
            self.shape.vectors(self.words(table[rows]), self.parameters) for table in (self.questions, self.answers)
        ]
        cosine = self.torch.nn.functional.cosine_similarity(sides[0], sides[1], dim=1)
        right = self.right[self.torch.from_numpy(rows).to(self.device)]
        probability = ((1 + cosine) / 2).clamp(_CLIP, 1 - _CLIP)
        return self.torch.nn.functional.binary_cross_entropy(probability, right)
