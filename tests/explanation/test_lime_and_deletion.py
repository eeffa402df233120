"""LIME on games whose effects are known, and deletion curves worked by hand."""

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest

from monge.cli import main
from monge.errors import OptionError
from monge.explanation import delete_words, explain_segments, fit_lime, occlude_words, sample_shapley
from monge.explanation.lime import draw_masks, fit_ridge, weigh_masks
from monge.metrics import load_metric
from monge.scores import Score
from monge.text import Segment

EFFECTS = {"good": 2.0, "fair": 1.0, "poor": -0.5, "void": 0.0}


class Additive:
    """A metric that adds up the effects of words."""

    def __init__(self, sign: float = 1.0) -> None:
        inner = load_metric("chrf" if sign > 0 else "ter")
        self.spec, self.signature, self.bound, self.sign = inner.spec, inner.signature, True, sign
        self.binding_notes: tuple[str, ...] = ()

    def bind(self, corpus: Sequence[Segment]) -> "Additive":
        return self

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        return [Score(self.sign * (3 + sum(EFFECTS.get(w, 0) for w in s.hypothesis.split()))) for s in segments]


SEGMENT = Segment("poor void good fair", ("x",))


def test_masks_are_all_of_them_or_a_sample() -> None:
    rng = np.random.default_rng(0)
    every = draw_masks(4, 16, rng)
    assert len(every) == len({tuple(mask) for mask in every.tolist()}) == 16
    assert every[0].all()
    some = draw_masks(30, 50, rng)
    assert some.shape == (50, 30)
    assert some[0].all()
    assert not some[1:].all(axis=1).any()


def test_weights_by_hand() -> None:
    masks = np.array([[1, 1, 1, 1], [1, 0, 0, 0]], dtype=bool)
    assert weigh_masks(masks) == pytest.approx([1, math.exp(-(0.5**2) / 0.25**2)])


def test_the_ridge_is_the_normal_equations_with_a_free_intercept() -> None:
    rng = np.random.default_rng(1)
    masks, values, weights = rng.integers(0, 2, (40, 3)).astype(float), rng.normal(size=40), rng.random(40)
    intercept, effects = fit_ridge(masks, values, weights, ridge=0.7)
    design = np.column_stack([np.ones(40), masks])
    penalty = np.diag([0, 0.7, 0.7, 0.7])
    expected = np.linalg.solve(design.T @ (weights[:, None] * design) + penalty, design.T @ (weights * values))
    assert [intercept, *effects] == pytest.approx(expected.tolist(), abs=1e-12)


def test_an_additive_metric_is_found_again() -> None:
    found = fit_lime(Additive(), SEGMENT, samples=500)
    assert found.evaluations == 16
    assert found.method == "lime"
    shrunk = {word.text: word.effect for word in found.words}
    assert shrunk["good"] > shrunk["fair"] > shrunk["void"] > shrunk["poor"]
    masks = draw_masks(4, 16, np.random.default_rng(0)).astype(float)
    truth = np.array([EFFECTS[w] for w in SEGMENT.hypothesis.split()])
    _, exact = fit_ridge(masks, masks @ truth, weigh_masks(masks.astype(bool)), ridge=1e-9)
    assert exact == pytest.approx(truth, abs=1e-6)


def test_samples_are_checked_and_the_seed_matters() -> None:
    with pytest.raises(OptionError, match="samples"):
        fit_lime(Additive(), SEGMENT, samples=2)
    long = Segment(" ".join(f"w{i}" for i in range(20)), (" ".join(f"w{i}" for i in range(0, 20, 2)),))
    chrf = load_metric("chrf")
    assert fit_lime(chrf, long, samples=40) == fit_lime(chrf, long, samples=40)
    assert fit_lime(chrf, long, samples=40) != fit_lime(chrf, long, samples=40, seed=3)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_deletion_curve_by_hand(sign: float) -> None:
    metric = Additive(sign)
    curve = delete_words(metric, SEGMENT, occlude_words(metric, SEGMENT))
    # delete good, fair, void, poor: 2.5 → .5 → −.5 → −.5 → 0 above no word
    assert curve.values == pytest.approx((1.0, 0.2, -0.2, -0.2, 0.0))
    assert curve.area == pytest.approx(((1 + 0.2) + (0.2 - 0.2) + (-0.2 - 0.2) + (-0.2 + 0)) / 8)
    assert curve.area < curve.random_area < curve.opposite_area
    assert "(faithful)" in curve.describe()


def test_a_text_that_is_worse_than_none_has_no_curve() -> None:
    segment = Segment("poor poor", ("x",))
    curve = delete_words(Additive(), segment, occlude_words(Additive(), segment))
    assert math.isnan(curve.area)
    assert curve.record()["area"] is None
    assert "no better than an empty one" in curve.describe()


@pytest.mark.parametrize("method", ["shapley", "lime", "additive"])
def test_every_explanation_can_be_checked(method: str) -> None:
    segment = Segment("the zebra ran home fast", ("the boy ran home quickly",))
    metric = (
        load_metric(["emd", "encoder=hashed"][0], encoder="hashed") if method == "additive" else load_metric("chrf")
    )
    explain = {"shapley": sample_shapley, "lime": fit_lime}.get(method)
    found = explain(metric, segment) if explain else explain_segments(metric, [segment])[0]
    curve = delete_words(metric, segment, found)
    assert len(curve.values) == 6
    if method != "additive":  # hashed vectors say nothing about a word's worth
        assert curve.gain > 0


def test_the_command_checks_and_prints(capsys: pytest.CaptureFixture[str]) -> None:
    texts = ["--hypothesis", "the zebra ran home", "--reference", "the boy ran home", "-m", "chrf", "--how", "lime"]
    assert main(["explain", *texts, "--check"]) == 0
    out = capsys.readouterr().out
    assert "LIME's linear model explains" in out
    assert "Deletion curve: area" in out
    assert main(["explain", *texts, "--check", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["deletion"]["area"] < 1
