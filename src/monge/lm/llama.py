"""The ONNX graph of Llama-like language models, built in memory from the metadata of a GGUF file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.onnx.graph import Graph, fused, linear, make_graph, make_node
from monge.errors import ModelError
from monge.lm.gguf import GgufFile

FloatArray = NDArray[np.float32]


@dataclass(frozen=True)
class LlamaShape:
    """The shape of a pre-norm decoder with rotary positions and grouped keys and values."""

    layers: int
    hidden: int
    inner: int
    heads: int
    groups: int  # of keys and values
    window: int
    vocabulary: int
    epsilon: float
    base: float  # of the rotary frequencies

    def __post_init__(self) -> None:
        if self.hidden % self.heads or self.heads % self.groups:
            raise ModelError(f"{self.heads} heads fit neither {self.hidden} dimensions nor {self.groups} groups")

    @classmethod
    def of(cls, file: GgufFile) -> LlamaShape:
        """Read the shape from a file; raises ModelError for another architecture than ``llama``."""
        kind = file.get("general.architecture")
        if kind != "llama":
            raise ModelError(f"{file.path} holds a model of the kind {kind!r}; only llama is run without torch")
        heads = int(file.get("llama.attention.head_count"))
        hidden = int(file.get("llama.embedding_length"))
        turned = int(file.metadata.get("llama.rope.dimension_count", hidden // heads))
        if turned != hidden // heads or any(key.startswith("llama.rope.scaling") for key in file.metadata):
            raise ModelError(f"{file.path}: partial or scaled rotary positions are not run without torch")
        return cls(
            layers=int(file.get("llama.block_count")),
            hidden=hidden,
            inner=int(file.get("llama.feed_forward_length")),
            heads=heads,
            groups=int(file.metadata.get("llama.attention.head_count_kv", heads)),
            window=int(file.get("llama.context_length")),
            vocabulary=len(file.get("tokenizer.ggml.tokens")),
            epsilon=float(file.get("llama.attention.layer_norm_rms_epsilon")),
            base=float(file.metadata.get("llama.rope.freq_base", 10000.0)),
        )

    @property
    def size(self) -> int:
        """The dimensions of one head."""
        return self.hidden // self.heads


def rotary_tables(shape: LlamaShape, length: int) -> tuple[FloatArray, FloatArray]:
    """Return cos and sin (length, size / 2) of position × base^(−2i/size), computed in double precision."""
    rates = shape.base ** (-np.arange(0, shape.size, 2, dtype=np.float64) / shape.size)
    angles = np.outer(np.arange(length), rates)
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def decoder_graph(shape: LlamaShape) -> Graph:
    """Return the model ``state (B, S, d), positions (B, S), cos, sin → hidden (B, S, d)`` of one layer.

    ``y = x + attention(norm(x)); y + W_down (silu(W_gate n) * W_up n)`` with ``n = norm(y)``, where norm(x) =
    x / √(mean x² + ε) · w. A token sees itself and the tokens before it, so padding on the right changes nothing.
    Neighbouring dimensions are rotated together, as GGUF files store them.
    """
    narrow = shape.groups * shape.size
    weights: dict[str, tuple[int, ...]] = {
        "attn_norm": (shape.hidden,),
        "attn_q": (shape.hidden, shape.hidden),
        "attn_k": (narrow, shape.hidden),
        "attn_v": (narrow, shape.hidden),
        "attn_output": (shape.hidden, shape.hidden),
        "ffn_norm": (shape.hidden,),
        "ffn_gate": (shape.inner, shape.hidden),
        "ffn_up": (shape.inner, shape.hidden),
        "ffn_down": (shape.hidden, shape.inner),
    }
    half = shape.size // 2
    inputs: dict[str, tuple[str, list[str | int]]] = {
        "state": ("FLOAT", ["B", "S", shape.hidden]),
        "positions": ("INT64", ["B", "S"]),
        "cos": ("FLOAT", ["P", half]),
        "sin": ("FLOAT", ["P", half]),
    }
    nodes = [
        _norm("state", "attn_norm", "normed", shape.epsilon),
        *(linear("normed", f"attn_{role}", role) for role in "qkv"),
        _rotate("q", shape.heads),
        _rotate("k", shape.groups),
        *_spread("k.turned", shape),
        *_spread("v", shape),
        fused(
            "MultiHeadAttention",
            ["q.turned", "k.turned.spread", "v.spread"],
            "attended",
            num_heads=shape.heads,
            unidirectional=1,
        ),
        linear("attended", "attn_output", "merged"),
        make_node("Add", ["state", "merged"], "middle"),
        _norm("middle", "ffn_norm", "normed2", shape.epsilon),
        linear("normed2", "ffn_gate", "gate"),
        linear("normed2", "ffn_up", "up"),
        fused("QuickGelu", ["gate"], "open", alpha=1.0),  # x · sigmoid(x)
        make_node("Mul", ["open", "up"], "inner"),
        linear("inner", "ffn_down", "lowered"),
        make_node("Add", ["middle", "lowered"], "hidden"),
    ]
    return make_graph(nodes, weights, inputs, ["B", "S", shape.hidden])


def head_graph(shape: LlamaShape) -> Graph:
    """Return the model ``state (N, d) → hidden (N, vocabulary)`` of the last norm and the unnormalised logits."""
    weights = {"output_norm": (shape.hidden,), "output": (shape.vocabulary, shape.hidden)}
    nodes = [
        _norm("state", "output_norm", "normed", shape.epsilon),
        linear("normed", "output", "hidden"),
    ]
    inputs: dict[str, tuple[str, list[str | int]]] = {"state": ("FLOAT", ["N", shape.hidden])}
    return make_graph(nodes, weights, inputs, ["N", shape.vocabulary])


def _norm(state: str, weight: str, output: str, epsilon: float) -> Any:
    return make_node("SimplifiedLayerNormalization", [state, weight], output, epsilon=epsilon, axis=-1, stash_type=1)


def _rotate(name: str, heads: int) -> Any:
    return fused("RotaryEmbedding", [name, "positions", "cos", "sin"], f"{name}.turned", interleaved=1, num_heads=heads)


def _spread(name: str, shape: LlamaShape) -> list[Any]:
    """Repeat every group of keys or values for the heads that share it."""
    repeats = shape.heads // shape.groups
    grouped, tall = [0, 0, shape.groups, 1, shape.size], [1, 1, 1, repeats, 1]
    flat = [0, 0, shape.hidden]
    return [
        _constant(f"{name}.grouped.shape", grouped),
        _constant(f"{name}.tall.shape", tall),
        _constant(f"{name}.flat.shape", flat),
        make_node("Reshape", [name, f"{name}.grouped.shape"], f"{name}.grouped"),
        make_node("Tile", [f"{name}.grouped", f"{name}.tall.shape"], f"{name}.tall"),
        make_node("Reshape", [f"{name}.tall", f"{name}.flat.shape"], f"{name}.spread"),
    ]


def _constant(name: str, values: list[int]) -> Any:
    return make_node("Constant", [], name, value_ints=values)
