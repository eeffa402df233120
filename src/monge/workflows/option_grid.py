"""Every combination of option values of a metric."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from monge.errors import OptionError
from monge.metrics.aliases import hint_option, resolve_option
from monge.metrics.registry import metric_options
from monge.metrics.variants import MetricVariant, parse_variant

_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")


def expand_grid(base: str, grid: Mapping[str, Sequence[str]]) -> list[MetricVariant]:
    """Return the metric *base* once for every combination of option values, labelled by what varies.

    >>> [v.label for v in expand_grid("bertscore", {"layers": ["3", "4"], "order": ["1", "2"]})]
    ['layers=3 order=1', 'layers=3 order=2', 'layers=4 order=1', 'layers=4 order=2']

    Raises OptionError for an option that the metric does not have.
    """
    start = parse_variant(base)
    known = metric_options(start.name)
    for key, values in grid.items():
        if resolve_option(key, values[0], known)[0] not in known:
            raise OptionError(f"--grid {key}: metric {start.name!r} has no option {key!r}{hint_option(key, known)}")
    variants = []
    for values in itertools.product(*grid.values()):
        options = dict(zip(grid, values, strict=True))
        label = " ".join(f"{key}={value}" for key, value in options.items()) or start.label
        variants.append(MetricVariant(label, start.name, {**start.options, **options}))
    return variants


def parse_grid(texts: Sequence[str]) -> dict[str, list[str]]:
    """Read ``key=value,value`` and ``key=3..8`` (whole numbers from 3 to 8).

    >>> parse_grid(["layers=5..7", "order=1,2.5"])
    {'layers': ['5', '6', '7'], 'order': ['1', '2.5']}
    """
    grid: dict[str, list[str]] = {}
    for text in texts:
        key, equals, values = text.partition("=")
        if not equals or not values:
            raise OptionError(f"--grid {text!r}: write it as KEY=VALUE,VALUE or KEY=FIRST..LAST")
        if key in grid:
            raise OptionError(f"--grid {text!r}: {key} is given twice; list all its values at once")
        span = _RANGE.fullmatch(values)
        grid[key] = [str(v) for v in range(int(span[1]), int(span[2]) + 1)] if span else values.split(",")
        if not grid[key]:
            raise OptionError(f"--grid {text!r}: no value between {values}")
    return grid
