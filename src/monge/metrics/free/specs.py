"""What is known of the metrics without references before they are loaded."""

from __future__ import annotations

import math

from monge.metrics.protocols import MetricSpec

_INF = math.inf

FREE_SPECS: tuple[MetricSpec, ...] = (
    MetricSpec(
        "fluency",
        "monge.metrics.free.fluency:Fluency.load",
        "mean log-probability per token under a language model",
        "reference-free",
        needs=(),
        against=("source",),
        bounds=(-_INF, 0.0),
        explains=True,
        copy_is_best=False,
        growth="quadratic",
        citation="Zhao et al. (2020), On the Limitations of Cross-lingual Encoders as Exposed by Reference-Free "
        "Machine Translation Evaluation, ACL; SLOR: Kann, Rothe and Filippova (2018), Sentence-Level Fluency "
        "Evaluation: References Help, But Can Be Spared!, CoNLL",
    ),
    MetricSpec(
        "gloss_lm",
        "monge.metrics.free.fluency:GlossLm.load",
        "probability of the translation given a word-by-word translation",
        "reference-free",
        needs=("source",),
        against=("source",),
        bounds=(-_INF, _INF),
        explains=True,
        copy_is_best=False,
        growth="quadratic",
        extra="dictionary",
        citation="monge, docs/results-mongescore-free.md; SLOR: Kann, Rothe and Filippova (2018), Sentence-Level "
        "Fluency Evaluation: References Help, But Can Be Spared!, CoNLL",
    ),
    MetricSpec(
        "dictionary_cloud",
        "monge.metrics.free.dictionary:DictionaryCloud.load",
        "source words matched to output words through a dictionary",
        "reference-free",
        needs=("source",),
        against=("source",),
        explains=True,
        copy_is_best=False,
        growth="quadratic",
        extra="dictionary",
        citation="monge, docs/results-mongescore-free.md; dictionaries: Lample et al. (2018), Word Translation Without "
        "Parallel Data, ICLR",
    ),
    MetricSpec(
        "mongescore_free",
        "monge.metrics.free.mongescore_free:load_mongescore_free",
        "dictionary, language model and sentence cosine as one score",
        "ensemble",
        needs=("source",),
        against=("source",),
        bounds=(-_INF, _INF),
        copy_is_best=False,
        growth="quadratic",
        extra="dictionary",
        citation="monge, docs/results-mongescore-free.md",
    ),
    MetricSpec(
        "mongescore_fluent",
        "monge.metrics.free.fluent:load_mongescore_fluent",
        "mongescore plus a little fluency of the text by itself",
        "ensemble",
        bounds=(-_INF, _INF),
        growth="quadratic",
        extra="dictionary",
        citation="monge, docs/results-mongescore-free.md; the parts: see mongescore and fluency",
    ),
)
