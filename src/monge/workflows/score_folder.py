"""A folder that keeps the scores of metrics on judged sets, so that none is computed twice."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from monge.errors import InputError
from monge.meta.data import JudgedSet
from monge.metrics.variants import MetricVariant
from monge.scores import ScoreTable
from monge.storage.atomic import write_text
from monge.version import __version__


@dataclass(frozen=True)
class ScoreFolder:
    """Scores in files, one JSON file per metric and set, each written whole under its final name.

    A file belongs to a version of monge, a metric with its options and its signature before it saw the texts, and the
    texts. Scores of another version, signature or text are never used.
    """

    folder: Path
    _signatures: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def load(self, variant: MetricVariant, judged: JudgedSet) -> ScoreTable | None:
        """Return the kept scores, or None; a file that cannot be read counts as missing."""
        try:
            record = json.loads(self._path(variant, judged).read_text(encoding="utf-8"))
            return _from_record(record, variant.label)
        except (OSError, ValueError, KeyError, TypeError, IndexError, InputError):
            return None

    def save(self, variant: MetricVariant, judged: JudgedSet, scores: ScoreTable) -> None:
        """Write the scores of a metric on a set."""
        path = self._path(variant, judged)
        path.parent.mkdir(parents=True, exist_ok=True)
        record = _to_record(scores, variant, judged.name) | {"made_as": self._signature(variant)}
        write_text(path, json.dumps(record, ensure_ascii=False, allow_nan=False))

    def _signature(self, variant: MetricVariant) -> str:
        """Return the signature of a metric before it is bound to texts."""
        key = _describe_options(variant)
        if key not in self._signatures:
            self._signatures[key] = str(variant.load().signature)
        return self._signatures[key]

    def _path(self, variant: MetricVariant, judged: JudgedSet) -> Path:
        made_as = self._signature(variant)
        key = "\n".join([__version__, _describe_options(variant), made_as, judged.name, digest_texts(judged)])
        name = f"{variant.name}-{judged.name}-{hashlib.sha256(key.encode()).hexdigest()}.json"
        return self.folder / "scores" / name.replace("/", "_")


def digest_texts(judged: JudgedSet) -> str:
    """Return a digest of the judged texts of a set, which are those that a metric scores."""
    digest = hashlib.sha256()
    for segment in judged.judged_segments() if judged.segments else ():
        fields = (segment.system, segment.id, segment.hypothesis, *segment.references, segment.source or "")
        digest.update("\0".join(fields).encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def _describe_options(variant: MetricVariant) -> str:
    return "\n".join([variant.name, json.dumps(dict(variant.options), sort_keys=True, default=str)])


def _to_record(scores: ScoreTable, variant: MetricVariant, part: str) -> dict[str, Any]:
    return {
        "metric": variant.name,
        "options": {key: str(value) for key, value in variant.options.items()},
        "part": part,
        "signature": scores.signature,
        "higher_is_better": scores.higher_is_better,
        "totals": {system: value if math.isfinite(value) else None for system, value in scores.totals.items()},
        "systems": list(scores.systems),
        "segments": list(scores.segments),
        "scores": [
            [s, n, float(scores.values[s, n])]
            for s in range(len(scores.systems))
            for n in range(len(scores.segments))
            if math.isfinite(scores.values[s, n])
        ],
    }


def _from_record(record: dict[str, Any], label: str) -> ScoreTable:
    values = np.full((len(record["systems"]), len(record["segments"])), np.nan)
    for s, n, value in record["scores"]:
        values[s, n] = value
    return ScoreTable(
        tuple(record["systems"]),
        tuple(record["segments"]),
        values,
        record["signature"],
        bool(record["higher_is_better"]),
        label,
        {system: math.nan if total is None else float(total) for system, total in record["totals"].items()},
    )
