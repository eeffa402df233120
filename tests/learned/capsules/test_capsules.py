"""NLP-Capsule and its baselines: measures by hand, routing, numpy against torch, learning, resuming, bad input."""

import dataclasses
import itertools
import json
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest

from monge.errors import InputError, OptionError
from monge.learned.capsules.convolution import ConvolutionShape
from monge.learned.capsules.data import read_answers, read_labelled
from monge.learned.capsules.measures import mean_average_precision, mean_reciprocal_rank, ndcg_at, precision_at
from monge.learned.capsules.model import NETWORKS, CapsuleModel, evaluate
from monge.learned.capsules.network import CapsuleShape, convolve, output_capsules, route, squash
from monge.storage.artifact import Artifact

SHAPE = CapsuleShape(
    length=12, embedding=10, windows=(2, 4), filters=4, capsule=4, compressed=8, rounds=4
)  # small enough for seconds
CONVOLUTION = ConvolutionShape(length=12, embedding=10, windows=(2, 4), filters=8, hidden=8)
TOPICS = {
    "sea": "boat ship sail harbour captain wave",
    "sky": "plane wing pilot cloud airport wind",
    "law": "court judge trial lawyer verdict jury",
    "art": "painter canvas museum gallery brush colour",
}


def make_lines(count, seed=0):
    """Return texts about one or two topics, with these as labels."""
    random = np.random.default_rng(seed)
    lines = []
    for _ in range(count):
        chosen = sorted(random.choice(list(TOPICS), random.integers(1, 3), replace=False))
        words = [random.choice(TOPICS[topic].split()) for topic in chosen for _ in range(4)]
        lines.append(f"{' '.join(random.permutation(words))} of the\t{' '.join(chosen)}")
    return lines


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def random_weights(shape, outputs=3, seed=0):
    random = np.random.default_rng(seed)
    return {name: random.standard_normal(size) * 0.5 for name, size in shape.sizes(outputs).items()}


# -- measures

SCORES = np.array([[0.9, 0.1, 0.8, 0.3], [0.2, 0.7, 0.1, 0.6]])
TRUTH = np.array([[True, False, False, True], [False, False, True, True]])


def test_measures_by_hand():
    """Ranks of right labels: 1 and 3 in the first text, 2 and 4 in the second."""
    assert [precision_at(SCORES, TRUTH, k) for k in (1, 2, 3)] == pytest.approx([0.5, 0.5, 0.5])
    discount = [1 / np.log2(rank + 1) for rank in (1, 2, 3, 4)]
    best = discount[0] + discount[1]
    assert ndcg_at(SCORES, TRUTH, 1) == pytest.approx(0.5)
    assert ndcg_at(SCORES, TRUTH, 3) == pytest.approx((discount[0] + discount[2] + discount[1]) / best / 2)
    released = (discount[0] + discount[2]) / best, discount[1] / discount[0]
    assert ndcg_at(SCORES, TRUTH, 3, ideal="retrieved") == pytest.approx(np.mean(released))
    groups = [([0.9, 0.8, 0.7], [False, True, True]), ([0.1, 0.2], [True, False]), ([0.5], [False])]
    assert mean_average_precision(groups) == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2)
    assert mean_reciprocal_rank(groups) == pytest.approx(0.5)


def test_perfect_rankings_are_one():
    assert precision_at(TRUTH.astype(float), TRUTH, 2) == ndcg_at(TRUTH.astype(float), TRUTH, 3) == 1
    assert mean_average_precision([([1.0, 0.0], [True, False])]) == 1


def test_measures_refuse_what_they_cannot_rank():
    with pytest.raises(InputError, match="k=5"):
        precision_at(SCORES, TRUTH, 5)
    with pytest.raises(InputError, match="same size"):
        ndcg_at(SCORES, TRUTH[:1], 1)
    with pytest.raises(InputError, match="no question"):
        mean_reciprocal_rank([([0.1], [False])])


# -- the network


def test_squash_keeps_directions_and_bounds_lengths():
    vectors = np.array([[3.0, 4.0], [0.0, 0.0]])
    found = squash(vectors, axis=1)
    assert found[0] == pytest.approx(np.array([0.6, 0.8]) * 25 / 25.5)
    assert not found[1].any()


def test_sizes_are_those_of_the_paper():
    """300 dimensions, windows 2, 4 and 8, stride 2: 150 + 149 + 147 places and 32 filters give 14,272 capsules."""
    shape = CapsuleShape(length=500, embedding=300)
    assert shape.places == 446
    assert shape.sizes(7)["compress"] == (14272, 128)
    assert CapsuleShape(length=500, embedding=300, axis="time").spanned == 300


