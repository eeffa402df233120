"""An empty reference beside another one is no reference, for every metric."""

import dataclasses

import pytest

from monge.metrics import metric_specs
from monge.text import Segment

from .conftest import SEGMENTS, load, segments_for

AS_SACREBLEU = {"bleu", "ter"}  # their numbers are sacrebleu's, to which a blank line is a reference without words
NAMES = sorted(name for name, spec in metric_specs().items() if "references" in spec.needs and name not in AS_SACREBLEU)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_reference_beside_another_changes_nothing(name: str) -> None:
    loaded = load(name)
    metric = loaded if loaded.bound else loaded.bind(SEGMENTS)
    own = segments_for(metric)
    padded = [dataclasses.replace(segment, references=(*segment.references, " ")) for segment in own]
    for plain, score in zip(metric.score(own), metric.score(padded), strict=True):
        assert score.value == pytest.approx(plain.value, abs=1e-9)
        assert score.parts == pytest.approx(plain.parts, abs=1e-9)


def test_an_empty_reference_never_decides() -> None:
    """A text that is farther than nothing would be is still compared with the reference that has words."""
    metric = load("moverscore", references="max")
    metric = metric if metric.bound else metric.bind(SEGMENTS)
    text = "zebras never vote"
    plain, padded = metric.score([Segment(text, ("the boy ran home",)), Segment(text, ("", "the boy ran home"))])
    assert padded.value == pytest.approx(plain.value)
    assert padded.reference_index == 1
    assert padded.notes == ("1 of 2 references left out: empty text",)
