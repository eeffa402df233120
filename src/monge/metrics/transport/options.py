"""The flat names by which users set the nested settings: ``layers=6-8``, ``drop=special+punctuation``.

This is the only place where the text of an option becomes a setting.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from monge.clouds import parse_filters
from monge.encoders.layers import parse_aggregation
from monge.errors import OptionError, suggest
from monge.metrics.transport.settings import TransportSettings


@dataclass(frozen=True)
class Option:
    """Where the value of an option lives (``group`` empty: on the settings themselves), and how text is read."""

    group: str
    field: str
    parse: Callable[[str], Any] | None = None
    show: Callable[[Any], Any] | None = None


def _show_filters(names: tuple[str, ...]) -> str:
    return "+".join(names) or "none"


# in the order in which a text becomes a score
OPTIONS: Mapping[str, Option] = {
    "truecase": Option("", "truecase"),
    "encoder": Option("encoder", "name"),
    "layers": Option("encoder", "layers"),
    "against": Option("", "against"),
    "against_encoder": Option("", "against_encoder"),
    "against_layers": Option("", "against_layers"),
    "aggregation": Option("cloud", "aggregation", parse_aggregation, str),
    "remap": Option("", "remap"),
    "normalise_layers": Option("cloud", "normalise_layers"),
    "normalise_points": Option("cloud", "normalise_points"),
    "drop": Option("cloud", "drop", parse_filters, _show_filters),
    "massless": Option("cloud", "massless", parse_filters, _show_filters),
    "ngram": Option("cloud", "ngram"),
    "pooling": Option("cloud", "pooling"),
    "weighting": Option("cloud", "weighting"),
    "idf_from": Option("idf", "source"),
    "idf": Option("idf", "file"),
    "cost": Option("transport", "cost"),
    "order": Option("transport", "order"),
    "lambda_c": Option("transport", "lambda_c"),
    "lambda_r": Option("transport", "lambda_r"),
    "lambda_unit": Option("transport", "lambda_unit"),
    "epsilon": Option("transport", "epsilon"),
    "regulariser": Option("transport", "regulariser"),
    "readout": Option("readout", "kind"),
    "alpha": Option("readout", "alpha"),
    "lean": Option("readout", "lean"),
    "drop_flows": Option("readout", "drop_flows"),
    "references": Option("readout", "references"),
    "baseline": Option("readout", "baseline"),
    "language": Option("", "language"),
    "oov": Option("encoder", "oov"),
    "fold_case": Option("encoder", "fold_case"),
    "long": Option("encoder", "long"),
    "device": Option("encoder", "device"),
    "dtype": Option("encoder", "dtype"),
}
TRANSPORT_OPTIONS = frozenset({"lambda_c", "lambda_r", "lambda_unit", "epsilon", "regulariser", "drop_flows"})


def read_options(settings: TransportSettings, options: Mapping[str, Any]) -> TransportSettings:
    """Return *settings* with *options* changed; raises OptionError for an unknown name or a bad value.

    >>> read_options(TransportSettings(), {"drop": "special+stopwords"}).cloud.drop
    ('special', 'stopwords')
    """
    changes: dict[str, dict[str, Any]] = {}
    for name, value in options.items():
        if name not in OPTIONS:
            raise OptionError(f"no option {name!r}{suggest(name, OPTIONS)}")
        option = OPTIONS[name]
        parsed = option.parse(value) if option.parse and isinstance(value, str) else value
        changes.setdefault(option.group, {})[option.field] = parsed
    own = changes.pop("", {})
    groups = {group: dataclasses.replace(getattr(settings, group), **values) for group, values in changes.items()}
    return dataclasses.replace(settings, **own, **groups)


def show_option(settings: TransportSettings, name: str) -> Any:
    """Return the value of one option as a user would write it.

    >>> show_option(TransportSettings(), "drop")
    'special'
    """
    option = OPTIONS[name]
    value = getattr(getattr(settings, option.group) if option.group else settings, option.field)
    return option.show(value) if option.show else value


def describe_options(settings: TransportSettings) -> inspect.Signature:
    """Return the options as a call signature, with the values of *settings* as defaults; ``environment`` comes last."""
    defaults = {name: show_option(settings, name) for name in OPTIONS} | {"environment": None}
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature([inspect.Parameter(name, keyword, default=value) for name, value in defaults.items()])
