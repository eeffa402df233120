"""Maps with weights that were trained: normalising flows and a small network, applied without torch.

The formulas take the array library as ``xp`` (numpy, or torch while weights are trained), so that there is one of each.
A *flow* is a bijection between the vectors of a language and a latent space where they are distributed as N(0, I).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.maps import Array, BaseMap, StoredMap, Vectors

Weights = Mapping[str, Any]  # arrays of numpy, or tensors of torch, by name
_ROWS = 4096  # vectors that are mapped at a time


def flow_to_latent(vectors: Any, weights: Weights, xp: Any) -> tuple[Any, Any]:
    """Return latent vectors (n, d) and the logarithm of |det J| of every row (n,): Real-NVP.

    Each coupling k scales and moves every dimension (ActNorm), puts dimensions into another order, and changes the
    second part of them as the first part says: b ↦ b · exp(s(a)) + t(a), where s is bounded by a learned scale times
    tanh (Dinh et al. 2017). The Jacobian is triangular, so log |det J| is the sum of the logarithms of all scales.
    """
    logarithms = 0.0
    for k in range(len(weights["order"])):
        log_scale = weights[f"{k}.log_scale"]
        vectors = ((vectors - weights[f"{k}.mean"]) * xp.exp(log_scale))[:, weights["order"][k]]
        first, second = vectors[:, : _kept(vectors)], vectors[:, _kept(vectors) :]
        scale, shift = _condition(first, weights, k, xp)
        vectors = xp.concatenate([first, second * xp.exp(scale) + shift], 1)
        logarithms = logarithms + log_scale.sum() + scale.sum(1)
    return vectors, logarithms


def flow_from_latent(latent: Any, weights: Weights, xp: Any) -> Any:
    """Return the vectors (n, d) of which *latent* are the latent ones: the exact inverse of :func:`flow_to_latent`."""
    for k in reversed(range(len(weights["order"]))):
        first, second = latent[:, : _kept(latent)], latent[:, _kept(latent) :]
        scale, shift = _condition(first, weights, k, xp)
        ordered = xp.concatenate([first, (second - shift) * xp.exp(-scale)], 1)
        vectors = ordered[:, xp.argsort(weights["order"][k])]
        latent = vectors * xp.exp(-weights[f"{k}.log_scale"]) + weights[f"{k}.mean"]
    return latent


def latent_density(latent: Any, logarithms: Any) -> Any:
    """Return log p (n,) of the vectors whose latent ones and log |det J| are given: log N(z; 0, I) + log |det J|."""
    return -(latent**2).sum(1) / 2 - latent.shape[1] * float(np.log(2 * np.pi)) / 2 + logarithms


def _kept(vectors: Any) -> int:
    """How many dimensions a coupling leaves as they are: the smaller half."""
    return int(vectors.shape[1]) // 2


def _condition(first: Any, weights: Weights, k: int, xp: Any) -> tuple[Any, Any]:
    """Return the log-scale and the shift of the second part, by a network of two hidden layers (ReLU)."""
    hidden = first
    for layer in range(2):
        hidden = xp.clip(hidden @ weights[f"{k}.w{layer}"] + weights[f"{k}.b{layer}"], 0, None)
    both = hidden @ weights[f"{k}.w2"] + weights[f"{k}.b2"]
    size = both.shape[1] // 2
    return weights[f"{k}.bound"] * xp.tanh(both[:, :size]), both[:, size:]


def network_output(vectors: Any, weights: Weights, xp: Any) -> Any:
    """Return the output (n, d) of three fully connected layers with tanh, standardised before and put back after.

    tanh cannot leave (−1, 1), so inputs and outputs are measured in units of three standard deviations.
    """
    hidden = (vectors - weights["source_mean"]) / weights["source_scale"]
    for layer in range(3):
        hidden = xp.tanh(hidden @ weights[f"w{layer}"] + weights[f"b{layer}"])
    return hidden * weights["target_scale"] + weights["target_mean"]


@dataclass(frozen=True, eq=False)
class _Trained(BaseMap):
    """A map whose weights stay in single precision, as they were trained."""

    weights: Mapping[str, NDArray[Any]]

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        return dict(sorted(self.weights.items()))

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        return cls({name: _in_single(array) for name, array in arrays.items()})

    def transform(self, vectors: Vectors) -> Array:
        values = np.asarray(vectors, dtype=np.float32)
        parts = [self._part(values[start : start + _ROWS]) for start in range(0, len(values), _ROWS)]
        return np.concatenate(parts or [values]).astype(np.float64)

    def _part(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        raise NotImplementedError


def _in_single(array: NDArray[Any]) -> NDArray[Any]:
    return array if np.issubdtype(array.dtype, np.integer) else array.astype(np.float32)


@dataclass(frozen=True, eq=False)
class FlowToLatent(_Trained):
    """x ↦ z: vectors of a language to latent ones (:func:`flow_to_latent`)."""

    kind = "flow-to-latent"

    def _part(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(flow_to_latent(values, self.weights, np)[0])

    def log_density(self, vectors: Vectors) -> Array:
        """Return log p (n,) of vectors of the language."""
        found = flow_to_latent(np.asarray(vectors, dtype=np.float32), self.weights, np)
        return np.asarray(latent_density(*found), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class FlowFromLatent(_Trained):
    """z ↦ x: latent vectors to those of a language, the inverse of :class:`FlowToLatent` with the same weights."""

    kind = "flow-from-latent"

    def _part(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(flow_from_latent(values, self.weights, np))


@dataclass(frozen=True, eq=False)
class TanhNetwork(_Trained):
    """x ↦ y: three fully connected layers with tanh (:func:`network_output`)."""

    kind = "network"

    def _part(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(network_output(values, self.weights, np))


TRAINED_KINDS: Mapping[str, type[StoredMap]] = {kind.kind: kind for kind in (FlowToLatent, FlowFromLatent, TanhNetwork)}
