"""Artifacts: what is written comes back, and nothing else is read."""

import pickle

import numpy as np
import pytest

from monge.errors import InputError, OptionError
from monge.storage.artifact import Artifact


@pytest.fixture
def made():
    arrays = {"a": np.arange(6, dtype=np.float16).reshape(2, 3), "b": np.array([1, 2], dtype=np.int64)}
    return Artifact("example", arrays, {"rank": 2}, {"seed": 7, "data": "Straße"})


def test_it_comes_back(made, tmp_path):
    made.save(tmp_path / "x.safetensors")
    again = Artifact.load(tmp_path / "x.safetensors", kind="example")
    assert again.digest == made.digest
    assert dict(again.settings) == {"rank": 2}
    assert again.history["data"] == "Straße"
    assert all(np.array_equal(made.arrays[name], again.arrays[name]) for name in made.arrays)


def test_the_digest_follows_what_is_used(made):
    changed = dict(made.arrays) | {"b": np.array([1, 3], dtype=np.int64)}
    assert Artifact("example", changed, made.settings).digest != made.digest
    assert Artifact("example", made.arrays, {"rank": 3}).digest != made.digest
    assert Artifact("other", made.arrays, made.settings).digest != made.digest
    assert Artifact("example", made.arrays, made.settings, {"seed": 8}).digest == made.digest


def test_what_is_refused(made, tmp_path):
    path = tmp_path / "x"
    with pytest.raises(InputError, match="no such file"):
        Artifact.load(path, kind="example")
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(InputError, match="not a safetensors file"):
        Artifact.load(path, kind="example")
    made.save(path)
    with pytest.raises(OptionError, match="holds example, not adapter"):
        Artifact.load(path, kind="adapter")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        Artifact.load(path, kind="example")
