"""Layers whose matrix products are computed in whole numbers of eight bits, about twice as fast as in float32.

A matrix has one scale per output, a state one per token: token x becomes ``q = round(x / s)``, ``s = max|x| / 127``,
and ``x · w`` becomes ``s · s_w · (q · q_w)``, whose product of whole numbers is exact. A scale of the whole batch, as
in onnxruntime's own dynamic quantisation, would make the vectors of a text depend on the texts beside it. The input of
the last product, GELU, is never less than −0.17; it is moved up by that and gets all 256 values. Embeddings,
attention, norms and biases stay in float32.

Jacob et al. (2018), Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, CVPR;
scales by token: Yao et al. (2022), ZeroQuant, NeurIPS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.onnx.graph import MATRICES, FloatArray, Shape, Typed, Weight, fused, make_graph, make_node
from monge.encoders.onnx.session import OnnxSession
from monge.errors import ModelError

ALGORITHM = 1  # raise it when quantisation changes a vector

_POSITIVE = {"activated": 0.17}  # states that are never less than minus this: GELU has its minimum at −0.16997
_LARGEST = 127  # of a weight
_LEAST = 1e-30  # what is smaller is 0
_MIDDLE = 128  # what stands for 0 where a type has no sign


@dataclass(frozen=True)
class Int8Products:
    """Products of quantised states and matrices; ``signed`` says in which type the matrices are stored.

    The whole numbers are the same either way. Processors without VNNI multiply unsigned states with signed weights in
    16 bits, which overflow; with unsigned weights they do not.
    """

    signed: bool

    @property
    def kind(self) -> str:
        """The ONNX name of the weights' type."""
        return "INT8" if self.signed else "UINT8"

    def declare(self, matrices: Mapping[str, Shape]) -> dict[str, Weight]:
        """Return the transposed matrices, with the scales of their outputs."""
        declared: dict[str, Weight] = {}
        for name, (outputs, inputs) in matrices.items():
            declared |= {name: Typed(self.kind, (inputs, outputs)), f"{name}.scale": (outputs,)}
        return declared

    def multiply(self, state: str, matrices: Mapping[str, str]) -> list[Any]:
        """Return the operators that quantise a state once, and multiply it by each matrix."""
        middle = 0 if state in _POSITIVE else _MIDDLE
        weight_middle = np.int8(0) if self.signed else np.uint8(_MIDDLE)
        nodes = [
            _constant(f"{state}.one", np.float32(1)),
            _constant(f"{state}.middle", np.uint8(middle)),
            _constant(f"{state}.weight_middle", weight_middle),
            *_scale_tokens(state),
            make_node("Div", [_moved(state), f"{state}.scale"], f"{state}.scaled"),
            make_node("QuantizeLinear", [f"{state}.scaled", f"{state}.one", f"{state}.middle"], f"{state}.whole"),
        ]
        for matrix, result in matrices.items():
            factors = [f"{state}.whole", matrix, f"{state}.one", f"{matrix}.scale"]
            middles = [f"{state}.middle", f"{state}.weight_middle"]
            nodes.append(fused("MatMulIntegerToFloat", factors + middles, f"{result}.unscaled"))
            nodes.append(make_node("Mul", [f"{result}.unscaled", f"{state}.scale"], result))
        return nodes

    def quantise(self, weights: Mapping[str, FloatArray]) -> dict[str, NDArray[Any]]:
        """Return the weights of a layer as the graph takes them, from those of the checkpoint."""
        made: dict[str, NDArray[Any]] = {name: array for name, array in weights.items() if name not in MATRICES}
        for name in MATRICES:
            whole, scale = quantise_matrix(weights[name])
            stored = whole if self.signed else (whole.astype(np.int16) + _MIDDLE).astype(np.uint8)
            made |= {name: np.ascontiguousarray(stored.T), f"{name}.scale": scale}
            if name == "contract":  # takes back by how much its input is moved up
                moved = _POSITIVE["activated"] * whole.sum(axis=1, dtype=np.float64) * scale
                made["contract.bias"] = (weights["contract.bias"] - moved).astype(np.float32)
        return made


