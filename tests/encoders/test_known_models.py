"""Known models: finding them without the network, checking their files, and `monge models`."""

import shutil
from dataclasses import replace

import pytest

from monge.cli import main
from monge.encoders import load_encoder
from monge.encoders.models import (
    ENCODER_MODELS,
    MODELS,
    find_model,
    locate_model,
    require_model,
    verify_model,
)
from monge.environment import Environment
from monge.errors import ModelError

from .tiny import TINY, WEIGHTS


def test_known_models_pin_all_that_decides_a_vector(minilm_directory):
    for spec in MODELS:
        names = {file.name for file in spec.files}
        needed = {
            "transformer": {"model.safetensors", "tokenizer.json", "config.json"},
            "sentence encoder": {"weights.npz", "sp.model"},
            "word vectors": set(),
            "language model": {"SmolLM2-135M-Instruct.Q4_1.gguf"},
        }
        assert needed[spec.kind] <= names
    verify_model(find_model("minilm"), minilm_directory, Environment.read())


@pytest.mark.parametrize("name", ["tokenizer.json", "config.json"])
def test_a_known_model_with_another_tokenizer_or_config_is_refused(cache, minilm_directory, name):
    copy = cache / "models" / "all-MiniLM-L6-v2"
    copy.mkdir(parents=True)
    for file in ("model.safetensors", "tokenizer.json", "config.json"):
        if file == name:
            (copy / file).write_text((minilm_directory / file).read_text(encoding="utf-8") + " ", encoding="utf-8")
        else:
            (copy / file).symlink_to(minilm_directory / file)
    with pytest.raises(ModelError, match=f"{name} is not that of all-MiniLM-L6-v2"):
        load_encoder("minilm")


def test_installed_packages_are_found_without_importing_them(cache, tmp_path, monkeypatch):
    model = tmp_path / "site" / "tiny_model" / "model"
    model.mkdir(parents=True)
    (tmp_path / "site" / "tiny_model" / "__init__.py").write_text("raise RuntimeError('imported')")
    (model / "model.safetensors").write_bytes(WEIGHTS)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert require_model(TINY, replace(Environment.read(), offline=True)) == model


def test_offline_touches_no_network_and_says_what_to_do(cache, monkeypatch, capsys):
    for spec in ENCODER_MODELS:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(ModelError, match=f"{spec.megabytes} MB.*monge models fetch {spec.name}"):
            load_encoder(spec.name, environment=replace(Environment.read(), offline=True))
    assert main(["models", "--offline", "fetch", "minilm"]) == 2
    monkeypatch.setenv("MONGE_OFFLINE", "1")
    assert main(["models", "fetch", "minilm"]) == 2
    assert capsys.readouterr().err.count("monge models fetch minilm") == 2
    assert not (cache / "downloads").exists()


def test_the_list_shows_what_is_where(capsys, minilm_directory):
    assert main(["models"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "model", "kind", "size", "licence", "languages", "where"]
    row = next(line for line in lines if line.startswith("minilm"))
    assert "Apache-2.0" in row
    assert row.endswith(str(minilm_directory))


def test_the_path_is_printed_alone(capsys, minilm_directory, cache):
    shutil.copytree(minilm_directory, cache / "models" / "all-MiniLM-L6-v2")
    assert main(["models", "path", "minilm"]) == 0
    assert capsys.readouterr().out == f"{cache / 'models' / 'all-MiniLM-L6-v2'}\n"


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [(["fetch"], "needs the name"), (["path", "mpnett"], "did you mean 'mpnet'"), (["path"], "needs the name")],
)
def test_wrong_commands_are_reported(arguments, reported, capsys):
    assert main(["models", *arguments]) == 2
    assert reported in capsys.readouterr().err


def test_a_missing_model_has_no_path(cache, capsys):
    assert locate_model(find_model("mpnet"), Environment.read()) is None
    assert main(["models", "path", "mpnet"]) == 2
    assert "monge models fetch mpnet" in capsys.readouterr().err
