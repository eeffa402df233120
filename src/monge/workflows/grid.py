"""Running a grid of metrics over data sets: resumable, one cell at a time."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Mapping, Sequence

from tqdm import tqdm

from monge.encoders import Encoder, parse_layers
from monge.environment import Environment
from monge.errors import InputError, OptionError
from monge.meta.data import JudgedSet, MetricScores
from monge.meta.judged import JudgedScores
from monge.meta.tasks import make_tasks
from monge.metrics import Metric
from monge.metrics.composite import EnsembleMetric
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.variants import MetricVariant, parse_variant
from monge.workflows.cells import CellStore
from monge.workflows.judging import judged_segments

_TEXTS_AT_ONCE = 500
_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")


def expand_grid(base: str, grid: Mapping[str, Sequence[str]]) -> list[MetricVariant]:
    """Return the metric *base* once for every combination of option values, labelled by what varies.

    >>> [v.label for v in expand_grid("bertscore", {"layers": ["3", "4"], "order": ["1", "2"]})]
    ['layers=3 order=1', 'layers=3 order=2', 'layers=4 order=1', 'layers=4 order=2']
    """
    start = parse_variant(base)
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
            raise OptionError(f"--grid {text!r}: {key} is given twice; write all its values as one list")
        span = _RANGE.fullmatch(values)
        grid[key] = [str(v) for v in range(int(span[1]), int(span[2]) + 1)] if span else values.split(",")
        if not grid[key]:
            raise OptionError(f"--grid {text!r}: no value between {values}")
    return grid


def fill_store(variants: Sequence[MetricVariant], sets: Sequence[JudgedSet], store: CellStore) -> None:
    """Compute and store the cells that the store lacks, set by set, so that all metrics share one encoding."""
    missing = [[variant for variant in variants if store.load(variant, judged) is None] for judged in sets]
    with tqdm(total=sum(map(len, missing)), unit="cell", file=sys.stderr, disable=None, leave=False) as bar:
        for judged, todo in zip(sets, missing, strict=True):
            bar.set_description(f"encoding {judged.name}")
            metrics = [variant.load() for variant in todo]
            encode_together(metrics, judged)
            for variant, metric in zip(todo, metrics, strict=True):
                bar.set_description(f"{variant.label} on {judged.name}")
                store.score(variant, metric, judged)
                bar.update()
    if store.stale:
        told = f"{len(store.stale)} stored results were computed by other code of this version of monge"
        print(f"monge: {told}; remove {store.folder / 'cells'} to compute them anew", file=sys.stderr)
        store.stale.clear()


def score_grid(
    variants: Sequence[MetricVariant], sets: Sequence[JudgedSet], store: CellStore
) -> list[dict[str, MetricScores]]:
    """Return the scores of every metric on every set by label, computing those that the store lacks."""
    fill_store(variants, sets, store)
    found = []
    for judged in sets:
        scores = {variant.label: store.load(variant, judged) for variant in variants}
        absent = next((label for label, cell in scores.items() if cell is None), None)
        if absent is not None:
            raise InputError(f"{store.folder}: the result of {absent} on {judged.name} cannot be read back")
        found.append({label: cell for label, cell in scores.items() if cell is not None})
    return found


def encode_together(metrics: Sequence[Metric], judged: JudgedSet) -> None:
    """Encode the texts of a set once with all layers that the metrics read, so that each finds them in the cache."""
    layers: dict[str, set[int]] = {}
    encoders: dict[str, Encoder] = {}
    readers: dict[str, int] = {}
    for metric in (part for whole in metrics for part in _transport_metrics(whole)):
        name = metric.encoder.signature
        encoders.setdefault(name, metric.encoder)
        layers.setdefault(name, set()).update(parse_layers(metric.settings.layers, metric.encoder.layers))
        readers[name] = readers.get(name, 0) + 1
    if not Environment.read().cache:
        return
    texts = list(dict.fromkeys(t for s in judged_segments(judged) for t in (s.hypothesis, *s.references)))
    for name, encoder in encoders.items():
        if readers[name] > 1 and len(layers[name]) > 1:
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                encoder.encode(texts[start : start + _TEXTS_AT_ONCE], sorted(layers[name]))


def _transport_metrics(metric: Metric) -> list[TransportMetric]:
    if isinstance(metric, EnsembleMetric):
        return [part for member in metric.members for part in _transport_metrics(member.metric)]
    return [metric] if isinstance(metric, TransportMetric) else []


def make_grid_tasks(
    variants: Sequence[MetricVariant], sets: Sequence[JudgedSet], store: CellStore, *, level: str
) -> list[JudgedScores]:
    """Return the tasks of a study: every metric of the grid beside the judgments of every set."""
    scores = score_grid(variants, sets, store)
    return make_tasks(list(zip(sets, scores, strict=True)), level=level)
