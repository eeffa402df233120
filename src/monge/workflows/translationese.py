"""Measuring whether metrics without references prefer word-by-word translations to human ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

from monge.crosslingual.catalog import load_dictionary
from monge.crosslingual.glosses import Glosser
from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.explanation.translationese import REWRITES, Preferences, measure_preferences
from monge.metrics.free.source import guess_source_language
from monge.metrics.variants import MetricVariant
from monge.text import Segment
from monge.workflows.judged_data import JudgedData, read_judged_sets


@dataclass(frozen=True)
class TranslationeseRequest:
    """Metrics, the sets whose sources and references are used, at most how many segments of each part, and the kinds

    of bad translations (default: all).
    """

    metrics: tuple[MetricVariant, ...]
    data: tuple[str, ...]
    most: int = 200
    seed: int = 12345
    kinds: tuple[str, ...] = tuple(REWRITES)


@dataclass(frozen=True, eq=False)
class TranslationeseReport:
    """The preferences of every metric for every kind of bad translation, set by set."""

    preferences: tuple[Preferences, ...]

    def records(self) -> list[dict[str, object]]:
        """Return plain JSON values."""
        return [found.record() for found in self.preferences]


def run_translationese(
    request: TranslationeseRequest,
    *,
    environment: Environment | None = None,
    report_step: Callable[[int, int], object] | None = None,
) -> TranslationeseReport:
    """Make bad translations of every part and ask every metric which it prefers."""
    if request.most < 1:
        raise OptionError(f"most={request.most}: at least one segment is needed")
    environment = environment or Environment.read()
    parts = [
        (judged.name, unique_inputs(judged.segments, request.most))
        for name in request.data
        for judged in read_judged_sets(JudgedData(name), environment=environment)
    ]
    step = report_step or (lambda done, total: None)
    total, found = len(parts) * len(request.metrics), []
    for number, (part, segments) in enumerate(parts):
        language = guess_source_language((s.source or "" for s in segments), environment)
        glosser = Glosser(language, load_dictionary(language, "", environment))
        for place, variant in enumerate(request.metrics):
            step(number * len(request.metrics) + place, total)
            metric = variant.load(environment)
            own = measure_preferences(
                metric, segments, glosser, kinds=request.kinds, label=variant.label, seed=request.seed
            )
            found += [dataclasses.replace(one, part=part) for one in own]
    step(total, total)
    return TranslationeseReport(tuple(found))


def unique_inputs(segments: tuple[Segment, ...], most: int) -> list[Segment]:
    """Return one segment per source with a reference, at most *most*, spread evenly; raises InputError for none."""
    unique = list({s.source: s for s in reversed(segments) if s.source and s.references}.values())[::-1]
    if not unique:
        raise InputError("no segment has both a source and a reference, which the comparison needs")
    places = [i * len(unique) // most for i in range(most)] if len(unique) > most else range(len(unique))
    return [unique[i] for i in places]
