"""One ONNX graph with its weights in onnxruntime, on the processor or on a GPU."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.onnx.graph import FloatArray, Graph
from monge.errors import ModelError, OptionError

_CUDA = "CUDAExecutionProvider"


def import_onnxruntime() -> Any:
    """Import onnxruntime with its telemetry off: scoring texts is nobody else's business."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


def offers_cuda() -> bool:
    """Whether the installed onnxruntime can compute on a GPU (the package onnxruntime-gpu)."""
    return _CUDA in import_onnxruntime().get_available_providers()


def split_device(device: str) -> tuple[str, int]:
    """Return the kind and the number of a device.

    >>> split_device("cuda:1"), split_device("cpu")
    (('cuda', 1), ('cpu', 0))
    """
    kind, colon, number = device.partition(":")
    if kind not in ("cpu", "cuda") or (colon and not number.isdecimal()):
        raise OptionError(f"device must be auto, cpu, mps, cuda or cuda:N, not {device!r}")
    return kind, int(number or 0)


def choose_providers(device: str) -> list[Any]:
    """Return what onnxruntime computes with on *device*, in the order in which it is tried.

    Raises OptionError for a GPU that the installed onnxruntime has no code for.
    """
    kind, number = split_device(device)
    if kind == "cpu":
        return ["CPUExecutionProvider"]
    if not offers_cuda():
        raise OptionError(f"device {device!r}: this onnxruntime has no CUDA; pip install onnxruntime-gpu")
    return [(_CUDA, {"device_id": number}), "CPUExecutionProvider"]


@functools.cache
def _share_memory() -> None:
    """Let all sessions take their scratch memory from one arena: one each would keep a batch's worth per layer."""
    onnxruntime = import_onnxruntime()

    cpu = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    onnxruntime.create_and_register_allocator(cpu, None)


class OnnxSession:
    """A graph with its weights; the arrays stay referenced because the runtime does not own them."""

    def __init__(self, graph: Graph, weights: Mapping[str, NDArray[Any]], *, device: str = "cpu") -> None:
        onnxruntime = import_onnxruntime()

        for name, shape in graph.weights.items():
            if weights[name].shape != shape:
                raise ModelError(f"the weight {name!r} has shape {weights[name].shape}; config.json implies {shape}")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._device = split_device(device)
        if self._device[0] == "cpu":
            _share_memory()
            options.add_session_config_entry("session.use_env_allocators", "1")
        # more would merge what the graph keeps apart for speed
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        self._values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
        options.add_external_initializers(list(weights), self._values)
        self._session = onnxruntime.InferenceSession(graph.model, options, providers=choose_providers(device))
        used = self._session.get_providers()
        if self._device[0] == "cuda" and _CUDA not in used:  # onnxruntime falls back without an error
            raise OptionError(f"device {device!r} is not available on this machine: onnxruntime offers {used[0]}")

    def run(self, inputs: dict[str, Any]) -> FloatArray:
        """Return the graph's result for *inputs*."""
        (hidden,) = self._session.run(None, inputs)
        return np.asarray(hidden, dtype=np.float32)

    def run_there(self, inputs: Mapping[str, Any]) -> Any:
        """Return the graph's result as a value on the session's device, for *inputs* that are there already."""
        binding = self._session.io_binding()
        for name, value in inputs.items():
            binding.bind_ortvalue_input(name, value)
        binding.bind_output("hidden", *self._device)
        self._session.run_with_iobinding(binding)
        return binding.get_outputs()[0]


def move_to(device: str, array: NDArray[Any]) -> Any:
    """Return *array* as a value on *device*; on the processor it is not copied."""
    return import_onnxruntime().OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array), *split_device(device))
