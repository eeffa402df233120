"""Encoders by name, path, hub name, entry point and as the user's own objects."""

import subprocess
import sys

import numpy as np
import pytest

from monge.encoders import EncodedText, Encoder, load_encoder
from monge.encoders.registry import known_names
from monge.environment import Environment
from monge.errors import ModelError, OptionError


class Own:
    """An encoder that a user might write."""

    signature, layers, dimension = "own", 1, 2

    def tokenize(self, texts):
        return [tuple(text.split()) for text in texts]

    def encode(self, texts, layers=None):
        return [self._encode(text) for text in texts]

    def _encode(self, text):
        n = len(text.split())
        spans, words = np.zeros((n, 2), dtype=np.int64), np.arange(n)
        return EncodedText(text, tuple(text.split()), spans, np.ones((1, n, 2), np.float32), np.zeros(n, bool), words)


def test_own_objects_pass_through():
    own = Own()
    assert load_encoder(own) is own
    assert isinstance(own, Encoder)


def test_other_objects_are_refused_with_what_they_lack():
    with pytest.raises(
        OptionError, match=r"int is not an encoder: it has no signature, layers, dimension, tokenize, encode"
    ):
        load_encoder(3)
    with pytest.raises(OptionError, match="an encoder needs a name: minilm"):
        load_encoder("")


@pytest.mark.parametrize(
    ("name", "reported"),
    [
        ("minilmm", "did you mean 'minilm'"),
        ("mpnett", "did you mean 'mpnet'"),
        ("zzz", "known are minilm, mpnet"),
        ("./nowhere", "no such file or directory"),
        ("/no/such/model", "no such file or directory"),
        ("a/b/c", "no such file or directory"),
    ],
)
def test_unknown_names_are_reported(name, reported):
    with pytest.raises(ModelError, match=reported):
        load_encoder(name, environment=Environment(offline=True))


def test_a_hub_name_while_offline_is_reported(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match=r"no encoder 'some/model': .* offline the hub is not asked(; |$)"):
        load_encoder("some/model", environment=Environment(offline=True))
    monkeypatch.setenv("MONGE_OFFLINE", "1")
    with pytest.raises(ModelError, match="offline"):
        load_encoder("some/model")


def test_a_hub_name_without_torch_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModelError, match=r"no encoder 'roberta-large': .* pip install 'monge\[torch\]'"):
        load_encoder("roberta-large", environment=Environment(offline=True))


@pytest.mark.parametrize("name", ["bert-base-uncased", "some/model"])
def test_a_hub_name_is_asked_of_the_hub(monkeypatch, minilm_directory, name):
    asked = []

    def download(repo, **options):
        asked.append(repo)
        return str(minilm_directory)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    assert load_encoder(name).signature.startswith(name)
    assert asked == [name]


@pytest.mark.parametrize("options", [{"long": "windows"}, {"dtype": "float8"}, {"device": "tpu", "dtype": "float16"}])
def test_wrong_options_are_refused(minilm_directory, options):
    with pytest.raises((OptionError, ModelError)):
        load_encoder("minilm", **options)


def test_nearest_option_is_offered():
    with pytest.raises(OptionError, match="did you mean 'window'"):
        load_encoder("minilm", long="windows")


def test_word_vectors_by_path(tmp_path):
    (tmp_path / "tiny.txt").write_text("cat 1 0\ndog 0 1\n")
    encoder = load_encoder(tmp_path / "tiny.txt")
    assert encoder.encode(["dog cat"])[0].vectors.tolist() == [[[0, 1], [1, 0]]]


def test_other_packages_can_add_encoders(tmp_path):
    """An installed package whose entry point makes an encoder, seen from a fresh interpreter."""
    (tmp_path / "added.py").write_text("from monge.encoders.static.hashed import HashedEncoder\n")
    info = tmp_path / "added-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: added\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[monge.encoders]\nmine = added:HashedEncoder\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from monge.encoders import load_encoder; "
        "print(load_encoder('mine').signature)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("hashed")


def test_known_names_are_reported():
    assert known_names()[:4] == ["minilm", "mpnet", "use", "glove"]


def test_importing_encoders_is_light():
    heavy = {"torch", "onnx", "onnxruntime", "tokenizers", "scipy", "huggingface_hub"}
    code = f"import sys, monge.encoders, monge.encoders.registry; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_embedded_encoder_needs_no_torch(minilm_directory):
    code = "import sys, monge.encoders as e; e.load_encoder('minilm').encode(['x']); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("options", [{"dtype": "bfloat16"}, {"device": "cuda"}])
def test_without_torch_the_extra_is_named(minilm_directory, options):
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from monge.encoders import load_encoder\nfrom monge.errors import ModelError\n"
        f"try: load_encoder('minilm', **{options!r})\nexcept ModelError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'monge[torch]'" in done.stdout
