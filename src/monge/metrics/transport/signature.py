"""What a transport metric's signature names: everything that can change a number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from monge.encoders import parse_layers
from monge.scores import Signature
from monge.version import __version__

if TYPE_CHECKING:
    from monge.metrics.transport.metric import TransportMetric


def sign_transport(metric: TransportMetric) -> Signature:
    """Return the signature of a transport metric, fitted or not."""
    settings = metric.settings
    readout = settings.readout + (f"(alpha={settings.alpha!r})" if settings.readout == "f" else "")
    fields = {
        "metric": metric.spec.name,
        "encoder": metric.encoder.signature,
        "layers": ",".join(map(str, parse_layers(settings.layers, metric.encoder.layers))),
        "aggregation": _show_call(settings.aggregation) + ("+unit_layers" if settings.normalise_layers else ""),
        "points": ("unit" if settings.normalise_points else "raw"),
        "drop": settings.drop,
        "mute": settings.mute,
        "ngram": f"{settings.ngram}({settings.pooling})",
        "weighting": _sign_weighting(metric),
        "cost": settings.cost + (f"^{settings.order!r}" if settings.order != 1 else ""),
        **({} if settings.readout == "f" else _sign_penalties(metric)),
        "readout": readout,
        "references": settings.references,
        "baseline": metric.baseline.hash if metric.baseline else "none",
        "empty": "farthest",
        "version": __version__,
    }
    return Signature(fields)


def _sign_weighting(metric: TransportMetric) -> str:
    if metric.settings.weighting == "uniform":
        return "uniform"
    models = (metric.statistics.idf_hypothesis, metric.statistics.idf_reference)
    hashes = dict.fromkeys(model.hash if model else "unfitted" for model in models)
    source = "references" if metric.settings.idf else metric.settings.idf_from
    return f"{metric.settings.weighting}({source}={'/'.join(hashes)})"


def _sign_penalties(metric: TransportMetric) -> dict[str, str]:
    settings = metric.settings
    unit = ""
    if settings.relative:
        typical = metric.statistics.typical_cost
        unit = f"*{typical!r}" if typical is not None else "*typical"
    finite = any(0 < value < math.inf for value in (settings.lambda_c, settings.lambda_r))
    fields = {"lambda_c": f"{settings.lambda_c!r}{unit}", "lambda_r": f"{settings.lambda_r!r}{unit}"}
    if finite or settings.epsilon:
        fields["epsilon"] = f"{settings.epsilon!r}" + (f"({settings.regulariser})" if settings.epsilon else "")
    return fields


def _show_call(text: str) -> str:
    """Write ``name:one:two`` as ``name(one,two)``, so that a colon only separates keys from values."""
    name, *arguments = text.split(":")
    return f"{name}({','.join(arguments)})" if arguments else name
