"""Words in context: learning, agreement of numpy with torch, resuming, refused files and bad input."""

import json
import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest

from monge.encoders.context import ContextEncoder
from monge.errors import InputError, OptionError
from monge.storage.artifact import Artifact

torch = pytest.importorskip("torch", reason="the torch extra is not installed")
pytestmark = pytest.mark.torch

from monge.learned.context import ContextPairs, ContextSettings, ContextTraining, train_context  # noqa: E402

NOUNS = ("boat", "coat", "house", "river", "boy", "man", "ship", "rain", "north", "crew")
BOOTE = ("boot", "mantel", "haus", "fluss", "junge", "mann", "schiff", "regen", "norden", "mannschaft")
REFERENCES = [f"The {NOUNS[i]} saw a {NOUNS[j]}." for i in range(10) for j in range(4)]
SOURCES = [f"{BOOTE[i]} sah {BOOTE[j]} ." for i in range(10) for j in range(4)]
PAIRS = ContextPairs.make(REFERENCES, SOURCES)
SMALL = ContextSettings(dimension=12, epochs=6, batch=8, rate=0.02, seeds=(1, 2))


def test_it_learns_to_write_sources(tmp_path):
    made = train_context(PAIRS, SMALL, str(tmp_path / "c.safetensors"))
    for figures in made.history["by_seed"].values():
        assert figures["loss"] < 0.6 * figures["loss_before"]
    assert made.history["pairs"] == 40
    assert [path.name for path in tmp_path.iterdir()] == ["c.safetensors"], "nothing is left beside the file"


def test_numpy_computes_what_torch_does(tmp_path):
    training = ContextTraining(PAIRS, SMALL, seed=3)
    training.step(0)
    settings = {"dimension": 12, "seeds": [3], "vocabulary": list(PAIRS.vocabulary)}
    encoder = ContextEncoder(Artifact("context", training.arrays(), settings))
    texts = [*REFERENCES[:5], "The unheard boy.", "", "rain"]
    for text, states in zip(texts, encoder.states(texts), strict=True):
        rows = encoder._rows(text)
        if not len(rows):
            assert states.shape == (1, 0, 12)
            continue
        with torch.no_grad():
            expected, _ = training.net.encoder(training.net.read(torch.from_numpy(rows)[None]))
        expected = np.where(rows[:, None] == 0, 0.0, expected[0].numpy())
        assert np.allclose(states[0], expected, rtol=0, atol=1e-6)


def test_texts_that_are_cut_are_counted(tmp_path):
    references = [*REFERENCES[:-1], "boat " * 101]
    settings = ContextSettings(dimension=4, epochs=1)
    pairs = ContextPairs.make(references, SOURCES)
    assert train_context(pairs, settings, str(tmp_path / "c")).history["cut"] == {"texts": 1, "words": 100}
    assert "cut" not in train_context(PAIRS, settings, str(tmp_path / "whole")).history


def test_the_same_seed_gives_the_same_file(tmp_path):
    one, two = (train_context(PAIRS, SMALL, str(tmp_path / name)) for name in ("one", "two"))
    assert one.digest == two.digest
    other = ContextSettings(dimension=12, epochs=6, batch=8, rate=0.02, seeds=(1, 3))
    assert train_context(PAIRS, other, str(tmp_path / "three")).digest != one.digest


@pytest.mark.slow
def test_kill_9_and_the_same_command_again(tmp_path):
    for name, lines in (("ref", REFERENCES), ("src", SOURCES)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    code = """
import os, signal, sys
import monge.learned.loop as loop
from monge.learned import context
from monge.cli import main
if sys.argv[1] == "kill":
    context.LoopSettings = lambda steps, **rest: loop.LoopSettings(steps, save_every=0, **rest)
    own = context.ContextTraining.step
    def step(self, number):
        if self.seed == 2 and number == 17:
            os.kill(os.getpid(), signal.SIGKILL)
        return own(self, number)
    context.ContextTraining.step = step
if sys.argv[1] == "go":
    context.LoopSettings = lambda steps, **rest: loop.LoopSettings(steps, save_every=0, **rest)
sys.exit(main(sys.argv[2:]))
"""

    def command(how, output):
        options = ["--dimension", "12", "--epochs", "6", "--batch", "8", "--rate", "0.02", "--seeds", "1,2"]
        files = [str(tmp_path / name) for name in ("ref", "src")]
        output = ["--output", str(tmp_path / output), "-f", "json"]
        return [sys.executable, "-c", code, how, "train", "context", *files, *options, *output]

    assert subprocess.run(command("kill", "cut"), check=False, capture_output=True).returncode == -signal.SIGKILL
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["cut.seed1.part", "cut.seed2.part.checkpoint", "ref", "src"]
    cut, whole = (
        json.loads(subprocess.run(command("go", name), check=True, capture_output=True, text=True).stdout)
        for name in ("cut", "whole")
    )
    assert cut["digest"] == whole["digest"]
    assert cut["seeds"] == whole["seeds"]


def test_a_part_of_another_training_is_refused(tmp_path):
    Artifact("context-part", {}, {"recipe": "another"}).save(tmp_path / "c.seed1.part")
    with pytest.raises(OptionError, match="other data or settings"):
        train_context(PAIRS, SMALL, str(tmp_path / "c"))


def test_a_loss_that_is_not_a_number_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(ContextTraining, "step", lambda self, number: float("nan"))
    with pytest.raises(OptionError, match="seed 1 learned nothing: the loss of step 1 is not a number"):
        train_context(PAIRS, SMALL, str(tmp_path / "c"))
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("references", "sources", "message"),
    [
        (REFERENCES, SOURCES[:-1], "40 references and 39 sources"),
        (REFERENCES[:3], SOURCES[:3], "3 pairs .* at least 20"),
        ([""] * 30, SOURCES[:30], "0 pairs"),
    ],
)
def test_bad_texts(references, sources, message):
    with pytest.raises(InputError, match=message):
        ContextPairs.make(references, sources)


@pytest.mark.parametrize("change", [{"epochs": 0}, {"seeds": ()}, {"seeds": (1, 1)}, {"rate": 0.0}, {"dimension": -1}])
def test_bad_settings(change):
    with pytest.raises(OptionError):
        ContextSettings(**change)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "p.safetensors").write_bytes(pickle.dumps({"embedding": [1]}))
    with pytest.raises(InputError, match="not a safetensors file"):
        ContextEncoder.load(tmp_path / "p.safetensors")
    Artifact("capsules", {"w": np.ones(1)}).save(tmp_path / "k.safetensors")
    with pytest.raises(OptionError, match="holds capsules, not context"):
        ContextEncoder.load(tmp_path / "k.safetensors")
    broken = Artifact("context", {"1.bias": np.ones(3)}, {"dimension": 2, "seeds": [1], "vocabulary": ["a"]})
    broken.save(tmp_path / "b.safetensors")
    with pytest.raises(InputError, match="embedding of seed 1 is missing"):
        ContextEncoder.load(tmp_path / "b.safetensors")
    assert os.path.exists(tmp_path / "b.safetensors")
