"""What can be known of the discourse metrics without loading anything."""

from __future__ import annotations

from math import inf

from monge.metrics.protocols import MetricSpec

_DISCO = (
    "Zhao, Strube and Eger (2023), DiscoScore: Evaluating Text Generation with BERT and Discourse Coherence, EACL; "
    "Zhao (2022), ch. 6"
)
_WONG = "Wong and Kit (2012), Extending Machine Translation Evaluation Metrics with Lexical Cohesion, EMNLP"
_GRAPH = "Guinaudeau and Strube (2013), Graph-based Local Coherence Modeling, ACL"


def _spec(
    name: str,
    summary: str,
    citation: str,
    bounds: tuple[float, float],
    *,
    needs: tuple[str, ...] = (),
    higher_is_better: bool | None = None,
    target: str = "features",
) -> MetricSpec:
    return MetricSpec(
        name,
        f"monge.metrics.discourse.{target}:load_{name}",
        summary,
        "discourse",
        needs=needs,
        bounds=bounds,
        higher_is_better=higher_is_better,
        citation=citation,
        unit="document",
        extra="discourse",
    )


_REFERENCES = ("references",)

DISCOURSE_SPECS: tuple[MetricSpec, ...] = (
    _spec(
        "ds_focus", "distance of what two documents say of the same things", _DISCO, (0, inf), needs=_REFERENCES,
        higher_is_better=False, target="focus",
    ),
    _spec(
        "focus_frequency", "the same from frequencies alone, without vectors: a control", _DISCO, (0, inf),
        needs=_REFERENCES, higher_is_better=False, target="focus",
    ),
    _spec(
        "ds_sent", "cosine of documents made of linked sentence vectors", _DISCO, (-1, 1), needs=_REFERENCES,
        higher_is_better=True, target="sentences",
    ),
    _spec("rc", "mentions of repeated nouns per distinct noun", _WONG, (0, inf)),
    _spec("lc", "share of nouns that are repeated", _WONG, (0, 1)),
    _spec("entity_graph", "links between sentences that share nouns, per sentence", _GRAPH, (0, inf)),
    _spec(
        "lexical_graph", "links between sentences that share nouns of similar meaning, per sentence",
        "Mesgar and Strube (2016), Lexical Coherence Graph Modeling Using Word Embeddings, NAACL", (0, inf),
    ),
    _spec(
        "lexical_chain", "lexical chains that run through the same sentences as the reference's",
        "Gong, Zhang and Zhou (2015), Document-Level Machine Translation Evaluation with Gist Consistency and Text "
        "Cohesion, DiscoMT", (0, inf), needs=_REFERENCES,
    ),
    _spec("freq", "mentions per repeated focus", _DISCO, (0, inf)),
    _spec("conn", "mean weight of the links between all pairs of sentences", _DISCO, (0, inf)),
    _spec("length", "number of words: a control", "monge, docs/tutorial-documents.md", (0, inf)),
    _spec(
        "noun_recall", "share of the reference's nouns that the hypothesis mentions: a control",
        "monge, docs/tutorial-documents.md", (0, 1), needs=_REFERENCES, higher_is_better=True,
    ),
)  # fmt: skip


def discourse_spec(name: str) -> MetricSpec:
    """Return the spec of a discourse metric.

    >>> discourse_spec("rc").higher_is_better is None
    True
    """
    return next(spec for spec in DISCOURSE_SPECS if spec.name == name)
