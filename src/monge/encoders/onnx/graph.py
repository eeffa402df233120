"""The ONNX graph of BERT-like encoders, built in memory from a Hugging Face configuration.

The graph is that of one layer; each layer's weights are handed to the runtime as external initializers. So a model
is never converted, stored or copied into a protobuf, and only the layers that are asked for are loaded and computed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from monge.errors import ModelError

FloatArray = NDArray[np.float32]
Shape: TypeAlias = tuple[int, ...]

MICROSOFT = "com.microsoft"  # onnxruntime's own fused operators
OPSET = 18
IR_VERSION = 9
MATRICES = ("query", "key", "value", "merge", "expand", "contract")  # of a layer: what is multiplied with its states


@dataclass(frozen=True)
class Typed:
    """A weight that is not float32: the ONNX name of its type, and its shape."""

    kind: str
    shape: Shape


Weight: TypeAlias = Shape | Typed


@dataclass(frozen=True)
class Architecture:
    """The shape of a post-norm transformer encoder (BERT, RoBERTa, DistilBERT, MPNet)."""

    layers: int
    hidden: int
    heads: int
    window: int
    first_position: int
    epsilon: float
    relative_buckets: int = 0

    def __post_init__(self) -> None:
        if self.hidden % self.heads:
            raise ModelError(f"hidden size {self.hidden} is not a multiple of {self.heads} attention heads")


def relative_bucket(distance: NDArray[np.int64], *, buckets: int, furthest: int = 128) -> NDArray[np.int64]:
    """Return the bucket of each key-minus-query *distance*, as MPNet and T5 number them.

    Half of the buckets are for each direction; in each half the near distances have a bucket of their own and
    the rest share buckets that grow logarithmically up to *furthest* (Raffel et al. 2020, section 2.1).

    >>> relative_bucket(np.array([0, -1, 1, -7, 8, 400]), buckets=32)
    array([ 0,  1, 17,  7, 24, 31])
    """
    half = buckets // 2
    near = half // 2
    away = np.abs(distance)
    with np.errstate(divide="ignore"):
        ratio = np.log(away.astype(np.float32) / np.float32(near)) / np.float32(math.log(furthest / near))
    far = near + np.where(away < near, 0.0, ratio * (half - near)).astype(np.int64)
    return np.where(distance > 0, half, 0) + np.where(away < near, away, np.minimum(far, half - 1))


def relative_bias(table: FloatArray, window: int) -> FloatArray:
    """Return the attention bias (1, heads, window, window) from MPNet's *table* (buckets, heads)."""
    positions = np.arange(window)
    bucket = relative_bucket(positions[None, :] - positions[:, None], buckets=table.shape[0])
    return np.ascontiguousarray(table[bucket].transpose(2, 0, 1)[None], dtype=np.float32)


@dataclass(frozen=True)
class Graph:
    """A serialised ONNX model and the shapes of the weights it must be given."""

    model: bytes
    weights: Mapping[str, Shape]


class Products(Protocol):
    """How the products with a layer's matrices are computed."""

    def declare(self, matrices: Mapping[str, Shape]) -> dict[str, Weight]:
        """Return the weights that stand for *matrices*, which have the checkpoint's (out, in) shape."""
        ...

    def multiply(self, state: str, matrices: Mapping[str, str]) -> list[Any]:
        """Return the operators for ``state · matrixᵀ``, for each of *matrices* with the name of its result."""
        ...


class FloatProducts:
    """Products in float32, of the checkpoint's own matrices."""

    def declare(self, matrices: Mapping[str, Shape]) -> dict[str, Weight]:
        """Return *matrices* as they are."""
        return dict(matrices)

    def multiply(self, state: str, matrices: Mapping[str, str]) -> list[Any]:
        """Return one operator per matrix."""
        return [linear(state, matrix, result) for matrix, result in matrices.items()]


