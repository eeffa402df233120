"""MUSE (Lample et al. 2018): an adversarial, nearly orthogonal matrix, then Procrustes on induced translations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from monge.learned.adversarial import AdversarialSettings, Bootstrap, Unpaired, as_float, criticise, new_critic
from monge.learned.checkpoint import with_prefix, without_prefix
from monge.learned.mapping import LinearModel, Tensors
from monge.learned.supervised import Judge, TrainedModel, copy_tensors


class MuseTraining(TrainedModel):
    """A discriminator is trained to tell x W from y, and W to mislead it.

    Constants of the public code: W starts as the identity and is kept near orthogonal with β = 0.001; five steps of the
    discriminator for one of W, batches of 32, SGD with rate 0.1 for both, that of W multiplied by 0.98 every epoch and
    halved when the criterion has dropped again; labels smoothed by 0.1 (the paper says 0.2), input dropout 0.1,
    LeakyReLU(0.2). Ours: hidden layers of 512 instead of 2,048, an epoch of a fifth of ``steps`` instead of 31,250, so
    that it runs on a processor; the source language is not sampled by frequency.
    """

    rate, decay, shrink, least_rate = 0.1, 0.98, 0.5, 1e-6
    smoothing, dropout, width, epochs = 0.1, 0.1, 512, 5

    def __init__(self, model: LinearModel, sample: Unpaired, judge: Judge, settings: AdversarialSettings, *,
                 seed: int):  # fmt: skip
        super().__init__(model, judge)
        self.settings = settings
        self._rows = tuple(as_float(side) for side in (sample.source, sample.target))
        self._scale = self._rows[1].std(0).clamp_min(1e-4)
        self.bootstrap = Bootstrap(settings, sample)
        self._critic = new_critic(self._rows[0].shape[1], self.width, seed=seed)
        self._epoch = max(1, settings.steps // self.epochs)
        self._progress = self._torch.tensor([self.rate, -math.inf, 0.0], dtype=self._torch.float64)

    def step(self, number: int) -> float:
        if number and number % self._epoch == 0:
            self._progress[0] = max(self.least_rate, float(self._progress[0]) * self.decay)
        self.bootstrap.renew(number, self.model)
        for _ in range(self.settings.critic_steps):
            self._descend(self._critic, self._loss(mislead=False), self.rate)
        loss = self._loss(mislead=True) + self.bootstrap.loss(self.model, self._scale)
        self._descend(self.model.tensors, loss, float(self._progress[0]))
        self.model.constrain()
        return float(loss.detach())

    def _loss(self, *, mislead: bool) -> Any:
        """Return the cross-entropy of the discriminator, with the labels exchanged to mislead it."""
        torch, size = self._torch, (self.settings.batch,)
        source, target = (rows[torch.randint(len(rows), size)] for rows in self._rows)
        mapped = self.model.forward(source) if mislead else self.model.forward(source).detach()
        both = torch.nn.functional.dropout(torch.cat([mapped, target]), self.dropout)
        labels = torch.full((2 * self.settings.batch,), self.smoothing)
        labels[self.settings.batch :] = 1 - self.smoothing
        guesses = criticise(both, self._critic)
        return torch.nn.functional.binary_cross_entropy_with_logits(guesses, 1 - labels if mislead else labels)

    def _descend(self, tensors: Tensors, loss: Any, rate: float) -> None:
        names = list(tensors)
        slopes = self._torch.autograd.grad(loss, [tensors[name] for name in names])
        with self._torch.no_grad():
            for name, slope in zip(names, slopes, strict=True):
                tensors[name] -= rate * slope

    def judge(self) -> float:
        """Return the criterion, and halve the rate of W if it is lower than the best for the second time."""
        value = super().judge()
        _, best, dropped = self._progress.tolist()
        if value < best and dropped:
            self._progress[0] *= self.shrink
        self._progress[2] = float(value < best or dropped)
        self._progress[1] = max(best, value) if math.isfinite(value) else best
        return value

    def state(self) -> Tensors:
        return with_prefix("critic.", self._critic) | {"progress": self._progress, "pairs": self.bootstrap.pairs}

    def load_state(self, tensors: Mapping[str, Any]) -> None:
        copy_tensors(self._critic, without_prefix("critic.", tensors))
        self._progress = tensors["progress"]
        self.bootstrap.pairs = tensors["pairs"]
