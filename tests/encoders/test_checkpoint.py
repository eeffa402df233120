"""Configurations that leave things out, against the same weights with a full one. Made by hand; no torch."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from monge.encoders.checkpoint import NAMINGS, Checkpoint, read_config
from monge.encoders.plan import plan_transformer
from monge.encoders.transformer import load_transformer
from monge.errors import ModelError

HIDDEN, INNER, HEADS, WINDOW, LAYERS = 24, 40, 12, 510, 2
FULL = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "max_position_embeddings": WINDOW + 2,
    "layer_norm_eps": 1e-12,
    "pad_token_id": 1,
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
}
TEXTS = ["a b c", "", "c c a " * 60]


def write_model(folder: Path, kind: str, config: dict[str, object]) -> Path:
    """A directory as transformers writes it, with random weights that depend on *kind* alone."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    naming = NAMINGS[kind]
    shapes = {"words": (8, HIDDEN), "positions": (WINDOW + 2, HIDDEN), "types": (2, HIDDEN), "relative": (32, HEADS)}
    tensors = {name: shapes[role] for role, name in naming.embeddings.items() if role != "norm"}
    norms = [naming.embeddings["norm"]]
    for i in range(LAYERS):
        for role, name in naming.layer.items():
            name = name.format(i=i)
            if role.startswith("norm"):
                norms.append(name)
                continue
            outer, inner = (INNER if role == "expand" else HIDDEN), (INNER if role == "contract" else HIDDEN)
            tensors |= {f"{name}.weight": (outer, inner), f"{name}.bias": (outer,)}
    tensors |= {f"{name}.{part}": (HIDDEN,) for name in norms for part in ("weight", "bias")}
    weights = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in tensors.items()}
    save_file(weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"model_type": kind, **config}))
    tokenizer = Tokenizer(models.WordLevel({"<s>": 0, "<pad>": 1, "</s>": 2, "?": 3, "a": 4, "b": 5, "c": 6}, "?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def states(folder: Path) -> list[np.ndarray]:
    return [encoded.vectors for encoded in load_transformer(plan_transformer(folder)).encode(TEXTS)]


@pytest.mark.parametrize("kind", ["mpnet", "roberta", "bert"])
@pytest.mark.parametrize("how", ["left out", "null"])
def test_what_a_configuration_leaves_out_is_as_in_transformers(tmp_path: Path, kind: str, how: str) -> None:
    needed = {name: FULL[name] for name in ("hidden_size", "num_hidden_layers")}
    bare = needed if how == "left out" else FULL | dict.fromkeys(FULL.keys() - needed.keys())
    full = FULL | ({"relative_attention_num_buckets": 32} if kind == "mpnet" else {})
    ours = states(write_model(tmp_path / "bare", kind, bare))
    for got, want in zip(ours, states(write_model(tmp_path / "full", kind, full)), strict=True):
        np.testing.assert_array_equal(got, want)


def test_mpnet_counts_from_2_whatever_its_padding(tmp_path: Path) -> None:
    # modeling_mpnet.MPNetEmbeddings: self.padding_idx = 1
    folder = write_model(tmp_path / "m", "mpnet", FULL | {"pad_token_id": 0})
    assert Checkpoint(folder, read_config(folder)).architecture.first_position == 2
    folder = write_model(tmp_path / "r", "roberta", FULL | {"pad_token_id": 0})
    assert Checkpoint(folder, read_config(folder)).architecture.first_position == 1


def test_the_bias_of_relative_places_counts(tmp_path: Path) -> None:
    """So that leaving the buckets out cannot pass by leaving the bias out."""
    folder = write_model(tmp_path / "m", "mpnet", FULL)
    before = states(folder)[0]
    checkpoint = Checkpoint(folder, read_config(folder))
    assert checkpoint.architecture.relative_buckets == 32
    weights = {name: checkpoint.read(name) for name in checkpoint._tensors}
    weights["encoder.relative_attention_bias.weight"] = np.zeros((32, HEADS), np.float32)
    save_file(weights, folder / "model.safetensors")
    assert np.abs(states(folder)[0] - before).max() > 1e-3


def test_positions_that_are_missing_are_reported(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m", "bert", FULL | {"max_position_embeddings": 600})
    with pytest.raises(ModelError, match=r"512 positions; config\.json implies 600"):
        load_transformer(plan_transformer(folder))
