"""Explanations add up to the score, for every transport metric and readout."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monge.clouds.cloud import PointCloud
from monge.encoders.static.hashed import HashedEncoder
from monge.errors import InputError, OptionError
from monge.explanation import explain_segments
from monge.explanation.words import group_words
from monge.metrics import load_metric, metric_options, metric_specs
from monge.metrics.baseline import Baseline
from monge.metrics.transport.linear import share_f_loss
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.transport.readout import combine_f
from monge.text import Segment

TOLERANCE = 1e-9
ENCODER = HashedEncoder(dimension=16, layers=5, special=True)
NEED_FILES = {"dictionary", "context"}  # tests/metrics/test_context.py has the latter
TRANSPORT = sorted(
    name
    for name, spec in metric_specs().items()
    if "encoder" in metric_options(name) and spec.explains and not NEED_FILES & set(metric_options(name))
)

WORDS = ["the", "The", "boy", "boat", "ran", "home", ".", ",", "don't", "3.5", "日本", "é", "🙂", "well-known"]
texts = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
segments = st.builds(
    lambda hypothesis, references: Segment(hypothesis, tuple(references)),
    texts,
    st.lists(texts, min_size=1, max_size=3),
)


def against_references(name: str) -> dict[str, str]:
    """Return the option that makes a metric compare with references, where it has one."""
    return {"against": "references"} if "against" in metric_options(name) else {}


def fitted(metric, segment):
    return metric if metric.bound else metric.bind([segment, Segment("a boat.", ("the boat ran",))])


def explained_and_scored(metric, segment):
    ready = fitted(metric, segment)
    return explain_segments(ready, [segment])[0], ready.score([segment])[0].value


def is_missing(metric, segment) -> bool:
    """Whether the metric gives no score here (a plan did not converge)."""
    return math.isnan(fitted(metric, segment).score([segment])[0].value)


def check(metric, segment) -> None:
    if is_missing(metric, segment):
        with pytest.raises(InputError, match="no score"):
            explained_and_scored(metric, segment)
        return
    explanation, value = explained_and_scored(metric, segment)
    assert explanation.value == pytest.approx(value, abs=TOLERANCE)
    assert explanation.total == pytest.approx(value, abs=TOLERANCE)
    flows = [flow.contribution for pair in explanation.pairs for plan in pair.plans for flow in plan.flows()]
    rest = explanation.base + sum(explanation.terms.values())
    assert rest + sum(flows) == pytest.approx(value, abs=1e-6)  # flows drop rounding dust
    for pair in explanation.pairs:
        for side in (pair.hypothesis, pair.reference):
            assert sum(word.mass for word in side.words) == pytest.approx(1, abs=TOLERANCE)
            for word in side.words:
                assert word.end == word.start or side.text[word.start : word.end] == word.text


def test_the_whole_family_is_covered() -> None:
    family = {spec.name for spec in metric_specs().values() if spec.family == "transport"}
    assert set(TRANSPORT) >= family - {"we_wpi_context"}


@pytest.mark.parametrize("name", TRANSPORT)
@given(segment=segments)
@settings(max_examples=10, deadline=None)
def test_words_sum_to_the_score(name: str, segment: Segment) -> None:
    check(load_metric(name, encoder=ENCODER, **against_references(name)), segment)


VARIANTS = (
    {"epsilon": 0.0}, {"epsilon": 0.05}, {"order": 3.0}, {"weighting": "idf"}, {"references": "mean"},
    {"references": "joint"}, {"lambda_unit": "relative", "lambda_c": 0.5, "lambda_r": 0.7}, {"lambda_c": 0.3},
)  # fmt: skip


@pytest.mark.parametrize("name", TRANSPORT)
def test_every_metric_keeps_the_sum_under_every_switch_it_has(name: str) -> None:
    pairs = [
        Segment("the boy ran home , didn't he", ("the young man hurried home .", "a boat 🙂", "the boy")),
        Segment("", ("a boat",)),
        Segment("boat", ("",)),
        Segment("home ran boy the", ("the boy ran home",)),
    ]
    tried = 0
    for chosen in ({}, *VARIANTS):
        try:
            metric = load_metric(name, encoder=ENCODER, **against_references(name), **chosen)
        except OptionError:
            continue  # has no effect here, and says so
        tried += 1
        for segment in pairs:
            check(metric, segment)
    assert tried >= {"wmdo": 1, "mongescore": 2}.get(name, 3)


options = st.fixed_dictionaries(
    {
        "readout": st.sampled_from(["f", "distance", "one_minus", "inverse"]),
        "references": st.sampled_from(["max", "mean", "joint"]),
        "ngram": st.sampled_from([0, 1, 2]),
        "weighting": st.sampled_from(["uniform", "idf", "tfidf"]),
        "cost": st.sampled_from(["cosine", "euclidean", "sqeuclidean", "position"]),
        "alpha": st.sampled_from([0.0, 0.3, 0.5, 0.96, 1.0]),
        "lambda_c": st.sampled_from([0.0, 0.05, 1.0, float("inf")]),
        "lambda_r": st.sampled_from([0.0, 0.31, float("inf")]),
        "epsilon": st.sampled_from([0.0, 0.009]),
        "order": st.sampled_from([1.0, 2.0, 4.0]),
    }
)


def acting(chosen: dict[str, object]) -> dict[str, object]:
    """Keep the options that can act together; the others are refused."""
    if chosen["cost"] == "position" and chosen["references"] == "joint":
        chosen = {**chosen, "references": "mean"}
    idle = ("lambda_c", "lambda_r", "epsilon") if chosen["readout"] == "f" else ("alpha",)
    return {name: value for name, value in chosen.items() if name not in idle}


@given(chosen=options.map(acting), segment=segments, chance=st.one_of(st.none(), st.floats(-0.5, 0.9)))
@settings(max_examples=80, deadline=None)
def test_every_switch_keeps_the_sum(chosen: dict[str, object], segment: Segment, chance: float | None) -> None:
    metric = load_metric("emd", encoder=ENCODER, **chosen)
    assert isinstance(metric, TransportMetric)
    if chance is not None:
        parts = dict.fromkeys(("value", "precision", "recall", "f", "score", "distance"), chance)
        metric = metric.with_baseline(Baseline("", parts, dict.fromkeys(parts, 1.0), 1))
    check(metric, segment)


@given(st.floats(0, 2), st.floats(0, 2), st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]))
def test_f_is_shared_exactly_and_never_rewards_a_cost(p: float, r: float, alpha: float) -> None:
    precision, recall = 1 - p, 1 - r
    f = float(combine_f(np.array([precision]), np.array([recall]), alpha)[0])
    rate_p, rate_r = share_f_loss(p, r, alpha=alpha)
    assert 1 + rate_p * p + rate_r * r == pytest.approx(f, rel=1e-9, abs=1e-9)
    if precision > 0 and recall > 0:
        assert rate_p <= 0
        assert rate_r <= 0


def test_a_copy_loses_nothing() -> None:
    segment = Segment("a red boat", ("a red boat",))
    explanation = explain_segments(load_metric("bertscore", encoder=ENCODER), [segment])[0]
    assert explanation.value == pytest.approx(1, abs=1e-6)
    assert all(abs(word.contribution) < 1e-6 for word in explanation.hypothesis_words())


def test_the_wrong_word_costs_most() -> None:
    pair = Segment("the zebra ran home today", ("the boy ran home today",))
    explanation = explain_segments(load_metric("bertscore", encoder=ENCODER), [pair])[0]
    worst = min(explanation.hypothesis_words(), key=lambda word: word.contribution)
    assert worst.text == "zebra"


def test_lazy_transport_names_what_it_left() -> None:
    pair = Segment("the boy ran home", ("the boy ran home quantum violet",))
    metric = load_metric("lazy_emd", encoder=ENCODER, lambda_c=0.05, lambda_r=0.05)
    reference = explain_segments(metric, [pair])[0].pairs[0].reference
    share = {word.text: word.unmoved / word.mass for word in reference.words if word.mass > 0}
    assert min(share["quantum"], share["violet"]) > 0.5 > share["boy"]


def test_kept_marginals_leave_nothing() -> None:
    explanation = explain_segments(load_metric("emd", encoder=ENCODER), [Segment("a b", ("c d e",))])[0]
    assert all(word.unmoved == 0 for pair in explanation.pairs for word in pair.reference.words)


def test_each_reference_has_its_pair() -> None:
    segment = Segment("a boat", ("a boat", "one ship", "boats"))
    mean = explain_segments(load_metric("emd", encoder=ENCODER, references="mean"), [segment])[0]
    assert [pair.reference_index for pair in mean.pairs] == [0, 1, 2]
    best = explain_segments(load_metric("bertscore", encoder=ENCODER), [segment])[0]
    assert [pair.reference_index for pair in best.pairs] == [0]
    joint = explain_segments(load_metric("emd", encoder=ENCODER, references="joint"), [segment])[0]
    assert joint.pairs[0].reference.text == "a boat\none ship\nboats"


def test_word_order_and_unknown_words_are_named() -> None:
    explanation, value = explained_and_scored(
        load_metric("wmdo", encoder=ENCODER), Segment("boy the ran", ("the boy ran",))
    )
    assert explanation.terms["word order"] > 0
    assert explanation.total == pytest.approx(value, abs=TOLERANCE)


def test_subwords_become_words_of_the_text() -> None:
    text = "Unbelievable, isn't it?"
    spans = np.array([[0, 0], [0, 2], [2, 12], [12, 13], [13, 17], [17, 19], [19, 22], [22, 23], [23, 23]])
    tokens = ("[CLS]", "un", "##believable", ",", " isn", "'t", " it", "?", "[SEP]")
    cloud = PointCloud(np.zeros((9, 2), dtype=np.float32), np.full(9, 1 / 9), tokens, spans, text)
    groups = group_words(cloud)
    assert groups.names == ("[CLS]", "Unbelievable", ",", "isn't", "it", "?", "[SEP]")
    assert groups.owner.tolist() == [0, 1, 1, 2, 3, 3, 4, 5, 6]


def test_a_metric_without_transport_says_so() -> None:
    with pytest.raises(OptionError, match="occlusion"):
        explain_segments(load_metric("bleu"), [Segment("a", ("b",))])


def test_the_record_is_plain_json() -> None:
    import json

    explanation = explain_segments(load_metric("bertscore", encoder=ENCODER), [Segment("<b>&", ("日本 é",))])[0]
    assert json.loads(json.dumps(explanation.record(), allow_nan=False))["pairs"][0]["hypothesis"]["text"] == "<b>&"
