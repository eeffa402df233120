"""What every registered metric must do, whoever wrote it."""

import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest

from monge.errors import InputError, MongeError, UnboundMetricError
from monge.metrics import Metric, find_spec, load_metric, metric_options
from monge.metrics.cards import read_prose, render_card
from monge.metrics.protocols import Aligning, Resamplable, WordSharing
from monge.text import Segment

from .conftest import NAMES, SEGMENTS, load, segments_for, values


@pytest.fixture(scope="module", params=NAMES)  # metrics are immutable, so that tests may share them
def metric(request: pytest.FixtureRequest) -> Metric:
    loaded = load(request.param)
    return loaded if loaded.bound else loaded.bind(SEGMENTS)


def test_it_follows_the_protocol(metric: Metric) -> None:
    assert isinstance(metric, Metric)
    assert metric.spec.name in NAMES
    assert metric.spec.against
    assert metric.spec.explains == isinstance(metric, Aligning | WordSharing), "what the spec declares, the metric does"


def test_lists_of_texts_are_answered_with_what_to_call(metric: Metric) -> None:
    score: Any = metric.score
    for given in ((["a boy"], ["the boy"]), (["a boy", "a dog"],)):
        with pytest.raises(InputError, match=r"compute\(predictions, references\)"):
            score(*given)


def test_options_of_the_compared_side_are_declared(metric: Metric) -> None:
    offered = "against" in metric_options(metric.spec.name)
    assert offered == (len(metric.spec.against) > 1)


def test_its_identity_tells_more_than_its_signature(metric: Metric) -> None:
    """Stored scores are keyed by it; the encoder of these tests says what computes its vectors."""
    assert metric.identity is not None
    assert str(metric.signature) in metric.identity


def test_scores_are_finite_and_within_bounds(metric: Metric) -> None:
    low, high = metric.spec.bounds
    for value in values(metric, segments_for(metric)):
        assert math.isfinite(value)
        assert low - 1e-6 <= value <= high + 1e-6  # points are single precision


def test_a_copy_is_better_than_unrelated_words(metric: Metric) -> None:
    """Features that describe texts are neither better nor worse."""
    if metric.spec.higher_is_better is None:
        return
    text = "The committee rejected the proposal because it was too expensive."
    copy, other = values(
        metric, [Segment(text, (text,), text), Segment("zebra quantum violet unrelated noise", (text,), text)]
    )
    assert copy > other if metric.spec.higher_is_better else copy < other


def test_saying_nothing_is_not_better_than_saying_something_else(metric: Metric) -> None:
    """ter counts edits and is exempt; features that describe texts have no direction."""
    if metric.spec.name == "ter" or metric.spec.higher_is_better is None:
        return
    text = "The committee rejected the proposal because it was too expensive."
    empty, other = values(metric, [Segment("", (text,), text), Segment("zebras paint violet noise", (text,), text)])
    if math.isnan(empty):
        return  # no score at all
    assert empty <= other + 1e-9 if metric.spec.higher_is_better else empty >= other - 1e-9


def test_batch_equals_one_by_one_in_any_order(metric: Metric) -> None:
    segments = segments_for(metric)
    together = values(metric, segments)
    alone = [values(metric, [segment])[0] for segment in segments]
    backwards = values(metric, segments[::-1])[::-1]
    assert np.allclose(together, alone, rtol=0, atol=1e-9)
    assert np.allclose(together, backwards, rtol=0, atol=1e-9)


def test_it_is_deterministic(metric: Metric) -> None:
    assert values(metric, segments_for(metric)) == values(metric, segments_for(metric))


def test_declared_symmetry_holds(metric: Metric) -> None:
    if not metric.spec.symmetric:
        return
    for segment in SEGMENTS:
        reference = segment.references[0]
        there = values(metric, [Segment(segment.hypothesis, (reference,))])[0]
        back = values(metric, [Segment(reference, (segment.hypothesis,))])[0]
        assert math.isclose(there, back, rel_tol=0, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [("", "A reference."), ("A hypothesis.", ""), ("", ""), ("   ", "\u00a0"), ("...", "!?")],
)
def test_empty_and_odd_texts_score_and_tell(metric: Metric, hypothesis: str, reference: str) -> None:
    source = reference if "source" in metric.spec.needs else "quelle"
    score = metric.score([Segment(hypothesis, (reference,), source)])[0]
    low, high = metric.spec.bounds
    assert math.isnan(score.value) or low - 1e-6 <= score.value <= high + 1e-6
    degraded = not hypothesis.strip() or ("references" in metric.spec.needs and not reference.strip())
    if degraded or math.isnan(score.value):
        assert score.notes, "a degraded score must say so"


def test_very_long_text(metric: Metric) -> None:
    options = metric_options(metric.spec.name)
    # ribes takes minutes on long texts, as its card says, and language models seconds
    times = 5 if metric.spec.name == "ribes" else 20 if {"lm", "terms"} & set(options) else 60
    text = "The river was wide and the boat was small. " * times
    value = values(metric, [Segment(text, (text,), text)])[0]
    assert math.isfinite(value)


def test_missing_parts_are_named(metric: Metric) -> None:
    if "references" in metric.spec.needs:
        with pytest.raises(InputError, match="7"):
            metric.score([Segment("x", (), id="7")])


def test_no_segments_give_no_scores(metric: Metric) -> None:
    assert metric.score([]) == []


def test_compute_returns_plain_values(metric: Metric) -> None:
    result = metric.compute(
        predictions=["a coat c d", "the boat"], references=[["a coat c e", "coats"], "the boat"], sources=["x", "y"]
    )
    assert isinstance(result["score"], float)
    averages = not isinstance(metric, Resamplable)
    assert ("mean" in result) is averages  # a corpus score is not called a mean
    if averages:
        assert result["mean"] == result["score"] == pytest.approx(sum(result["scores"]) / 2)
    assert len(result["scores"]) == 2
    assert all(type(value) is float for value in result["scores"])
    assert result["signature"].startswith(f"metric:{metric.spec.name}|")


def test_signature_names_metric_and_version(metric: Metric) -> None:
    fields = metric.signature.fields
    assert fields["metric"] == metric.spec.name
    assert "version" in fields


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_has_a_card(name: str) -> None:
    spec = find_spec(name)
    assert read_prose(name), f"write src/monge/metrics/card_texts/{name}.md"
    card = render_card(spec)
    assert spec.summary in card
    assert spec.citation
    for option in metric_options(name):
        assert f"`{option}`" in card


@pytest.mark.parametrize("name", NAMES)
def test_unknown_option_is_an_error(name: str) -> None:
    with pytest.raises(MongeError, match="nonsense"):
        load_metric(name, nonsense=1)


def test_unbound_metric_says_so() -> None:
    with pytest.raises(UnboundMetricError, match="bind"):
        load("moverscore").score(SEGMENTS)


def test_segments_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        SEGMENTS[0].hypothesis = "x"  # type: ignore[misc]


@pytest.mark.parametrize("name", [name for name in NAMES if find_spec(name).family in ("transport", "discourse")])
def test_metrics_travel_between_processes(name: str) -> None:
    metric = load(name)
    bound = metric if metric.bound else metric.bind(SEGMENTS)
    copy = pickle.loads(pickle.dumps(bound))
    assert copy.identity == bound.identity
    assert values(copy, segments_for(bound)) == values(bound, segments_for(bound))
