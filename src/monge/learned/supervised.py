"""Training a map on vectors of words that translate each other: Real-NVP and FCNN."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.fit import Maps, VectorPairs
from monge.encoders.torch_backend import import_torch
from monge.learned.checkpoint import pack_optimizer, unpack_optimizer
from monge.learned.loop import linear_schedule
from monge.learned.mapping import Model, Tensors

Criterion = Callable[[Any, Any], float]  # mapped source rows, target rows


class Judge:
    """Says how good a model is on rows of both languages; whether they are paired depends on the criterion."""

    def __init__(self, source: NDArray[np.float64], target: NDArray[np.float64], criterion: Criterion):
        torch, _ = import_torch()
        self._torch, self._criterion = torch, criterion
        self._source = torch.from_numpy(source.astype(np.float32))
        self.source, self.target = source, target

    def of_model(self, model: Model) -> float:
        """Return the criterion after the map of a model; NaN where it gives no numbers."""
        with self._torch.no_grad():
            mapped = model.forward(self._source).numpy().astype(np.float64)
        return self._of_rows(mapped)

    def of_map(self, maps: Maps) -> float:
        """Return the criterion after the map of the source language."""
        return self._of_rows(maps[0].transform(self.source))

    def _of_rows(self, mapped: NDArray[np.float64]) -> float:
        return self._criterion(mapped, self.target) if np.isfinite(mapped).all() else float("nan")


class TrainedModel:
    """What the loop asks of any training: judging, and giving and taking tensors."""

    def __init__(self, model: Model, judge: Judge):
        self.model, self._judge = model, judge
        self._torch, _ = import_torch()

    def step(self, number: int) -> float:
        raise NotImplementedError

    def judge(self) -> float:
        return self._judge.of_model(self.model)

    def weights(self) -> Tensors:
        return self.model.tensors

    def load_weights(self, tensors: Mapping[str, Any]) -> None:
        copy_tensors(self.model.tensors, tensors)

    def state(self) -> Tensors:
        raise NotImplementedError

    def load_state(self, tensors: Mapping[str, Any]) -> None:
        raise NotImplementedError


class SupervisedTraining(TrainedModel):
    """Minimises ‖f(x) − y‖² + ‖f⁻¹(y) − x‖² − log p(x) − log p(y), all per dimension (chapter 10, equation 1).

    Distances are measured in standard deviations of the language in which they are taken. A model without inverse has
    the first term alone, one without densities no logarithms.
    """

    def __init__(self, model: Model, sample: VectorPairs, judge: Judge, *, steps: int, batch: int, rate: float):
        super().__init__(model, judge)
        self._steps, self._batch, self._rate = steps, min(batch, len(sample.source)), rate
        self._source, self._target = (
            self._torch.from_numpy(rows.astype(np.float32)) for rows in (sample.source, sample.target)
        )
        self._scales = tuple(rows.std(0).clamp_min(1e-4) for rows in (self._source, self._target))
        self._optimizer = self._torch.optim.Adam([t for t in model.tensors.values() if t.requires_grad], lr=rate)

    def step(self, number: int) -> float:
        rows = self._torch.randint(len(self._source), (self._batch,))
        source, target = self._source[rows], self._target[rows]
        mapped, returned, loss = self.model.joint(source, target)
        loss = loss + (((mapped - target) / self._scales[1]) ** 2).mean()
        if returned is not None:
            loss = loss + (((returned - source) / self._scales[0]) ** 2).mean()
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate * linear_schedule(number, self._steps, 0.05)
        self._optimizer.zero_grad()
        loss.backward()
        self._torch.nn.utils.clip_grad_norm_(self._optimizer.param_groups[0]["params"], 1.0)
        self._optimizer.step()
        self.model.constrain()
        return float(loss.detach())

    def state(self) -> Tensors:
        return pack_optimizer(self._optimizer)

    def load_state(self, tensors: Mapping[str, Any]) -> None:
        unpack_optimizer(self._optimizer, tensors)


def copy_tensors(own: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Copy tensors by name into those that optimizers know."""
    torch, _ = import_torch()
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(given[name])
