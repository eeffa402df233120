"""Scoring judged outputs: metrics by name with their options, over the parts of a data set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from monge.errors import OptionError
from monge.meta.data import JudgedSet, MetricScores, tabulate
from monge.metrics import Metric, load_metric, metric_options
from monge.scores import ScoreTable
from monge.text import Segment

_NEXT_OPTION = re.compile(r",(?=\w+=)")


@dataclass(frozen=True)
class MetricVariant:
    """A metric with options; ``label`` is what tables call it."""

    label: str
    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    def load(self) -> Metric:
        """Return the metric."""
        return load_metric(self.name, **self.options)


def parse_variant(text: str, shared: Mapping[str, str] | None = None) -> MetricVariant:
    """Read ``NAME``, ``NAME,key=value,key=value`` or ``LABEL:=NAME,key=value``; *shared* options go where they fit.

    >>> parse_variant("bertscore,encoder=mpnet,aggregation=pmeans:1,inf").options
    {'encoder': 'mpnet', 'aggregation': 'pmeans:1,inf'}
    >>> parse_variant("greedy:=bertscore,layers=7").label
    'greedy'
    """
    label, mark, rest = text.partition(":=")
    name, *pairs = _NEXT_OPTION.split(rest if mark else text)
    own = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        own[key] = value
    known = metric_options(name)
    fitting = {key: value for key, value in (shared or {}).items() if key in known}
    return MetricVariant(label if mark else text, name, fitting | own)


def parse_variants(texts: Sequence[str], shared: Mapping[str, str] | None = None) -> list[MetricVariant]:
    """Read several metrics; an option of *shared* must fit at least one of them, and labels must differ."""
    variants = [parse_variant(text, shared) for text in texts]
    for key in shared or {}:
        if not any(key in variant.options for variant in variants):
            raise OptionError(f"no metric of {', '.join(v.name for v in variants)} has an option {key!r}")
    for variant in variants:
        if sum(other.label == variant.label for other in variants) > 1:
            raise OptionError(
                f"two metrics are called {variant.label!r}: give one a label, as in LABEL:={variant.label}"
            )
    return variants


def score_judged_set(metric: Metric, judged: JudgedSet, *, label: str) -> MetricScores:
    """Score the judged outputs of a set; corpus statistics (idf) are those of the set.

    Totals are each system's own aggregate (corpus BLEU …).
    """
    segments = judged_segments(judged)
    fitted = metric if metric.fitted else metric.fit(segments)
    scores = fitted.score(segments)
    keys = [(segment.system, segment.id) for segment in segments]
    table = tabulate(keys, [score.value for score in scores], signature=str(fitted.signature), place=label)
    by_system: dict[str, list[int]] = {}
    for i, segment in enumerate(segments):
        by_system.setdefault(segment.system, []).append(i)
    totals = {
        system: fitted.aggregate([segments[i] for i in own], [scores[i] for i in own])
        for system, own in by_system.items()
    }
    turned = _with_direction(table, fitted.spec.higher_is_better)
    return MetricScores(label, turned, totals, fitted.spec.higher_is_better)


def judged_segments(judged: JudgedSet) -> list[Segment]:
    """Return the segments that have any judgment of their own or of their system; raises where there are no texts."""
    if not judged.segments:
        raise OptionError(f"{judged.name} has judgments but no texts: give scores with --scores")
    wanted: set[tuple[str, str]] = set()
    for table in judged.judgments.values():
        rows, columns = np.nonzero(np.isfinite(table.values))
        wanted |= {(table.systems[s], table.segments[n]) for s, n in zip(rows.tolist(), columns.tolist(), strict=True)}
    systems = {system for totals in judged.totals.values() for system, value in totals.items() if np.isfinite(value)}
    return [s for s in judged.segments if s.system in systems or (s.system, s.id) in wanted]


def sample_inputs(judged: JudgedSet, count: int, *, seed: int = 0) -> JudgedSet:
    """Return a set with the outputs of *count* inputs drawn without replacement (all when there are no more)."""
    ids = list(dict.fromkeys(segment.id for segment in judged.segments))
    if count >= len(ids):
        return judged
    chosen = {ids[i] for i in np.random.default_rng(seed).permutation(len(ids))[:count]}
    note = f"a sample of {count} of {len(ids)} inputs (seed {seed})"
    return replace(
        judged,
        segments=tuple(segment for segment in judged.segments if segment.id in chosen),
        judgments={aspect: _keep_columns(table, chosen) for aspect, table in judged.judgments.items()},
        notes=(*judged.notes, note),
    )


def _keep_columns(table: ScoreTable, chosen: set[str]) -> ScoreTable:
    keep = [i for i, segment in enumerate(table.segments) if segment in chosen]
    return replace(table, segments=tuple(table.segments[i] for i in keep), values=table.values[:, keep])


def _with_direction(table: ScoreTable, higher_is_better: bool) -> ScoreTable:
    return replace(table, higher_is_better=higher_is_better)
