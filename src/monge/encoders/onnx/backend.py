"""Running a BERT-like checkpoint with onnxruntime, without torch."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.batching import available_cores
from monge.encoders.checkpoint import Checkpoint
from monge.encoders.onnx.graph import FloatArray, FloatProducts, Graph, layer_graph, relative_bias
from monge.encoders.onnx.int8 import Int8Products, choose_products
from monge.encoders.onnx.session import OnnxSession, move_to

ALGORITHM = 1  # raise it when the graph, its options or the embeddings change a vector


class OnnxBackend:
    """Hidden states of a :class:`Checkpoint`, on the processor or a GPU (onnxruntime-gpu).

    *dtype* is that of the matrix products: float32, or int8 (:mod:`~monge.encoders.onnx.int8`). Every layer is a
    session of its own, opened when first needed: asking for layer 4 neither loads nor computes layer 5. A session uses
    one thread; the cores work on different batches.
    """

    def __init__(self, checkpoint: Checkpoint, *, device: str = "cpu", dtype: str = "float32") -> None:
        self.checkpoint = checkpoint
        self._device = device
        self._products = choose_products() if dtype == "int8" else FloatProducts()
        self.layers = checkpoint.architecture.layers + 1
        self.dimension = checkpoint.architecture.hidden
        self.window: int | None = checkpoint.architecture.window
        on_processor = device == "cpu"
        # beyond it the activations leave the processor's caches: 2,048 takes a third longer
        self.budget = 512 if on_processor else 16384
        self.workers = available_cores() if on_processor else 1
        self._embeddings = Embeddings(**checkpoint.embedding_weights(), epsilon=checkpoint.architecture.epsilon)
        self._sessions: list[OnnxSession] = []
        self._graph: Graph | None = None
        self._bias: FloatArray | None = None
        self._lock = threading.Lock()

    def hidden_states(
        self, ids: NDArray[np.int64], lengths: NDArray[np.int32], layers: Sequence[int]
    ) -> list[FloatArray]:
        """Return the hidden states *layers*, each (B, S, d), of right-padded *ids* (B, S)."""
        sessions = self._open_sessions(max(layers))
        arrays: dict[str, NDArray[Any]] = {"state": self._embeddings(ids), "lengths": lengths}
        if self.checkpoint.architecture.relative_buckets:
            arrays["bias"] = self._relative(ids.shape[1])
        kept = {0: arrays["state"]}
        inputs = {name: move_to(self._device, array) for name, array in arrays.items()}
        for index, session in enumerate(sessions, start=1):
            inputs["state"] = session.run_there(inputs)
            if index in layers:
                kept[index] = inputs["state"].numpy()
        return [kept[layer] for layer in layers]

    def _open_sessions(self, count: int) -> list[OnnxSession]:
        with self._lock:
            while len(self._sessions) < count:
                weights = self.checkpoint.layer_weights(len(self._sessions))
                if self._graph is None:
                    self._graph = layer_graph(self.checkpoint.architecture, len(weights["expand"]), self._products)
                stored = self._products.quantise(weights) if isinstance(self._products, Int8Products) else weights
                self._sessions.append(OnnxSession(self._graph, stored, device=self._device))
            return self._sessions[:count]

    def _relative(self, length: int) -> FloatArray:
        with self._lock:
            if self._bias is None:
                self._bias = relative_bias(self.checkpoint.relative_table(), self.checkpoint.architecture.window)
        return np.ascontiguousarray(self._bias[:, :, :length, :length])


@dataclass(frozen=True)
class Embeddings:
    """Hidden state 0: ``norm(word + position)``. In numpy, so that only the rows in use are read from disk."""

    words: FloatArray
    positions: FloatArray
    scale: FloatArray
    shift: FloatArray
    epsilon: float

    def __call__(self, ids: NDArray[np.int64]) -> FloatArray:
        state = self.words[ids]
        state += self.positions[: ids.shape[1]]
        state -= state.mean(axis=-1, keepdims=True)
        variance = np.einsum("bsd,bsd->bs", state, state)[..., None] / np.float32(state.shape[-1])
        state *= 1 / np.sqrt(variance + np.float32(self.epsilon))
        state *= self.scale
        state += self.shift
        return np.asarray(state)
