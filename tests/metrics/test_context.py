"""Contextual WE_WPI: the joined vectors by hand, context alone, the mean with the cosine, and texts it cannot read."""

import math

import numpy as np
import pytest

from monge.encoders import load_encoder
from monge.encoders.context import ContextEncoder, read_sequences
from monge.encoders.joined import JoinedEncoder
from monge.errors import InputError, OptionError
from monge.explanation import explain_segments
from monge.metrics import load_metric
from monge.storage.artifact import Artifact
from monge.text import Segment

WORDS = ["boat", "boy", "coat", "north", "rain", "river"]
VECTORS = "boat 1 0 0\nboy 0 2 0\ncoat 0 0 3\nriver 1 1 0\n"  # of four words


def make_context(seeds=(1,), size=3, words=WORDS):
    arrays = {}
    for seed in seeds:
        random = np.random.default_rng(seed)
        shapes = {"embedding": (len(words) + 1, size), "input": (4 * size, size), "recurrent": (4 * size, size)}
        arrays |= {f"{seed}.{part}": random.standard_normal(shape) for part, shape in shapes.items()}
        arrays[f"{seed}.bias"] = random.standard_normal(4 * size)
    return Artifact("context", arrays, {"dimension": size, "seeds": list(seeds), "vocabulary": words})


@pytest.fixture
def files(tmp_path):
    (tmp_path / "v.txt").write_text(VECTORS, encoding="utf-8")
    for name, artifact in (("one", make_context()), ("three", make_context((1, 2, 3))), ("wide", make_context(size=5))):
        artifact.save(tmp_path / f"{name}.safetensors")
    return tmp_path


def unit(vector):
    return vector / np.linalg.norm(vector)


def test_one_step_of_the_network_by_hand():
    """Gates of a network of size 1: c = σ(1)·tanh(3) after a first word, h = σ(4)·tanh(c)."""
    weights = np.array([[1.0], [2.0], [3.0], [4.0]])
    (states,) = read_sequences([np.array([0, 0])], np.ones((1, 1)), weights, np.zeros((4, 1)), np.zeros(4))
    sigmoid = {k: 1 / (1 + math.exp(-k)) for k in (1, 2, 4)}
    first = sigmoid[1] * math.tanh(3)
    second = sigmoid[2] * first + sigmoid[1] * math.tanh(3)
    assert states[:, 0] == pytest.approx([sigmoid[4] * math.tanh(first), sigmoid[4] * math.tanh(second)])


def test_a_text_is_read_alike_alone_and_with_others():
    encoder = ContextEncoder(make_context((1, 2)))
    texts = ["boat", "boy coat boat north rain", "", "river rain"] * 40
    together = encoder.encode(texts)
    for text, one in zip(texts[:4], together[:4], strict=True):
        assert np.array_equal(encoder.encode([text])[0].vectors, one.vectors)


@pytest.mark.parametrize("normalise", [True, False])
def test_vectors_are_joined_as_the_equation_says(files, normalise):
    static = load_encoder(str(files / "v.txt"), oov="zero")
    context = ContextEncoder.load(files / "one.safetensors")
    found = JoinedEncoder(static, context, 0.1, "sum", normalise).encode(["boy rain xyzzy"])[0].vectors[0]
    states = context.states(["boy rain xyzzy"])[0][0]
    s, c = np.array([0, 2.0, 0]), states[0]
    expected = 0.9 * unit(s) + 0.1 * unit(c) if normalise else 0.9 * s + 0.1 * c
    assert found[0] == pytest.approx(unit(expected), abs=1e-6)
    assert found[1] == pytest.approx(unit(states[1]), abs=1e-6), "a word without vector has its context alone"
    assert not found[2].any(), "a word that neither knows has nothing"


def test_side_by_side_the_cosine_is_a_weighted_mean(files):
    static = load_encoder(str(files / "v.txt"), oov="zero")
    context = ContextEncoder.load(files / "wide.safetensors")
    encoder = JoinedEncoder(static, context, 0.25)
    assert not encoder.adds
    boy, river = encoder.encode(["boy river"])[0].vectors[0]
    states = context.states(["boy river"])[0][0]
    cosines = unit(np.array([0, 1.0, 0])) @ unit(np.array([1.0, 1, 0])), unit(states[0]) @ unit(states[1])
    assert boy @ river == pytest.approx((0.75**2 * cosines[0] + 0.25**2 * cosines[1]) / (0.75**2 + 0.25**2), abs=1e-6)
    with pytest.raises(OptionError, match=r"3 dimensions and context vectors of 5 .* --dimension 3"):
        JoinedEncoder(static, context, 0.25, "sum")


