"""Names of other packages: what is accepted, what is only hinted at."""

import pytest

from monge.errors import OptionError
from monge.metrics import load_metric, metric_options, metric_specs
from monge.metrics.aliases import METRIC_ALIASES, OPTION_ALIASES
from monge.metrics.variants import parse_variant, parse_variants


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("rougeL", "rougel"), ("rougeLsum", "rougelsum"), ("ROUGE-2", "rouge2"), ("BERTScore", "bertscore"),
        ("bert_score", "bertscore"), ("chrF++", "chrfpp"), ("sacreBLEU", "bleu"), ("Lazy-EMD", "lazy_emd"),
    ],
)  # fmt: skip
def test_metrics_are_known_by_the_names_of_other_packages(name: str, meant: str) -> None:
    variant = parse_variant(name)
    assert (variant.label, variant.name) == (name, meant)
    if meant not in ("bertscore", "lazy_emd"):
        assert load_metric(name).spec.name == meant


def test_every_alias_leads_somewhere() -> None:
    assert set(METRIC_ALIASES.values()) <= set(metric_specs())
    known = {option for name in metric_specs() for option in metric_options(name)}
    assert set(OPTION_ALIASES.values()) <= known
    assert not set(OPTION_ALIASES) & known


def test_a_note_tells_the_name_here() -> None:
    assert parse_variant("sacrebleu,lc=true").notes == (
        "metric 'sacrebleu' is called 'bleu' here",
        "option 'lc' is called 'lowercase' here",
    )
    assert parse_variant("rougeL").notes == ()
    assert dict(parse_variant("bertscore,idf=true,lang=de").options) == {"weighting": "idf", "language": "de"}
    assert dict(parse_variant("bertscore,idf=counts.json").options) == {"idf": "counts.json"}
    assert [v.options for v in parse_variants(["bleu", "chrf"], {"lc": True})] == [{"lowercase": True}] * 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load_metric("comet"), "unbabel-comet"),
        (lambda: load_metric("metricx-23"), "external:FILE"),
        (lambda: load_metric("rouge"), "choose rouge1"),
        (lambda: load_metric("moverscor"), "did you mean 'moverscore'"),
        (lambda: load_metric("nope"), "no metric 'nope'; `monge metrics` lists them"),
        (lambda: load_metric("bertscore", model="x"), r"\(use encoder\)"),
        (lambda: load_metric("bertscore", rescale_with_baseline=True), "rescale=yes"),
        (lambda: load_metric("bertscore", layrs=3), "did you mean 'layers'"),
        (lambda: load_metric("rouge1", lang="en"), "no option 'lang'; it has"),
        (lambda: load_metric("bertscore", lang="en", language="de"), "given twice"),
        (lambda: parse_variant("bertscore,lang=en,language=de"), "given twice"),
    ],
)
def test_hints_come_from_synonyms_before_spelling(call, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        call()