def test_convolution_is_the_usual_one():
    shape = dataclasses.replace(SHAPE, windows=(3,), axis="time")
    weights = random_weights(shape)
    words = np.random.default_rng(1).standard_normal((2, 12, 10))
    found = convolve(words.swapaxes(1, 2), weights, 3)
    for place in range(5):
        window = words[0, 2 * place : 2 * place + 3]  # (3, embedding)
        expected = np.einsum("kfe,ke->f", weights["window3"], window) + weights["window3_bias"][:, 0]
        assert found[0, :, place] == pytest.approx(expected)


def test_kde_routing_prefers_votes_that_agree():
    """Of five votes for an output four agree; the fifth gets less of the coupling than at the start."""
    votes = np.zeros((5, 2, 2, 1))
    votes[:, 0, :, 0] = [[2.0, 0.1], [2.0, 0.0], [2.1, 0.0], [1.9, -0.1], [-2.0, 0.0]]
    votes[:, 1, :, 0] = np.random.default_rng(0).standard_normal((5, 2))
    found = route(votes, dataclasses.replace(SHAPE, rounds=8, epsilon=1e-4))
    assert found[:, :, 0].sum(axis=0) == pytest.approx([1, 1], abs=1e-6)
    assert found[4, 0, 0] < 0.17 < found[:4, 0, 0].min() + 0.03
    assert found[4, 0, 0] < found[:4, 0, 0].min()


def test_sabour_routing_sends_votes_where_they_agree():
    votes = np.zeros((3, 2, 2, 1))
    votes[:, 0, :, 0] = [[2.0, 0.0], [2.0, 0.0], [2.0, 0.0]]
    votes[:, 1, :, 0] = [[2.0, 0.0], [-2.0, 0.0], [0.0, 0.1]]
    found = route(votes, dataclasses.replace(SHAPE, routing="sabour"))
    assert found.sum(axis=1) == pytest.approx(1)
    assert (found[:, 0] > 0.5).all()


@pytest.mark.parametrize("axis", ["embedding", "time"])
@pytest.mark.parametrize("routing", ["kde", "sabour"])
def test_a_text_does_not_depend_on_its_batch(axis, routing):
    shape = dataclasses.replace(SHAPE, axis=axis, routing=routing)
    weights, words = random_weights(shape), np.random.default_rng(2).standard_normal((6, 12, 10))
    together = output_capsules(words, weights, shape)
    assert together.shape == (3, 4, 6)
    assert (np.linalg.norm(together, axis=1) < 1).all()
    for i in range(6):
        assert output_capsules(words[i : i + 1], weights, shape)[:, :, 0] == pytest.approx(together[:, :, i], abs=1e-9)


def test_partial_routing_takes_the_labels_named():
    weights, words = random_weights(SHAPE), np.random.default_rng(2).standard_normal((2, 12, 10))
    assert output_capsules(words, weights, SHAPE, np.array([0, 2])).shape == (2, 4, 2)


def test_bad_shapes():
    for change in ({"axis": "words"}, {"routing": "em"}, {"windows": (20,)}, {"windows": ()}, {"compressed": 0}):
        with pytest.raises(OptionError):
            dataclasses.replace(SHAPE, **change)
    for change in ({"windows": (13,)}, {"windows": ()}, {"hidden": 0}, {"chunks": 10}):
        with pytest.raises(OptionError):
            dataclasses.replace(CONVOLUTION, **change)


