"""mongescore against its definition: parts, scale and explanation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from monge.errors import OptionError
from monge.explanation.additive import explain_segments
from monge.metrics import load_metric
from monge.metrics.baseline import measure_baseline
from monge.metrics.protocols import Metric
from monge.text import Segment

SEGMENTS = [
    Segment("The boy ran home.", ("A boy ran home.",), id="1"),
    Segment("Heavy rain is expected.", ("Rain is expected in the north.", "It will rain."), id="2"),
    Segment("unrelated words", ("Two engines failed.",), id="3"),
]


def values(metric: Metric) -> NDArray[np.float64]:
    return np.array([score.value for score in metric.score(SEGMENTS)])


def test_scores_depend_on_no_other_segment() -> None:
    ensemble = load_metric("mongescore", encoder="hashed", layers="2")
    together = values(ensemble)
    np.testing.assert_allclose([ensemble.score([s])[0].value for s in SEGMENTS], together, atol=1e-9)


def test_mongescore_is_the_weighted_mean_of_its_rescaled_parts() -> None:
    options = {"encoder": "hashed", "layers": "2", "order": 3, "alpha": 0.6, "lean": 1}
    mongescore = load_metric("mongescore", **options, sentence=0.5, lexical=3, lexical_per=80)
    matching = load_metric("bertscore", **options, rescale=True)
    cosine = load_metric("cosine", encoder="hashed", rescale=True)
    chrf = load_metric("chrf", rescale=True)
    lengths = np.array([len("Aboyranhome."), len("Rainisexpectedinthenorth."), len("Twoenginesfailed.")])
    shares = lengths / (lengths + 40)
    expected = (1 - shares) * (values(matching) + 0.5 * values(cosine)) / 1.5 + shares * values(chrf)
    np.testing.assert_allclose(values(mongescore), expected)
    np.testing.assert_allclose([score.parts["chrf share"] for score in mongescore.score(SEGMENTS)], shares)
    without = load_metric("mongescore", **options, sentence=0, lexical=0)
    assert len(without.members) == 1
    with pytest.raises(OptionError, match="lexical=-1"):
        load_metric("mongescore", **options, lexical=-1)


def test_a_copy_scores_one_and_unrelated_texts_score_zero_by_mongescore() -> None:
    mongescore = load_metric("mongescore", encoder="hashed")
    assert mongescore.score([Segment("a red boat", ("a red boat",))])[0].value == pytest.approx(1.0)
    assert measure_baseline(mongescore).scale.unrelated == pytest.approx(0.0, abs=1e-3)  # weights vary with lengths


def test_mongescore_is_symmetric_only_if_precision_and_recall_weigh_the_same() -> None:
    assert load_metric("mongescore", encoder="hashed", alpha=0.5, lexical=0).spec.symmetric
    assert not load_metric(
        "mongescore", encoder="hashed", alpha=0.5, lexical=500
    ).spec.symmetric  # chrF leans to recall
    assert not load_metric("mongescore", encoder="hashed", alpha=0.7).spec.symmetric


def test_options_of_mongescore_name_nothing_else() -> None:
    with pytest.raises(OptionError, match="layers"):
        load_metric("mongescore", encoder="hashed", layers="0,idf=x.json,weighting=idf")
    assert load_metric("mongescore", encoder="hashed", layers="2", sentence=1e-5).members[1].weight == 1e-5
    members = "bertscore,layers=2 + 1e-05*cosine"
    assert load_metric("ensemble", members=members, encoder="hashed").members[1].weight == 1e-5


@pytest.mark.parametrize("per", [0, 300])
def test_explanations_add_up_to_the_score(per: float) -> None:
    metric = load_metric("mongescore", encoder="hashed", layers="2", lexical=1, lexical_per=per)
    explained = explain_segments(metric, SEGMENTS)
    np.testing.assert_allclose([one.total for one in explained], values(metric), atol=1e-12)
    assert [one.base for one in explained] == pytest.approx([1.0] * 3)
    assert all(one.terms["cosine"] < 0 and one.terms["chrf"] < 0 for one in explained)
    same = explain_segments(metric, [Segment("a red boat", ("a red boat",))])[0]
    assert same.terms["cosine"] == pytest.approx(0, abs=1e-6)
    assert all(word.contribution == pytest.approx(0, abs=1e-6) for word in same.hypothesis_words())


def test_leaving_half_out_is_worse_than_saying_all_of_it_in_other_words() -> None:
    reference = (
        "The committee decided on Tuesday to postpone the vote until the end of the month because several members "
        "were absent."
    )
    half = "The committee decided on Tuesday to postpone the vote"
    paraphrase = (
        "On Tuesday the committee chose to delay the vote to the end of the month, as several members were missing."
    )
    metric = load_metric("mongescore", encoder="minilm")
    one, other = metric.score([Segment(half, (reference,)), Segment(paraphrase, (reference,))])
    assert one.value < other.value
