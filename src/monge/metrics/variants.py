"""A metric with options in one line of text: ``bertscore,encoder=mpnet,order=4``."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from monge.environment import Environment
from monge.errors import OptionError, suggest
from monge.metrics.protocols import Metric
from monge.metrics.registry import load_metric, metric_options, metric_specs

_NEXT_OPTION = re.compile(r",(?=\w+=)")


@dataclass(frozen=True)
class MetricVariant:
    """A metric with options; ``label`` is what tables call it."""

    label: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the variant as it is written: ``LABEL:=NAME,key=value``."""
        return f"{self.label}:=" + ",".join([self.name, *(f"{key}={value}" for key, value in self.options.items())])

    def load(self, environment: Environment | None = None) -> Metric:
        """Return the metric."""
        return load_metric(self.name, environment=environment, **self.options)


def parse_variant(text: str, shared: Mapping[str, Any] | None = None) -> MetricVariant:
    """Read ``NAME``, ``NAME,key=value,key=value`` or ``LABEL:=NAME,key=value``.

    Options of *shared* are added where the metric has them and does not set them itself. Raises OptionError for an
    unknown metric.

    >>> parse_variant("bertscore,encoder=mpnet,aggregation=pmeans:1,inf").options
    {'encoder': 'mpnet', 'aggregation': 'pmeans:1,inf'}
    >>> parse_variant("greedy:=bertscore,layers=7").label
    'greedy'
    """
    label, mark, rest = text.partition(":=")
    if mark and not label.strip():
        raise OptionError(f"metric {text!r}: a label must stand before :=")
    name, *pairs = _NEXT_OPTION.split(rest if mark else text)
    if "," in name:
        wrong = name.partition(",")[2]
        raise OptionError(f"metric {text!r}: write options as option=value, not {wrong!r}")
    own: dict[str, Any] = {}
    for key, value in (pair.split("=", 1) for pair in pairs):
        if own.setdefault(key, value) != value:
            raise OptionError(f"metric {text!r}: {key} is given twice, as {own[key]!r} and as {value!r}")
    known = metric_options(name)
    fitting = {key: value for key, value in (shared or {}).items() if key in known}
    return MetricVariant(label if mark else text, name, fitting | own)


def parse_variants(
    texts: Sequence[str], shared: Mapping[str, Any] | None = None, *, optional: Collection[str] = ()
) -> list[MetricVariant]:
    """Read several metrics; a metric that is named twice counts once.

    An option of *shared* must fit at least one of them, unless it is *optional*. Raises OptionError if it does not, or
    if two different metrics have the same label.
    """
    variants = [parse_variant(text, shared) for text in dict.fromkeys(texts)]
    if variants:
        _check_shared(shared or {}, [variant.name for variant in variants], optional)
    for variant in variants:
        if sum(other.label == variant.label for other in variants) > 1:
            raise OptionError(f"two metrics are called {variant.label!r}: label one, as in LABEL:={variant.name}")
    return variants


def _check_shared(shared: Mapping[str, Any], names: Sequence[str], optional: Collection[str]) -> None:
    known = {key for name in names for key in metric_options(name)}
    for key in shared:
        if key not in known and key not in optional:
            misspelt = not any(key in metric_options(name) for name in metric_specs())
            near = suggest(key, known) if misspelt else ""
            listed = ", ".join(dict.fromkeys(names))
            raise OptionError(f"no option {key!r}{near} in {listed}; `monge metrics NAME` lists options")
