"""What metrics compute is numbered: scores that change must come with a new number, or stored scores would lie.

The table was made by the code itself. When the test fails, either the change was not meant, or the ALGORITHM of the
component that changed (layers, clouds, transport or metrics) must be raised, and the table updated with the values
that the failure prints.
"""

import importlib

import pytest

from monge.encoders.static.hashed import HashedEncoder
from monge.metrics import load_metric, metric_options, metric_specs
from monge.metrics.base import bind_to
from monge.text import Segment

NUMBERS = {
    "monge.encoders.layers.aggregate": 1,
    "monge.clouds": 3,
    "monge.transport": 1,
    "monge.metrics.base": 3,
    "monge.annotate.base": 2,
    "monge.discourse": 1,
}
SEGMENTS = [
    Segment("The boy in a coat ran home.", ("The young man in a slicker ran home.", "A boy ran."), "Der Junge.", "1"),
    Segment("Rain is expected.", ("Heavy rain is expected in the north.",), "Regen.", "2"),
    Segment("two two words", ("words two",), "zwei", "3"),
]
# sums of the three scores: of our own metrics, whose library is this one
TABLE: dict[str, float] = {
    "bertscore": 2.41677755,
    "f_alpha": 2.419866363,
    "rouge_we": 2.420002892,
    "yisi1": 2.371236942,
    "emd": 0.784856278,
    "lazy_emd": 0.35463496,
    "moverscore": 1.085910614,
    "moverscore_v1": 1.574137196,
    "moverscore_v2": 1.808665329,
    "smd": 1.459265019,
    "wmd": 4.746779825,
    "wmdo": 1.142392058,
    "we": 2.220525432,
    "we_wpi": 1.152545722,
    "xmoverscore": -0.574223087,
    "xmoverscore_v1": -0.206879113,
    "xmoverscore_v2": 1.493349065,
    "yisi2": 1.445294957,
    "cosine": 2.687910033,
    "cosine_xl": 1.471629293,
    "mongescore": 1.976650654,
    "ensemble": 2.030871638,
    "ds_focus": 2.858740265,
    "focus_frequency": 2.250000000,
    "ds_sent": 2.362401491,
    "rc": 0.000000000,
    "lc": 0.000000000,
    "entity_graph": 0.000000000,
    "lexical_graph": 0.000000000,
    "lexical_chain": 0.000000000,
    "freq": 0.000000000,
    "conn": 0.000000000,
    "length": 13.000000000,
    "noun_recall": 2.000000000,
    "mongescore_document": 1.747304782,
}


def total(name: str, **options: object) -> float:
    if "encoder" in metric_options(name):
        options = {"encoder": HashedEncoder(dimension=16, layers=6, special=True), **options}
    if "vectors" in metric_options(name):
        options = {"vectors": HashedEncoder(dimension=16, layers=1), **options}
    metric = bind_to(load_metric(name, **options), SEGMENTS)
    return sum(score.value for score in metric.score(SEGMENTS))


def test_the_literal_reading_keeps_its_values() -> None:
    assert total("moverscore", reading="literal") == pytest.approx(-5.79310206, rel=1e-6)
    assert total("smd", reading="literal") == pytest.approx(28.790505598, rel=1e-6)


# these have tests of their own: tests/lm, tests/metrics/test_free.py, tests/metrics/test_context.py
ELSEWHERE = {"lm", "dictionary", "context"}
OURS = [
    name
    for name, spec in metric_specs().items()
    if spec.family != "lexical" and name != "composite" and not ELSEWHERE & set(metric_options(name))
]


@pytest.mark.parametrize("name", OURS)
def test_scores_change_with_the_number_only(name: str) -> None:
    numbers = {module: importlib.import_module(module).ALGORITHM for module in NUMBERS}
    found = total(name)
    assert numbers == NUMBERS, "a number was raised: update NUMBERS and TABLE"
    message = f"{name} is {found!r} now: raise the ALGORITHM of what changed and update NUMBERS and TABLE"
    assert found == pytest.approx(TABLE[name], rel=1e-6), message
