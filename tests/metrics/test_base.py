"""What metrics share: the mean, the needs, the plain result, and the specs of the lexical family."""

from __future__ import annotations

import inspect
import json
import math
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Self

import pytest

from monge.errors import InputError, OptionError
from monge.metrics import metric_options
from monge.metrics.base import MetricBase, check_needs, mean_of_known
from monge.metrics.lexical.specs import LEXICAL_SPECS, lexical_spec
from monge.metrics.protocols import Metric, MetricSpec
from monge.scores import Score, Signature
from monge.text import Segment


class Length(MetricBase):
    """Scores by length; NaN for empty; must be fitted."""

    spec = MetricSpec("length", "-", "", "test", needs=())

    def __init__(self, longest: int | None = None) -> None:
        self.longest = longest

    @property
    def signature(self) -> Signature:
        return Signature({"metric": "length", "longest": str(self.longest)})

    @property
    def bound(self) -> bool:
        return self.longest is not None

    def bind(self, corpus: Sequence[Segment]) -> Self:
        return type(self)(max(len(segment.hypothesis) for segment in corpus))

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        assert self.longest is not None
        return [
            Score(len(s.hypothesis) / self.longest) if s.hypothesis else Score(math.nan, notes=("empty",))
            for s in segments
        ]


def test_compute_fits_and_returns_plain_types() -> None:
    result = Length().compute(["ab", "", "abcd"])
    assert result["score"] == result["mean"] == 0.75
    assert result["scores"][0] == 0.5
    assert math.isnan(result["scores"][1])
    assert result["signature"] == "metric:length|longest:4"
    assert result["higher_is_better"] is True
    assert result["notes"] == {"2": ["empty"], "score": ["1 of 3 scores are missing and left out of the mean"]}
    json.dumps(result)


def test_compute_uses_a_fitted_metric_as_it_is() -> None:
    assert Length(8).compute(["ab", "abcd"])["scores"] == [0.25, 0.5]


def test_mean() -> None:
    assert math.isnan(mean_of_known([]))
    assert math.isnan(mean_of_known([math.nan]))
    assert mean_of_known([1e16, 1.0, -1e16]) == pytest.approx(1 / 3)


def test_base_is_a_metric_once_completed() -> None:
    assert isinstance(Length(), Metric)
    with pytest.raises(TypeError, match="abstract method"):  # an unfinished one cannot even be made
        MetricBase()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((["a boy"], ["the boy"]), {}),
        ((["a boy", "a dog"],), {}),
        (("a boy",), {}),
        (([("a boy", "the boy")],), {}),
        ((), {"predictions": ["a boy"], "references": ["the boy"]}),
        (([Segment("a boy")], [Segment("the boy")]), {}),
        ((), {}),
    ],
)
def test_texts_instead_of_segments_are_answered_with_what_to_call(
    given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    score: Any = Length(8).score
    with pytest.raises(InputError, match=r"list of Segments; .* compute\(predictions, references\), or monge.score\("):
        score(*given, **named)


def test_segments_may_be_given_by_name_and_there_may_be_none() -> None:
    assert [score.value for score in Length(8).score(segments=(Segment("ab"),))] == [0.25]
    assert Length(8).score([]) == []


@pytest.mark.parametrize(
    ("need", "segment", "complaint"),
    [
        ("references", Segment("a"), "segment 1 has no reference, which x needs"),
        ("source", Segment("a", ("b",), id="s9"), "segment s9 has no source, which x needs"),
    ],
)
def test_needs(need: str, segment: Segment, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        check_needs(MetricSpec("x", "-", "", "test", needs=(need,)), [segment])


def test_an_empty_text_is_not_a_missing_one() -> None:
    check_needs(MetricSpec("x", "-", "", "test", needs=("references", "source")), [Segment("", ("",), "")])


@pytest.mark.parametrize("spec", LEXICAL_SPECS, ids=lambda spec: spec.name)
def test_specs_lead_to_factories_with_plain_options(spec: MetricSpec) -> None:
    module, _, name = spec.target.partition(":")
    factory = getattr(import_module(module), name)
    for parameter in metric_options(spec.name).values():
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
        assert type(parameter.default) in (str, int, float, bool)
    metric = factory(**({"wordnet": "none"} if spec.name == "meteor" else {}))
    assert metric.spec is spec
    assert isinstance(metric, Metric)
    assert metric.signature["metric"] == spec.name
    assert spec.citation
    assert spec.family == "lexical"


@pytest.mark.parametrize("spec", [s for s in LEXICAL_SPECS if s.name != "meteor"], ids=lambda spec: spec.name)
def test_declared_symmetry_is_true(spec: MetricSpec) -> None:
    module, _, name = spec.target.partition(":")
    metric = getattr(import_module(module), name)()
    a, b = "the cat sat on a mat today", "the cat was on a mat"
    if spec.name == "rougelsum":  # sentences are what it treats in two ways
        a, b = "c\nc a c", "a a b\nc c c b"
    there, back = (metric.compute([h], [r])["scores"][0] for h, r in ((a, b), (b, a)))
    assert (there == pytest.approx(back)) is spec.symmetric


def test_specs_import_no_library() -> None:
    names = "('sacrebleu', 'nltk', 'rouge_score')"
    code = f"import sys, monge.metrics.lexical.specs; print([m for m in {names} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_unknown_name() -> None:
    with pytest.raises(OptionError, match="no lexical metric 'x'"):
        lexical_spec("x")


@pytest.mark.parametrize(
    ("field", "value"), [("needs", ("sauce",)), ("against", ("refs",)), ("growth", "huge"), ("unit", "book")]
)
def test_what_a_spec_declares_is_checked_by_name(field: str, value: object) -> None:
    wrong = value[0] if isinstance(value, tuple) else value
    with pytest.raises(OptionError, match=f"{field} '{wrong}'"):
        MetricSpec("x", "-", "", "test", **{field: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("need", ["references", "source", "document"])
def test_a_need_is_looked_for_by_its_name(need: str) -> None:
    spec = MetricSpec("x", "-", "", "test", needs=(need,))
    check_needs(spec, [Segment("h", ("r",), "s", document="d")])
    with pytest.raises(InputError, match=f"segment 7 has no {need.removesuffix('s')}, which x needs"):
        check_needs(spec, [Segment("h", id="7")])


def test_other_parameters_of_score_are_passed_on() -> None:
    """A metric of another package may have some of its own; only texts are refused."""

    class Sized(Length):
        def score(self, segments: Sequence[Segment], *, size: int = 1) -> list[Score]:  # type: ignore[override]
            return [Score(float(size)) for _ in segments]

    assert Sized().score([Segment("a", ("a",))], size=3)[0].value == 3
