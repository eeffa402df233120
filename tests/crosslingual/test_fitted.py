"""Fitted re-mappings as files, and as the option ``remap`` of metrics."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from monge.crosslingual import FittedRemap, VectorPairs, fit_remap
from monge.crosslingual.fitted import RemapFacts
from monge.crosslingual.maps import Chain, Linear
from monge.encoders.static.hashed import HashedEncoder
from monge.errors import InputError, OptionError
from monge.metrics import load_metric
from monge.text import Segment

ENCODER = HashedEncoder(dimension=16, layers=4)
SEGMENTS = [Segment("the boy ran home", source="der Junge lief heim"), Segment("rain all day", source="Regen am Tag")]


def fit(methods: tuple[str, ...] = ("clp",), **facts: object) -> FittedRemap:
    rows = np.random.default_rng(0)
    sample = VectorPairs(rows.standard_normal((50, 16)), rows.standard_normal((50, 16)))
    source, target = fit_remap(sample, methods)
    known = {"methods": methods, "encoder": ENCODER.signature, "layers": (3,), **facts}
    return FittedRemap(RemapFacts(**known), source, target)  # type: ignore[arg-type]


@pytest.mark.parametrize("methods", [("clp",), ("umd",), ("norm", "clp"), ("unit", "centre", "lsq"), ("layer",)])
def test_what_is_written_is_read_again(methods: tuple[str, ...], tmp_path: Path) -> None:
    made = fit(methods, source_language="de", target_language="en", origin="words", pairs=50)
    made.save(tmp_path / "map")
    again = FittedRemap.load(tmp_path / "map")
    assert again.digest == made.digest
    assert again.facts == made.facts
    x = np.random.default_rng(1).standard_normal((5, 16))
    assert np.array_equal(again.source.transform(x), made.source.transform(x))
    assert np.array_equal(again.target.transform(x), made.target.transform(x))


def test_files_that_are_no_remapping_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "map"
    with pytest.raises(InputError, match="no such re-mapping"):
        FittedRemap.load(path)
    path.write_text("nothing")
    with pytest.raises(InputError, match="not a re-mapping"):
        FittedRemap.load(path)
    fit().save(path)
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match="damaged"):
        FittedRemap.load(path)


def test_a_metric_applies_it_to_the_two_sides(tmp_path: Path) -> None:
    path = str(tmp_path / "map")
    fit().save(path)
    plain = load_metric("yisi2", encoder=ENCODER, weighting="uniform", layers="3")
    mapped = load_metric("yisi2", encoder=ENCODER, weighting="uniform", layers="3", remap=path)
    assert [score.value for score in plain.score(SEGMENTS)] != [score.value for score in mapped.score(SEGMENTS)]
    digest = FittedRemap.load(path).source.digest
    assert mapped.signature["against_remap"] == digest[:8]
    assert digest in str(mapped.identity)
    assert "remap" not in mapped.signature.fields  # a rotation leaves the target language where it is


def test_a_rotation_fitted_on_the_texts_themselves_makes_them_equal(tmp_path: Path) -> None:
    """A source in rotated vectors of the same words scores like a copy."""
    turn, _ = np.linalg.qr(np.random.default_rng(3).standard_normal((16, 16)))
    facts = RemapFacts(("clp",), ENCODER.signature, (3,))
    path = str(tmp_path / "map")
    FittedRemap(facts, Chain((Linear(turn),)), Chain((Linear(turn),))).save(path)
    copy = [Segment("the boy ran home", source="the boy ran home")]
    plain = load_metric("yisi2", encoder=ENCODER, weighting="uniform", layers="3").score(copy)[0].value
    turned = load_metric("yisi2", encoder=ENCODER, weighting="uniform", layers="3", remap=path).score(copy)[0].value
    assert plain == pytest.approx(1)
    assert turned == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"encoder": "other@1234"}, "fitted for the encoder other@1234"),
        ({"layers": (2,)}, "fitted for layer 2"),
        ({"unit": "sentence"}, "vectors of sentence"),
    ],
)
def test_another_encoder_layer_or_unit_is_refused(facts: dict[str, object], said: str, tmp_path: Path) -> None:
    path = str(tmp_path / "map")
    fit(**facts).save(path)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=said):
        load_metric("yisi2", encoder=ENCODER, layers="3", remap=path)


def test_the_name_of_a_folder_does_not_matter() -> None:
    made = fit()
    renamed = dataclasses.replace(made.facts, encoder="folder@abcd.12")
    FittedRemap(renamed, made.source, made.target).check(
        encoder="elsewhere@abcd.12", layers=(3,), aggregation="single", unit="tokens"
    )


def test_batches_of_eight_depend_on_their_neighbours() -> None:
    metric = load_metric("xmoverscore_v2", encoder=ENCODER, remap="batch8")
    alone = [metric.score([segment])[0].value for segment in SEGMENTS]
    together = [score.value for score in metric.score(SEGMENTS)]
    assert alone != together
    assert len(metric.signature["remap"]) == 8
