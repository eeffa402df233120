"""Fine-tuning on pairs: it learns what can be learned, repeats itself, resumes, and its folder runs without torch."""

import dataclasses
import json
import random

import numpy as np
import pytest

from monge.encoders import load_encoder
from monge.encoders.onnx.backend import OnnxBackend
from monge.environment import Environment
from monge.errors import OptionError

torch = pytest.importorskip("torch", reason="the torch extra is not installed")
pytestmark = pytest.mark.torch

from monge.learned.finetune import FinetuneSettings, FinetuneTraining  # noqa: E402
from monge.learned.loop import LoopSettings, run_loop  # noqa: E402
from monge.learned.pair_files import LabelledPairs  # noqa: E402
from monge.workflows.train_encoder import TrainEncoderRequest, run_train_encoder  # noqa: E402

COSINE = FinetuneSettings(head="cosine", rate=3e-3, epochs=3, batch=8, length=32)


@pytest.fixture
def environment(tmp_path):
    return Environment.read({"MONGE_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path), "MONGE_OFFLINE": "1"})


@pytest.fixture
def labelled(pairs_file, tmp_path):
    """Near and far pairs in turn: label 1 and 0."""
    lines = pairs_file.read_text().splitlines()[1:]
    path = tmp_path / "labelled.tsv"
    path.write_text("\n".join(f"{line}\t{1 - i % 2}" for i, line in enumerate(lines)) + "\n")
    return path


def states(directory, texts):
    import transformers

    model = transformers.AutoModel.from_pretrained(directory).eval()
    tokenizer = load_encoder(str(directory))._tokenizer
    for text in texts:
        with torch.no_grad():
            ids = torch.tensor([tokenizer.encode(text).ids])
            yield torch.stack(model(ids, output_hidden_states=True).hidden_states)[:, 0].numpy()


@pytest.mark.parametrize(
    ("task", "head"), [("paraphrase", "cosine"), ("paraphrase", "joint"), ("similarity", "cosine")]
)
def test_it_learns(tiny, labelled, tmp_path, environment, task, head):
    settings = dataclasses.replace(COSINE, head=head, epochs=6)
    made = TrainEncoderRequest(str(tiny), (str(labelled),), task, str(tmp_path / "out"), settings)
    result = run_train_encoder(made, environment=environment)
    assert result.manifest["loss_last"] < result.manifest["loss_first"]
    if head == "cosine":  # near pairs have nearer means, which a joint classifier need not find in a few steps
        assert result.manifest["held_out"][str(result.manifest["best_step"])] > 0.7


def test_the_folder_runs_without_torch_and_has_another_signature(tiny, labelled, tmp_path, environment):
    made = TrainEncoderRequest(str(tiny), (str(labelled),), "paraphrase", str(tmp_path / "out"), COSINE)
    run_train_encoder(made, environment=environment)
    encoder = load_encoder(str(tmp_path / "out"), environment=environment)
    assert isinstance(encoder._backend, OnnxBackend)
    assert encoder.signature.partition("@")[2] != load_encoder(str(tiny)).signature.partition("@")[2]
    texts = ["the cat sat near the old house", "two birds"]
    for ours, theirs in zip(encoder.encode(texts), states(tmp_path / "out", texts), strict=True):
        np.testing.assert_allclose(ours.vectors, theirs, rtol=0, atol=1e-5)
    manifest = json.loads((tmp_path / "out" / "training.json").read_text())
    assert manifest["pairs"] == 120
    assert manifest["data"][0]["file"] == "labelled.tsv"
    with pytest.raises(OptionError, match="exists already"):
        run_train_encoder(made, environment=environment)


@pytest.mark.parametrize(("head", "cut"), [("cosine", {"texts": 1}), ("joint", {"pairs": 2})])
def test_cut_texts_are_counted(tiny, labelled, tmp_path, environment, head, cut):
    """Alone, a text of 14 words is longer than 12 tokens with its two marks; together two of 6 and 5 words are too."""
    lines = [f"the cat\ta dog\t{i % 2}" for i in range(40)]
    lines += ["cat " * 14 + "\ta dog\t1", "the old cat ran to me\tthe cat sat near me\t0"]
    labelled.write_text("\n".join(lines) + "\n")
    settings = dataclasses.replace(COSINE, head=head, epochs=0.2, length=12)
    made = TrainEncoderRequest(str(tiny), (str(labelled),), "paraphrase", str(tmp_path / "out"), settings)
    result = run_train_encoder(made, environment=environment)
    assert result.record()["cut"] == cut | {"tokens": 12}
    assert json.loads((tmp_path / "out" / "training.json").read_text())["cut"] == cut | {"tokens": 12}
    assert any(note.endswith("longer than 12 tokens; the rest is not read") for note in result.record()["notes"])


def make_training(tiny, count=48, seed=1, **changes):
    rng = random.Random(3)
    pairs = tuple((f"the {rng.choice(['cat', 'dog', 'fox'])} sat", "the cat ran") for _ in range(count))
    targets = tuple(float("cat" in a) for a, _ in pairs)
    data = LabelledPairs("paraphrase", pairs, targets, ("0", "1"))
    return FinetuneTraining(tiny, data, dataclasses.replace(COSINE, **changes), seed=seed, device="cpu")


def test_a_killed_training_goes_on_to_the_same_weights(tiny, tmp_path):
    settings = LoopSettings(12, 1, judge_every=4, save_every=0)
    whole, cut, rest = (make_training(tiny) for _ in range(3))
    run_loop(whole, settings, recipe="r")

    def stop(step, loss, judged):
        if step == 7:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        run_loop(cut, settings, recipe="r", checkpoint=tmp_path / "c", report=stop)
    run_loop(rest, settings, recipe="r", checkpoint=tmp_path / "c")
    assert all(torch.equal(a, b) for a, b in zip(whole.weights().values(), rest.weights().values(), strict=True))


def test_frozen_embeddings_stay(tiny):
    training = make_training(tiny, freeze=True)
    before = training.model.embeddings.word_embeddings.weight.clone()
    training.step(0)
    assert torch.equal(before, training.model.embeddings.word_embeddings.weight)


def test_settings_that_do_not_fit(tiny):
    data = LabelledPairs("nli", (("a", "b"),) * 30, (0.0, 1.0, 2.0) * 10, ("x", "y", "z"))
    with pytest.raises(OptionError, match="head=cosine"):
        FinetuneTraining(tiny, data, COSINE, seed=1)
    with pytest.raises(OptionError, match="head must be"):
        FinetuneSettings(head="other")
    with pytest.raises(OptionError, match="rate="):
        FinetuneSettings(rate=0)
