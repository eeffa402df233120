"""What can be known of the lexical baselines without loading their libraries."""

from __future__ import annotations

from math import inf

from monge.errors import OptionError
from monge.metrics.protocols import MetricSpec

LEXICAL_SPECS: tuple[MetricSpec, ...] = (
    MetricSpec(
        "bleu",
        "monge.metrics.lexical.sacrebleu:make_bleu",
        "n-gram precision with a brevity penalty (sacrebleu)",
        "lexical",
        bounds=(0.0, 100.0),
        digits=2,
        citation="Papineni et al. 2002, BLEU: a Method for Automatic Evaluation of Machine Translation; Post 2018",
    ),
    MetricSpec(
        "chrf",
        "monge.metrics.lexical.sacrebleu:make_chrf",
        "character n-gram F2 (sacrebleu)",
        "lexical",
        bounds=(0.0, 100.0),
        digits=2,
        citation="Popović 2015, chrF: character n-gram F-score for automatic MT evaluation",
    ),
    MetricSpec(
        "chrfpp",
        "monge.metrics.lexical.sacrebleu:make_chrfpp",
        "character n-gram and word bigram F2 (sacrebleu)",
        "lexical",
        bounds=(0.0, 100.0),
        digits=2,
        citation="Popović 2017, chrF++: words helping character n-grams",
    ),
    MetricSpec(
        "ter",
        "monge.metrics.lexical.sacrebleu:make_ter",
        "edits and shifts per reference word, in percent (sacrebleu)",
        "lexical",
        bounds=(0.0, inf),
        digits=2,
        growth="cubic",
        higher_is_better=False,
        citation="Snover et al. 2006, A Study of Translation Edit Rate with Targeted Human Annotation",
    ),
    MetricSpec(
        "rouge1",
        "monge.metrics.lexical.rouge:make_rouge1",
        "F1 of shared words (rouge-score)",
        "lexical",
        symmetric=True,
        citation="Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries",
    ),
    MetricSpec(
        "rouge2",
        "monge.metrics.lexical.rouge:make_rouge2",
        "F1 of shared word bigrams (rouge-score)",
        "lexical",
        symmetric=True,
        citation="Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries",
    ),
    MetricSpec(
        "rougel",
        "monge.metrics.lexical.rouge:make_rougel",
        "F1 of the longest common subsequence (rouge-score)",
        "lexical",
        symmetric=True,
        citation="Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries",
    ),
    MetricSpec(
        "rougelsum",
        "monge.metrics.lexical.rouge:make_rougelsum",
        "F1 of the union of common subsequences of sentences (rouge-score)",
        "lexical",
        growth="quadratic",
        citation="Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries",
    ),
    MetricSpec(
        "ribes",
        "monge.metrics.lexical.nltk:make_ribes",
        "rank correlation of word order with precision and brevity (nltk)",
        "lexical",
        growth="cubic",
        citation="Isozaki et al. 2010, Automatic Evaluation of Translation Quality for Distant Language Pairs",
    ),
    MetricSpec(
        "nist",
        "monge.metrics.lexical.nltk:make_nist",
        "n-gram precision weighted by information (nltk)",
        "lexical",
        bounds=(0.0, inf),
        citation="Doddington 2002, Automatic Evaluation of MT Quality Using N-gram Co-Occurrence Statistics",
    ),
    MetricSpec(
        "meteor",
        "monge.metrics.lexical.nltk:make_meteor",
        "exact, stem and synonym matches with a fragmentation penalty (nltk, WordNet)",
        "lexical",
        citation="Lavie and Agarwal 2007, METEOR: An Automatic Metric for MT Evaluation",
    ),
    MetricSpec(
        "cider",
        "monge.metrics.lexical.counts:make_cider",
        "cosine of tf·idf-weighted n-gram counts, for captions",
        "lexical",
        bounds=(0.0, 10.0),
        digits=3,
        symmetric=True,
        citation="Vedantam, Zitnick and Parikh 2015, CIDEr: Consensus-based Image Description Evaluation",
    ),
    MetricSpec(
        "js",
        "monge.metrics.lexical.counts:make_js",
        "Jensen–Shannon divergence of n-gram distributions",
        "lexical",
        higher_is_better=False,
        symmetric=True,
        citation="Lin et al. 2006, An Information-Theoretic Approach to Automatic Evaluation of Summaries",
    ),
    MetricSpec(
        "wer",
        "monge.metrics.lexical.counts:make_wer",
        "word edits per reference word",
        "lexical",
        bounds=(0.0, inf),
        growth="quadratic",
        higher_is_better=False,
        citation="Nießen et al. 2000, An Evaluation Tool for Machine Translation: Fast Evaluation for MT Research",
    ),
    MetricSpec(
        "per",
        "monge.metrics.lexical.counts:make_per",
        "word edits per reference word, order ignored",
        "lexical",
        bounds=(0.0, inf),
        higher_is_better=False,
        citation="Tillmann et al. 1997, Accelerated DP Based Search for Statistical Translation",
    ),
)


def lexical_spec(name: str) -> MetricSpec:
    """Return the spec of a lexical baseline.

    >>> lexical_spec("ter").higher_is_better
    False
    """
    for spec in LEXICAL_SPECS:
        if spec.name == name:
            return spec
    raise OptionError(f"no lexical metric {name!r}")
