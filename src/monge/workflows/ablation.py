"""From one transport metric to another by switching one named setting at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monge.errors import OptionError
from monge.metrics.registry import metric_options, parse_option
from monge.metrics.transport.options import TRANSPORT_OPTIONS, show_option
from monge.metrics.transport.presets import PRESETS
from monge.metrics.transport.settings import TransportSettings
from monge.metrics.variants import MetricVariant, parse_variant

# in the order in which a text becomes a score
_ORDER = (
    "encoder", "layers", "aggregation", "normalise_layers", "normalise_points", "drop", "massless", "ngram", "pooling",
    "weighting", "idf_from", "cost", "order", "readout", "lambda_c", "lambda_r", "lambda_unit", "epsilon",
    "regulariser", "alpha", "references",
)  # fmt: skip
_WITHOUT_F = {"alpha"}


@dataclass(frozen=True)
class Switch:
    """One setting in which two metrics differ."""

    name: str
    before: str
    after: str


def list_switches(first: str, second: str) -> list[Switch]:
    """Return the settings in which two transport metrics differ, in the order in which they take effect.

    >>> [s.name for s in list_switches("bertscore", "yisi1")]
    ['weighting', 'alpha']
    """
    a, b = (_settings(text) for text in (first, second))
    idle = _WITHOUT_F if b.readout.kind != "f" else TRANSPORT_OPTIONS
    both = {name: (show_option(a, name), show_option(b, name)) for name in _ORDER if name not in idle}
    return [Switch(name, str(before), str(after)) for name, (before, after) in both.items() if before != after]


def ablation_path(first: str, second: str) -> list[MetricVariant]:
    """Return the metrics on the way from *first* to *second*; each differs from the one before in one setting.

    Settings are switched in the order in which a text becomes a score. Where one is not valid without the next
    (several layers without a way to join them), both are one step.

    >>> [v.label for v in ablation_path("bertscore", "yisi1")]
    ['bertscore', '+ weighting=idf_plus_one', '+ alpha=0.7']
    """
    start = parse_variant(first)
    path = [MetricVariant(start.label, start.name, start.options)]
    options = dict(start.options)
    step: list[str] = []
    switches = list_switches(first, second)
    names = [switch.name for switch in switches]
    for switch in switches:
        options[switch.name] = switch.after
        step.append(f"{switch.name}={switch.after}")
        if switch.name == "layers" and "aggregation" in names:
            continue
        if _is_valid(start.name, options):
            path.append(MetricVariant(f"+ {', '.join(step)}", start.name, dict(options)))
            step = []
    if step:
        raise OptionError(f"{first} cannot become {second}: {', '.join(step)} is not valid there")
    return path


def _is_valid(name: str, options: Mapping[str, Any]) -> bool:
    try:
        _apply(name, options)
    except OptionError:
        return False
    return True


def _settings(text: str) -> TransportSettings:
    variant = parse_variant(text)
    if variant.name not in PRESETS:
        known = ", ".join(PRESETS)
        raise OptionError(f"{variant.name} is not a transport metric, so it has no switches; these have: {known}")
    return _apply(variant.name, variant.options)


def _apply(name: str, options: Mapping[str, Any]) -> TransportSettings:
    known = metric_options(name)
    return PRESETS[name].settings({key: parse_option(key, value, known[key]) for key, value in options.items()})
