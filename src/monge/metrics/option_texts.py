"""What the options of metrics mean and which values they take: for cards, docs and the service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from monge.metrics.transport.settings import CHOICES


@dataclass(frozen=True)
class OptionText:
    """The meaning of an option and the values it takes."""

    meaning: str
    values: str


_SWITCH = "`true`, `false`"
_WEIGHT = "a number from 0 to 1"
_FILTERS = "`none`, or `special`, `punctuation`, `ascii_punctuation`, `stopwords`, `subwords` joined by `+`"

# option, or metric.option where metrics give a name different meanings
OPTION_TEXTS: Mapping[str, OptionText] = {
    "encoder": OptionText(
        "what turns words into vectors", "a name from `monge models`, a directory or a file of vectors"
    ),
    "layers": OptionText(
        "hidden states of the encoder that are used",
        "`middle`, `last`, `last5`, `all`, `7`, `6-8`, or several with commas",
    ),
    "against": OptionText("the text that the hypothesis is compared with", "references, source"),
    "against_encoder": OptionText(
        "another encoder for the references or the source", "as for `encoder`; empty: the same"
    ),
    "against_layers": OptionText("hidden states of that encoder", "as for `layers`; empty: the same"),
    "aggregation": OptionText(
        "how several hidden states become one vector",
        "`single` (one layer), `mean`, `concat`, `pmeans:1,inf,-inf`, `routing:gaussian` or `routing:epanechnikov`",
    ),
    "normalise_layers": OptionText("give each hidden state length 1 before they are joined", _SWITCH),
    "normalise_points": OptionText("give each point length 1", _SWITCH),
    "drop": OptionText("tokens that are left out", _FILTERS),
    "massless": OptionText("tokens that may be matched but carry no mass", _FILTERS),
    "ngram": OptionText("words that form one point", "`1`, `2` …; `0`: the whole text is one point"),
    "pooling": OptionText("how the vectors of an n-gram become one", "mean, sum"),
    "weighting": OptionText("how much mass each word gets", ""),
    "idf_from": OptionText("texts in which idf is counted", "references, or each side on its own"),
    "idf": OptionText("idf statistics that were saved by `monge score --save-idf`", "a file; empty: counted now"),
    "cost": OptionText("distance of two points", ""),
    "order": OptionText(
        "p of (Σ P·C^p)^(1/p): larger values look at the worst matches", "a number above 0, at most 64"
    ),
    "lambda_c": OptionText(
        "penalty for hypothesis mass that is not moved", "a number; `inf`: all must move; `0`: free"
    ),
    "lambda_r": OptionText(
        "penalty for reference mass that is not reached", "a number; `inf`: all must move; `0`: free"
    ),
    "lambda_unit": OptionText("unit of the penalties: as given, or multiples of the encoder's typical cost", ""),
    "epsilon": OptionText("smoothing of the plan", "`0` (exact) or a small number such as `0.01`"),
    "regulariser": OptionText("kind of smoothing", ""),
    "readout": OptionText("how transport costs become a score", ""),
    "alpha": OptionText("weight of recall in F: 0.5 is F1, 1 is recall alone", _WEIGHT),
    "lean": OptionText("how strongly F leans to the side of the shorter text", "a number of at least 0; 0: not at all"),
    "references": OptionText("what is done with several references", "the best, their mean, or all as one text"),
    "baseline": OptionText(
        "rescale so that unrelated texts score 0", "a file from `monge calibrate`; empty: no rescaling"
    ),
    "language": OptionText("language of the outputs", "a code such as `en`, `de` or `en-de`"),
    "oov": OptionText("what static vectors do with unknown words", ""),
    "fold_case": OptionText("whether static vectors look words up in lower case", ""),
    "rescale": OptionText("whether unrelated texts score 0 and copies 1", "`true` or `false`"),
    "long": OptionText("what is done with texts longer than the encoder can read", "windows, cut, or refuse"),
    "device": OptionText("where the encoder runs", "`auto`, `cpu`, `cuda`, `cuda:1`, `mps`"),
    "dtype": OptionText(
        "number format of the encoder", "`float32`; `int8` (faster, without torch); `float16`, `bfloat16`, `float64`"
    ),
    "delta": OptionText("weight of the word-order penalty", "a number of at least 0"),
    "bag": OptionText("which words are compared: all, or as in the released code", ""),
    "context": OptionText("words in context, learned from the test set", "a file from `monge train context`"),
    "join": OptionText(
        "how a vector and a context vector become one",
        "`sum`, `direct` (side by side), `auto` (the sum where both have the same length)",
    ),
    "normalise": OptionText("give the vector and the context vector length 1 before they are joined", _SWITCH),
    "we_wpi_context.alpha": OptionText("share of the context vector", _WEIGHT),
    "we_wpi_context.encoder": OptionText(
        "what turns words into vectors", "as for `we_wpi`; `none`: the context vectors alone"
    ),
    "we_wpi_attention.encoder": OptionText(
        "what turns words into vectors", "as for `we_wpi`; `none`: the cosine of contexts alone"
    ),
    "wmdo.alpha": OptionText("weight of the share of unknown words", "a number of at least 0"),
    "tokenize": OptionText(
        "how texts are split into words", "`auto`, or a tokenizer of sacrebleu: `13a`, `intl`, `zh` …"
    ),
    "rouge1.tokenize": OptionText(
        "how texts are split into words", "`rouge` (a–z and 0–9 only) or `words` (any language)"
    ),
    "lowercase": OptionText("ignore case", _SWITCH),
    "smooth_method": OptionText("smoothing of n-gram counts of single sentences", "`exp`, `floor`, `add-k`, `none`"),
    "char_order": OptionText("longest character n-gram", "a whole number"),
    "word_order": OptionText("longest word n-gram", "a whole number; `0`: characters only"),
    "beta": OptionText("weight of recall over precision", "a number of at least 0"),
    "whitespace": OptionText("count white space as characters", _SWITCH),
    "normalized": OptionText("normalise punctuation before counting", _SWITCH),
    "no_punct": OptionText("leave out punctuation", _SWITCH),
    "asian_support": OptionText("split Chinese and Japanese into characters", _SWITCH),
    "case_sensitive": OptionText("tell upper from lower case", _SWITCH),
    "use_stemmer": OptionText("compare stems (Porter, English)", _SWITCH),
    "split": OptionText("what counts as a sentence", "`lines` (as in rouge-score) or `sentences` (found by rules)"),
    "reading": OptionText("which reading of the paper's formula is computed", ""),
    "drop_flows": OptionText("share of the smallest flows that is left out of the score", "a number from 0 to 1"),
    "truecase": OptionText(
        "give capitals to outputs and references that have none, as the vocabulary of a language model spells words",
        "a language model from `monge models`, say `smollm2`; empty: texts are read as they are",
    ),
    "remap": OptionText("a fitted map that the vectors pass through", "a file from `monge align`; empty: none"),
    "terms": OptionText("the scores that are added up, with weights", "`a*metric + b*metric`"),
    "dictionary": OptionText(
        "bilingual dictionary that connects source and output", "a name or a file; empty: by language"
    ),
    "source_language": OptionText("language of the sources", "a code such as `de`; empty: guessed"),
    "senses": OptionText("translations of a word that are used", "a whole number"),
    "threshold": OptionText("cosine from which two words are similar at all", "a number from 0 to 1"),
    "unknown": OptionText("share of the usual mass for words that the dictionary lacks", _WEIGHT),
    "gain": OptionText(
        "most by which gloss_lm may exceed fluency, per token", "a number of at least 0; `inf`: no limit"
    ),
    "fluency": OptionText("weight of fluency, per nat and token", "a positive number"),
    "lm": OptionText("language model that judges fluency", "a name from `monge models` or a directory"),
    "recase": OptionText("restore upper case before the language model reads a text", _SWITCH),
    "slor": OptionText("subtract the probabilities of the single words (SLOR)", _SWITCH),
    "released": OptionText("follow the released code where it differs from the paper", _SWITCH),
    "n": OptionText("longest n-gram", "a whole number"),
    "wordnet": OptionText("where synonyms come from", "`auto`, a folder of WordNet's files, or `none`"),
    "gamma": OptionText("largest fragmentation penalty", _WEIGHT),
    "meteor.alpha": OptionText("weight of recall in the harmonic mean", _WEIGHT),
    "meteor.beta": OptionText("shape of the fragmentation penalty", "a number of at least 0"),
    "ribes.alpha": OptionText("exponent of unigram precision", "a number of at least 0"),
    "ribes.beta": OptionText("exponent of the brevity penalty", "a number of at least 0"),
    "sentence": OptionText("weight of the cosine of the sentence vectors", "a number of at least 0"),
    "lexical": OptionText("weight of chrF", "a number of at least 0"),
    "lexical_per": OptionText("for how long a reference that weight is", "characters; 0: for any length"),
    "members": OptionText("the metrics that are averaged, with weights", "`bertscore + 0.5*cosine`"),
    "constants": OptionText("mean and spread by which members are standardised", "`mean/spread …`; empty: measured"),
}


def option_text(metric: str, option: str) -> OptionText | None:
    """Return what an option of a metric means, or None if nobody wrote it down (metrics of other packages).

    >>> option_text("bertscore", "pooling").values
    '`mean`, `sum`, `sentence`'
    """
    relatives = (metric, "rouge1" if metric.startswith("rouge") else metric)
    keys = (*(f"{name}.{option}" for name in relatives), option)
    found = next((OPTION_TEXTS[key] for key in keys if key in OPTION_TEXTS), None)
    if found is None or option not in CHOICES:
        return found
    listed = ", ".join(f"`{choice}`" for choice in CHOICES[option])
    return OptionText(found.meaning, listed)
