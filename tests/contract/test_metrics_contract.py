"""What every registered metric must do, whoever wrote it."""

import dataclasses
import inspect
import math

import numpy as np
import pytest

from monge.encoders.hashed import HashedEncoder
from monge.errors import InputError, MongeError, NotFittedError
from monge.metrics import Metric, find_spec, load_metric, metric_options, metric_specs
from monge.metrics.cards import read_prose, render_card
from monge.text import Segment

NAMES = sorted(metric_specs())

SEGMENTS = [
    Segment(
        "The boy in a coat ran home.",
        ("The young man in a slicker ran home.", "A boy in his coat ran home."),
        "Der Junge.",
        "1",
    ),
    Segment("Rain is expected.", ("Heavy rain is expected in the north.",), "Regen.", "2"),
    Segment("two two words words", ("words two",), "zwei", "3"),
    Segment("Ünïcödé — 日本語 🙂 e\u0301", ("日本語 🙂 text",), "x", "4"),
    Segment("a", ("a",), "a", "5"),
]


def load(name: str, **options: object) -> Metric:
    """Load a metric with an encoder that needs no weights, where it takes one."""
    if "encoder" in metric_options(name):
        options = {"encoder": HashedEncoder(dimension=16, layers=6, special=True), **options}
    if name == "meteor":  # synonyms need a database that a machine may lack; tests/metrics covers them
        options = {"wordnet": "none", **options}
    return load_metric(name, **options)


@pytest.fixture(params=NAMES)
def metric(request: pytest.FixtureRequest) -> Metric:
    loaded = load(request.param)
    return loaded if loaded.fitted else loaded.fit(SEGMENTS)


def values(metric: Metric, segments: list[Segment]) -> list[float]:
    return [score.value for score in metric.score(segments)]


def test_it_follows_the_protocol(metric: Metric) -> None:
    assert isinstance(metric, Metric)
    assert metric.spec.name in NAMES
    assert set(metric.spec.needs) <= {"references", "source"}


def test_scores_are_finite_and_within_bounds(metric: Metric) -> None:
    low, high = metric.spec.bounds
    for value in values(metric, SEGMENTS):
        assert math.isfinite(value)
        assert low - 1e-6 <= value <= high + 1e-6  # points are single precision


def test_a_copy_is_better_than_unrelated_words(metric: Metric) -> None:
    text = "The committee rejected the proposal because it was too expensive."
    copy, other = values(
        metric, [Segment(text, (text,), text), Segment("zebra quantum violet unrelated noise", (text,), text)]
    )
    if metric.spec.name == "lazy_emd":  # small λ leave unrelated mass unmoved, as its card says
        return
    assert copy > other if metric.spec.higher_is_better else copy < other


def test_saying_nothing_is_not_better_than_saying_something_else(metric: Metric) -> None:
    """ter counts edits and is let off."""
    if metric.spec.name == "ter":
        return
    text = "The committee rejected the proposal because it was too expensive."
    empty, other = values(metric, [Segment("", (text,), text), Segment("zebras paint violet noise", (text,), text)])
    assert empty <= other + 1e-9 if metric.spec.higher_is_better else empty >= other - 1e-9


def test_batch_equals_one_by_one_in_any_order(metric: Metric) -> None:
    together = values(metric, SEGMENTS)
    alone = [values(metric, [segment])[0] for segment in SEGMENTS]
    backwards = values(metric, SEGMENTS[::-1])[::-1]
    assert np.allclose(together, alone, rtol=0, atol=1e-9)
    assert np.allclose(together, backwards, rtol=0, atol=1e-9)


def test_it_is_deterministic(metric: Metric) -> None:
    assert values(metric, SEGMENTS) == values(metric, SEGMENTS)


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
    score = metric.score([Segment(hypothesis, (reference,), "quelle")])[0]
    low, high = metric.spec.bounds
    assert math.isnan(score.value) or low - 1e-6 <= score.value <= high + 1e-6
    if not hypothesis.strip() or not reference.strip() or math.isnan(score.value):
        assert score.notes, "a degraded score must say so"


def test_very_long_text(metric: Metric) -> None:
    times = (
        5 if metric.spec.name in ("ter", "ribes") else 60
    )  # these two take minutes on long texts, as their cards say
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
    result = metric.compute(predictions=["a b c d", "e f"], references=[["a b c e", "d"], "e f"], sources=["x", "y"])
    assert isinstance(result["mean"], float)
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


OTHER_VALUES = {
    "layers": "0", "aggregation": "mean", "drop": "punctuation", "mute": "subwords", "weighting": "idf_plus_one",
    "idf_from": None, "cost": "euclidean", "readout": "inverse", "references": None, "pooling": None,
    "language": None, "lambda_unit": "relative", "regulariser": "kl", "long": None, "device": None, "dtype": None,
    "encoder": HashedEncoder(dimension=16, layers=6, seed=9),
    "idf": None, "baseline": None, "tokenize": None, "smooth_method": None,
}  # fmt: skip  # None: covered by a test of its own or changes nothing here


def _other(name: str, parameter: inspect.Parameter) -> object:
    default = parameter.default
    if name in OTHER_VALUES:
        return OTHER_VALUES[name]
    if isinstance(default, bool):
        return not default
    if isinstance(default, int):
        return default + 1
    if isinstance(default, float):
        return 0.5 if default != 0.5 else 0.25
    return None


CASES = [(n, o) for n in NAMES for o, p in metric_options(n).items() if _other(o, p) not in (None, p.default)]


@pytest.mark.parametrize(("name", "option"), CASES)
def test_every_option_changes_the_signature(name: str, option: str) -> None:
    finite = {"lambda_c": 0.5, "lambda_r": 0.5} if option in ("lambda_unit", "regulariser", "epsilon") else {}
    if option == "regulariser":
        finite["epsilon"] = 0.01
    readout = metric_options(name)["readout"].default if "readout" in metric_options(name) else ""
    if option in ("lambda_c", "lambda_r", "lambda_unit", "epsilon", "regulariser") and readout == "f":
        finite["readout"] = "distance"
    if option == "alpha" and readout:
        finite["readout"] = "f"
    before = load(name, **finite)
    after = load(name, **finite, **{option: _other(option, metric_options(name)[option])})
    assert str(before.signature) != str(after.signature)


@pytest.mark.parametrize("name", NAMES)
def test_unknown_option_is_an_error(name: str) -> None:
    with pytest.raises(MongeError, match="nonsense"):
        load_metric(name, nonsense=1)


def test_unfitted_metric_says_so() -> None:
    with pytest.raises(NotFittedError, match="fit"):
        load("moverscore").score(SEGMENTS)


def test_segments_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        SEGMENTS[0].hypothesis = "x"  # type: ignore[misc]
