"""A metric with options in one line of text: ``bertscore,encoder=mpnet,order=4``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from monge.errors import OptionError
from monge.metrics.protocols import Metric
from monge.metrics.registry import load_metric, metric_options

_NEXT_OPTION = re.compile(r",(?=\w+=)")


@dataclass(frozen=True)
class MetricVariant:
    """A metric with options; ``label`` is what tables call it."""

    label: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> Metric:
        """Return the metric."""
        return load_metric(self.name, **self.options)


def parse_variant(text: str, shared: Mapping[str, Any] | None = None) -> MetricVariant:
    """Read ``NAME``, ``NAME,key=value,key=value`` or ``LABEL:=NAME,key=value``; *shared* options go where they fit.

    >>> parse_variant("bertscore,encoder=mpnet,aggregation=pmeans:1,inf").options
    {'encoder': 'mpnet', 'aggregation': 'pmeans:1,inf'}
    >>> parse_variant("greedy:=bertscore,layers=7").label
    'greedy'
    """
    label, mark, rest = text.partition(":=")
    name, *pairs = _NEXT_OPTION.split(rest if mark else text)
    own = dict(pair.split("=", 1) for pair in pairs)
    known = metric_options(name)
    fitting = {key: value for key, value in (shared or {}).items() if key in known}
    return MetricVariant(label if mark else text, name, fitting | own)


def parse_variants(texts: Sequence[str], shared: Mapping[str, Any] | None = None) -> list[MetricVariant]:
    """Read several metrics; an option of *shared* must fit at least one of them, and labels must differ."""
    variants = [parse_variant(text, shared) for text in texts]
    for key in shared or {}:
        if variants and not any(key in variant.options for variant in variants):
            raise OptionError(f"no metric of {', '.join(v.name for v in variants)} has an option {key!r}")
    for variant in variants:
        if sum(other.label == variant.label for other in variants) > 1:
            raise OptionError(f"two metrics are called {variant.label!r}: label one, as in LABEL:={variant.label}")
    return variants