def test_several_seeds_give_the_mean_of_their_cosines(files):
    whole = ContextEncoder.load(files / "three.safetensors").encode(["boy coat river"])[0].vectors[0]
    own = []
    for seed in (1, 2, 3):
        vectors = ContextEncoder(make_context((seed,))).encode(["boy coat river"])[0].vectors[0]
        own.append(vectors[0] @ vectors[2])
    assert whole[0] @ whole[2] / 3 == pytest.approx(np.mean(own), abs=1e-6)


def test_without_context_it_is_we_wpi(files):
    texts = {"predictions": ["boy boat coat", "river boat"], "references": ["boat boy river", "coat boy"]}
    vectors = str(files / "v.txt")
    plain = load_metric("we_wpi", encoder=vectors).compute(**texts)["scores"]
    own = load_metric("we_wpi_context", encoder=vectors, context=str(files / "one.safetensors"), alpha=0.0)
    assert own.compute(**texts)["scores"] == pytest.approx(plain, abs=1e-6)


def test_attention_is_a_mean(files):
    texts = {"predictions": ["boy boat coat", "river boat"], "references": ["boat boy river", "coat boy"]}
    context, vectors = str(files / "one.safetensors"), str(files / "v.txt")
    plain = load_metric("we_wpi", encoder=vectors).compute(**texts)["scores"]
    cosine = load_metric("cosine", encoder=context).compute(**texts)["scores"]
    both = load_metric("we_wpi_attention", encoder=vectors, context=context).compute(**texts)["scores"]
    assert both == pytest.approx([(a + b) / 2 for a, b in zip(plain, cosine, strict=True)])
    alone = load_metric("we_wpi_attention", encoder="none", context=context).compute(**texts)["scores"]
    assert alone == pytest.approx(cosine)


@pytest.mark.parametrize("name", ["we_wpi_context", "we_wpi_attention"])
def test_the_context_alone(files, name):
    metric = load_metric(name, encoder="none", context=str(files / "three.safetensors"))
    scores = metric.compute(["boy coat rain", "north river boat"], ["boy coat rain", "boy coat rain"])["scores"]
    assert scores[0] == pytest.approx(1)
    assert scores[1] < 0.9
    assert "context-3d-3s@" in str(metric.signature)


@pytest.mark.parametrize("name", ["we_wpi_context", "we_wpi_attention"])
def test_two_empty_texts_have_no_score(files, name):
    metric = load_metric(name, encoder=str(files / "v.txt"), context=str(files / "one.safetensors"))
    (score,) = metric.bind([Segment("", (" ",))]).score([Segment("", (" ",))])
    assert math.isnan(score.value)
    assert score.notes


def test_explanations_add_up(files):
    metric = load_metric("we_wpi_context", encoder=str(files / "v.txt"), context=str(files / "one.safetensors"))
    segments = [Segment("boy boat coat", ("boat boy river", "coat boy")), Segment("river boat", ("coat boy",))]
    for segment in segments:
        bound = metric.bind(segments)
        (explanation,) = explain_segments(bound, [segment])
        assert explanation.total == pytest.approx(bound.score([segment])[0].value, abs=1e-9)


@pytest.mark.parametrize("encoder", ["none", "vectors"])
def test_words_that_nobody_knows_match_nothing(files, encoder):
    chosen = "none" if encoder == "none" else str(files / "v.txt")
    metric = load_metric("we_wpi_context", encoder=chosen, context=str(files / "one.safetensors"))
    segments = [Segment("xyzzy", ("plugh",)), Segment("boy xyzzy xyzzy", ("boy coat rain",))]
    unread, partly = metric.bind(segments).score(segments)
    assert math.isnan(unread.value)
    assert unread.notes
    assert partly.value < 0.6
    assert any("xyzzy" in note for note in partly.notes)


def test_what_is_missing_is_named(files):
    with pytest.raises(OptionError, match=r"context=FILE; `monge train context"):
        load_metric("we_wpi_context")
    with pytest.raises(InputError, match="no such file"):
        load_metric("we_wpi_attention", context=str(files / "nothing"))
    with pytest.raises(OptionError, match="alpha=2"):
        load_metric("we_wpi_context", encoder="hashed", context=str(files / "one.safetensors"), alpha=2)
    with pytest.raises(OptionError, match="join='add'"):
        load_metric("we_wpi_context", encoder="hashed", context=str(files / "one.safetensors"), join="add")