@pytest.mark.parametrize("chunks", [1, 3])
def test_the_convolutional_network_is_the_usual_one(chunks):
    """ReLU of filters at every place, their maxima over chunks of nearly equal length, two layers, all by loops."""
    shape = dataclasses.replace(CONVOLUTION, chunks=chunks)
    weights, words = random_weights(shape), np.random.default_rng(1).standard_normal((2, 12, 10))
    for text, found in zip(words, shape.probabilities(words, weights), strict=True):
        pooled = []
        for window in shape.windows:
            kernel, bias = weights[f"window{window}"], weights[f"window{window}_bias"][:, 0]
            places = [np.einsum("kfe,ke->f", kernel, text[i : i + window]) + bias for i in range(13 - window)]
            features = np.maximum(places, 0)
            edges = [len(features) * i // chunks for i in range(chunks + 1)]
            pooled += [features[start:end].max(axis=0) for start, end in itertools.pairwise(edges)]
        hidden = np.maximum(weights["hidden"] @ np.concatenate(pooled) + weights["hidden_bias"], 0)
        expected = 1 / (1 + np.exp(-weights["output"] @ hidden - weights["output_bias"]))
        assert found == pytest.approx(expected)


# -- files


def test_lines_that_are_not_examples_are_named(tmp_path):
    with pytest.raises(InputError, match=r"bad.tsv, line 2: not a text"):
        read_labelled(write(tmp_path / "bad.tsv", ["a b\tx", "no label"]))
    with pytest.raises(InputError, match=r"line 1: not a question"):
        read_answers(write(tmp_path / "bad.tsv", ["a\tb\t2"]))


def test_other_files_are_refused(tmp_path):
    (tmp_path / "p").write_bytes(pickle.dumps([1]))
    with pytest.raises(InputError, match="not a safetensors file"):
        CapsuleModel.load(tmp_path / "p")
    Artifact("context", {"w": np.ones(1)}).save(tmp_path / "c")
    with pytest.raises(OptionError, match="holds context, not capsules"):
        CapsuleModel.load(tmp_path / "c")


# -- training

torch_only = pytest.mark.torch


def make_settings(**changes):
    pytest.importorskip("torch", reason="the torch extra is not installed")
    from monge.learned.capsules.settings import CapsuleSettings

    shapes = {"shape": SHAPE, "convolution": CONVOLUTION}
    usual = {"vectors": "", "epochs": 8, "batch": 16, "rate": 0.01, "negatives": 1}
    return CapsuleSettings(**shapes | usual | changes)


def train(data, **changes):
    from monge.learned.capsules.training import train_capsules

    return train_capsules(data, make_settings(**changes))


@torch_only
@pytest.mark.parametrize(
    ("model", "axis"),
    [("kde", "embedding"), ("kde", "time"), ("sabour", "time"), ("cnn", "time"), ("linear", "time")],
)
def test_every_model_learns_labels(model, axis, tmp_path):
    data = read_labelled(write(tmp_path / "t.tsv", make_lines(250)))
    test = read_labelled(write(tmp_path / "test.tsv", make_lines(60, seed=9)))
    rate = 0.1 if model == "linear" else 0.01
    made = train(data, model=model, shape=dataclasses.replace(SHAPE, axis=axis), rate=rate)
    made.model.artifact.save(tmp_path / "m")
    found = evaluate(CapsuleModel.load(tmp_path / "m"), test)
    assert found["P@1"] > 0.8, found  # by chance .38
    assert made.loop.losses[-1] < made.loop.losses[0]


@torch_only
def test_numpy_computes_what_torch_does(tmp_path):
    import torch

    from monge.learned.capsules.tasks import make_training

    data = read_labelled(write(tmp_path / "t.tsv", make_lines(60)))
    for model in NETWORKS:
        training = make_training(data, data, make_settings(model=model, drop=0.0))
        for number in range(3):
            training.step(number)
        with torch.no_grad():
            expected = training.shape.probabilities(training.words(training.rows[:20]), training.parameters).numpy()
        found = CapsuleModel(training.artifact({})).predict(data.texts[:20])
        assert found == pytest.approx(expected, rel=1e-3, abs=1e-7)
        assert expected.std() > 1e-4, "texts and labels have different probabilities"


@torch_only
@pytest.mark.parametrize("axis", ["embedding", "time"])
def test_at_the_start_a_word_counts_alike_wherever_it_stands(axis, monkeypatch):
    """But for a little noise, without which texts that are moved have the same capsules."""
    import torch

    from monge.learned.capsules import start

    shape = dataclasses.replace(SHAPE, axis=axis)
    words = np.zeros((2, 12, 10), dtype=np.float32)
    words[0, 4:7] = np.random.default_rng(0).standard_normal((3, 10))
    words[1, 6:9] = words[0, 4:7]
    distances = []
    for noise in (0.0, 0.1, 1.0):
        monkeypatch.setattr(start, "_NOISE", noise)
        torch.manual_seed(1)
        weights = {name: tensor.numpy() for name, tensor in start.draw_parameters(shape, 3, 3.0).items()}
        assert {name: array.shape for name, array in weights.items()} == shape.sizes(3)
        capsules = output_capsules(words, weights, shape)
        distances.append(np.linalg.norm(capsules[..., 0] - capsules[..., 1]) / np.linalg.norm(capsules))
    assert distances[0] < 1e-5 < distances[1] < distances[2]


@torch_only
def test_words_are_left_out_while_training_alone(tmp_path):
    import torch

    from monge.learned.capsules.tasks import make_training

    data = read_labelled(write(tmp_path / "t.tsv", make_lines(60)))
    training = make_training(data, data, make_settings(drop=0.5))
    with torch.no_grad():
        one, two = (training.words(training.rows[:20]) for _ in range(2))
    assert not torch.equal(one, two)
    model = CapsuleModel(training.artifact({}))
    assert np.array_equal(model.predict(data.texts), model.predict(data.texts))


@torch_only
def test_texts_that_are_cut_are_counted(tmp_path):
    lines = [*make_lines(60), f"{'boat ' * 13}\tsea"]
    made = train(read_labelled(write(tmp_path / "t.tsv", lines)), epochs=1)
    assert made.model.artifact.history.get("cut") == {"texts": 1, "words": 12}


@torch_only
@pytest.mark.parametrize("model", NETWORKS)
def test_answers_are_ranked(model, tmp_path):
    random = np.random.default_rng(3)
    lines = []
    for number in range(80):
        topics = random.permutation(list(TOPICS))
        question = f"{number} {' '.join(random.choice(TOPICS[topics[0]].split(), 3))}"
        for place, topic in enumerate(topics):
            lines.append(f"{question}\t{' '.join(random.choice(TOPICS[topic].split(), 5))}\t{int(place == 0)}")
    data = read_answers(write(tmp_path / "a.tsv", lines))
    made = train(data, epochs=12, model=model)
    found = evaluate(made.model, data)
    assert found["MRR"] > 0.75  # by chance .52
    assert found["MAP"] == pytest.approx(found["MRR"])
    assert made.model.rank([], []).shape == (0,)
    with pytest.raises(OptionError, match="has no labels"):
        made.model.predict(["x"])
    with pytest.raises(OptionError, match="take kde, sabour or cnn"):
        train(data, model="linear")


@torch_only
def test_data_that_teach_nothing_are_refused(tmp_path):
    with pytest.raises(InputError, match="one label only"):
        train(read_labelled(write(tmp_path / "a", [f"text {i}\tsame" for i in range(40)])))
    with pytest.raises(InputError, match=r"9 texts .* too few"):
        train(read_labelled(write(tmp_path / "b", make_lines(10))))
    with pytest.raises(InputError, match="all answers are right"):
        train(read_answers(write(tmp_path / "c", [f"q {i}\ta {i}\t1" for i in range(40)])))
    changes = {"model": "rnn", "share": 0.0, "rate": 2.0, "negatives": -1, "epochs": 0, "drop": 1.0}
    for change in ({name: value} for name, value in changes.items()):
        with pytest.raises(OptionError):
            make_settings(**change)


@torch_only
@pytest.mark.slow
@pytest.mark.parametrize("model", ["kde", "cnn"])
def test_kill_9_and_the_same_command_again(model, tmp_path):
    data = write(tmp_path / "t.tsv", make_lines(120))
    code = """
import os, signal, sys
import monge.learned.loop as loop
from monge.learned.capsules import tasks, training
from monge.cli import main
training.LoopSettings = lambda *args: loop.LoopSettings(*args, save_every=0)
own = tasks.ModelTraining.step
def step(self, number):
    if number == 11 and sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    return own(self, number)
tasks.ModelTraining.step = step
sys.exit(main(sys.argv[2:]))
"""

    def command(how, output):
        options = f"--model {model} --epochs 3 --length 12 --capsules 8 --vectors none -f json".split()
        output = ["--output", str(tmp_path / output)]
        return [sys.executable, "-c", code, how, "train", "capsules", data, *options, *output]

    assert subprocess.run(command("kill", "cut"), check=False, capture_output=True).returncode == -signal.SIGKILL
    assert (tmp_path / "cut.checkpoint").exists()
    cut, whole = (
        json.loads(subprocess.run(command("go", name), check=True, capture_output=True, text=True).stdout)
        for name in ("cut", "whole")
    )
    assert cut["digest"] == whole["digest"], "also: the same seed gives the same weights"
    assert not (tmp_path / "cut.checkpoint").exists()


@torch_only
@pytest.mark.parametrize("model", NETWORKS)
def test_classify_prints_labels_without_torch(model, tmp_path, capsys, monkeypatch):
    from monge.cli import main

    data = read_labelled(write(tmp_path / "t.tsv", make_lines(250)))
    train(data, model=model).model.artifact.save(tmp_path / "m")
    monkeypatch.setitem(sys.modules, "torch", None)
    texts = write(tmp_path / "texts", ["boat ship sail captain of the", "jury court judge"])
    assert main(["classify", str(tmp_path / "m"), texts, "-k", "1", "-f", "json"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert list(first) == ["sea"]
    assert list(second) == ["law"]
