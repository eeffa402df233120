"""Options as programs give them: values of the wrong kind are reported at once, not met later."""

import math
from pathlib import Path

import pytest

from monge.errors import InputError, OptionError
from monge.metrics import load_metric


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("ribes", {"alpha": None}, "alpha=None: must be a number"),
        ("ribes", {"alpha": [1]}, r"alpha=\[1\]: must be a number"),
        ("bleu", {"language": None}, "language=None: must be given, or left out"),
        ("lazy_emd", {"lambda_c": None}, "lambda_c=None: must be a number"),
        ("chrf", {"char_order": 2.5}, "char_order=2.5: must be a whole number"),
        ("nist", {"n": 2.5}, "n=2.5: must be a whole number"),
        ("bleu", {"lowercase": []}, r"lowercase=\[\]: must be true or false"),
        ("bleu", {"tokenize": 5}, "tokenize='5' is not one of"),
        ("emd", {"drop": ["special"], "encoder": "hashed"}, r"drop=\['special'\]: must be text"),
        ("emd", {"drop": b"special", "encoder": "hashed"}, "drop=b'special': must be text"),
        ("emd", {"language": 5, "encoder": "hashed"}, "language='5': must be a code"),
        ("emd", {"normalise_points": 5, "encoder": "hashed"}, "normalise_points=5: must be true or false"),
        ("wmdo", {"oov": "zonk", "encoder": "hashed"}, "oov='zonk'.*must be one of skip, zero"),
        ("wmdo", {"layers": "zonk", "encoder": "hashed"}, "layers 'zonk'"),
    ],
)
def test_values_of_the_wrong_kind_are_told(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        load_metric(name, **options)


def test_numbers_and_paths_may_stand_for_text(tmp_path: Path) -> None:
    metric = load_metric("bertscore", encoder="hashed", layers=1, weighting="uniform")
    assert metric.signature["layers"] == "1"
    with pytest.raises(InputError, match=r"missing\.json: cannot read"):
        load_metric("bertscore", encoder="hashed", weighting="idf", idf=tmp_path / "missing.json")


def test_bounds_of_wmdo_follow_its_penalties() -> None:
    metric = load_metric("wmdo", encoder="hashed", delta=1.0, alpha=0.5)
    assert metric.spec.bounds == (0.0, 3.5)
    assert load_metric("wmdo", encoder="hashed").spec.bounds == pytest.approx((0.0, 2.28))
    assert math.isfinite(metric.compute(["a b"], ["c d"])["score"])
