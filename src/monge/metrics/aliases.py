"""Names that other packages use for metrics and options, and what they are called here.

An *alias* means exactly the same thing and is accepted, with a note. A *hint* is only mentioned in the error message,
because something else must be decided first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from monge.errors import suggest

# folded name (see _fold) → metric
METRIC_ALIASES: Mapping[str, str] = {
    "bert": "bertscore",
    "chrf++": "chrfpp",
    "chrf2": "chrf",
    "chrf2++": "chrfpp",
    "corpusbleu": "bleu",
    "mover": "moverscore",
    "moverscore1": "moverscore_v1",
    "moverscorev1": "moverscore_v1",
    "moverscorev2": "moverscore_v2",
    "rougelcs": "rougel",
    "sacrebleu": "bleu",
    "wordmover": "wmd",
    "wordmoversdistance": "wmd",
    "yisi": "yisi1",
}
# option of another package → option here; see resolve_option for those whose value changes too
OPTION_ALIASES: Mapping[str, str] = {
    "lang": "language",
    "target_lang": "language",
    "target_language": "language",
    "tgt_lang": "language",
    "trg_lang": "language",
    "model_type": "encoder",
    "model_name_or_path": "encoder",
    "model_name": "encoder",
    "num_layers": "layers",
    "n_gram": "ngram",
    "tok": "tokenize",
    "tokenizer": "tokenize",
    "lc": "lowercase",
    "smooth": "smooth_method",
    "stemmer": "use_stemmer",
    "stem": "use_stemmer",
}
# metric of another package → what to do about it
METRIC_HINTS: Mapping[str, str] = {
    "bartscore": "read its scores with external:FILE",
    "bleurt": "install the package bleurt, or read its scores with external:FILE",
    "comet": "install the package unbabel-comet, or read its scores with external:FILE",
    "cometkiwi": "install the package unbabel-comet, or read its scores with external:FILE",
    "gemba": "read its scores with external:FILE",
    "geval": "read its scores with external:FILE",
    "metricx": "read its scores with external:FILE",
    "rouge": "choose rouge1, rouge2, rougel or rougelsum",
    "xcomet": "read its scores with external:FILE",
}
# option of another package → what to do instead
OPTION_HINTS: Mapping[str, str] = {
    "all_layers": "name the layers, as in layers=all with aggregation=mean",
    "baseline_path": "use baseline=FILE, which `monge calibrate` writes, or rescale=yes",
    "batch_size": "it is an argument of monge.score, not of a metric",
    "distance": "use cost",
    "idf_dict_hyp": "use idf=FILE, or weighting=idf with idf_from=sides",
    "idf_dict_ref": "use idf=FILE, which --save-idf writes, or weighting=idf",
    "idf_sents": "use weighting=idf, or idf=FILE for statistics of another corpus",
    "layer": "use layers",
    "metric": "use cost",
    "model": "use encoder",
    "checkpoint": "use encoder",
    "normalize": "use normalise_points",
    "nthreads": "set OMP_NUM_THREADS",
    "remove_subwords": "use drop, as in drop=special+subwords",
    "rescale_with_baseline": "use rescale=yes",
    "rouge_types": "name the metrics: rouge1 rouge2 rougel rougelsum",
    "stop_words": "use drop, as in drop=special+stopwords",
    "stopwords": "use drop, as in drop=special+stopwords",
    "use_aggregator": "the result has both score and scores",
    "use_fast_tokenizer": "tokenizers are always fast ones",
    "return_hash": "the result has a signature",
    "verbose": "give progress=True to monge.score, --progress to the command line",
    "weights": "use weighting",
}
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}
_CLOSE = 0.72  # likeness of a misspelling; a short name that shares some letters is not a misspelling


def _fold(name: str) -> str:
    return re.sub(r"[\s_\-.']", "", name.lower())


def resolve_metric(name: str, known: Collection[str]) -> str:
    """Return the metric that *name* means, or *name* itself if there is none.

    >>> resolve_metric("rougeL", ["rougel"]), resolve_metric("BERT-Score", ["bertscore"])
    ('rougel', 'bertscore')
    """
    if name in known:
        return name
    folded = {_fold(one): one for one in known}
    alias = METRIC_ALIASES.get(_fold(name), "")
    return folded.get(_fold(name)) or (alias if alias in known else name)


def resolve_option(key: str, value: Any, known: Collection[str]) -> tuple[str, Any]:
    """Return the option and value that *key* and *value* mean; what is not an alias is returned unchanged.

    ``idf=True`` of bert-score is ``weighting=idf`` here, where ``idf`` names a file.

    >>> resolve_option("lang", "de", ["language"]), resolve_option("idf", True, ["idf", "weighting"])
    (('language', 'de'), ('weighting', 'idf'))
    """
    truth = _TRUTH.get(str(value).lower()) if isinstance(value, bool | str) else None
    if key == "idf" and "weighting" in known and truth is not None:
        return "weighting", "idf" if truth else "uniform"
    if key in known:
        return key, value
    plain = key.lower().replace("-", "_")
    meant = plain if plain in known else OPTION_ALIASES.get(plain, "")
    return (meant, value) if meant in known else (key, value)


def note_metric(name: str, meant: str) -> str:
    """Return a note on a metric that another package calls *name*; nothing if only case and hyphens differ."""
    return "" if _fold(name) == _fold(meant) else f"metric {name!r} is called {meant!r} here"


def note_option(key: str, meant: str, value: Any) -> str:
    """Return a note on an option that another package calls *key*; nothing if only its case differs."""
    if key.lower().replace("-", "_") == meant:
        return ""
    if key == "lang":  # of bert-score, which has a model for every language
        return "option 'lang' is called 'language' here, and does not choose the encoder"
    written = f"{meant}={value}" if key == "idf" else meant
    return f"option {key!r} is called {written!r} here"


def hint_metric(name: str, known: Iterable[str]) -> str:
    """Return what may be meant by a metric that does not exist, as a remark in brackets, or nothing.

    >>> hint_metric("comet", ["bleu"])
    ' (install the package unbabel-comet, or read its scores with external:FILE)'
    """
    hint = METRIC_HINTS.get(_fold(name)) or METRIC_HINTS.get(re.sub(r"[\d_-].*", "", name.lower()))
    return f" ({hint})" if hint else suggest(name, known)


def hint_option(key: str, known: Iterable[str]) -> str:
    """Return what may be meant by an option that does not exist: a synonym, else a name that is nearly the same.

    >>> hint_option("model", ["encoder", "long"]), hint_option("lang", ["long"]), hint_option("layrs", ["layers"])
    (' (use encoder)', '', " (did you mean 'layers'?)")
    """
    options = list(known)
    plain = key.lower().replace("-", "_")
    hint = OPTION_HINTS.get(plain, "")
    if hint.startswith("use ") and not any(re.search(rf"\b{option}\b", hint) for option in options):
        hint = ""
    return f" ({hint})" if hint else suggest(plain, options, cutoff=_CLOSE if plain not in OPTION_ALIASES else 1.0)
