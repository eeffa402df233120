"""What is known of ``external:FILE`` without reading the file: its spec and its label."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import PurePath

from monge.errors import OptionError
from monge.metrics.protocols import MetricSpec

PREFIX = "external:"
SYSTEM = "{system}"  # in the name of a file, stands for the name of the system


def external_spec(name: str) -> MetricSpec:
    """Return the spec of ``external:FILE``; nothing is read yet."""
    if not name.removeprefix(PREFIX):
        raise OptionError(f"metric {name!r}: name the file, as in {PREFIX}scores.json")
    return MetricSpec(
        name,
        "monge.metrics.external:make_external",
        "scores that another tool computed",
        family="external",
        needs=(),
        bounds=(-math.inf, math.inf),
        copy_is_best=False,  # texts other than those of the file cannot be scored
        citation="the tool that computed the scores",
    )


def external_label(name: str, options: Mapping[str, object]) -> str:
    """Return what tables call the scores of a file: the chosen column, or the file's name without its ending."""
    stem = PurePath(name.removeprefix(PREFIX)).name.partition(".")[0]
    return str(options.get("column", "")) or (name if SYSTEM in name or not stem else stem)
