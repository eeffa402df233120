"""What a transport metric's signature and identity name: everything that can change a number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from monge import clouds, transport
from monge.encoders.layers import aggregate
from monge.metrics import base
from monge.metrics.transport.options import show_option
from monge.scores import Signature
from monge.storage.identity import stated_identity
from monge.version import __version__

if TYPE_CHECKING:
    from monge.metrics.transport.metric import TransportMetric
    from monge.metrics.transport.settings import ReadoutChoice
    from monge.metrics.transport.side import Side


def sign_transport(metric: TransportMetric) -> Signature:
    """Return the signature of a transport metric, bound or not."""
    settings = metric.settings
    recipe, choice = settings.cloud, settings.readout
    fields = {
        "metric": metric.spec.name,
        **_sign_sides(metric),
        "aggregation": _show_call(str(recipe.aggregation)) + ("+unit_layers" if recipe.normalise_layers else ""),
        "points": ("unit" if recipe.normalise_points else "raw"),
        "drop": show_option(settings, "drop"),
        "massless": show_option(settings, "massless"),
        "ngram": f"{recipe.ngram}({recipe.pooling})",
        "weighting": _sign_weighting(metric),
        "cost": settings.transport.cost + (f"^{settings.transport.order!r}" if settings.transport.order != 1 else ""),
        **({} if choice.kind == "f" else _sign_penalties(metric)),
        "readout": choice.kind + (_sign_f(choice) if choice.kind == "f" else ""),
        **({"drop_flows": repr(choice.drop_flows)} if choice.drop_flows else {}),
        "references": choice.references,
        "baseline": metric.baseline.hash if metric.baseline else "none",
        "empty": "farthest",
        "version": __version__,
    }
    return Signature(fields)


def identify_transport(metric: TransportMetric) -> str | None:
    """Return the signature with full digests and the numbers of all algorithms involved.

    None if an encoder does not say what computes its vectors: its scores cannot be stored.
    """
    sides = [_identify_side(side) for side in (metric.hypothesis, metric.other)]
    if None in sides:
        return None
    statistics = metric.statistics
    digests = [model.digest if model else "" for model in (statistics.idf_hypothesis, statistics.idf_reference)]
    baseline = metric.baseline.digest if metric.baseline else ""
    numbers = {"layers": aggregate, "clouds": clouds, "transport": transport, "metrics": base}
    algorithms = ",".join(f"{name}={module.ALGORITHM}" for name, module in numbers.items())
    return "|".join(map(str, [metric.signature, *sides, *digests, baseline, algorithms]))


def _identify_side(side: Side) -> str | None:
    identity = stated_identity(side.encoder)
    return None if identity is None else f"{identity},layers={side.layers},remap={side.recipe.remap.digest}"


def _sign_sides(metric: TransportMetric) -> dict[str, str]:
    fields = {"encoder": metric.hypothesis.encoder.signature, "layers": ",".join(map(str, metric.hypothesis.layers))}
    if metric.hypothesis.recipe.remap.digest:
        fields["remap"] = metric.hypothesis.recipe.remap.digest[:8]
    if metric.hypothesis.spelling:
        fields["truecase"] = metric.hypothesis.spelling
    if metric.settings.against != "references":
        fields["against"] = metric.settings.against
    if metric.other is not metric.hypothesis:
        fields["against_encoder"] = metric.other.encoder.signature
        fields["against_layers"] = ",".join(map(str, metric.other.layers))
        if metric.other.recipe.remap.digest:
            fields["against_remap"] = metric.other.recipe.remap.digest[:8]
    return fields


def _sign_weighting(metric: TransportMetric) -> str:
    if metric.settings.cloud.weighting == "uniform":
        return "uniform"
    models = (metric.statistics.idf_hypothesis, metric.statistics.idf_reference)
    hashes = dict.fromkeys(model.hash if model else "unbound" for model in models)
    source = "references" if metric.settings.idf.file else metric.settings.idf.source
    return f"{metric.settings.cloud.weighting}({source}={'/'.join(hashes)})"


def _sign_f(choice: ReadoutChoice) -> str:
    return f"(alpha={choice.alpha!r}" + (f",lean={choice.lean!r})" if choice.lean else ")")


def _sign_penalties(metric: TransportMetric) -> dict[str, str]:
    choice = metric.settings.transport
    unit = ""
    if choice.relative:
        typical = metric.statistics.typical_cost
        unit = f"*{typical!r}" if typical is not None else "*typical"
    finite = any(0 < value < math.inf for value in (choice.lambda_c, choice.lambda_r))
    fields = {"lambda_c": f"{choice.lambda_c!r}{unit}", "lambda_r": f"{choice.lambda_r!r}{unit}"}
    if finite or choice.epsilon:
        fields["epsilon"] = f"{choice.epsilon!r}" + (f"({choice.regulariser})" if choice.epsilon else "")
    return fields


def _show_call(text: str) -> str:
    """Write ``name:one:two`` as ``name(one,two)``, so that a colon only separates keys from values."""
    name, *arguments = text.split(":")
    return f"{name}({','.join(arguments)})" if arguments else name
