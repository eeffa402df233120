"""The named settings: one line says how a metric differs from its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from monge.metrics.transport.building import TransportPreset
from monge.metrics.transport.options import read_options
from monge.metrics.transport.settings import TransportSettings


def _settings(**options: Any) -> TransportSettings:
    return read_options(TransportSettings(), options)


_GREEDY = _settings(layers="middle", drop="none", massless="special", cost="cosine", readout="f", references="max")
_MOVER = _settings(
    layers="last5",
    aggregation="pmeans:1,inf,-inf",
    drop="special+punctuation+subwords",
    weighting="idf",
    pooling="sum",
    cost="euclidean",
    readout="one_minus",
)
_STATIC = _settings(encoder="glove", references="max")
# equations 1 and 2 of Zhao et al. (2019): window averages of unit vectors, or the sums that the equation literally says
_MOVER_READINGS: Mapping[str, Mapping[str, Any]] = {
    "average": {"normalise_layers": True, "normalise_points": True, "pooling": "mean"},
    "literal": {"normalise_layers": False, "normalise_points": False, "pooling": "sum"},
}
_CROSSLINGUAL = {"encoder": "use", "against": "source"}


def _change(settings: TransportSettings, **options: Any) -> TransportSettings:
    return read_options(settings, options)


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
        TransportPreset(
            "yisi2",
            _change(_GREEDY, encoder="use", against="source", weighting="idf_plus_one", idf_from="sides", alpha=0.7),
        ),
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
        TransportPreset("moverscore", _MOVER, readings=_MOVER_READINGS),
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
                massless="ascii_punctuation+subwords",
                pooling="mean",
                idf_from="sides",
                readout="inverse",
            ),
        ),
        TransportPreset(
            "xmoverscore",
            _change(_MOVER, **_CROSSLINGUAL, layers="last", aggregation="single", idf_from="sides"),
            readings=_MOVER_READINGS,
        ),
        TransportPreset(
            "xmoverscore_v1",
            _change(
                _MOVER,
                **_CROSSLINGUAL,
                layers="last",
                aggregation="single",
                normalise_points=True,
                drop="ascii_punctuation+subwords",
                pooling="mean",
                weighting="uniform",
                cost="sqeuclidean",
            ),
        ),
        TransportPreset(
            "xmoverscore_v2",
            _change(
                _MOVER,
                **_CROSSLINGUAL,
                layers="last",
                aggregation="single",
                normalise_points=True,
                drop="none",
                pooling="mean",
                weighting="uniform",
                ngram=2,
                drop_flows=0.3,
                readout="inverse",
            ),
        ),
        TransportPreset("smd", _change(_MOVER, ngram=0, readout="distance"), readings=_MOVER_READINGS),
        TransportPreset("wmd", _change(_STATIC, drop="special+punctuation+stopwords", cost="euclidean")),
        TransportPreset("rouge_we", _change(_GREEDY, encoder="glove", layers="last", drop="special+punctuation")),
        TransportPreset("we", _change(_STATIC, weighting="tfidf", idf_from="sides", readout="one_minus")),
        TransportPreset(
            "we_wpi", _change(_STATIC, weighting="tfidf", idf_from="sides", readout="one_minus", cost="position")
        ),
        TransportPreset(
            "cosine", _settings(layers="last", drop="none", ngram=0, readout="one_minus", references="max")
        ),
        TransportPreset(
            "cosine_xl",
            _settings(
                **_CROSSLINGUAL,
                drop="none",
                ngram=0,
                pooling="sentence",
                readout="one_minus",
                references="max",
            ),
        ),
    )
}


def __getattr__(name: str) -> TransportPreset:
    try:
        return PRESETS[name]
    except KeyError:
        raise AttributeError(name) from None
