"""One metric on one part of a data set, kept in a file so that it is never computed twice."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from monge.errors import InputError, MongeError
from monge.meta.data import JudgedSet, MetricScores
from monge.metrics import Metric
from monge.metrics.base import mean_of_known
from monge.metrics.composite import EnsembleMetric
from monge.metrics.variants import MetricVariant
from monge.scores import ScoreTable
from monge.storage.atomic import write_text
from monge.version import __version__
from monge.workflows.judging import score_judged_set


@dataclass(frozen=True)
class CellStore:
    """A folder of results, one JSON file a cell, each written whole under its final name.

    A cell belongs to a version of monge, a metric with its options and signature, and the texts. ``stale`` gathers the
    cells that were read but made by other code of the same version, as happens where monge is being worked on.
    """

    folder: Path
    stale: set[Path] = field(default_factory=set, compare=False)
    _signatures: dict[str, str | None] = field(default_factory=dict, compare=False, repr=False)

    def load(self, variant: MetricVariant, judged: JudgedSet) -> MetricScores | None:
        """Return the stored scores of a cell, or None; a file that cannot be read is computed again.

        So is one of another signature: another library, other weights, another default.
        """
        path = self._path(variant, judged)
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            scores = _from_record(record, variant.label)
        except (OSError, ValueError, KeyError, TypeError, InputError):
            return None
        now = self._signature(variant)
        if now is not None and record.get("made_as", now) != now:
            return None
        if record.get("code", code_digest()) != code_digest():
            self.stale.add(path)
        return scores

    def score(self, variant: MetricVariant, metric: Metric, judged: JudgedSet) -> MetricScores:
        """Compute the cell of *variant*, which is loaded as *metric*, keep it, and return it.

        The members of an ensemble are cells of their own, so that ensembles of the same members share them.
        """
        start = time.perf_counter()
        if isinstance(metric, EnsembleMetric):
            scores = self._combine(variant, metric, judged)
        else:
            scores = score_judged_set(metric, judged, label=variant.label)
        seconds = time.perf_counter() - start
        path = self._path(variant, judged)
        path.parent.mkdir(parents=True, exist_ok=True)
        record = _to_record(scores, variant, judged.name, seconds)
        record |= {"made_as": str(metric.signature), "code": code_digest()}
        self.stale.discard(path)
        write_text(path, json.dumps(record, ensure_ascii=False, allow_nan=False))
        return scores

    def _combine(self, variant: MetricVariant, metric: EnsembleMetric, judged: JudgedSet) -> MetricScores:
        cells = [self.load(m.variant, judged) or self.score(m.variant, m.metric, judged) for m in metric.members]
        present = np.isfinite(cells[0].table.values)
        values = np.full(present.shape, np.nan)
        values[present] = metric.combine([cell.table.values[present].tolist() for cell in cells])
        table = dataclasses.replace(
            cells[0].table, values=values, signature=str(metric.signature), higher_is_better=True
        )
        totals = {system: mean_of_known(row.tolist()) for system, row in zip(table.systems, values, strict=True)}
        return MetricScores(variant.label, table, totals, True)

    def _signature(self, variant: MetricVariant) -> str | None:
        """Return the signature of a metric before it is fitted; None where it cannot be loaded here."""
        key = _options_key(variant)
        if key not in self._signatures:
            try:
                self._signatures[key] = str(variant.load().signature)
            except MongeError:
                self._signatures[key] = None
        return self._signatures[key]

    def _path(self, variant: MetricVariant, judged: JudgedSet) -> Path:
        key = "\n".join([__version__, _options_key(variant), judged.name, fingerprint(judged)])
        name = f"{variant.name}-{judged.name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
        return self.folder / "cells" / name.replace("/", "_")


def _options_key(variant: MetricVariant) -> str:
    return "\n".join([variant.name, json.dumps(dict(variant.options), sort_keys=True, default=str)])


@cache
def code_digest() -> str:
    """Return a hash of the code that makes scores, from texts to metrics."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for folder in ("text", "encoders", "transport", "clouds", "scores", "metrics"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".cpp", ".hpp"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def fingerprint(judged: JudgedSet) -> str:
    """Return a hash of the texts of a set: a cell is only as good as the texts it was computed on."""
    digest = hashlib.sha256()
    for segment in judged.segments:
        fields = (segment.system, segment.id, segment.hypothesis, *segment.references, segment.source or "")
        digest.update("\0".join(fields).encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()[:16]


def shared_outputs(first: Sequence[JudgedSet], second: Sequence[JudgedSet]) -> int:
    """Return how many outputs (hypothesis with references) of *second* are also in *first*."""
    seen = {(s.hypothesis, s.references) for judged in first for s in judged.segments}
    return sum((s.hypothesis, s.references) in seen for judged in second for s in judged.segments)


def _to_record(scores: MetricScores, variant: MetricVariant, part: str, seconds: float) -> dict[str, Any]:
    table = scores.table
    return {
        "metric": variant.name,
        "options": {key: str(value) for key, value in variant.options.items()},
        "part": part,
        "signature": table.signature,
        "higher_is_better": table.higher_is_better,
        "seconds": round(seconds, 3),
        "totals": {system: _plain(value) for system, value in scores.totals.items()},
        "systems": list(table.systems),
        "segments": list(table.segments),
        "scores": [
            [s, n, float(table.values[s, n])]
            for s in range(len(table.systems))
            for n in range(len(table.segments))
            if math.isfinite(table.values[s, n])
        ],
    }


def _from_record(record: dict[str, Any], label: str) -> MetricScores:
    values = np.full((len(record["systems"]), len(record["segments"])), np.nan)
    for s, n, value in record["scores"]:
        values[s, n] = value
    names = tuple(record["systems"]), tuple(record["segments"])
    table = ScoreTable(*names, values, record["signature"], bool(record["higher_is_better"]))
    totals = {system: math.nan if v is None else float(v) for system, v in record["totals"].items()}
    return MetricScores(label, table, totals, table.higher_is_better)


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
