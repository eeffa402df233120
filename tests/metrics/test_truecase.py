"""The option truecase: texts without capitals are read with those that a language model's vocabulary prefers."""

import dataclasses

import pytest

from monge.environment import Environment
from monge.errors import ModelError
from monge.lm import load_language_model
from monge.metrics import load_metric
from monge.metrics.base import bind_to
from monge.text import Segment

SMALL = "in berlin, peter and i met on monday."
SOURCE = "In Berlin trafen Peter und ich uns am Montag."


def score(name: str, hypothesis: str, **options: object) -> float:
    segments = [Segment(hypothesis, (SMALL,), SOURCE), Segment("Good.", ("Well.",), "Gut.")]
    return bind_to(load_metric(name, **options), segments).score(segments)[0].value


@pytest.mark.parametrize("name", ["xmoverscore_v1", "xmoverscore", "cosine_xl", "yisi2"])
def test_the_translation_is_scored_as_if_it_had_capitals(name: str) -> None:
    spelt = load_language_model("smollm2").restore_case(SMALL)
    assert spelt == "In Berlin, Peter and I met on Monday."
    restored = score(name, SMALL, truecase="smollm2")
    assert restored == pytest.approx(score(name, spelt, truecase="smollm2"), abs=1e-9)
    assert restored == pytest.approx(score(name, spelt), abs=1e-9)  # the source stays as it is
    assert restored != pytest.approx(score(name, SMALL), abs=1e-4)


def test_references_get_capitals_too_and_equal_texts_are_not_mixed_up() -> None:
    assert score("bertscore", SMALL, encoder="use", truecase="smollm2") == pytest.approx(1, abs=1e-6)
    spelt = load_language_model("smollm2").restore_case(SMALL)
    both = [Segment(SMALL, (SMALL,)), Segment(spelt, (SMALL,)), Segment("Well.", (SMALL,))]
    values = [one.value for one in load_metric("bertscore", encoder="use", truecase="smollm2").score(both)]
    assert values[:2] == pytest.approx([1, 1], abs=1e-6)
    assert values[2] < 0.9


def test_it_is_named_and_a_model_that_is_missing_is_refused() -> None:
    plain, spelt = load_metric("xmoverscore_v1"), load_metric("xmoverscore_v1", truecase="smollm2")
    assert spelt.signature.fields["truecase"].startswith("SmolLM2")
    assert "truecase" not in plain.signature.fields
    assert plain.identity != spelt.identity
    offline = dataclasses.replace(Environment.read(), offline=True)
    with pytest.raises(ModelError, match="language model"):
        load_metric("xmoverscore_v1", truecase="./nothing.gguf", environment=offline)
