"""From one transport metric to another by switching one named setting at a time."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from monge.errors import OptionError
from monge.metrics.presets import PRESETS
from monge.metrics.registry import metric_options, parse_option
from monge.metrics.settings import TransportSettings
from monge.metrics.variants import MetricVariant, parse_variant

# in the order in which a text becomes a score
_ORDER = (
    "encoder", "layers", "aggregation", "normalise_layers", "normalise_points", "drop", "mute", "ngram", "pooling",
    "weighting", "idf_from", "cost", "order", "lambda_c", "lambda_r", "lambda_unit", "epsilon", "regulariser",
    "readout", "alpha", "references",
)  # fmt: skip


@dataclass(frozen=True)
class Switch:
    """One setting that two metrics have different."""

    name: str
    before: str
    after: str


def list_switches(first: str, second: str) -> list[Switch]:
    """Return the settings in which two transport metrics differ, in the order in which they take effect.

    >>> [s.name for s in list_switches("bertscore", "yisi1")]
    ['weighting', 'alpha']
    """
    a, b = (_settings(text) for text in (first, second))
    differing = [f.name for f in dataclasses.fields(a) if getattr(a, f.name) != getattr(b, f.name)]
    ordered = [name for name in _ORDER if name in differing]
    return [Switch(name, str(getattr(a, name)), str(getattr(b, name))) for name in ordered]


def ablation_path(first: str, second: str) -> list[MetricVariant]:
    """Return the metrics on the way from *first* to *second*; each differs from the one before in one setting.

    Settings are switched in the order in which a text becomes a score. Several layers need a way to join them, so
    layers and aggregation are one step when both differ.

    >>> [v.label for v in ablation_path("bertscore", "yisi1")]
    ['bertscore', '+ weighting=idf_plus_one', '+ alpha=0.7']
    """
    start = parse_variant(first)
    path = [MetricVariant(start.label, start.name, start.options)]
    options = dict(start.options)
    steps: list[list[Switch]] = []
    for switch in list_switches(first, second):
        if steps and (steps[-1][-1].name, switch.name) == ("layers", "aggregation"):
            steps[-1].append(switch)
        else:
            steps.append([switch])
    for step in steps:
        options |= {switch.name: switch.after for switch in step}
        label = ", ".join(f"{switch.name}={switch.after}" for switch in step)
        path.append(MetricVariant(f"+ {label}", start.name, dict(options)))
    return path


def _settings(text: str) -> TransportSettings:
    variant = parse_variant(text)
    if variant.name not in PRESETS:
        known = ", ".join(PRESETS)
        raise OptionError(f"{variant.name} is no transport metric, so it has no switches; these have: {known}")
    known_options = metric_options(variant.name)
    values = {key: parse_option(key, value, known_options[key]) for key, value in variant.options.items()}
    return PRESETS[variant.name].settings(values)
