"""Metrics by name, built in or added by other packages."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.metadata import entry_points
from importlib.util import find_spec as find_module
from numbers import Integral, Real
from typing import Any

from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.aliases import hint_metric, hint_option, resolve_metric, resolve_option
from monge.metrics.external_spec import PREFIX, external_spec
from monge.metrics.protocols import Metric, MetricSpec, refuse_scale
from monge.metrics.specs import SPECS

_RESCALE = inspect.Parameter(
    "rescale", inspect.Parameter.KEYWORD_ONLY, default=False
)  # of every metric that has a scale
ENTRY_POINT_GROUP = "monge.metrics"  # each entry point names a MetricSpec


@cache
def metric_specs() -> dict[str, MetricSpec]:
    """Return every known metric by name: the built-in ones and those of installed packages."""
    specs = {spec.name: spec for spec in SPECS}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        spec = point.load()
        if not isinstance(spec, MetricSpec):
            raise OptionError(f"entry point {point.value!r} of {ENTRY_POINT_GROUP} is not a MetricSpec")
        if spec.requires and find_module(spec.requires) is None:
            continue
        if spec.name in specs:
            raise OptionError(f"metric {spec.name!r} of {point.value!r} exists already")
        specs[spec.name] = spec
    return specs


def find_spec(name: str) -> MetricSpec:
    """Return the spec of a metric, by its name here or in another package; else an error that offers the nearest."""
    if name.startswith(PREFIX):
        return external_spec(name)
    specs = metric_specs()
    meant = resolve_metric(name, specs)
    if meant not in specs:
        raise OptionError(f"no metric {name!r}{hint_metric(name, specs)}; `monge metrics` lists them")
    return specs[meant]


def metric_options(name: str) -> dict[str, inspect.Parameter]:
    """Return the options of a metric with their defaults and types."""
    spec = find_spec(name)
    parameters = _parameters_of(spec)
    own = {key: parameter for key, parameter in parameters.items() if key != "environment"}
    return {**own, "rescale": _RESCALE} if spec.has_scale else own


@cache
def _parameters_of(spec: MetricSpec) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(find_factory(spec)).parameters


def load_metric(name: str, *, environment: Environment | None = None, **options: Any) -> Metric:
    """Return a metric, ready to score or, if it weighs by idf, to be bound to a corpus.

    Options are those of ``metric_options(name)``, or what other packages call them (``lang``, ``model_type``); values
    may be text (``"0.23"``), which is read as the option's type.
    ``encoder`` may be a name, a directory or an object that follows the Encoder protocol. *environment* says where
    models are kept and whether they may be fetched (default: what the variables of this process say). Raises
    OptionError for an unknown metric, option or value.

    >>> load_metric("bleu", lowercase=True).spec.name
    'bleu'
    """
    spec = find_spec(name)
    known = metric_options(name)
    values = {}
    for given, raw in options.items():
        key, value = resolve_option(given, raw, known)
        if key == _RESCALE.name and key not in known:
            raise refuse_scale(spec)
        if key not in known:
            listed = ", ".join(known)
            raise OptionError(f"metric {name!r} has no option {key!r}{hint_option(key, known)}; it has {listed}")
        if key in values:
            raise OptionError(f"metric {name!r}: {key} is given twice, once as {given}")
        values[key] = parse_option(key, value, known[key])
    factory = find_factory(spec)
    if "environment" in inspect.signature(factory).parameters:
        values["environment"] = Environment.read() if environment is None else environment
    rescale = values.pop("rescale", False)
    metric: Metric = factory(**values)
    if rescale:
        from monge.metrics.rescaled import rescale_metric

        return rescale_metric(metric)
    return metric


def parse_option(key: str, value: Any, parameter: inspect.Parameter) -> Any:
    """Return *value* as the type of the option's default: text is parsed, a number or path may stand for text.

    An encoder may be an object; an option without a default takes any value.

    >>> parse_option("alpha", "0.7", inspect.Parameter("alpha", inspect.Parameter.KEYWORD_ONLY, default=0.5))
    0.7
    """
    default = parameter.default
    if value is None and isinstance(default, str):
        raise OptionError(f"{key}={value!r}: must be given, or left out")
    if key in _OBJECTS or type(default) not in _KINDS:
        return value
    read, kind = _KINDS[type(default)]
    try:
        return read(value)
    except (KeyError, TypeError, ValueError):
        raise OptionError(f"{key}={value!r}: must be {kind}") from None


def _read_truth(value: Any) -> bool:
    return _TRUTH[str(value).lower()]


def _read_whole(value: Any) -> int:
    if not isinstance(value, str | Integral) or isinstance(value, bool):
        raise TypeError
    return int(value)


def _read_number(value: Any) -> float:
    if not isinstance(value, str | Real) or isinstance(value, bool):
        raise TypeError
    return float(value)


def _read_text(value: Any) -> str:
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(value)  # layers=7
    text = os.fspath(value)
    if not isinstance(text, str):
        raise TypeError
    return text


# type of the default → what reads a value, and what it must be
_KINDS: Mapping[type, tuple[Callable[[Any], Any], str]] = {
    bool: (_read_truth, "true or false"),
    int: (_read_whole, "a whole number"),
    float: (_read_number, "a number"),
    str: (_read_text, "text"),
}
_OBJECTS = ("encoder", "against_encoder", "lm", "annotator", "focus", "vectors")  # options whose value may be an object
_TRUTH: Mapping[str, bool] = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def find_factory(spec: MetricSpec) -> Callable[..., Any]:
    """Import and return what makes the metric."""
    module_name, _, path = spec.target.partition(":")
    target: Any = importlib.import_module(module_name)
    for attribute in path.split("."):
        target = getattr(target, attribute)
    if spec.name.startswith(PREFIX):
        return partial(target, spec.name.removeprefix(PREFIX))
    return target  # type: ignore[no-any-return]
