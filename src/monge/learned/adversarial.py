"""Training a map without translations: two distributions are made alike, and translations are guessed (bootstrapping).

A critic tells mapped vectors of the source language from vectors of the target language; the map is trained to mislead
it. With *bootstrapping* (chapter 10, algorithm 1), words that are each other's nearest under the current map are taken
for translations, again at the start of every round, and a constraint holds the map to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.induction import mutual_pairs
from monge.encoders.torch_backend import import_torch
from monge.learned.checkpoint import pack_optimizer, unpack_optimizer, with_prefix, without_prefix
from monge.learned.mapping import Model, Tensors, as_tensors
from monge.learned.supervised import Judge, TrainedModel, copy_tensors


def cross_correlation_gap(mapped: Any, target: Any) -> Any:
    """Return the mean over dimensions of (ρ − 1)², ρ the correlation of mapped rows with their translations.

    Equation 5 of the chapter is printed without the square root in the denominator of ρ.
    """
    one, two = mapped - mapped.mean(0), target - target.mean(0)
    norms = ((one**2).sum(0) * (two**2).sum(0)).clip(min=1e-12) ** 0.5
    return (((one * two).sum(0) / norms - 1) ** 2).mean()


def graph_gap(mapped: Any, target: Any) -> Any:
    """Return ‖Ỹ Ỹᵀ − Y Yᵀ‖² / n² of matched rows, centred and per dimension: do words have the same neighbours?"""
    one, two = mapped - mapped.mean(0), target - target.mean(0)
    return (((one @ one.T - two @ two.T) / mapped.shape[1]) ** 2).mean()


CONSTRAINTS: Mapping[str, Callable[[Any, Any], Any]] = {"cc": cross_correlation_gap, "graph": graph_gap}


@dataclass(frozen=True, eq=False)
class Unpaired:
    """All vectors of each language, and fewer (``words``) among which translations are looked for."""

    source: NDArray[np.float64]
    target: NDArray[np.float64]
    words: tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class AdversarialSettings:
    """How a game is played: ``critic_steps`` of the critics for one of the map, and the rounds of bootstrapping.

    ``constraint`` is empty without bootstrapping; ``similarity`` is by what translations are looked for.
    """

    steps: int
    batch: int = 128
    critic_steps: int = 5
    constraint: str = ""
    rounds: int = 3
    constraint_weight: float = 1.0
    density_weight: float = 0.1
    similarity: str = "cosine"


class Bootstrap:
    """The pairs that were taken for translations in the current round, and the constraint on them."""

    def __init__(self, settings: AdversarialSettings, sample: Unpaired):
        self._torch, _ = import_torch()
        self.settings = settings
        self._source, self._target = sample.words
        self._per_round = -(-settings.steps // settings.rounds)
        self.pairs = self._torch.zeros((0, 2), dtype=self._torch.int64)

    def renew(self, number: int, model: Model) -> None:
        """Find the pairs again at the start of a round."""
        if not self.settings.constraint or number % self._per_round:
            return
        with self._torch.no_grad():
            mapped = model.forward(as_float(self._source)).numpy().astype(np.float64)
        pairs = np.stack(mutual_pairs(mapped, self._target, self.settings.similarity), axis=1)
        self.pairs = self._torch.from_numpy(pairs.astype(np.int64))

    def loss(self, model: Model, scale: Any) -> Any:
        """Return the constraint on a batch of the current pairs, in units of *scale*."""
        if len(self.pairs) < 2:
            return self._torch.zeros(())
        chosen = self.pairs[self._torch.randint(len(self.pairs), (self.settings.batch,))].numpy()
        mapped = model.forward(as_float(self._source[chosen[:, 0]]))
        gap = CONSTRAINTS[self.settings.constraint](mapped / scale, as_float(self._target[chosen[:, 1]]) / scale)
        return self.settings.constraint_weight * gap


class AdversarialTraining(TrainedModel):
    """min over f, max over h: E h(y) − E h(f(x)), in both directions, − log p of both languages (equation 3).

    The critics h are kept 1-Lipschitz by a gradient penalty of 10 (Gulrajani et al. 2017), which makes the game the
    earth mover's distance of the two distributions. Equation 3 is printed with + E log p inside a minimum; the sentence
    below it asks for large densities, which is what is done here. The weights of the terms are not given: distances in
    d dimensions grow with √d, by which the game is divided; densities, per dimension, have the weight 0.1.
    """

    rate, betas, width, penalty = 3e-4, (0.5, 0.9), 256, 10.0
    first_steps = 60  # of the critics alone: what they say before is random, and a map that follows it is lost

    def __init__(self, model: Model, sample: Unpaired, judge: Judge, settings: AdversarialSettings, *, seed: int):
        super().__init__(model, judge)
        self.settings = settings
        self._rows = tuple(as_float(side) for side in (sample.source, sample.target))
        self._means = tuple(rows.mean(0) for rows in self._rows)
        self._scales = tuple(rows.std(0).clamp_min(1e-4) for rows in self._rows)
        self.bootstrap = Bootstrap(settings, sample)
        dimension = self._rows[0].shape[1]
        self._critics = [new_critic(dimension, self.width, seed=seed + side) for side in (0, 1)]
        self._critic_tensors = {f"{n}.{name}": t for n, one in enumerate(self._critics) for name, t in one.items()}
        adam = self._torch.optim.Adam
        trained = [tensor for tensor in model.tensors.values() if tensor.requires_grad]
        self._optimizer = adam(trained, lr=self.rate, betas=self.betas)
        self._critic_optimizer = adam(list(self._critic_tensors.values()), lr=self.rate, betas=self.betas)

    def step(self, number: int) -> float:
        self.bootstrap.renew(number, self.model)
        with self._torch.no_grad():
            made = self.model.joint(*self._draw())
        for _ in range(self.settings.critic_steps if number else self.first_steps):
            self._train_critics(made[0], made[1])
        source, target = self._draw()
        mapped, returned, density = self.model.joint(source, target)
        game = -self._value(1, mapped).mean()
        if returned is not None:
            game = game - self._value(0, returned).mean()
        loss = self.settings.density_weight * density + game / source.shape[1] ** 0.5
        loss = loss + self.bootstrap.loss(self.model, self._scales[1])
        self._optimizer.zero_grad()
        loss.backward()
        self._torch.nn.utils.clip_grad_norm_(self._optimizer.param_groups[0]["params"], 1.0)
        self._optimizer.step()
        self.model.constrain()
        return float(loss.detach())

    def _draw(self) -> tuple[Any, Any]:
        size = (self.settings.batch,)
        return tuple(rows[self._torch.randint(len(rows), size)] for rows in self._rows)

    def _value(self, side: int, rows: Any) -> Any:
        """Return what the critic of a language says of rows, in standard deviations of that language."""
        return criticise((rows - self._means[side]) / self._scales[side], self._critics[side])

    def _train_critics(self, mapped: Any, returned: Any) -> None:
        """Take one step of the critics, with other true rows each time."""
        source, target = self._draw()
        loss = self._torch.zeros(())
        for side, true, made in ((1, target, mapped), (0, source, returned)):
            if made is None:
                continue
            loss = loss + self._value(side, made).mean() - self._value(side, true).mean()
            loss = loss + self.penalty * self._slope_gap(side, true, made)
        self._critic_optimizer.zero_grad()
        loss.backward()
        self._critic_optimizer.step()

    def _slope_gap(self, side: int, true: Any, made: Any) -> Any:
        """Return the mean of (‖∇h‖ − 1)² between true and mapped rows."""
        share = self._torch.rand(len(true), 1)
        between = (share * true + (1 - share) * made - self._means[side]) / self._scales[side]
        between = between.detach().requires_grad_(True)
        (slopes,) = self._torch.autograd.grad(criticise(between, self._critics[side]).sum(), between, create_graph=True)
        return ((slopes.norm(dim=1) - 1) ** 2).mean()

    def state(self) -> Tensors:
        return (
            pack_optimizer(self._optimizer)
            | pack_optimizer(self._critic_optimizer, "critic_optimizer.")
            | with_prefix("critic.", self._critic_tensors)
            | {"pairs": self.bootstrap.pairs}
        )

    def load_state(self, tensors: Mapping[str, Any]) -> None:
        unpack_optimizer(self._optimizer, tensors)
        unpack_optimizer(self._critic_optimizer, tensors, "critic_optimizer.")
        copy_tensors(self._critic_tensors, without_prefix("critic.", tensors))
        self.bootstrap.pairs = tensors["pairs"]


def new_critic(dimension: int, width: int, *, seed: int) -> Tensors:
    """Return the tensors of a network with two hidden layers and one output."""
    generator = np.random.default_rng([seed, 7])
    sizes = [dimension, width, width, 1]
    named: dict[str, NDArray[Any]] = {}
    for layer, (before, after) in enumerate(pairwise(sizes)):
        named[f"w{layer}"] = generator.uniform(-1, 1, (before, after)) / np.sqrt(before)
        named[f"b{layer}"] = np.zeros(after)
    return as_tensors({name: array.astype(np.float32) for name, array in named.items()})


def criticise(rows: Any, critic: Tensors) -> Any:
    """Return the output (n,) of a critic: two hidden layers with LeakyReLU(0.2)."""
    torch, _ = import_torch()
    for layer in range(2):
        rows = torch.nn.functional.leaky_relu(rows @ critic[f"w{layer}"] + critic[f"b{layer}"], 0.2)
    return (rows @ critic["w2"] + critic["b2"])[:, 0]


def as_float(rows: NDArray[np.floating]) -> Any:
    """Return rows as a tensor in single precision."""
    torch, _ = import_torch()
    return torch.from_numpy(np.ascontiguousarray(rows, dtype=np.float32))