def quantise_matrix(matrix: FloatArray) -> tuple[NDArray[np.int8], FloatArray]:
    """Return whole numbers (out, in) and scales (out,) with ``scales[:, None] * whole ≈ matrix``.

    An element is wrong by half a scale at most, which is 1/254 of the largest in its row.

    >>> whole, scales = quantise_matrix(np.array([[0.5, -1.0, 0.25]], dtype=np.float32))
    >>> whole.tolist(), round(float(scales[0]), 5)
    ([[64, -127, 32]], 0.00787)
    """
    largest = np.abs(matrix).max(axis=1)
    scales = np.where(largest > _LEAST, largest / np.float32(_LARGEST), 1).astype(np.float32)
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales


def _scale_tokens(state: str) -> list[Any]:
    """Return the operators that find the scale of every token."""
    nodes = [_constant(f"{state}.axis", np.array([-1])), _constant(f"{state}.least", np.float32(_LEAST))]
    if state in _POSITIVE:
        nodes += [
            _constant(f"{state}.lowest", np.float32(_POSITIVE[state])),
            _constant(f"{state}.share", np.float32(1 / (2 * _LARGEST + 1))),
            make_node("Add", [state, f"{state}.lowest"], _moved(state)),
            make_node("ReduceMax", [_moved(state), f"{state}.axis"], f"{state}.highest", keepdims=1),
        ]
        extremes = [f"{state}.highest"]
    else:
        nodes += [
            _constant(f"{state}.share", np.float32(1 / _LARGEST)),
            make_node("ReduceMax", [state, f"{state}.axis"], f"{state}.highest", keepdims=1),
            make_node("ReduceMin", [state, f"{state}.axis"], f"{state}.lowest", keepdims=1),
            make_node("Neg", [f"{state}.lowest"], f"{state}.deepest"),
        ]
        extremes = [f"{state}.highest", f"{state}.deepest"]
    return [
        *nodes,
        make_node("Max", [*extremes, f"{state}.least"], f"{state}.extreme"),
        make_node("Mul", [f"{state}.extreme", f"{state}.share"], f"{state}.scale"),
    ]


def _moved(state: str) -> str:
    return f"{state}.moved" if state in _POSITIVE else state


def _constant(name: str, value: Any) -> Any:
    from onnx import numpy_helper

    return make_node("Constant", [], name, value=numpy_helper.from_array(np.asarray(value), name))


@cache
def choose_products() -> Int8Products:
    """Return the products that this processor computes exactly, the faster ones if it can.

    Raises ModelError if it computes neither exactly.
    """
    for products in (Int8Products(signed=True), Int8Products(signed=False)):
        if computes_exactly(products):
            return products
    raise ModelError("dtype=int8: onnxruntime does not multiply whole numbers of eight bits exactly on this processor")


def computes_exactly(products: Int8Products) -> bool:
    """Whether the largest numbers are multiplied without overflow."""
    size = 64
    declared = products.declare({"expand": (size, size)})
    nodes = [*products.multiply("state", {"expand": "product"}), make_node("Identity", ["product"], "hidden")]
    graph = make_graph(nodes, declared, {"state": ("FLOAT", ["B", "S", size])}, ["B", "S", size])
    whole, scale = quantise_matrix(np.ones((size, size), dtype=np.float32))
    stored = whole if products.signed else (whole.astype(np.int16) + _MIDDLE).astype(np.uint8)
    session = OnnxSession(graph, {"expand": np.ascontiguousarray(stored.T), "expand.scale": scale})
    found = session.run({"state": np.ones((1, size, size), dtype=np.float32)})
    return bool(np.allclose(found, size, rtol=1e-5))
