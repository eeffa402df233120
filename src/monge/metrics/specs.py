"""What is known of every built-in metric without loading it: the one registry."""

from __future__ import annotations

import math

from monge.metrics.discourse.specs import DISCOURSE_SPECS
from monge.metrics.free.specs import FREE_SPECS
from monge.metrics.lexical.specs import LEXICAL_SPECS
from monge.metrics.protocols import MetricSpec

_ZHANG = "Zhang et al. (2020), BERTScore: Evaluating Text Generation with BERT, ICLR"
_CHEN = "Chen et al. (2020), Evaluating Natural Language Generation via Unbalanced Optimal Transport, IJCAI"
_ZHAO = (
    "Zhao et al. (2019), MoverScore: Text Generation Evaluating with Contextualized Embeddings and Earth Mover "
    "Distance, EMNLP"
)
_ECHIZENYA = (
    "Echizen'ya, Araki and Hovy (2019), Word Embedding-Based Automatic MT Evaluation Metric using Word Position "
    "Information, NAACL"
)
_ECHIZENYA_CONTEXT = (
    "Echizen'ya, Araki and Hovy, automatic MT evaluation with word embeddings and context vectors of an attention-"
    "based encoder–decoder (in Japanese); Luong, Pham and Manning (2015), Effective Approaches to Attention-based "
    "Neural Machine Translation, EMNLP"
)
_ZHAO_2020 = (
    "Zhao et al. (2020), On the Limitations of Cross-lingual Encoders as Exposed by Reference-Free Machine Translation "
    "Evaluation, ACL"
)
_INF = math.inf


def _transport(
    name: str,
    summary: str,
    citation: str,
    bounds: tuple[float, float],
    *,
    higher_is_better: bool = True,
    symmetric: bool = False,
    source: bool = False,
) -> MetricSpec:
    """Return the spec of a preset; with *source* it compares with the source unless told otherwise."""
    return MetricSpec(
        name,
        f"monge.metrics.transport.presets:{name}",
        summary,
        "transport",
        needs=("source",) if source else ("references",),
        against=("references", "source"),
        bounds=bounds,
        higher_is_better=higher_is_better,
        symmetric=symmetric,
        citation=citation,
        explains=True,
        growth="quadratic",
    )