def layer_graph(architecture: Architecture, inner: int, products: Products | None = None) -> Graph:
    """Return the model ``state (B, S, d), lengths (B,) → hidden (B, S, d)`` of one post-norm layer.

    ``y = norm(x + attention(x)); norm(y + W₂ gelu(W₁ y))`` with the exact (erf) GELU; keys at or beyond a text's
    length are masked. *products* (None: :class:`FloatProducts`) says how it is multiplied.
    """
    hidden = architecture.hidden
    products = products or FloatProducts()
    square: Shape = (hidden, hidden)
    matrices = dict.fromkeys(("query", "key", "value", "merge"), square)
    weights = products.declare({**matrices, "expand": (inner, hidden), "contract": (hidden, inner)})
    weights |= {"attention.bias": (3 * hidden,), "expand.bias": (inner,)}
    for name in ("merge.bias", "contract.bias", "norm1.scale", "norm1.shift", "norm2.scale", "norm2.shift"):
        weights[name] = (hidden,)
    attention = ["q", "k", "v", "attention.bias", "lengths"]
    inputs: dict[str, tuple[str, list[str | int]]] = {
        "state": ("FLOAT", ["B", "S", hidden]),
        "lengths": ("INT32", ["B"]),
    }
    if architecture.relative_buckets:
        attention.append("bias")
        inputs["bias"] = ("FLOAT", [1, architecture.heads, "S", "S"])
    nodes = [
        *products.multiply("state", {"query": "q", "key": "k", "value": "v"}),
        fused("MultiHeadAttention", attention, "attended", num_heads=architecture.heads),
        *products.multiply("attended", {"merge": "merged"}),
        *_add_and_norm("merged", "merge.bias", "state", "norm1", "middle", epsilon=architecture.epsilon),
        *products.multiply("middle", {"expand": "expanded"}),
        fused("BiasGelu", ["expanded", "expand.bias"], "activated"),
        *products.multiply("activated", {"contract": "contracted"}),
        *_add_and_norm("contracted", "contract.bias", "middle", "norm2", "hidden", epsilon=architecture.epsilon),
    ]
    return make_graph(nodes, weights, inputs, ["B", "S", hidden])


def make_node(operator: str, inputs: list[str], output: str, **attributes: Any) -> Any:
    """Return one ONNX operator."""
    from onnx import helper

    return helper.make_node(operator, inputs, [output], **attributes)


def fused(operator: str, inputs: list[str], output: str, **attributes: Any) -> Any:
    """Return one of onnxruntime's own operators."""
    return make_node(operator, inputs, output, domain=MICROSOFT, **attributes)


def linear(state: str, weight: str, output: str) -> Any:
    """Return ``state · weightᵀ``, the weight in the checkpoint's (out, in) shape."""
    return fused("FusedMatMul", [state, weight], output, transB=1)


def _add_and_norm(new: str, bias: str, old: str, norm: str, output: str, *, epsilon: float) -> list[Any]:
    """``norm(new + bias + old)`` in plain operators: the fused SkipLayerNormalization takes four times as long."""
    return [
        make_node("Add", [new, bias], f"{output}.biased"),
        make_node("Add", [f"{output}.biased", old], f"{output}.sum"),
        make_node("LayerNormalization", [f"{output}.sum", f"{norm}.scale", f"{norm}.shift"], output, epsilon=epsilon),
    ]


def make_graph(
    nodes: list[Any],
    weights: Mapping[str, Weight],
    inputs: dict[str, tuple[str, list[str | int]]],
    output: list[str | int],
) -> Graph:
    """Return the model of *nodes*, whose result is called ``hidden`` and has the shape *output*."""
    from onnx import TensorProto, helper

    declared = {name: one if isinstance(one, Typed) else Typed("FLOAT", one) for name, one in weights.items()}
    initializers = [_external(name, one) for name, one in declared.items()]
    values = [
        helper.make_tensor_value_info(name, TensorProto.DataType.Value(kind), shape)
        for name, (kind, shape) in inputs.items()
    ]
    hidden = helper.make_tensor_value_info("hidden", TensorProto.FLOAT, output)
    graph = helper.make_graph(nodes, "encoder", values, [hidden], initializers)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    return Graph(model.SerializeToString(), {name: one.shape for name, one in declared.items()})


def _external(name: str, weight: Typed) -> Any:
    """Declare a weight whose data the session is given from memory."""
    from onnx import TensorProto

    kind = TensorProto.DataType.Value(weight.kind)
    tensor = TensorProto(name=name, data_type=kind, dims=weight.shape, data_location=TensorProto.EXTERNAL)
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "memory"
    return tensor
