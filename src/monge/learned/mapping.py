"""What is trained to carry vectors of one language to another: two flows, a network, or a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.fit import Maps
from monge.crosslingual.flows import (
    FlowFromLatent,
    FlowToLatent,
    TanhNetwork,
    flow_from_latent,
    flow_to_latent,
    latent_density,
    network_output,
)
from monge.crosslingual.maps import Chain, Linear
from monge.encoders.torch_backend import import_torch

Single = NDArray[np.float32]
Tensors = dict[str, Any]  # name: torch.Tensor
_LEAST_SCALE = 1e-4  # a dimension that does not vary is not blown up


class Model(Protocol):
    """A map f with tensors; ``forward`` carries source vectors to the target language."""

    tensors: Tensors

    def forward(self, source: Any) -> Any: ...

    def joint(self, source: Any, target: Any) -> tuple[Any, Any, Any]:
        """Return f(source), f⁻¹(target) (None without an inverse) and −log p of both per dimension (0 without)."""
        ...

    def constrain(self) -> None:
        """Bring the tensors back to where they belong after a step."""
        ...

    def maps(self) -> Maps:
        """Return the maps of source and target language, for numpy."""
        ...


@dataclass(frozen=True)
class FlowSize:
    """How many couplings a flow has, and how wide the networks in them are (0: twice the dimension, at most 256)."""

    couplings: int = 4
    width: int = 0

    def width_for(self, dimension: int) -> int:
        return self.width or max(32, min(256, 2 * dimension))


def new_flow(vectors: NDArray[np.floating], size: FlowSize, *, seed: int) -> dict[str, NDArray[Any]]:
    """Return the weights that a flow starts from: it standardises the language and is linear otherwise.

    Two flows of equal size and seed start with the same networks, so that one after the inverse of the other only
    replaces the means and variances of one language by those of the other.
    """
    generator = np.random.default_rng(seed)
    dimension = vectors.shape[1]
    kept, changed, width = dimension // 2, dimension - dimension // 2, size.width_for(dimension)
    weights: dict[str, NDArray[Any]] = {"order": _orders(dimension, size.couplings, generator)}
    scales = np.maximum(vectors.std(axis=0), _LEAST_SCALE * max(float(vectors.std()), _LEAST_SCALE))
    for k in range(size.couplings):
        weights |= {
            f"{k}.mean": vectors.mean(axis=0) if k == 0 else np.zeros(dimension),
            f"{k}.log_scale": -np.log(scales) if k == 0 else np.zeros(dimension),
            f"{k}.w0": generator.standard_normal((kept, width)) * np.sqrt(2 / kept),
            f"{k}.b0": np.zeros(width),
            f"{k}.w1": generator.standard_normal((width, width)) * np.sqrt(2 / width),
            f"{k}.b1": np.zeros(width),
            f"{k}.w2": np.zeros((width, 2 * changed)),
            f"{k}.b2": np.zeros(2 * changed),
            f"{k}.bound": np.ones(changed),
        }
    return {name: array if name == "order" else array.astype(np.float32) for name, array in weights.items()}


def _orders(dimension: int, couplings: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return the order of dimensions before every coupling: a random one, then its halves exchanged, and so on."""
    swapped = np.roll(np.arange(dimension), dimension // 2)
    drawn = [generator.permutation(dimension) for _ in range(couplings)]
    orders = [swapped if k % 2 or dimension == 2 else drawn[k] for k in range(couplings)]
    return np.array(orders, dtype=np.int64)


class FlowModel:
    """f = (target flow)⁻¹ ∘ (source flow): from one language through the shared latent space to the other."""

    def __init__(self, source: NDArray[np.floating], target: NDArray[np.floating], size: FlowSize, *, seed: int):
        self._torch, _ = import_torch()
        named = {f"source.{name}": array for name, array in new_flow(source, size, seed=seed).items()}
        named |= {f"target.{name}": array for name, array in new_flow(target, size, seed=seed).items()}
        self.tensors = as_tensors(named)

    def forward(self, source: Any) -> Any:
        latent, _ = flow_to_latent(source, self._part("source."), self._torch)
        return flow_from_latent(latent, self._part("target."), self._torch)

    def joint(self, source: Any, target: Any) -> tuple[Any, Any, Any]:
        left, right = self._part("source."), self._part("target.")
        latents = [flow_to_latent(source, left, self._torch), flow_to_latent(target, right, self._torch)]
        densities = sum(latent_density(*one).mean() for one in latents)
        mapped = flow_from_latent(latents[0][0], right, self._torch)
        returned = flow_from_latent(latents[1][0], left, self._torch)
        return mapped, returned, -densities / source.shape[1]

    def constrain(self) -> None:
        """Nothing: every flow is a bijection."""

    def maps(self) -> Maps:
        arrays = as_arrays(self.tensors)
        return Chain((FlowToLatent(_named("source.", arrays)), FlowFromLatent(_named("target.", arrays)))), Chain()

    def _part(self, prefix: str) -> Tensors:
        return _named(prefix, self.tensors)


class NetworkModel:
    """Three fully connected layers with tanh, which start near the identity of standardised vectors."""

    def __init__(self, source: NDArray[np.floating], target: NDArray[np.floating]):
        self._torch, _ = import_torch()
        named: dict[str, NDArray[Any]] = {}
        for side, vectors in (("source", source), ("target", target)):
            named[f"{side}_mean"] = vectors.mean(axis=0)
            named[f"{side}_scale"] = 3 * np.maximum(vectors.std(axis=0), _LEAST_SCALE)
        for layer in range(3):
            named[f"w{layer}"] = np.eye(source.shape[1])
            named[f"b{layer}"] = np.zeros(source.shape[1])
        self.tensors = as_tensors({name: array.astype(np.float32) for name, array in named.items()})
        for side in ("source", "target"):  # statistics, not weights
            self.tensors[f"{side}_mean"].requires_grad_(False)
            self.tensors[f"{side}_scale"].requires_grad_(False)

    def forward(self, source: Any) -> Any:
        return network_output(source, self.tensors, self._torch)

    def joint(self, source: Any, target: Any) -> tuple[Any, Any, Any]:
        return self.forward(source), None, self._torch.zeros(())

    def constrain(self) -> None:
        """Nothing."""

    def maps(self) -> Maps:
        return TanhNetwork(as_arrays(self.tensors)), Chain()


class LinearModel:
    """x ↦ x W, kept near orthogonal: W ← (1 + β) W − β W Wᵀ W after every step (Cisse et al. 2017)."""

    def __init__(self, dimension: int, *, beta: float = 0.001):
        self._torch, _ = import_torch()
        self.beta = beta
        self.tensors = as_tensors({"matrix": np.eye(dimension, dtype=np.float32)})

    def forward(self, source: Any) -> Any:
        return source @ self.tensors["matrix"]

    def joint(self, source: Any, target: Any) -> tuple[Any, Any, Any]:
        return self.forward(source), target @ self.tensors["matrix"].T, self._torch.zeros(())

    def constrain(self) -> None:
        with self._torch.no_grad():
            matrix = self.tensors["matrix"]
            matrix.copy_((1 + self.beta) * matrix - self.beta * matrix @ (matrix.T @ matrix))

    def maps(self) -> Maps:
        return Linear(as_arrays(self.tensors)["matrix"].astype(np.float64)), Chain()


def as_tensors(arrays: Mapping[str, NDArray[Any]]) -> Tensors:
    """Return tensors with gradients (those of whole numbers without)."""
    torch, _ = import_torch()
    tensors = {name: torch.from_numpy(np.ascontiguousarray(array)).clone() for name, array in arrays.items()}
    return {name: tensor.requires_grad_(tensor.is_floating_point()) for name, tensor in tensors.items()}


def as_arrays(tensors: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return copies of tensors for numpy."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in tensors.items()}


def _named(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
