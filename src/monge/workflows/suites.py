"""The named suites that `monge benchmark` runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from monge.errors import OptionError, suggest
from monge.metrics.variants import MetricVariant, parse_variant


@dataclass(frozen=True)
class SuiteData:
    """A data set of a suite, its level and statistics; empty means what the field reports for the data."""

    data: str
    level: str = ""
    statistics: tuple[str, ...] = ()
    sample: int = 0  # inputs; 0 = all


@dataclass(frozen=True)
class Suite:
    """Metrics over data sets, curves over layers, and ablations.

    ``curves`` are metrics whose ``layers`` run over all hidden states; ``ablations`` are pairs of transport metrics.
    """

    name: str
    title: str
    data: tuple[SuiteData, ...]
    metrics: tuple[str, ...]
    curves: tuple[str, ...] = ()
    ablations: tuple[tuple[str, str], ...] = ()

    def change(
        self,
        *,
        metrics: Sequence[str] = (),
        data: Sequence[str] = (),
        ablations: Sequence[tuple[str, str]] = (),
        curves: bool = True,
    ) -> Suite:
        """Return the suite with other metrics and data (where any are given), more ablations, or without curves."""
        return replace(
            self,
            metrics=tuple(metrics) or self.metrics,
            data=tuple(SuiteData(name) for name in data) or self.data,
            ablations=(*self.ablations, *ablations),
            curves=self.curves if curves else (),
        )


_LEXICAL = ("bleu", "chrf", "chrfpp", "rougel")
_LITERAL = "moverscore literal:=moverscore,reading=literal"
_ENCODED = ("bertscore", "yisi1", "emd", "lazy_emd", "moverscore", _LITERAL, "cosine", "mongescore")
_BEST_ENCODED = ("bertscore", "moverscore", _LITERAL, "mongescore")
_MORE_LEXICAL = ("ter", "rouge1", "rouge2", "ribes", "nist", "meteor")
_MORE_ENCODED = (
    "f_alpha", "lazy_emd λ=2:=lazy_emd,lambda_unit=relative,lambda_c=2,lambda_r=2",
    "moverscore bigrams:=moverscore,ngram=2", "moverscore_v1", "moverscore_v2", "smd",
    "smd literal:=smd,reading=literal",
)  # fmt: skip


def _with_encoder(encoder: str, metrics: tuple[str, ...] = _ENCODED) -> tuple[str, ...]:
    return tuple(
        str(MetricVariant(f"{variant.label} {encoder}", variant.name, {**variant.options, "encoder": encoder}))
        for variant in map(parse_variant, metrics)
    )


SUITES: tuple[Suite, ...] = (
    Suite(
        "quick",
        "a first look in a few minutes: four metrics on samples of three sets, MiniLM",
        (SuiteData("wmt17", sample=60), SuiteData("stsb", sample=200), SuiteData("summeval", sample=20)),
        ("bleu", "chrf", "bertscore", "moverscore"),
        curves=("bertscore",),
    ),
    Suite(
        "wmt17",
        "WMT17 to English, segments: every metric with MiniLM and MPNet",
        (SuiteData("wmt17", statistics=("pearson", "kendall")),),
        (
            *_LEXICAL, *_MORE_LEXICAL, "wmd", "wmdo", "we", "we_wpi",
            *_with_encoder("minilm", _ENCODED + _MORE_ENCODED),
            *_with_encoder("mpnet", _ENCODED + _MORE_ENCODED),
        ),
        curves=("bertscore minilm:=bertscore,encoder=minilm", "bertscore mpnet:=bertscore,encoder=mpnet"),
        ablations=(("bertscore,encoder=mpnet", "moverscore,encoder=mpnet"),),
    ),
    Suite(
        "nlg",
        "data-to-text, summaries and dialogue, MiniLM and MPNet",
        (
            SuiteData("d2t"), SuiteData("summeval"), SuiteData("summeval", level="summary"), SuiteData("topical-chat"),
            SuiteData("stsb"),
        ),
        (*_LEXICAL, *_with_encoder("minilm"), *_with_encoder("mpnet", _BEST_ENCODED)),
    ),
    Suite(
        "mt",
        "MQM TED talks and et-en with two references, MiniLM and MPNet",
        (
            SuiteData("mqm/ted-zhen", statistics=("tie-accuracy", "pearson")),
            SuiteData("mqm/ted-ende", statistics=("tie-accuracy", "pearson")), SuiteData("et-en/all"),
        ),
        (*_LEXICAL, *_with_encoder("minilm"), *_with_encoder("mpnet", _BEST_ENCODED)),
    ),
    Suite(
        "systems",
        "WMT17 to English, whole systems: lexical metrics and MiniLM",
        (SuiteData("wmt17-systems"),),
        (*_LEXICAL, *_with_encoder("minilm", ("bertscore", "moverscore", "mongescore"))),
    ),
)  # fmt: skip


def find_suite(name: str) -> Suite:
    """Return the suite called *name*, or an error that offers the nearest name."""
    known = {suite.name: suite for suite in SUITES}
    if name not in known:
        raise OptionError(f"no suite {name!r}{suggest(name, known)}; suites are {', '.join(known)}")
    return known[name]
