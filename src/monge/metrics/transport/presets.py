"""The named settings: one line says how a metric differs from its neighbours."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from monge.clouds import IdfModel
from monge.encoders import Encoder, load_encoder, parse_layers
from monge.errors import OptionError
from monge.metrics.specs import spec_named
from monge.metrics.transport.baseline import Baseline
from monge.metrics.transport.metric import CorpusStatistics, TransportMetric
from monge.metrics.transport.settings import TransportSettings
from monge.scores import Signature

_TRANSPORT_OPTIONS = {"lambda_c", "lambda_r", "lambda_unit", "epsilon", "regulariser"}
_UNSCALED = ("version", "references", "baseline")  # what may differ from the metric that measured a baseline
_BOUNDING = ("readout", "cost", "normalise_points", "epsilon")  # what the bounds of a spec rest on
READOUT_BOUNDS: Mapping[str, tuple[float, float]] = {
    "f": (-1.0, 1.0),
    "distance": (0.0, math.inf),
    "one_minus": (-math.inf, 1.0),
    "inverse": (0.0, 1.0),
}


@dataclass(frozen=True)
class TransportPreset:
    """Builds a TransportMetric from default settings; ``by_language`` holds what depends on the target language."""

    name: str
    defaults: TransportSettings
    by_language: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.Signature(
            [
                inspect.Parameter(
                    f.name, inspect.Parameter.KEYWORD_ONLY, default=getattr(self.defaults, f.name), annotation=f.type
                )
                for f in dataclasses.fields(self.defaults)
            ]
        )

    def settings(self, options: Mapping[str, Any]) -> TransportSettings:
        """Return the settings after the language's preset and the user's options, which win."""
        language = str(options.get("language", self.defaults.language)).lower()
        base = self.by_language.get(language[:2], self.by_language.get("other", {}))
        settings = self.defaults.replace({**base, **options})
        idle = _TRANSPORT_OPTIONS if settings.readout == "f" else {"alpha"}
        for name in idle & set(options):
            raise OptionError(f"{self.name}: {name} has no effect with readout={settings.readout}")
        return settings

    def __call__(self, *, encoder: str | Encoder | None = None, **options: Any) -> TransportMetric:
        """Load the encoder and return the metric."""
        if isinstance(encoder, str):
            options["encoder"] = encoder
        settings = self.settings(options)
        chosen = settings.encoder if encoder is None or isinstance(encoder, str) else encoder
        run = {name: getattr(settings, name) for name in ("long", "device", "dtype", "oov", "fold_case")}
        loaded = load_encoder(chosen, cache=True, **run)
        layers = parse_layers(settings.layers, loaded.layers)
        if settings.aggregation == "single" and len(layers) > 1:
            raise OptionError(
                f"layers={settings.layers} are {len(layers)}: choose how to join them, aggregation=mean say"
            )
        spec = spec_named(self.name)
        if settings.baseline or any(getattr(settings, n) != getattr(self.defaults, n) for n in _BOUNDING):
            spec = dataclasses.replace(
                spec, higher_is_better=settings.readout != "distance", bounds=_bound_scores(settings)
            )
        statistics = CorpusStatistics()
        if settings.idf:
            model = IdfModel.load(settings.idf)
            if model.encoder and model.encoder != loaded.signature:
                theirs, ours = model.encoder, loaded.signature
                raise OptionError(f"{settings.idf}: counts tokens of the encoder {theirs}, not of {ours}")
            statistics = CorpusStatistics(model, model)
        metric = TransportMetric(spec, settings, loaded, statistics)
        return _with_baseline(metric) if settings.baseline else metric


def _bound_scores(settings: TransportSettings) -> tuple[float, float]:
    """Return bounds that hold whatever the other settings: only 1 minus a cosine cost ends below."""
    if settings.baseline or (settings.readout == "f" and settings.cost.endswith("euclidean")):
        return (-math.inf, 1.0)
    return READOUT_BOUNDS[settings.readout]


def _with_baseline(metric: TransportMetric) -> TransportMetric:
    baseline = Baseline.load(metric.settings.baseline)
    if metric.settings.readout == "distance":
        raise OptionError("a distance cannot be rescaled against a baseline; choose another readout")
    difference = baseline_mismatch(baseline, metric)
    if difference:
        raise OptionError(f"{metric.settings.baseline}: was measured with other settings ({difference})")
    return dataclasses.replace(metric, baseline=baseline)


def baseline_mismatch(baseline: Baseline, metric: TransportMetric) -> str:
    """Return what differs between the metric a baseline was measured with and *metric*; what is fitted may differ."""
    theirs, ours = (_what_scales(text) for text in (baseline.signature, str(metric.signature)))
    return ", ".join(f"{key}: {a} / {b}" for key, (a, b) in theirs.differences(ours).items())


def _what_scales(signature: str) -> Signature:
    fields = {key: value for key, value in Signature.parse(signature).recipe().fields.items() if key not in _UNSCALED}
    fields["weighting"] = fields.get("weighting", "").partition("(")[0]  # whence the idf comes may differ
    return Signature(fields)


_GREEDY = TransportSettings(layers="middle", drop="none", mute="special", cost="cosine", readout="f", references="max")
_MOVER = TransportSettings(
    layers="last5",
    aggregation="pmeans:1,inf,-inf",
    drop="special+punctuation+subwords",
    weighting="idf",
    pooling="sum",
    cost="euclidean",
    readout="one_minus",
)
_STATIC = TransportSettings(encoder="glove", references="max")


def _change(settings: TransportSettings, **options: Any) -> TransportSettings:
    return settings.replace(options)


PRESETS: dict[str, TransportPreset] = {
    preset.name: preset
    for preset in (
        TransportPreset("bertscore", _GREEDY),
        TransportPreset(
            "f_alpha",
            _GREEDY,
            {"en": {"alpha": 0.48}, "zh": {"alpha": 0.90}, "other": {"alpha": 0.96}},
        ),
        TransportPreset("yisi1", _change(_GREEDY, weighting="idf_plus_one", alpha=0.7)),
        TransportPreset("emd", _change(_GREEDY, readout="distance")),
        TransportPreset(
            "lazy_emd",
            _change(_GREEDY, readout="distance", epsilon=0.009),
            {
                "en": {"lambda_c": 0.23, "lambda_r": 0.31},
                "zh": {"lambda_c": 0.018, "lambda_r": 0.97},
                "other": {"lambda_c": 0.009, "lambda_r": 0.95},
            },
        ),
        TransportPreset("moverscore", _MOVER),
        TransportPreset(
            "moverscore_v1",
            _change(
                _MOVER,
                normalise_layers=True,
                normalise_points=True,
                drop="ascii_punctuation+subwords",
                pooling="mean",
                idf_from="sides",
                cost="sqeuclidean",
            ),
        ),
        TransportPreset(
            "moverscore_v2",
            _change(
                _MOVER,
                layers="last",
                aggregation="single",
                normalise_points=True,
                drop="none",
                mute="ascii_punctuation+subwords",
                pooling="mean",
                idf_from="sides",
                readout="inverse",
            ),
        ),
        TransportPreset("smd", _change(_MOVER, ngram=0, readout="distance")),
        TransportPreset("wmd", _change(_STATIC, drop="special+punctuation+stopwords", cost="euclidean")),
        TransportPreset("we", _change(_STATIC, weighting="tfidf", idf_from="sides", readout="one_minus")),
        TransportPreset(
            "we_wpi", _change(_STATIC, weighting="tfidf", idf_from="sides", readout="one_minus", cost="position")
        ),
        TransportPreset(
            "cosine", TransportSettings(layers="last", drop="none", ngram=0, readout="one_minus", references="max")
        ),
    )
}


def __getattr__(name: str) -> TransportPreset:
    try:
        return PRESETS[name]
    except KeyError:
        raise AttributeError(name) from None
