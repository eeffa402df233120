"""Running a BERT-like checkpoint with onnxruntime, without torch."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.batching import available_cores
from monge.encoders.checkpoint import Checkpoint
from monge.encoders.onnx_graph import FloatArray, embedding_graph, layer_graph, relative_bias


class OnnxBackend:
    """Hidden states of a :class:`Checkpoint` in float32 on the processor.

    Every layer is a session of its own, created when first needed: asking for layer 4 neither loads nor computes
    layer 5. A session uses one thread; the cores work on different batches.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.layers = checkpoint.architecture.layers + 1
        self.dimension = checkpoint.architecture.hidden
        self.window: int | None = checkpoint.architecture.window
        self.workers = available_cores()
        self._sessions: list[_Session] = []
        self._graph = b""
        self._bias: FloatArray | None = None
        self._lock = threading.Lock()

    def hidden_states(
        self, ids: NDArray[np.int64], lengths: NDArray[np.int32], layers: Sequence[int]
    ) -> list[FloatArray]:
        """Return the hidden states *layers*, each (B, S, d), of right-padded *ids* (B, S)."""
        sessions = self._load(max(layers) + 1)
        inputs: dict[str, Any] = {"lengths": lengths}
        if self.checkpoint.architecture.relative_buckets:
            inputs["bias"] = self._relative(ids.shape[1])
        wanted = set(layers)
        state = sessions[0].run({"ids": ids})
        kept = {0: state} if 0 in wanted else {}
        for index, session in enumerate(sessions[1:], start=1):
            state = session.run(inputs | {"state": state})
            if index in wanted:
                kept[index] = state
        return [kept[layer] for layer in layers]

    def _load(self, count: int) -> list[_Session]:
        with self._lock:
            while len(self._sessions) < count:
                self._sessions.append(self._open(len(self._sessions)))
        return self._sessions[:count]

    def _open(self, index: int) -> _Session:
        architecture = self.checkpoint.architecture
        if index == 0:
            weights = self.checkpoint.embedding_weights()
            return _Session(embedding_graph(architecture, len(weights["words"])), weights)
        weights = self.checkpoint.layer_weights(index - 1)
        if not self._graph:
            self._graph = layer_graph(architecture, len(weights["expand"]))
        return _Session(self._graph, weights)

    def _relative(self, length: int) -> FloatArray:
        with self._lock:
            if self._bias is None:
                self._bias = relative_bias(self.checkpoint.relative_table(), self.checkpoint.architecture.window)
        return np.ascontiguousarray(self._bias[:, :, :length, :length])


class _Session:
    """A graph with its weights; the arrays stay referenced because the runtime does not own them."""

    def __init__(self, graph: bytes, weights: dict[str, FloatArray]) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
        options.add_external_initializers(list(weights), self._values)
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def run(self, inputs: dict[str, Any]) -> FloatArray:
        (hidden,) = self._session.run(None, inputs)
        return np.asarray(hidden, dtype=np.float32)
