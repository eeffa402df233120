"""Hugging Face directories: configuration, weights by role, and which models need no torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from monge.encoders.onnx.graph import Architecture, FloatArray
from monge.encoders.tensors import TensorFiles
from monge.errors import ModelError


@dataclass(frozen=True)
class Naming:
    """Where a model type keeps its weights; ``{i}`` is the layer. Heads of fine-tuned models are ignored."""

    embeddings: Mapping[str, str]
    layer: Mapping[str, str]
    config: Mapping[str, str]
    epsilon: float | None = None  # when the configuration does not say
    padded_positions: bool = False  # positions start after the padding index
    padding: int | None = None  # when the configuration does not decide it


_BERT_EMBEDDINGS = {
    "words": "embeddings.word_embeddings.weight",
    "positions": "embeddings.position_embeddings.weight",
    "types": "embeddings.token_type_embeddings.weight",
    "norm": "embeddings.LayerNorm",
}
_BERT_LAYER = {
    "query": "encoder.layer.{i}.attention.self.query",
    "key": "encoder.layer.{i}.attention.self.key",
    "value": "encoder.layer.{i}.attention.self.value",
    "merge": "encoder.layer.{i}.attention.output.dense",
    "norm1": "encoder.layer.{i}.attention.output.LayerNorm",
    "expand": "encoder.layer.{i}.intermediate.dense",
    "contract": "encoder.layer.{i}.output.dense",
    "norm2": "encoder.layer.{i}.output.LayerNorm",
}
_BERT_CONFIG = {
    "layers": "num_hidden_layers",
    "hidden": "hidden_size",
    "heads": "num_attention_heads",
    "activation": "hidden_act",
}
_WITHOUT_TYPES = {role: name for role, name in _BERT_EMBEDDINGS.items() if role != "types"}

NAMINGS: dict[str, Naming] = {
    "bert": Naming(_BERT_EMBEDDINGS, _BERT_LAYER, _BERT_CONFIG),
    "roberta": Naming(_BERT_EMBEDDINGS, _BERT_LAYER, _BERT_CONFIG, padded_positions=True),
    "xlm-roberta": Naming(_BERT_EMBEDDINGS, _BERT_LAYER, _BERT_CONFIG, padded_positions=True),
    "camembert": Naming(_BERT_EMBEDDINGS, _BERT_LAYER, _BERT_CONFIG, padded_positions=True),
    "mpnet": Naming(
        {**_WITHOUT_TYPES, "relative": "encoder.relative_attention_bias.weight"},
        {
            **_BERT_LAYER,
            "query": "encoder.layer.{i}.attention.attn.q",
            "key": "encoder.layer.{i}.attention.attn.k",
            "value": "encoder.layer.{i}.attention.attn.v",
            "merge": "encoder.layer.{i}.attention.attn.o",
            "norm1": "encoder.layer.{i}.attention.LayerNorm",
        },
        _BERT_CONFIG,
        padded_positions=True,
        padding=1,
    ),
    "distilbert": Naming(
        _WITHOUT_TYPES,
        {
            "query": "transformer.layer.{i}.attention.q_lin",
            "key": "transformer.layer.{i}.attention.k_lin",
            "value": "transformer.layer.{i}.attention.v_lin",
            "merge": "transformer.layer.{i}.attention.out_lin",
            "norm1": "transformer.layer.{i}.sa_layer_norm",
            "expand": "transformer.layer.{i}.ffn.lin1",
            "contract": "transformer.layer.{i}.ffn.lin2",
            "norm2": "transformer.layer.{i}.output_layer_norm",
        },
        {"layers": "n_layers", "hidden": "dim", "heads": "n_heads", "activation": "activation"},
        epsilon=1e-12,
    ),
}

# what transformers takes for a field that a configuration leaves out or sets to null
_DEFAULTS: dict[str, Any] = {
    "num_hidden_layers": 12,
    "hidden_size": 768,
    "num_attention_heads": 12,
    "n_layers": 6,
    "dim": 768,
    "n_heads": 12,
    "max_position_embeddings": 512,
    "layer_norm_eps": 1e-12,
    "pad_token_id": 1,
    "relative_attention_num_buckets": 32,
}


def read_config(directory: Path) -> dict[str, Any]:
    """Return ``config.json`` of a Hugging Face directory."""
    path = directory / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{directory} is not a Hugging Face model directory: config.json is missing") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from None
    if not isinstance(config, dict) or "model_type" not in config:
        raise ModelError(f"{path} names no model_type")
    return config


def weight_files(directory: Path) -> list[Path]:
    """Return the safetensors files of a model, one or several shards."""
    files = sorted(directory.glob("model*.safetensors"))
    if not files:
        raise ModelError(f"{directory} holds no model.safetensors (pickled weights are not read)")
    return files


def tokenizer_files(directory: Path) -> list[Path]:
    """Return the files that decide how texts are cut: tokenizer.json or, where it is missing, all it is made from."""
    fast = directory / "tokenizer.json"
    if fast.is_file():
        return [fast]
    return sorted(path for suffix in ("json", "txt", "model") for path in directory.glob(f"*.{suffix}"))


def holds_pieces(directory: Path) -> bool:
    """Whether the tokenizer of a directory marks spaces, as SentencePiece models do."""
    fast = directory / "tokenizer.json"
    if fast.is_file():
        return b'"Metaspace"' in fast.read_bytes()
    return any(directory.glob("*.model"))


def config_files(directory: Path) -> list[Path]:
    """Return the configuration and, for weights in several files, the index that says which is where."""
    return [directory / "config.json", *sorted(directory.glob("*.index.json"))]


class WeightChange(Protocol):
    """What changes the matrices of a checkpoint (:class:`~monge.encoders.adapter.Adapter`)."""

    def merge(self, layer: int, role: str, weight: FloatArray) -> FloatArray:
        """Return the matrix *role* of a layer, changed."""
        ...


class Checkpoint:
    """A BERT-like model on disk, read weight by weight when a layer is needed; an adapter is merged meanwhile."""

    def __init__(self, directory: Path, config: dict[str, Any], adapter: WeightChange | None = None) -> None:
        self._adapter = adapter
        self.naming = NAMINGS[config["model_type"]]
        self.architecture = _architecture(config, self.naming)
        self._tensors = TensorFiles(weight_files(directory))
        words = self.naming.embeddings["words"]
        found = [name for name in self._tensors if name.endswith(words)]
        if len(found) != 1:
            raise ModelError(f"{directory}: no weight {words}")
        self._prefix = found[0].removesuffix(words)

    def read(self, name: str) -> FloatArray:
        """Return one weight as float32; old checkpoints call a norm's weight and bias gamma and beta."""
        old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        full = next((self._prefix + n for n in (name, old) if self._prefix + n in self._tensors), None)
        if full is None:
            raise ModelError(f"the checkpoint has no weight {self._prefix + name}")
        return self._tensors.read(full)

    def embedding_weights(self) -> dict[str, FloatArray]:
        """Return words, positions, scale and shift of the embeddings; the one token type is added to the positions."""
        names = self.naming.embeddings
        positions = self.read(names["positions"])[self.architecture.first_position :]
        if len(positions) < self.architecture.window:
            raise ModelError(
                f"the checkpoint has {len(positions)} positions; config.json implies {self.architecture.window}"
            )
        if "types" in names:
            positions = positions + self.read(names["types"])[0]
        return {"words": self.read(names["words"]), "positions": positions, **self._norm(names["norm"])}

    def layer_weights(self, index: int) -> dict[str, FloatArray]:
        """Return the weights of ``layer_graph`` for the layer *index* (from 0)."""
        names = {role: name.format(i=index) for role, name in self.naming.layer.items()}
        matrices = ("query", "key", "value", "merge", "expand", "contract")
        weights = {role: self.read(names[role] + ".weight") for role in matrices}
        if self._adapter is not None:
            weights = {role: self._adapter.merge(index, role, weight) for role, weight in weights.items()}
        weights |= {f"{role}.bias": self.read(names[role] + ".bias") for role in ("merge", "expand", "contract")}
        weights["attention.bias"] = np.concatenate(
            [self.read(names[role] + ".bias") for role in ("query", "key", "value")]
        )
        for role in ("norm1", "norm2"):
            weights |= {f"{role}.{part}": array for part, array in self._norm(names[role]).items()}
        return weights

    def relative_table(self) -> FloatArray:
        """Return MPNet's relative position table (buckets, heads)."""
        return self.read(self.naming.embeddings["relative"])

    def _norm(self, name: str) -> dict[str, FloatArray]:
        return {"scale": self.read(name + ".weight"), "shift": self.read(name + ".bias")}


def runs_without_torch(config: Mapping[str, Any]) -> bool:
    """Whether the built-in graphs compute exactly this model."""
    naming = NAMINGS.get(config["model_type"])
    return (
        naming is not None
        and (config.get(naming.config["activation"]) or "gelu") == "gelu"
        and (config.get("position_embedding_type") or "absolute") == "absolute"
        and not config.get("is_decoder", False)
        and not config.get("sinusoidal_pos_embds", False)
    )


def _architecture(config: Mapping[str, Any], naming: Naming) -> Architecture:
    known = _DEFAULTS | {field: value for field, value in config.items() if value is not None}
    padding = known["pad_token_id"] if naming.padding is None else naming.padding
    first = int(padding) + 1 if naming.padded_positions else 0
    return Architecture(
        layers=int(known[naming.config["layers"]]),
        hidden=int(known[naming.config["hidden"]]),
        heads=int(known[naming.config["heads"]]),
        window=int(known["max_position_embeddings"]) - first,
        first_position=first,
        epsilon=float(known["layer_norm_eps"] if naming.epsilon is None else naming.epsilon),
        relative_buckets=int(known["relative_attention_num_buckets"]) if "relative" in naming.embeddings else 0,
    )