TRANSPORT_SPECS: tuple[MetricSpec, ...] = (
    _transport("bertscore", "greedy matching of contextual tokens: P, R, F", _ZHANG, (-1, 1), symmetric=True),
    _transport("f_alpha", "BERTScore's F with α tuned by target language", _CHEN, (-1, 1)),
    _transport(
        "yisi1",
        "idf-weighted greedy matching, F with α = 0.7",
        "Lo (2019), YiSi: a Unified Semantic MT Quality Evaluation and Estimation Metric, WMT",
        (-1, 1),
    ),
    _transport(
        "yisi2",
        "idf-weighted greedy matching of source and translation",
        "Lo (2019), YiSi: a Unified Semantic MT Quality Evaluation and Estimation Metric, WMT",
        (-1, 1),
        source=True,
    ),
    _transport(
        "emd", "earth mover's distance of contextual tokens", _CHEN, (0, 2), higher_is_better=False, symmetric=True
    ),
    _transport(
        "lazy_emd", "earth mover's distance that may leave mass unmoved", _CHEN, (0, _INF), higher_is_better=False
    ),
    _transport("moverscore", "1 − EMD of n-grams over p-means of layers, unit vectors", _ZHAO, (-1, 1), symmetric=True),
    _transport("moverscore_v1", "MoverScore as first released", _ZHAO, (-3, 1)),
    _transport("moverscore_v2", "MoverScore as released second", _ZHAO, (0, 1)),
    _transport("xmoverscore", "Mover score of source and translation (paper)", _ZHAO_2020, (-_INF, 1), source=True),
    _transport("xmoverscore_v1", "XMoverScore as first released", _ZHAO_2020, (-3, 1), source=True),
    _transport("xmoverscore_v2", "XMoverScore as released second", _ZHAO_2020, (0, 1), source=True),
    _transport(
        "smd", "distance of the two whole-sentence vectors", _ZHAO, (0, 2), higher_is_better=False, symmetric=True
    ),
    _transport(
        "wmd",
        "word mover's distance of content words",
        "Kusner et al. (2015), From Word Embeddings To Document Distances, ICML",
        (0, _INF),
        higher_is_better=False,
        symmetric=True,
    ),
    MetricSpec(
        "wmdo",
        "monge.metrics.transport.wmdo:Wmdo.load",
        "word mover's distance with a word-order penalty",
        family="transport",
        explains=True,
        growth="quadratic",
        bounds=(0, 2.28),
        higher_is_better=False,
        citation="Chow, Specia and Madhyastha (2019), WMDO: Fluency-based Word Mover's Distance for MT Evaluation, WMT",
    ),
    _transport(
        "rouge_we",
        "ROUGE whose words match by the cosine of their vectors",
        "Ng and Abrecht (2015), Better Summarization Evaluation with Word Embeddings for ROUGE, EMNLP",
        (-1, 1),
        symmetric=True,
    ),
    _transport("we", "1 − EMD of tf·idf-weighted word vectors", _ECHIZENYA, (-1, 1)),
    _transport("we_wpi", "WE with word positions in the distance", _ECHIZENYA, (-1, 1)),
    MetricSpec(
        "we_wpi_context",
        "monge.metrics.context:load_we_wpi_context",
        "WE_WPI with words in context, learned from the test set",
        family="transport",
        explains=True,
        growth="quadratic",
        bounds=(-1, 1),
        citation=_ECHIZENYA_CONTEXT,
    ),
    _transport(
        "cosine",
        "cosine of the two sentence vectors",
        "Reimers and Gurevych (2019), Sentence-BERT, EMNLP",
        (-1, 1),
        symmetric=True,
    ),
    _transport(
        "cosine_xl",
        "cosine of source and translation as sentence vectors",
        f"{_ZHAO_2020}; Yang et al. (2020), Multilingual Universal Sentence Encoder for Semantic Retrieval, ACL",
        (-1, 1),
        source=True,
    ),
)

ENSEMBLE_SPECS: tuple[MetricSpec, ...] = (
    MetricSpec(
        "we_wpi_attention",
        "monge.metrics.context:load_we_wpi_attention",
        "mean of WE_WPI and of the cosine of contexts learned from the test set",
        family="ensemble",
        bounds=(-1, 1),
        citation=_ECHIZENYA_CONTEXT,
    ),
    MetricSpec(
        "mongescore",
        "monge.metrics.mongescore:load_mongescore",
        "greedy matching in which bad words count more, sentence cosine, and chrF on long texts",
        family="ensemble",
        bounds=(-_INF, 1),
        citation="monge, docs/results.md; the parts: Zhang et al. (2020), Reimers and Gurevych (2019), Villani (2009)",
        explains=True,
    ),
    MetricSpec(
        "mongescore_document",
        "monge.metrics.mongescore:load_mongescore_document",
        "mongescore of whole documents plus ds_focus: content and coherence",
        family="ensemble",
        bounds=(-_INF, _INF),
        unit="document",
        extra="discourse",
        citation="monge, docs/results-discourse.md; the parts: see mongescore and ds_focus",
    ),
    MetricSpec(
        "ensemble",
        "monge.metrics.composite:load_ensemble",
        "weighted mean of standardised metrics",
        family="ensemble",
        bounds=(-_INF, _INF),
        citation="Zhao (2022), On the Principles of Evaluation for Natural Language Generation, ch. 12",
    ),
    MetricSpec(
        "composite",
        "monge.metrics.composite:load_composite",
        "weighted sum of metrics as they are",
        family="ensemble",
        bounds=(-_INF, _INF),
        citation="Zhao et al. (2020), On the Limitations of Cross-lingual Encoders as Exposed by Reference-Free "
        "Machine Translation Evaluation, ACL",
    ),
)

SPECS: tuple[MetricSpec, ...] = TRANSPORT_SPECS + LEXICAL_SPECS + DISCOURSE_SPECS + FREE_SPECS + ENSEMBLE_SPECS


def spec_named(name: str) -> MetricSpec:
    """Return the built-in spec with this exact name."""
    return next(spec for spec in SPECS if spec.name == name)
