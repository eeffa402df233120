"""One score without a reference: dictionary, language model and sentence vectors, each where it can be used."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from monge.encoders import Encoder
from monge.encoders.held import EncoderReading
from monge.environment import Environment
from monge.errors import InputError, ModelError, MongeError, OptionError
from monge.lm import DEFAULT_LANGUAGE_MODEL, LanguageModel
from monge.metrics.base import MetricBase, check_needs
from monge.metrics.composite import EnsembleMetric, Member
from monge.metrics.free.source import guess_source_language
from monge.metrics.protocols import Encoding, Metric, MetricSpec, Predicting
from monge.metrics.specs import spec_named
from monge.metrics.variants import MetricVariant
from monge.scores import Score, Signature
from monge.text import Segment, language_name, parse_language
from monge.version import __version__

# mean and spread of each part over the translations of MLQE (et-en, ro-en, ru-en; of cosine_xl ru-en alone, the only
# one of these languages that it knows), by which it is standardised
CONSTANTS: dict[str, tuple[float, float]] = {
    "dictionary_cloud": (0.6972, 0.1564),
    "gloss_lm": (2.999, 1.05),
    "fluency": (1.648, 1.305),
    "cosine_xl": (0.7205, 0.1113),
}

GAIN = 2.5  # nats per token; chosen on MLQE and Tatoeba, docs/results-mongescore-free.md


@dataclass(frozen=True)
class FreeOptions:
    """What the user chose: language and dictionaries of the source, language model, multilingual encoder.

    ``gain`` is the most by which ``gloss_lm`` may exceed ``fluency``.
    """

    source_language: str
    dictionary: str
    lm: Any
    encoder: Any
    environment: Environment
    gain: float = GAIN

    def __post_init__(self) -> None:
        if not self.gain >= 0:
            raise OptionError(f"gain={self.gain}: must be 0 or more")


@dataclass(frozen=True, eq=False)
class MongescoreFree(MetricBase):
    """Mean of the standardised parts that can be computed for the language of the sources.

    The parts are ``dictionary_cloud`` and ``gloss_lm`` where there is a dictionary, ``fluency,slor=true``, and
    ``cosine_xl`` where the multilingual encoder knows the language. Parts that are missing are named in the notes.
    ``gloss_lm`` counts as min(gloss_lm, fluency + gain): a translation that repeats the word-by-word one that the
    language model is shown is very probable after it, and not the better for it.
    """

    spec: MetricSpec
    options: FreeOptions
    ensemble: EnsembleMetric | None = None
    missing: tuple[str, ...] = ()
    guessed: bool = False

    @property
    def parts(self) -> tuple[Metric, ...]:
        """The metrics that the score is made of."""
        return () if self.ensemble is None else self.ensemble.parts

    @property
    def bound(self) -> bool:
        return self.ensemble is not None

    @property
    def binding_notes(self) -> tuple[str, ...]:
        language = self.options.source_language
        read = (f"sources read as {language_name(language)}",) if self.guessed else ()
        return (*read, *self.missing)

    def bind(self, corpus: Sequence[Segment]) -> Self:
        """Return the metric for the language of the sources of *corpus*."""
        return self.bind_shared(corpus)

    def bind_shared(self, corpus: Sequence[Segment]) -> Self:
        """Return the metric with the same parts for all systems."""
        if self.ensemble is not None:
            return self
        sources = (segment.source for segment in corpus if segment.source)
        chosen = self.choose_parts(guess_source_language(sources, self.options.environment))
        return dataclasses.replace(chosen, guessed=True)

    def choose_parts(self, language: str) -> Self:
        """Return the metric with all parts that can be computed for *language*; raises ModelError if there is none."""
        members: list[Member] = []
        missing = []
        for name, chosen in _choices(self.options, language):
            variant = MetricVariant(name, name, chosen)
            try:
                _check_language(name, chosen, language, self.options.environment)
                members.append(Member(variant.load(self.options.environment), variant, 1.0, *CONSTANTS[name]))
            except MongeError as error:
                missing.append(f"without {name}: {error}")
        if not members:
            raise ModelError(f"{self.spec.name} has no part that can be computed: {'; '.join(missing)}")
        ensemble = EnsembleMetric(self.spec, tuple(members), "mlqe(et-en,ro-en,ru-en)")
        options = dataclasses.replace(self.options, source_language=language)
        return dataclasses.replace(self, options=options, ensemble=ensemble, missing=tuple(missing))

    @property
    def signature(self) -> Signature:
        if self.ensemble is None:
            gain = repr(float(self.options.gain))
            fields = {"metric": self.spec.name, "source_language": "guessed", "gain": gain, "version": __version__}
            return Signature(fields)
        parts = dict(self.ensemble.signature.fields)
        own = {"source_language": self.options.source_language, "gain": repr(float(self.options.gain))}
        return Signature({"metric": parts.pop("metric"), **own, **parts})

    @property
    def identity(self) -> str | None:
        identity = None if self.ensemble is None else self.ensemble.identity
        return None if identity is None else f"{self.signature}|{identity}"

    def encodings(self) -> tuple[EncoderReading, ...]:
        return tuple(pair for part in self.parts if isinstance(part, Encoding) for pair in part.encodings())

    def language_models(self) -> tuple[LanguageModel, ...]:
        return tuple(model for part in self.parts if isinstance(part, Predicting) for model in part.language_models())

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        check_needs(self.spec, segments)
        if not segments:
            return []
        if self.ensemble is None:
            return self.bind(segments).score(segments)
        return self.combine([part.score(segments) for part in self.parts])

    def combine(self, part_scores: Sequence[Sequence[Score]]) -> list[Score]:
        """Return the mean of the parts that have a score; the notes name those that have none."""
        assert self.ensemble is not None
        members = self.ensemble.members
        return [self._combine(members, [own[i] for own in part_scores]) for i in range(len(part_scores[0]))]

    def _limit(self, values: dict[str, float]) -> dict[str, float]:
        """Return what ``gloss_lm`` counts where the word-by-word translation explains too much of the text."""
        most = values.get("fluency", math.nan) + self.options.gain
        return {"gloss_lm": most} if values.get("gloss_lm", math.nan) > most else {}

    def _combine(self, members: Sequence[Member], scores: Sequence[Score]) -> Score:
        values = {m.variant.label: score.value for m, score in zip(members, scores, strict=True)}
        counted = values | self._limit(values)
        standard = [float(m.standardise([counted[m.variant.label]])[0]) for m in members]
        known = [value for value in standard if math.isfinite(value)]
        notes = dict.fromkeys(note for score in scores for note in score.notes)
        if counted != values:
            notes["like a word-by-word translation: gloss_lm counts as fluency + gain"] = None
        if len(known) < len(standard):
            absent = [name for name, value in values.items() if not math.isfinite(value)]
            notes[f"without {', '.join(absent)}"] = None
        value = math.fsum(known) / len(known) if known else math.nan
        return Score(value, values, notes=tuple(notes), unknown=max(score.unknown for score in scores))


def load_mongescore_free(
    *,
    source_language: str = "",
    dictionary: str = "",
    lm: Any = DEFAULT_LANGUAGE_MODEL,
    encoder: str | Encoder = "use",
    gain: float = GAIN,
    environment: Environment | None = None,
) -> MongescoreFree:
    """Build the metric; *lm* ``none`` leaves the language model out, *encoder* ``none`` the sentence vectors.

    *gain* is the most by which the word-by-word translation may make a text more probable than it is by itself.
    Without *source_language* the language is guessed from the sources when the metric is bound to them.
    """
    around = Environment.read() if environment is None else environment
    options = FreeOptions("", dictionary, lm, encoder, around, gain)
    metric = MongescoreFree(spec_named("mongescore_free"), options)
    return metric.choose_parts(parse_language(source_language)) if source_language else metric


def _choices(options: FreeOptions, language: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the parts with their options."""
    reading = {"source_language": language, "dictionary": options.dictionary}
    choices: list[tuple[str, dict[str, Any]]] = [("dictionary_cloud", reading)]
    if options.lm != "none":
        choices += [("gloss_lm", reading | {"lm": options.lm}), ("fluency", {"lm": options.lm, "slor": True})]
    if options.encoder != "none":
        choices.append(("cosine_xl", {"encoder": options.encoder}))
    return choices


def _check_language(name: str, options: dict[str, Any], language: str, environment: Environment) -> None:
    """Raise InputError if a part reads the source itself but does not know its language."""
    if name != "cosine_xl":
        return
    from monge.encoders import load_encoder
    from monge.encoders.models import find_model, recognise_model

    encoder = options["encoder"]
    model = find_model(encoder) if encoder == "use" else recognise_model(load_encoder(encoder, environment=environment))
    if model is not None and model.language_codes and language not in model.language_codes:
        raise InputError(f"{model.name} does not know {language_name(language)}")
