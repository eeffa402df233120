"""Every metric on one scale: unrelated texts at 0, a copy at 1; and one rule for two empty texts."""

import math

import pytest

from monge.encoders.static.hashed import HashedEncoder
from monge.metrics import Metric, load_metric, metric_options, metric_specs
from monge.metrics.base import bind_to
from monge.metrics.baseline import find_scale, measure_baseline
from monge.metrics.protocols import Aligning, Composite, Counting, Encoding, Resamplable, Summable, SummableParts
from monge.metrics.rescaled import rescale_metric
from monge.text import Segment

# what unrelated texts and copies score says nothing about a metric that compares a translation with its source; what is
# learned from a test set: tests/metrics/test_context.py
NAMES = sorted(
    name
    for name, spec in metric_specs().items()
    if "references" in spec.needs and "context" not in metric_options(name)
)
DIRECTED = [name for name in NAMES if metric_specs()[name].higher_is_better is not None]
SEGMENTS = [name for name in DIRECTED if metric_specs()[name].unit == "segment"]
TEXTS = ["The ferry leaves the island at seven.", "Prices fell again in March.", "She repaired the old clock alone."]
UNRELATED = [Segment(a, (b,), b, document=a) for a in TEXTS for b in TEXTS if a != b]
COPIES = [Segment(text, (text,), text, document=text) for text in TEXTS]
ABILITIES = (Summable, SummableParts, Resamplable, Aligning, Composite, Encoding, Counting)


def load(name: str) -> Metric:
    options: dict[str, object] = {"wordnet": "none"} if name == "meteor" else {}
    if "encoder" in metric_options(name):
        options["encoder"] = HashedEncoder(dimension=16, layers=6, special=True)
    return load_metric(name, **options)


@pytest.mark.parametrize("name", SEGMENTS)
def test_rescaled_scores_lie_between_unrelated_texts_and_a_copy(name: str) -> None:
    metric = load(name)
    baseline = measure_baseline(metric, TEXTS, pairs=len(UNRELATED))
    rescaled = bind_to(rescale_metric(metric, baseline), UNRELATED)
    assert rescaled.spec.higher_is_better
    assert rescaled.aggregate(UNRELATED, rescaled.score(UNRELATED)) == pytest.approx(0, abs=1e-9)
    copies = bind_to(rescale_metric(metric, baseline), COPIES)
    assert copies.aggregate(COPIES, copies.score(COPIES)) == pytest.approx(1, abs=1e-9)
    assert find_scale(rescaled).record() == {"unrelated": 0.0, "copy": 1.0}  # type: ignore[union-attr]
    low, high = rescaled.spec.bounds
    assert all(low - 1e-9 <= score.value <= high + 1e-9 for score in rescaled.score(UNRELATED))
    for ability in ABILITIES:
        assert isinstance(rescaled, ability) == isinstance(metric, ability)
    assert str(rescaled.signature) != str(bind_to(metric, UNRELATED).signature)


@pytest.mark.parametrize("name", sorted(set(DIRECTED) - set(SEGMENTS)))
def test_copies_of_documents_are_at_one(name: str) -> None:
    metric = load(name)
    documents = [" ".join(TEXTS), "A boat sank near the coast. The boat was old. Nobody was on the boat."]
    copies = [Segment(text, (text,), text, document=text) for text in documents]
    rescaled = bind_to(rescale_metric(metric), copies)
    assert rescaled.aggregate(copies, rescaled.score(copies)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(DIRECTED)))
def test_features_without_a_direction_have_no_scale(name: str) -> None:
    assert "rescale" not in metric_options(name)
    assert find_scale(load(name), measure=True) is None


@pytest.mark.parametrize("name", [name for name in SEGMENTS if metric_specs()[name].explains])
def test_rescaled_scores_are_explained_exactly(name: str) -> None:
    metric = load(name)
    rescaled = bind_to(rescale_metric(metric, measure_baseline(metric, TEXTS, pairs=6)), UNRELATED)
    assert isinstance(rescaled, Aligning)
    for score in rescaled.score_with_alignments(UNRELATED):
        form = rescaled.linear_form(score)
        costs = [alignment.plan.transport_cost for alignment in score.alignments]
        total = form.base + sum(form.terms.values()) + sum(r * c for r, c in zip(form.rates, costs, strict=True))
        assert total == pytest.approx(score.value, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("blanks", [("", ""), ("  ", "\u00a0")])
def test_two_empty_texts_have_no_score(name: str, blanks: tuple[str, str]) -> None:
    hypothesis, reference = blanks
    metric = bind_to(load(name), UNRELATED)
    (score,) = metric.score([Segment(hypothesis, (reference,), reference, document="d")])
    assert math.isnan(score.value)
    assert any("no score: both texts are empty" in note for note in score.notes)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_reference_beside_another_does_not_take_the_score_away(name: str) -> None:
    metric = bind_to(load(name), UNRELATED)
    if metric.signature.fields.get("references") == "mean":
        return  # the mean over references needs all of them
    (score,) = metric.score([Segment("", ("", TEXTS[0]), TEXTS[0], document="d")])
    assert math.isfinite(score.value)
