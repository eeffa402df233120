"""Running a BERT-like checkpoint with onnxruntime, without torch."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.batching import available_cores
from monge.encoders.checkpoint import Checkpoint
from monge.encoders.onnx.graph import FloatArray, Graph, layer_graph, relative_bias
from monge.errors import ModelError

ALGORITHM = 1  # raise it when the graph, its options or the embeddings change a vector


def _import_onnxruntime() -> Any:
    """Import onnxruntime with its telemetry off: scoring texts is nobody else's business."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


class OnnxBackend:
    """Hidden states of a :class:`Checkpoint` in float32 on the processor.

    Every layer is a session of its own, opened when first needed: asking for layer 4 neither loads nor computes
    layer 5. A session uses one thread; the cores work on different batches.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.layers = checkpoint.architecture.layers + 1
        self.dimension = checkpoint.architecture.hidden
        self.window: int | None = checkpoint.architecture.window
        self.budget = 512  # beyond it the activations leave the processor's caches: 2,048 takes a third longer
        self.workers = available_cores()
        self._embeddings = Embeddings(**checkpoint.embedding_weights(), epsilon=checkpoint.architecture.epsilon)
        self._sessions: list[OnnxSession] = []
        self._graph: Graph | None = None
        self._bias: FloatArray | None = None
        self._lock = threading.Lock()

    def hidden_states(
        self, ids: NDArray[np.int64], lengths: NDArray[np.int32], layers: Sequence[int]
    ) -> list[FloatArray]:
        """Return the hidden states *layers*, each (B, S, d), of right-padded *ids* (B, S)."""
        inputs: dict[str, Any] = {"lengths": lengths}
        if self.checkpoint.architecture.relative_buckets:
            inputs["bias"] = self._relative(ids.shape[1])
        state = self._embeddings(ids)
        kept = {0: state}
        for index, session in enumerate(self._open_sessions(max(layers)), start=1):
            state = session.run(inputs | {"state": state})
            if index in layers:
                kept[index] = state
        return [kept[layer] for layer in layers]

    def _open_sessions(self, count: int) -> list[OnnxSession]:
        with self._lock:
            while len(self._sessions) < count:
                weights = self.checkpoint.layer_weights(len(self._sessions))
                if self._graph is None:
                    self._graph = layer_graph(self.checkpoint.architecture, len(weights["expand"]))
                self._sessions.append(OnnxSession(self._graph, weights))
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


@functools.cache
def _share_memory() -> None:
    """Let all sessions take their scratch memory from one arena: one each would keep a batch's worth per layer."""
    onnxruntime = _import_onnxruntime()

    cpu = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    onnxruntime.create_and_register_allocator(cpu, None)


class OnnxSession:
    """A graph with its weights; the arrays stay referenced because the runtime does not own them."""

    def __init__(self, graph: Graph, weights: dict[str, FloatArray]) -> None:
        onnxruntime = _import_onnxruntime()

        for name, shape in graph.weights.items():
            if weights[name].shape != shape:
                raise ModelError(f"the weight {name!r} has shape {weights[name].shape}; config.json implies {shape}")
        _share_memory()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.use_env_allocators", "1")
        # more would merge what the graph keeps apart for speed
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        self._values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
        options.add_external_initializers(list(weights), self._values)
        self._session = onnxruntime.InferenceSession(graph.model, options, providers=["CPUExecutionProvider"])

    def run(self, inputs: dict[str, Any]) -> FloatArray:
        """Return the graph's result for *inputs*."""
        (hidden,) = self._session.run(None, inputs)
        return np.asarray(hidden, dtype=np.float32)
