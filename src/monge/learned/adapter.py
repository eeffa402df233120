"""Transport-aware tuning: an encoder is changed so that the transport score itself is right, not a classifier on top.

What is right can be said in three ways, alone or together: by a larger encoder (distillation), by the order of damaged
texts (ranking), both without any human label; or by human judgments.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from monge.encoders.layers import parse_layers
from monge.encoders.torch_backend import import_torch
from monge.errors import OptionError
from monge.learned.checkpoint import Tensors, pack_optimizer, unpack_optimizer
from monge.learned.corruption import damage, exchange_alike
from monge.learned.distillation import TeacherScale, combine, distil, match
from monge.learned.examples import Example, best_hypothesis, choose_two, paraphrase, split_examples
from monge.learned.loop import linear_schedule
from monge.learned.lora import LowRankEncoder
from monge.learned.teacher import Opinion
from monge.learned.transport_scores import unlikeness

_CHUNK = 16  # batches whose references are sorted by length together
_STEPS_DOWN = (0, 2, 4, 8)  # edits of a ladder of damaged texts


@dataclass(frozen=True)
class AdapterSettings:
    """How an adapter is trained.

    ``batch`` references with two hypotheses each make a batch. ``distil``, ``ladder``, ``exchange`` and ``judge`` are
    the weights of what is learned: a teacher's opinions, the order of ever more damaged texts, that a paraphrase is
    nearer than the reference with two words exchanged, and human judgments; 0 leaves one out. In a correlation a few
    unrelated texts would outweigh the differences between usable ones, so pairs whose sentences have a cosine below
    ``floor`` by the teacher are not taught. With the weight ``wide`` what it says of all pairs, these included, is
    taught beside that. The matching of words is taught with ``blend`` times the teacher's sentence cosine mixed in.
    If ``scaled``, the teacher's scores are put on the scale of the encoder (from unrelated texts to a copy), and their
    mean and spread are taught, not only a correlation.
    """

    rank: int = 8
    rate: float = 1e-3
    steps: int = 400
    batch: int = 12
    length: int = 128
    distil: float = 0.0
    ladder: float = 0.0
    exchange: float = 0.0
    judge: float = 0.0
    tokens: float = 0.25  # within distil: similarities of single tokens, where both encoders cut texts alike
    margin: float = 0.05
    floor: float = -1.0
    wide: float = 0.0
    blend: float = 0.0
    scaled: bool = True
    dtype: str = "float32"

    def __post_init__(self) -> None:
        if not 0 < self.rate < 1 or self.batch < 2:
            raise OptionError(f"rate={self.rate}, batch={self.batch}: a rate below 1 and at least 2 texts are needed")
        for name in ("distil", "ladder", "exchange", "judge", "tokens", "margin", "wide", "blend"):
            if not 0 <= getattr(self, name) < math.inf:
                raise OptionError(f"{name}={getattr(self, name)}: must not be negative, and finite")
        if not -1 <= self.floor <= 1:
            raise OptionError(f"floor={self.floor}: a cosine is between -1 and 1")
        if not any((self.distil, self.ladder, self.exchange, self.judge)):
            raise OptionError("nothing to learn from: give a teacher, corruptions or judgments")


@dataclass(frozen=True)
class Ladder:
    """Ever more damaged texts of one reference: the places of the texts, and the share of words that was edited."""

    reference: int
    steps: tuple[tuple[int, float], ...]


@dataclass
class _Texts:
    """The texts of a batch, each once."""

    places: dict[str, int] = field(default_factory=dict)

    def place(self, text: str) -> int:
        return self.places.setdefault(text, len(self.places))


class AdapterTraining:
    """A :class:`~monge.learned.loop.Training` of the factors of an adapter on *examples*."""

    def __init__(
        self,
        encoder: LowRankEncoder,
        examples: Sequence[Example],
        settings: AdapterSettings,
        *,
        seed: int,
        scale: TeacherScale | None = None,
    ) -> None:
        self._torch, _ = import_torch()
        self.encoder, self.settings, self.seed, self.scale = encoder, settings, seed, scale
        self.layer = parse_layers("middle", encoder.layers + 1)[0]
        self._optimizer = self._torch.optim.AdamW(encoder.parameters.values(), lr=settings.rate, weight_decay=0.01)
        self.learned, self.held_out = split_examples(examples, seed, settings.batch)
        counts = encoder.count_tokens([example.reference for example in self.learned])
        self._lengths = np.array(counts)
        self._vocabulary = sorted({word for example in self.learned for word in example.reference.split()})
        self._order: tuple[int, list[list[int]]] = (-1, [])

    # -- what the loop asks for

    def step(self, number: int) -> float:
        """Take one step on the batch *number* and return its loss."""
        rate = self.settings.rate * linear_schedule(number, self.settings.steps)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        batch = [self.learned[i] for i in self._batch(number)]
        loss = self._loss(batch, np.random.default_rng([self.seed, number]))
        self._optimizer.zero_grad()
        loss.backward()
        self._torch.nn.utils.clip_grad_norm_(self.encoder.parameters.values(), 1.0)
        self._optimizer.step()
        return float(loss.detach())

    def judge(self) -> float:
        """Return 1 − the loss on the held-out references, each batch with the same draws every time."""
        size, losses = self.settings.batch, []
        with self._torch.no_grad():
            for start in range(0, len(self.held_out), size):
                batch = self.held_out[start : start + size]
                if len(batch) > 1:
                    losses.append(float(self._loss(batch, np.random.default_rng([self.seed, start]))))
        return 1 - float(np.mean(losses))

    def weights(self) -> Tensors:
        """Return the factors."""
        return self.encoder.weights()

    def load_weights(self, tensors: Mapping[str, Any]) -> None:
        """Take the factors."""
        self.encoder.load(tensors)

    def state(self) -> Tensors:
        """Return the optimizer's moments."""
        return pack_optimizer(self._optimizer)

    def load_state(self, tensors: Mapping[str, Any]) -> None:
        """Take the optimizer's moments."""
        unpack_optimizer(self._optimizer, tensors)

    # -- batches and losses

    def _batch(self, number: int) -> list[int]:
        count = len(self.learned) // self.settings.batch
        epoch, place = divmod(number, count)
        if self._order[0] != epoch:
            self._order = (epoch, self._sorted_batches(np.random.default_rng([self.seed, epoch, 1])))
        return self._order[1][place]

    def _sorted_batches(self, rng: np.random.Generator) -> list[list[int]]:
        """Return batches of references of about one length, in random order."""
        size = self.settings.batch
        mixed = rng.permutation(len(self.learned))[: len(self.learned) // size * size]
        batches = []
        for start in range(0, len(mixed), size * _CHUNK):
            chunk = mixed[start : start + size * _CHUNK]
            chunk = chunk[np.argsort(self._lengths[chunk], kind="stable")]
            batches += [chunk[i : i + size].tolist() for i in range(0, len(chunk), size)]
        return [batches[i] for i in rng.permutation(len(batches))]

    def _loss(self, batch: Sequence[Example], rng: np.random.Generator) -> Any:
        texts, own = _Texts(), self.settings
        chosen = [(example, i) for example in batch for i in choose_two(example, rng)]
        pairs = [(texts.place(example.hypotheses[i]), texts.place(example.reference)) for example, i in chosen]
        ladders = self._ladders(batch, texts, rng) if own.ladder else []
        exchanged = self._exchanges(batch, texts, rng) if own.exchange else []
        encoded = self.encoder.encode(list(texts.places), self.layer)
        loss = sum(factor.sum() for factor in self.encoder.parameters.values()) * 0.0
        if own.distil or own.judge:
            score, parts = self._score(encoded, pairs)
            if own.distil:
                loss = loss + own.distil * self._distil(parts, [example.opinions[i] for example, i in chosen])
            judged = [row for row, (example, _) in enumerate(chosen) if example.judgments]
            if own.judge and len(judged) > 2:
                wanted = [chosen[row][0].judgments[chosen[row][1]] for row in judged]
                loss = loss + own.judge * unlikeness(score[judged], self._torch.tensor(wanted, device=score.device))
        if ladders:
            loss = loss + own.ladder * self._descend(encoded, ladders)
        if exchanged:
            loss = loss + own.exchange * self._rank(encoded, exchanged)
        return loss

    def _distil(self, parts: dict[str, Any], opinions: Sequence[Opinion]) -> Any:
        own = self.settings
        unlike = partial(distil, parts, opinions, blend=own.blend, scale=self.scale)
        loss = unlike(tokens=own.tokens, floor=own.floor)
        return loss + own.wide * unlike(tokens=0.0, floor=-1.0) if own.wide else loss

    def _score(self, encoded: tuple[Any, Any, Any], pairs: Sequence[tuple[int, int]]) -> tuple[Any, dict[str, Any]]:
        """Return the score that is taught (matching of order 3 plus the sentence cosine) and what it is made of."""
        vectors, mask, sentences = encoded
        first, second = (list(side) for side in zip(*pairs, strict=True))
        similarity = vectors[first] @ vectors[second].transpose(1, 2)
        parts = match(similarity, mask[first], mask[second])
        parts["cosine"] = (sentences[first] * sentences[second]).sum(1)
        return combine(parts), parts

    def _rank(self, encoded: tuple[Any, Any, Any], ranked: Sequence[tuple[int, int, int]]) -> Any:
        """Return the mean hinge of (better, worse, reference): the better text must score higher by a margin."""
        better, _ = self._score(encoded, [(better, reference) for better, _, reference in ranked])
        worse, _ = self._score(encoded, [(worse, reference) for _, worse, reference in ranked])
        return self._torch.relu(self.settings.margin - (better - worse)).mean()

    def _descend(self, encoded: tuple[Any, Any, Any], ladders: Sequence[Ladder]) -> Any:
        """Return how far damaged texts are from ranking by their damage.

        The mean hinge of neighbours on a ladder, plus 1 − Pearson's r of all scores with −severity: one scale for all
        texts, not only an order of those of one reference.
        """
        pairs = [(text, ladder.reference) for ladder in ladders for text, _ in ladder.steps]
        score, _ = self._score(encoded, pairs)
        damage = self._torch.tensor([severity for ladder in ladders for _, severity in ladder.steps])
        neighbours = [
            (better, worse, ladder.reference)
            for ladder in ladders
            for (better, _), (worse, _) in itertools.pairwise(ladder.steps)
        ]
        return self._rank(encoded, neighbours) + unlikeness(score, -damage.to(score.device))

    def _ladders(self, batch: Sequence[Example], texts: _Texts, rng: np.random.Generator) -> list[Ladder]:
        """Damage a text of every third reference more and more."""
        ladders = []
        for example in batch[:: 3 if self.settings.distil else 1]:
            text = best_hypothesis(example)
            words, steps = len(text.split()), [(texts.place(text), 0.0)]
            for before, after in itertools.pairwise(_STEPS_DOWN):
                worse = damage(text, after - before, self._vocabulary, rng)
                if worse != text:
                    steps.append((texts.place(worse), min(1.0, after / max(words, 1))))
                text = worse
            if len(steps) > 1:
                ladders.append(Ladder(texts.place(example.reference), tuple(steps)))
        return ladders

    def _exchanges(
        self, batch: Sequence[Example], texts: _Texts, rng: np.random.Generator
    ) -> list[tuple[int, int, int]]:
        ranked = []
        for example in batch:
            other, best = exchange_alike(example.reference, rng), paraphrase(example)
            if other is not None and best is not None and best not in (example.reference, other):
                ranked.append((texts.place(best), texts.place(other), texts.place(example.reference)))
        return ranked
