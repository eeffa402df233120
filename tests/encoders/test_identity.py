"""What an encoder's identity holds: everything that decides a vector, in full."""

import json
import re
import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from monge.encoders import Encoder, load_encoder
from monge.encoders import identity as identity_module
from monge.encoders.base import Identified
from monge.encoders.cached import CachedEncoder
from monge.encoders.identity import compose_identity, is_current, maker_of
from monge.encoders.plan import plan_transformer
from monge.encoders.static import StaticEncoder
from monge.encoders.static.hashed import HashedEncoder
from monge.environment import Environment
from monge.storage.store import Store

DATA = Path(__file__).parent / "static" / "data"


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(cache_directory=tmp_path / "cache")


@pytest.fixture
def model(minilm_directory: Path, tmp_path: Path) -> Path:
    """A copy of the embedded encoder that may be changed; its weights stay a link."""
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(minilm_directory / name, folder)
    (folder / "model.safetensors").symlink_to(minilm_directory / "model.safetensors")
    return folder


def test_every_built_in_encoder_has_one(minilm_directory: Path, environment: Environment) -> None:
    made: list[Encoder] = [
        load_encoder(minilm_directory, environment=environment),
        load_encoder(minilm_directory, environment=environment, cache=True),
        load_encoder(minilm_directory, environment=environment, cache=True),  # lazily, the second time
        load_encoder(DATA / "word2vec.txt", environment=environment),
        load_encoder("hashed", environment=environment),
    ]
    identities = [encoder.identity for encoder in made if isinstance(encoder, Identified)]
    assert len(identities) == len(made)
    assert identities[0] == identities[1] == identities[2]  # where the vectors come from does not matter
    assert len(set(identities)) == 3


def test_a_transformer_names_all_that_computes(minilm_directory: Path, environment: Environment) -> None:
    identity = plan_transformer(minilm_directory, environment=environment).identity
    made, _, contents = identity.partition("; ")
    assert made.split() == [
        "transformer=2",
        "onnx=1",
        f"onnxruntime={version('onnxruntime')}",
        f"tokenizers={version('tokenizers')}",
        "device=cpu",
    ]
    fields = dict(part.split("=") for part in contents.split())
    assert list(fields) == ["weights", "tokenizer", "config", "dtype", "long"]
    assert fields["weights"] == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert all(re.fullmatch("[0-9a-f]{64}", fields[name]) for name in ("weights", "tokenizer", "config"))


def _change_tokenizer(folder: Path) -> None:
    content = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    content["normalizer"]["lowercase"] = not content["normalizer"]["lowercase"]
    (folder / "tokenizer.json").write_text(json.dumps(content))


def _change_config(folder: Path) -> None:
    content = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**content, "layer_norm_eps": 1e-5}))


@pytest.mark.parametrize("change", [_change_tokenizer, _change_config])
def test_other_files_are_another_encoder(model: Path, environment: Environment, change: Callable[[Path], None]) -> None:
    before = plan_transformer(model, environment=environment).identity
    change(model)
    assert plan_transformer(model, environment=environment).identity != before


def test_other_options_and_libraries_are_another_encoder(
    model: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = plan_transformer(model, environment=environment).identity
    assert plan_transformer(model, long="truncate", environment=environment).identity != before
    monkeypatch.setattr(identity_module, "_version", lambda name: "9.9")
    assert "onnxruntime=9.9" in plan_transformer(model, environment=environment).identity
    changed = StaticEncoder.load(DATA / "word2vec.txt", environment=environment)
    options = [{"oov": "zero"}, {"fold_case": "never"}, {"limit": 2}]
    others = [StaticEncoder.load(DATA / "word2vec.txt", environment=environment, **o) for o in options]  # type: ignore[arg-type]
    assert len({changed.identity, *(other.identity for other in others)}) == 4
    assert changed.table.digest in changed.identity


def test_a_rounding_cache_is_another_encoder(tmp_path: Path) -> None:
    encoder, store = HashedEncoder(dimension=8), Store(tmp_path / "store")
    assert CachedEncoder(encoder, store).identity == encoder.identity
    assert CachedEncoder(encoder, store, dtype="float16").identity == f"{encoder.identity} stored=float16"


def test_which_vectors_this_version_made() -> None:
    assert is_current(maker_of(compose_identity("transformer", "onnxruntime", device="cuda", weights="x")))
    for other in ("transformer=99", "transformer=2 onnxruntime=0.0.1", "00000000", "", "unheard=1"):
        assert not is_current(other), other
    assert maker_of("an identity of somebody else") == ""
