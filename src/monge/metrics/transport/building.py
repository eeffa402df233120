"""From named settings and options to a metric: encoders are loaded, bounds and direction follow the settings."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from monge.clouds import IdfModel
from monge.encoders import Encoder, load_encoder
from monge.encoders.base import layer_names_of, sentence_layer_of
from monge.encoders.layers import choose_layers
from monge.environment import Environment
from monge.errors import OptionError
from monge.lm import load_language_model
from monge.metrics.baseline import Baseline, describe_mismatch
from monge.metrics.protocols import SIDES, MetricSpec
from monge.metrics.specs import spec_named
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.transport.options import TRANSPORT_OPTIONS, describe_options, read_options, show_option
from monge.metrics.transport.remap import remap_sides
from monge.metrics.transport.settings import EncoderChoice, TransportSettings, check_choice
from monge.metrics.transport.side import Side
from monge.metrics.transport.statistics import CorpusStatistics
from monge.text import parse_language

_BOUNDING = ("readout", "cost", "normalise_points", "epsilon")  # what the bounds of a spec rest on
READOUT_BOUNDS: Mapping[str, tuple[float, float]] = {
    "f": (-1.0, 1.0),
    "distance": (0.0, math.inf),
    "one_minus": (-math.inf, 1.0),
    "inverse": (0.0, 1.0),
}


@dataclass(frozen=True)
class TransportPreset:
    """Builds a TransportMetric from default settings.

    ``by_language`` holds what depends on the target language. ``readings`` are the ways in which a paper can be read,
    by name, the default first; each is a set of options that the option ``reading`` chooses.
    """

    name: str
    defaults: TransportSettings
    by_language: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    readings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def __signature__(self) -> inspect.Signature:
        described = describe_options(self.usual)
        if not self.readings:
            return described
        reading = inspect.Parameter("reading", inspect.Parameter.KEYWORD_ONLY, default=next(iter(self.readings)))
        return described.replace(parameters=[reading, *described.parameters.values()])

    @property
    def usual(self) -> TransportSettings:
        """The settings without any option, but for what depends on the language."""
        return read_options(self.defaults, next(iter(self.readings.values()), {}))

    def settings(self, options: Mapping[str, Any]) -> TransportSettings:
        """Return the settings after the reading, the language's preset and the user's options, which win."""
        options = dict(options)
        language = parse_language(str(options.get("language") or self.defaults.language or "en"))
        base = {**self._read(options), **self.by_language.get(language, self.by_language.get("other", {}))}
        settings = read_options(self.defaults, {**base, **options})
        idle = TRANSPORT_OPTIONS if settings.readout.kind == "f" else {"alpha", "lean"}
        for name in idle & set(options):
            raise OptionError(f"{self.name}: {name} has no effect with readout={settings.readout.kind}")
        return settings

    def _read(self, options: dict[str, Any]) -> Mapping[str, Any]:
        """Take the option ``reading`` out of *options* and return what it stands for."""
        if not self.readings:
            return {}
        reading = options.pop("reading", next(iter(self.readings)))
        check_choice("reading", reading)
        return self.readings[reading]

    def __call__(
        self,
        *,
        encoder: str | Encoder | None = None,
        against_encoder: str | Encoder | None = None,
        environment: Environment | None = None,
        **options: Any,
    ) -> TransportMetric:
        """Load the encoders and return the metric."""
        named = {"encoder": encoder, "against_encoder": against_encoder}
        options |= {name: value for name, value in named.items() if isinstance(value, str)}
        settings = self.settings(options)
        objects = {name: value for name, value in named.items() if value is not None and not isinstance(value, str)}
        around = Environment.read() if environment is None else environment
        hypothesis = _load_side(settings, settings.encoder, objects.get("encoder"), around)
        other = _load_other_side(settings, hypothesis, objects.get("against_encoder"), around)
        if settings.remap:
            hypothesis, other = remap_sides(settings, hypothesis, other)
        if settings.truecase:
            hypothesis, other = _truecase_sides(settings, hypothesis, other, around)
        spec = _adapt_spec(self, settings, same_sides=hypothesis is other)
        metric = TransportMetric(spec, settings, hypothesis, other, _read_idf(settings, hypothesis, other))
        return _with_baseline(metric) if settings.readout.baseline else metric


def _load_side(
    settings: TransportSettings, choice: EncoderChoice, given: object | None, environment: Environment
) -> Side:
    loaded = load_encoder(
        choice.name if given is None else given,
        cache=True,
        environment=environment,
        long=choice.long,
        device=choice.device,
        dtype=choice.dtype,
        oov=choice.oov,
        fold_case=choice.fold_case,
    )
    layers = choose_layers(loaded, choice.layers)
    if str(settings.cloud.aggregation) == "single" and len(layers) > 1:
        raise OptionError(f"layers={choice.layers} are {len(layers)}: choose how to join them, as in aggregation=mean")
    if settings.cloud.pooling == "sentence" and sentence_layer_of(loaded) not in (None, *layers):
        named = layer_names_of(loaded)[sentence_layer_of(loaded) or 0]
        raise OptionError(f"layers={choice.layers}: the sentence vectors of {loaded.signature} are made of {named}")
    return Side(loaded, layers, settings.cloud)


def _load_other_side(
    settings: TransportSettings, hypothesis: Side, given: object | None, environment: Environment
) -> Side:
    """Return the side that hypotheses are compared with: the same object, unless it has an encoder of its own."""
    if given is None and not settings.against_encoder and not settings.against_layers:
        return hypothesis
    choice = dataclasses.replace(
        settings.encoder,
        name=settings.against_encoder or settings.encoder.name,
        layers=settings.against_layers or settings.encoder.layers,
    )
    if given is None and not settings.against_encoder:
        given = hypothesis.encoder
    side = _load_side(settings, choice, given, environment)
    first, second = hypothesis.encoder, side.encoder
    if first.dimension != second.dimension:
        raise OptionError(
            f"vectors of {first.signature} have {first.dimension} dimensions, those of {second.signature} "
            f"{second.dimension}: they cannot be compared"
        )
    return side


def _truecase_sides(
    settings: TransportSettings, hypothesis: Side, other: Side, environment: Environment
) -> tuple[Side, Side]:
    """Return the sides whose texts get capitals: hypotheses, and references; sources are read as they are."""
    model = load_language_model(settings.truecase, environment=environment)
    spelt = dataclasses.replace(hypothesis, truecaser=model)
    if settings.against == "source":
        return spelt, other
    return spelt, spelt if other is hypothesis else dataclasses.replace(other, truecaser=model)


def _adapt_spec(preset: TransportPreset, settings: TransportSettings, *, same_sides: bool) -> MetricSpec:
    """Return the spec with the needs, direction and bounds that these settings give it."""
    spec = spec_named(preset.name)
    needs = tuple(settings.against if need in SIDES else need for need in spec.needs)
    spec = dataclasses.replace(spec, needs=needs)
    changed = any(show_option(settings, name) != show_option(preset.usual, name) for name in _BOUNDING)
    if changed:
        direction = settings.readout.kind != "distance"
        spec = dataclasses.replace(spec, higher_is_better=direction, bounds=_bound_scores(settings))
    symmetric = spec.symmetric and settings.against == "references" and same_sides
    return dataclasses.replace(spec, symmetric=symmetric)


def _read_idf(settings: TransportSettings, hypothesis: Side, other: Side) -> CorpusStatistics:
    if not settings.idf.file:
        return CorpusStatistics()
    model = IdfModel.load(settings.idf.file)
    for side in (hypothesis, other):
        if model.encoder and model.encoder != side.encoder.signature:
            theirs, ours = model.encoder, side.encoder.signature
            raise OptionError(f"{settings.idf.file}: counts tokens of the encoder {theirs}, not of {ours}")
    return CorpusStatistics(model, model)


def _bound_scores(settings: TransportSettings) -> tuple[float, float]:
    """Return bounds that hold whatever the other settings: only 1 minus a cosine cost ends below."""
    kind = settings.readout.kind
    if kind == "f" and settings.transport.cost.endswith("euclidean"):
        return (-math.inf, 1.0)
    return READOUT_BOUNDS[kind]


def _with_baseline(metric: TransportMetric) -> TransportMetric:
    path = metric.settings.readout.baseline
    baseline = Baseline.load(path)
    difference = describe_mismatch(baseline, metric)
    if difference:
        raise OptionError(f"{path}: was measured with other settings ({difference})")
    return metric.with_baseline(baseline)
