"""Whether texts are in a language that the encoders of metrics were made for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from monge.encoders.models import ModelSpec, recognise_model
from monge.metrics.protocols import Encoding, Metric, Predicting
from monge.text import Segment, guess_language, language_name, parse_language

_SAMPLE = 100  # segments that are looked at


def describe_mismatch(metrics: Iterable[Metric], texts: Iterable[str], *, declared: str = "") -> str:
    """Return a sentence if the texts are in a language that an encoder of *metrics* was not made for; else nothing.

    The language is the *declared* one, or guessed from *texts*, unless they are too short or the guess is unsure.
    Encoders that monge does not know by name are not judged.
    """
    models = {model.name: model for metric in metrics for model in _models_of(metric)}
    if not models:
        return ""
    if declared:
        languages, described = {parse_language(declared)}, f"are in {language_name(parse_language(declared))}"
    else:
        guess = guess_language(texts)
        if guess is None:
            return ""
        languages, described = set(guess.languages), guess.describe()
    unfit = [model for model in models.values() if not languages & set(model.language_codes)]
    if not unfit:
        return ""
    names = " and ".join(model.name for model in unfit)
    known = " or ".join(dict.fromkeys(language_name(code) for model in unfit for code in model.language_codes))
    made = "was made" if len(unfit) == 1 else "were made"
    return f"the texts {described}, but {names} {made} for {known}: the scores may mislead"


def sample_texts(segments: Sequence[Segment]) -> Iterator[str]:
    """Yield the hypotheses and references of the first segments."""
    for segment in segments[:_SAMPLE]:
        yield segment.hypothesis
        yield from segment.references


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
