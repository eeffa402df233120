"""Adapters without torch: what they add to the weights, what they refuse, and those that come with monge."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from monge.encoders import load_encoder
from monge.encoders.adapter import SHIPPED, Adapter
from monge.encoders.checkpoint import NAMINGS
from monge.environment import Environment
from monge.errors import InputError, ModelError
from monge.storage.artifact import Artifact
from monge.storage.digests import hash_files

HIDDEN, INNER, LAYERS, RANK = 12, 20, 2, 3


@pytest.fixture
def environment(tmp_path):
    return Environment.read({"MONGE_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path), "MONGE_OFFLINE": "1"})


@pytest.fixture
def base(tmp_path):
    """A BERT with random weights."""
    folder, rng, naming = tmp_path / "base", np.random.default_rng(0), NAMINGS["bert"]
    folder.mkdir()
    shapes = {"words": (8, HIDDEN), "positions": (32, HIDDEN), "types": (2, HIDDEN)}
    tensors = {naming.embeddings[role]: shape for role, shape in shapes.items()}
    norms = [naming.embeddings["norm"]]
    for i in range(LAYERS):
        for role, pattern in naming.layer.items():
            name = pattern.format(i=i)
            if role.startswith("norm"):
                norms.append(name)
            else:
                outer, inner = INNER if role == "expand" else HIDDEN, INNER if role == "contract" else HIDDEN
                tensors |= {f"{name}.weight": (outer, inner), f"{name}.bias": (outer,)}
    tensors |= {f"{name}.{part}": (HIDDEN,) for name in norms for part in ("weight", "bias")}
    save_file(
        {name: rng.normal(0, 0.4, shape).astype(np.float32) for name, shape in tensors.items()},
        folder / "model.safetensors",
    )
    sizes = {"hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "num_attention_heads": 3}
    config = {"model_type": "bert", "max_position_embeddings": 32, "intermediate_size": INNER, **sizes}
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer = Tokenizer(models.WordLevel({"<s>": 0, "<pad>": 1, "</s>": 2, "?": 3, "a": 4, "b": 5, "c": 6}, "?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def write_adapter(base, path, names, settings=None):
    rng = np.random.default_rng(1)
    arrays = {}
    for name in names:
        role = name.partition(".")[2]
        outer, inner = INNER if role == "expand" else HIDDEN, INNER if role == "contract" else HIDDEN
        arrays |= {
            f"{name}.up": rng.normal(0, 0.5, (outer, RANK)).astype(np.float16),
            f"{name}.down": rng.normal(0, 0.5, (RANK, inner)).astype(np.float16),
        }
    known = {"base": str(base), "weights": hash_files([base / "model.safetensors"])}
    Artifact("adapter", arrays, known | (settings or {}), {"seed": 1}).save(path)
    return path


def test_the_changes_are_added_to_the_weights(base, tmp_path, environment):
    path = write_adapter(base, tmp_path / "a.safetensors", ["0.query", "1.expand", "1.contract"])
    adapter = Adapter.load(path)
    changed = tmp_path / "changed"
    changed.mkdir()
    for file in ("config.json", "tokenizer.json"):
        (changed / file).write_bytes((base / file).read_bytes())
    weights = load_file(base / "model.safetensors")
    for (layer, role), name in adapter.weight_names("bert").items():
        up, down = (adapter.factors[f"{layer}.{role}.{part}"].astype(np.float32) for part in ("up", "down"))
        weights[name] = weights[name] + up @ down
    save_file(weights, changed / "model.safetensors")
    texts = ["a b c", "c c", ""]
    ours, theirs, plain = (
        load_encoder(str(source), environment=environment).encode(texts) for source in (path, changed, base)
    )
    for mine, yours in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine.vectors, yours.vectors, rtol=0, atol=1e-6)
    assert np.abs(ours[0].vectors[1] - plain[0].vectors[1]).max() > 1e-3


def test_signature_and_identity_name_the_adapter(base, tmp_path, environment):
    paths = [write_adapter(base, tmp_path / f"{n}.safetensors", [n]) for n in ("0.query", "0.key")]
    encoders = [load_encoder(str(source), environment=environment) for source in (base, *paths)]
    assert len({encoder.signature for encoder in encoders}) == 3
    assert len({encoder.identity for encoder in encoders}) == 3
    plain, *adapted = (encoder.signature for encoder in encoders)
    assert all(signature.startswith(f"{plain}+") for signature in adapted)


@pytest.mark.parametrize(
    ("names", "settings", "message"),
    [
        (["0.query"], {"weights": "0" * 64}, "changes the weights 00000000"),
        (["0.embed"], {}, "is not a factor"),
        (["0.query"], {"base": "/no/such/folder/x y"}, "is not here; put its folder beside the adapter"),
    ],
)
def test_what_does_not_fit_is_refused(base, tmp_path, environment, names, settings, message):
    path = write_adapter(base, tmp_path / "a.safetensors", names, settings)
    with pytest.raises(ModelError, match=message):
        load_encoder(str(path), environment=environment)


def test_files_of_others_are_refused(tmp_path, environment):
    path = tmp_path / "x.safetensors"
    save_file({"weight": np.ones((2, 2), dtype=np.float32)}, path)
    with pytest.raises(InputError, match="monge did not make"):
        load_encoder(str(path), environment=environment)
    path.write_bytes(b"\x80\x04K\x01.")  # a pickle
    with pytest.raises(InputError, match="not a safetensors file"):
        load_encoder(str(path), environment=environment)


def test_shipped_adapters_are_small_and_say_what_they_are():
    assert SHIPPED
    assert sum(shipped.path.stat().st_size for shipped in SHIPPED) <= 2_000_000
    for shipped in SHIPPED:
        adapter = Adapter.load(shipped.path)
        assert adapter.base == shipped.base
        assert adapter.history is not None
        assert "no human label" in adapter.history["variant"]
        assert all("sha256" in data for data in adapter.history["data"])
        assert adapter.history["notes"], "where the data come from, and their licences"


def test_a_shipped_adapter_is_an_encoder_by_name(minilm_directory):
    for shipped in SHIPPED:
        encoder = load_encoder(shipped.name)
        plain = load_encoder(shipped.base)
        assert encoder.signature == f"{plain.signature}+{Adapter.load(shipped.path).digest[:8]}"
        assert encoder.layers == plain.layers
