"""Whether texts are in a language that the encoders of metrics were made for, and which encoder to take if not."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from monge.encoders.models import MODELS, ModelSpec, recognise_model
from monge.metrics.protocols import Encoding, Metric, Predicting
from monge.metrics.registry import find_spec, metric_options
from monge.metrics.variants import MetricVariant
from monge.text import LanguageGuess, Segment, guess_language, language_name, parse_language

MULTILINGUAL = "use"  # what is taken for languages that the default encoder of a metric was not made for
_SAMPLE = 100  # segments that are looked at


def describe_mismatch(
    metrics: Iterable[Metric], texts: Iterable[str], *, sources: Iterable[str] = (), declared: str = ""
) -> str:
    """Return a sentence if texts are in a language that an encoder of *metrics* was not made for; else nothing.

    The language is the *declared* one, or guessed from *texts*, unless they are too short or the guess is unsure;
    that of *sources*, which metrics without reference read, is guessed. Encoders that monge does not know by name are
    not judged. Sources and translations that seem to be exchanged, or in one language, are reported too.
    """
    loaded = list(metrics)
    readers = [metric for metric in loaded if "source" in metric.spec.needs]
    guess = _declared(declared) or guess_language(texts)
    source_guess = guess_language(sources) if readers else None
    found = [
        _describe_unfit(loaded, guess, "texts"),
        _describe_unfit(readers, source_guess, "sources"),
        _describe_exchange(guess, source_guess) if readers else "",
    ]
    return "; ".join(sentence for sentence in found if sentence)


def _declared(code: str) -> LanguageGuess | None:
    return LanguageGuess((parse_language(code),), declared=True) if code else None


def _describe_unfit(metrics: Sequence[Metric], guess: LanguageGuess | None, what: str) -> str:
    if guess is None:
        return ""
    models = {model.name: model for metric in metrics for model in _models_of(metric)}
    unfit = [model for model in models.values() if not set(guess.languages) & set(model.language_codes)]
    if not unfit:
        return ""
    names = " and ".join(model.name for model in unfit)
    known = list(dict.fromkeys(language_name(code) for model in unfit for code in model.language_codes))
    listed = " or ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)
    made = "was made" if len(unfit) == 1 else "were made"
    return f"the {what} {guess.describe()}, but {names} {made} for {listed}: the scores may mislead"


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


def choose_encoders(
    variants: Iterable[MetricVariant], texts: Iterable[str], *, declared: str = ""
) -> tuple[MetricVariant, ...]:
    """Return the metrics, those without a chosen encoder with ``use`` if the texts are in a language that it knows.

    That happens where the default encoder of a transport metric was not made for the language, which is *declared* or
    guessed from *texts*; a note says so. Metrics whose encoder or layers were chosen stay as they are.
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
    """Return the known model that a transport metric takes unless it is told otherwise; None if it was told."""
    told = any(name in variant.options for name in ("encoder", "layers", "against_encoder", "idf", "baseline", "remap"))
    if told or find_spec(variant.name).family != "transport":
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
    layers = {"layers": "emb"} if model.kind == "word vectors" else {}
    options = {**variant.options, "encoder": MULTILINGUAL, **layers}
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


def _models_of(metric: Metric) -> Iterator[ModelSpec]:
    if isinstance(metric, Encoding):
        for encoder, _ in metric.encodings():
            model = recognise_model(encoder)
            if model is not None and model.language_codes:
                yield model
    if isinstance(metric, Predicting):
        for language_model in metric.language_models():
            model = recognise_model(language_model)
            if model is not None and model.language_codes:
                yield model
