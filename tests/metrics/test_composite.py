"""Ensembles against their definition."""

import numpy as np
import pytest

from monge.errors import InputError, OptionError
from monge.metrics import load_metric
from monge.metrics.composite import read_calibration_pairs
from monge.text import Segment

SEGMENTS = [
    Segment("The boy ran home.", ("A boy ran home.",), id="1"),
    Segment("Heavy rain is expected.", ("Rain is expected in the north.", "It will rain."), id="2"),
    Segment("unrelated words", ("Two engines failed.",), id="3"),
]


def values(metric):
    return np.array([score.value for score in metric.score(SEGMENTS)])


def test_it_is_the_weighted_mean_of_standardised_scores():
    ensemble = load_metric("ensemble", members="chrf + 0.5*ter", constants="40/20 60/30")
    chrf, ter = values(load_metric("chrf")), values(load_metric("ter"))
    expected = ((chrf - 40) / 20 + 0.5 * -(ter - 60) / 30) / 1.5  # ter is better when lower
    np.testing.assert_allclose(values(ensemble), expected, atol=1e-12)
    assert ensemble.score(SEGMENTS)[0].parts == pytest.approx({"chrf": chrf[0], "ter": ter[0]})


def test_constants_are_measured_on_the_pairs_that_come_along():
    pairs = read_calibration_pairs()
    scores = np.array([score.value for score in load_metric("chrf").score(pairs)])
    alone = load_metric("ensemble", members="chrf")
    np.testing.assert_allclose(values(alone), (values(load_metric("chrf")) - scores.mean()) / scores.std(), atol=1e-9)
    assert alone.signature["calibration"] == f"builtin({len(pairs)})"
    assert alone.signature["1.scale"] == f"({scores.mean():.6g},{scores.std():.6g})"


def test_members_with_corpus_statistics_are_fitted():
    ensemble = load_metric("ensemble", members="yisi1 + bleu", encoder="hashed")
    assert not ensemble.bound
    assert ensemble.bind(SEGMENTS).bound


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"members": "nonsense"}, OptionError, "no metric 'nonsense'"),
        ({"members": "0*bleu"}, OptionError, "must be positive"),
        ({"members": "bleu", "constants": "1"}, OptionError, "MEAN/SPREAD"),
        ({"members": "bleu + chrf", "constants": "1/2"}, OptionError, "2 members need 2 pairs"),
        ({"members": "bleu", "constants": "1/0"}, OptionError, "spreads positive"),
        ({"members": "1e999*bleu + chrf"}, OptionError, "must be positive and finite"),
        ({"members": "bleu + chrf", "constants": "nan/1 0/2"}, OptionError, "all finite"),
        ({"members": "bleu + chrf", "constants": "1/1 0/inf"}, OptionError, "all finite"),
        ({"members": "bleu,layers=3"}, OptionError, "no option 'layers'"),
    ],
)
def test_mistakes_are_named(options, error, message):
    with pytest.raises(error, match=message):
        load_metric("ensemble", **options)


def test_segments_without_reference_are_refused():
    with pytest.raises(InputError, match="7"):
        load_metric("ensemble", members="bleu").score([Segment("x", (), id="7")])


def test_given_constants_are_signed_to_the_last_digit():
    one, two = (load_metric("ensemble", members="bleu", constants=f"40.000000{k}/10") for k in (1, 2))
    assert str(one.signature) != str(two.signature)
