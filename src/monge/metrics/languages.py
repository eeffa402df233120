"""Whether texts are in a language that the encoders of metrics were made for, and which encoder to take if not."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from monge.encoders.added import AddedModel, read_added, weights_digest
from monge.encoders.models import MODELS, ModelSpec, Signed, recognise_model
from monge.environment import Environment
from monge.metrics.protocols import Encoding, Metric, Predicting, Remapped
from monge.metrics.registry import find_spec, metric_options
from monge.metrics.variants import MetricVariant
from monge.text import LanguageGuess, Segment, guess_language, language_name, parse_language

MULTILINGUAL = "use"  # what is taken for languages that the default encoder of a metric was not made for
# what else is set then; chosen on STS-B and RFEval with use, docs/results-crosslingual.md
MULTILINGUAL_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "mongescore": {
        "layers": "last",
        "order": 3.0,
        "alpha": 0.5,
        "lean": 0.0,
        "sentence": 2.0,
        "lexical": 0.5,
        "lexical_per": 0.0,
    },
}
_WITHOUT_SPACES = {"zh", "ja", "th", "lo", "km", "my"}
_SPLIT_AT_SPACES = {"13a", "intl", "rouge", "tercom"}
_SAMPLE = 100  # segments that are looked at


def describe_mismatch(
    metrics: Iterable[Metric],
    texts: Iterable[str],
    *,
    sources: Iterable[str] = (),
    declared: str = "",
    environment: Environment | None = None,
) -> str:
    """Return a sentence if texts are in a language that an encoder of *metrics* was not made for; else nothing.

    The language is the *declared* one, or guessed from *texts*, unless they are too short or the guess is unsure;
    that of *sources*, which metrics without reference read, is guessed. What an encoder was made for is known of
    monge's own models and of those that were added with their languages (``monge models add --languages``); others are
    not judged. Sources and translations that seem to be exchanged, or in one language, are reported too, and so are
    metrics that split texts at spaces in a language without them.
    """
    loaded = list(metrics)
    added = read_added(environment or Environment.read()).values()
    readers = [metric for metric in loaded if "source" in metric.spec.needs]
    guess = _declared(declared) or guess_language(texts)
    source_guess = guess_language(sources) if readers else None
    found = [
        _describe_unfit(_models_of(loaded, added), guess, "texts"),
        _describe_unfit(_models_of(readers, added), source_guess, "sources"),
        _describe_split(loaded, guess),
        _describe_exchange(guess, source_guess) if readers else "",
        *(_describe_remap(one.remap_languages, guess, source_guess) for one in readers if isinstance(one, Remapped)),
    ]
    return "; ".join(dict.fromkeys(sentence for sentence in found if sentence))


def _declared(code: str) -> LanguageGuess | None:
    return LanguageGuess((parse_language(code),), declared=True) if code else None


def _describe_unfit(models: Iterable[_Made], guess: LanguageGuess | None, what: str) -> str:
    if guess is None:
        return ""
    unfit = [model for model in dict.fromkeys(models) if not set(guess.languages) & set(model.languages)]
    if not unfit:
        return ""
    names = " and ".join(model.name for model in unfit)
    known = list(dict.fromkeys(language_name(code) for model in unfit for code in model.languages))
    listed = " or ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)
    made = "was made" if len(unfit) == 1 else "were made"
    return f"the {what} {guess.describe()}, but {names} {made} for {listed}: the scores may mislead"


def _describe_split(metrics: Iterable[Metric], guess: LanguageGuess | None) -> str:
    """Return a sentence if metrics look for words between spaces in a language that is written without."""
    if guess is None or not set(guess.languages) <= _WITHOUT_SPACES:
        return ""
    names = [metric.spec.name for metric in metrics if _splits_at_spaces(metric)]
    if not names:
        return ""
    code = guess.languages[0]
    told = [name for name in names if "language" in metric_options(name)] if code in ("zh", "ja") else []
    advice = f", or give {' and '.join(told)} the language (-l {code})" if told else ""
    look = "looks" if len(names) == 1 else "look"
    return (
        f"{' and '.join(names)} {look} for words between spaces, which {language_name(code)} does not write: "
        f"take chrf{advice}"
    )


def _splits_at_spaces(metric: Metric) -> bool:
    fields = metric.signature.fields
    return fields.get("tok") in _SPLIT_AT_SPACES and fields.get("asian") != "yes"


def _describe_exchange(texts: LanguageGuess | None, sources: LanguageGuess | None) -> str:
    """Return a sentence if sources and translations look alike; a declared language tells which of them is wrong."""
    if texts is None or sources is None or not set(texts.languages) & set(sources.languages):
        return ""
    if texts.declared:
        return (
            f"the translations are said to be in {language_name(texts.languages[0])}, but the sources "
            f"{sources.describe()}: are the two exchanged?"
        )
    if texts.languages[:1] != sources.languages[:1]:
        return ""
    return f"the sources {sources.describe()} like the translations: is it the right file?"


def _describe_remap(fitted: tuple[str, str], texts: LanguageGuess | None, sources: LanguageGuess | None) -> str:
    """Return a sentence if a re-mapping was fitted on other languages than the sources and translations have."""
    guesses = zip(("sources", "translations"), fitted, (sources, texts), strict=True)
    wrong = [
        f"the {what} {guess.describe()}, but the re-mapping was fitted on {language_name(code)}"
        for what, code, guess in guesses
        if code and guess is not None and code not in guess.languages
    ]
    swapped = len(wrong) == 2 and sources and texts and fitted[0] in texts.languages and fitted[1] in sources.languages
    return "; ".join(wrong) + (": are the two exchanged?" if swapped else "")


def choose_encoders(
    variants: Iterable[MetricVariant], texts: Iterable[str], *, declared: str = ""
) -> tuple[MetricVariant, ...]:
    """Return the metrics, those without a chosen encoder with ``use`` if the texts are in a language that it knows.

    That happens where the default encoder of a transport metric or of ``mongescore`` was not made for the language,
    which is *declared* or guessed from *texts*; a note says so. Metrics whose encoder or layers were chosen stay as
    they are.
    """
    chosen = list(variants)
    changeable = [variant for variant in chosen if _default_model(variant) is not None]
    if not changeable:
        return tuple(chosen)
    guess = _declared(declared) or guess_language(texts)
    multilingual = next(spec for spec in MODELS if spec.name == MULTILINGUAL)
    if guess is None or not set(guess.languages[:1]) & set(multilingual.language_codes):
        return tuple(chosen)
    return tuple(_change_encoder(variant, guess) for variant in chosen)


def _default_model(variant: MetricVariant) -> ModelSpec | None:
    """Return the known model that a transport metric takes by default; None if another was named."""
    choices = ("encoder", "layers", "against_encoder", "idf", "baseline", "remap", "context")
    told = any(name in variant.options for name in choices)
    if told or (variant.name not in MULTILINGUAL_OPTIONS and find_spec(variant.name).family != "transport"):
        return None
    default = metric_options(variant.name)["encoder"].default
    return next((spec for spec in MODELS if spec.name == default), None)


def _change_encoder(variant: MetricVariant, guess: LanguageGuess) -> MetricVariant:
    model = _default_model(variant)
    if model is None or set(guess.languages) & set(model.language_codes):
        return variant
    known = " and ".join(language_name(code) for code in model.language_codes)
    note = (
        f"the texts {guess.describe()}: scored with encoder={MULTILINGUAL}, because {model.name} was made for {known}"
    )
    settings = {"layers": "emb"} if model.kind == "word vectors" else MULTILINGUAL_OPTIONS.get(variant.name, {})
    options = {**settings, **variant.options, "encoder": MULTILINGUAL}
    return dataclasses.replace(variant, options=options, notes=(*variant.notes, note))


def sample_texts(segments: Sequence[Segment]) -> Iterator[str]:
    """Yield the hypotheses and references of the first segments."""
    for segment in segments[:_SAMPLE]:
        yield segment.hypothesis
        yield from segment.references


def sample_sources(segments: Sequence[Segment]) -> Iterator[str]:
    """Yield the sources of the first segments that have one."""
    for segment in segments[:_SAMPLE]:
        if segment.source is not None:
            yield segment.source


class _Made(NamedTuple):
    """A model and the codes of the languages that it was made for."""

    name: str
    languages: tuple[str, ...]


def _models_of(metrics: Iterable[Metric], added: Collection[AddedModel]) -> Iterator[_Made]:
    """Yield the models of *metrics* of which languages are known."""
    for metric in metrics:
        runners: list[Signed] = [encoder for encoder, *_ in metric.encodings()] if isinstance(metric, Encoding) else []
        runners += metric.language_models() if isinstance(metric, Predicting) else ()
        for runner in runners:
            made = _recognise(runner, added)
            if made.languages:
                yield made


def _recognise(runner: Signed, added: Collection[AddedModel]) -> _Made:
    model = recognise_model(runner)
    if model is not None:
        return _Made(model.name, model.language_codes)
    digest = weights_digest(runner)
    own = next((one for one in added if digest.startswith(one.digest)), None)
    codes = own.languages if own else ()
    return _Made(own.name if own else "", tuple(dict.fromkeys(code.partition("-")[0] for code in codes)))
