"""Baselines that come with monge: there for every metric as it is set, and what they say is true."""

import json
from pathlib import Path

import pytest

from monge.encoders.adapter import SHIPPED
from monge.errors import InputError, ModelError, OptionError
from monge.metrics import load_metric, metric_options, metric_specs
from monge.metrics.baseline import (
    Baseline,
    find_baseline,
    find_scale,
    measure_baseline,
    read_unrelated_texts,
)
from monge.metrics.lexical.wordnet import find_wordnet
from monge.metrics.rescaled import rescale_metric
from monge.metrics.variants import parse_variants
from monge.text import Segment

ENCODED = ("minilm", "mpnet", *(shipped.name for shipped in SHIPPED))


def defaults() -> list[tuple[str, str]]:
    found = []
    for name, spec in metric_specs().items():
        if spec.needs != ("references",) or (spec.family not in ("transport", "lexical") and name != "mongescore"):
            continue
        if "context" in metric_options(name):
            continue  # learned from a test set: what unrelated texts score differs from one to the next
        encoder = metric_options(name).get("encoder")
        own = encoder is None or encoder.default not in ENCODED
        found += [(name, "")] if own else [(name, chosen) for chosen in ENCODED]
    return found


def load(name: str, encoder: str):  # type: ignore[no-untyped-def]
    return load_metric(name, **({"encoder": encoder} if encoder else {}))


def has_wordnet() -> bool:
    try:
        find_wordnet("auto")
    except ModelError:
        return False
    return True


@pytest.mark.parametrize(("name", "encoder"), defaults())
def test_every_metric_has_a_scale_as_it_is_set(name: str, encoder: str) -> None:
    """If this fails, a default has changed: run benchmarks/baselines.py."""
    if name == "meteor" and not has_wordnet():
        pytest.skip("this machine has no WordNet (apt install wordnet-base)")
    found = find_baseline(load(name, encoder))
    assert found is not None
    assert found.pairs == 400


@pytest.mark.parametrize("name", ["bertscore", "moverscore", "cosine", "mongescore"])
def test_int8_has_a_scale_of_its_own(name: str) -> None:
    plain, whole = (load_metric(name, encoder="minilm", dtype=dtype) for dtype in ("float32", "int8"))
    one, other = find_baseline(plain), find_baseline(whole)
    assert one is not None
    assert other is not None
    assert one.scale.unrelated == pytest.approx(other.scale.unrelated, abs=0.01)
    assert "/int8" in other.signature


@pytest.mark.parametrize("name", ["bertscore", "moverscore", "emd", "cosine", "mongescore", "wmd", "chrf", "bleu"])
def test_what_is_stored_is_what_is_measured(name: str) -> None:
    metric = load(name, "minilm" if metric_options(name).get("encoder") and name != "wmd" else "")
    stored = find_baseline(metric)
    assert stored is not None
    measured = measure_baseline(metric)
    assert stored.scale.unrelated == pytest.approx(measured.scale.unrelated, abs=1e-3)
    assert stored.scale.copy == pytest.approx(measured.scale.copy, abs=1e-3)


def test_other_settings_have_no_stored_scale_but_can_be_measured() -> None:
    metric = load_metric("chrf", beta=1)
    assert find_scale(metric) is None
    scale = find_scale(metric, measure=True)
    assert scale is not None
    assert 0 < scale.unrelated < scale.copy == 100


def test_the_texts_are_different() -> None:
    texts = read_unrelated_texts()
    assert len(texts) == len(set(texts)) > 100


def test_the_option_rescales_any_metric() -> None:
    pairs = [Segment("The cat sat.", ("The cat sat.",)), Segment("The cat sat.", ("Prices fell again today.",))]
    for name in ("ter", "emd", "bleu"):
        options = {"encoder": "hashed"} if name == "emd" else {}
        copy, other = (score.value for score in load_metric(name, rescale=True, **options).score(pairs))
        assert copy == pytest.approx(1)
        assert other < 0.5


@pytest.mark.parametrize(
    "name", ["fluency", "gloss_lm", "dictionary_cloud", "mongescore_free", "external:scores.txt", "rc"]
)
def test_metrics_that_do_not_score_copies_best_have_no_scale(name: str) -> None:
    """What copies and unrelated texts score by them differs by chance."""
    assert "rescale" not in metric_options(name)
    with pytest.raises(OptionError, match=f"^{name} cannot be rescaled: "):
        load_metric(name, rescale=True)
    with pytest.raises(OptionError, match="cannot be rescaled"):
        parse_variants([name], {"rescale": "yes"})
    with_another = parse_variants([name, "chrf"], {"rescale": "yes"})
    assert with_another[1].options == {"rescale": "yes"}
    assert any("rescale=yes is not used by" in note for note in with_another[0].notes)


def test_a_scale_is_not_measured_by_other_ways_either() -> None:
    metric = load_metric("fluency")
    with pytest.raises(OptionError, match="does not score copies best"):
        measure_baseline(metric)
    with pytest.raises(OptionError, match="does not score copies best"):
        rescale_metric(metric, measure_baseline(load_metric("chrf"), ["a b", "c d"]))
    assert find_scale(metric, measure=True) is None
    assert not load_metric("composite", terms="fluency + 0.5*fluency,slor=true").spec.has_scale
    assert load_metric("composite", terms="chrf + fluency").spec.has_scale


def test_a_metric_that_cannot_tell_copies_apart_is_refused() -> None:
    with pytest.raises(OptionError, match="same score"):
        measure_baseline(load_metric("bleu"), ["a", "b"])
    with pytest.raises(InputError, match="two different texts"):
        measure_baseline(load_metric("bleu"), ["a", "a"])


@pytest.mark.parametrize(
    "content", ["{}", "[]", '{"signature": "x", "unrelated": {"value": 1}, "copy": {"value": 1}, "pairs": 3}']
)
def test_a_bad_file_gets_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "base.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="not a baseline made by `monge calibrate`"):
        Baseline.load(path)


def test_what_is_saved_can_be_loaded(tmp_path: Path) -> None:
    baseline = measure_baseline(load_metric("ter"), ["a b c", "d e f", "g h"])
    baseline.save(tmp_path / "base.json")
    assert Baseline.load(tmp_path / "base.json") == baseline
    assert json.loads((tmp_path / "base.json").read_text(encoding="utf-8"))["pairs"] == 6
