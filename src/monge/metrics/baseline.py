"""What unrelated texts and copies score by a metric: the two ends that make its scores readable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from monge.errors import InputError, OptionError
from monge.metrics.base import bind_to, mean_of_known
from monge.metrics.protocols import Aligning, Metric, refuse_scale
from monge.scores import Scale, Score, Signature
from monge.storage.atomic import write_text
from monge.text import Segment

VALUE = "value"  # names the score itself beside its parts
PAIRS = 400  # of monge's own texts: their mean is then known to a few thousandths
_DOCUMENT = 3  # texts that make one document, for metrics of documents
_SHIPPED = "baselines.json"
# what may differ from what was measured; the constants of mongescore are baselines themselves
_UNSCALED = ("version", "library", "references", "baseline", "nrefs", "scale", "idf")
_MEASURED: dict[str | None, Baseline] = {}  # by identity: a grid of settings has few different parts
_LARGEST_FIT = 1e-9  # copies and unrelated texts nearer than this cannot be told apart


@dataclass(frozen=True)
class Baseline:
    """Mean scores of unrelated texts and of copies by one metric.

    ``unrelated`` and ``copy`` hold the score of the set (``value``) and, of transport metrics, the means of its parts.
    ``signature`` is that of the metric they were measured with, ``pairs`` the number of unrelated pairs.
    """

    signature: str
    unrelated: Mapping[str, float]
    copy: Mapping[str, float]
    pairs: int

    @property
    def digest(self) -> str:
        """The SHA-256 of the values; signatures show its first eight digits."""
        return hashlib.sha256(json.dumps(self.record()).encode()).hexdigest()

    @property
    def hash(self) -> str:
        """Eight hexadecimal digits that name the values."""
        return self.digest[:8]

    @property
    def scale(self) -> Scale:
        """The two ends of the score itself."""
        return self.of_part(VALUE)

    def of_part(self, name: str) -> Scale:
        """The two ends of a part of the score."""
        return Scale(self.unrelated[name], self.copy[name])

    def rescale(self, parts: Mapping[str, float]) -> dict[str, float]:
        """Return (x − u) / (c − u) for every part that was measured: 0 is unrelated, 1 is a copy.

        For similarities whose copies score c = 1 this is the rescaling of Zhang et al. (2020).
        """
        return {name: self.of_part(name).place(x) if name in self.unrelated else x for name, x in parts.items()}

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        ends = {"unrelated": dict(self.unrelated), "copy": dict(self.copy)}
        return {"signature": self.signature, **ends, "pairs": self.pairs}

    def save(self, path: str | Path) -> None:
        """Write as JSON, atomically."""
        write_text(path, json.dumps(self.record(), indent=1) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Baseline:
        """Read what :meth:`save` wrote."""
        try:
            return cls.from_record(json.loads(Path(path).read_text(encoding="utf-8")))
        except OSError as error:
            raise InputError(f"{path}: cannot read the baseline ({error.strerror})") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: not a baseline made by `monge calibrate` ({error})") from error

    @classmethod
    def from_record(cls, record: Mapping[str, object]) -> Baseline:
        """Read what :meth:`record` returned; raises ValueError, KeyError or TypeError for anything else."""
        unrelated, copy = (_read_ends(record[end]) for end in ("unrelated", "copy"))
        if unrelated.keys() != copy.keys() or VALUE not in unrelated:
            raise ValueError("unrelated texts and copies must have the same parts, and a value")
        same = next((name for name in unrelated if abs(unrelated[name] - copy[name]) < _LARGEST_FIT), None)
        if same is not None:
            raise ValueError(f"unrelated texts and copies have the same {same}")
        return cls(str(record["signature"]), unrelated, copy, int(str(record["pairs"])))


def _read_ends(content: object) -> dict[str, float]:
    if not isinstance(content, Mapping):
        raise TypeError("unrelated and copy must be objects")
    return {str(name): float(value) for name, value in content.items()}


def measure_baseline(metric: Metric, texts: Sequence[str] = (), *, pairs: int = PAIRS, seed: int = 12345) -> Baseline:
    """Score random pairs of different texts, and every text against itself.

    Parameters
    ----------
    metric
        Any metric; one that needs corpus statistics is bound to the pairs.
    texts
        At least two different texts; default: 122 English sentences that come with monge.
    pairs
        How many pairs to score at most; no ordered pair is scored twice.

    Raises InputError for fewer than two texts and OptionError for a metric that cannot tell copies from them or does
    not score copies best.
    """
    if not metric.spec.has_scale:
        raise refuse_scale(metric.spec)
    different = list(dict.fromkeys(text for text in texts or read_unrelated_texts() if text.strip()))
    if metric.spec.unit == "document":
        different = [" ".join(different[i : i + _DOCUMENT]) for i in range(0, len(different), _DOCUMENT)]
    count = len(different)
    if count < 2:
        raise InputError("a baseline needs at least two different texts")
    chosen = np.random.default_rng(seed).choice(count * (count - 1), min(pairs, count * (count - 1)), replace=False)
    first = chosen // (count - 1)
    second = (first + 1 + chosen % (count - 1)) % count  # every ordered pair of different texts at most once
    unrelated = [_pair(different[i], different[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    copies = [_pair(text, text) for text in different]
    bound = bind_to(metric, unrelated)
    ends = [_summarise(bound, unrelated), _summarise(bind_to(metric, copies), copies)]
    kept = [name for name in ends[0] if name in ends[1] and abs(ends[0][name] - ends[1][name]) >= _LARGEST_FIT]
    if VALUE not in kept or not np.isfinite([end[VALUE] for end in ends]).all():
        raise OptionError(f"{metric.spec.name} gives copies and unrelated texts the same score: it cannot be rescaled")
    low, high = ({name: end[name] for name in kept} for end in ends)
    return Baseline(str(bound.signature), low, high, len(unrelated))


def _pair(text: str, other: str) -> Segment:
    return Segment(text, (other,), other, document=text)


def _summarise(metric: Metric, segments: Sequence[Segment]) -> dict[str, float]:
    scores = metric.score(segments)
    return {VALUE: float(metric.aggregate(segments, scores)), **_mean_parts(metric, scores)}


def _mean_parts(metric: Metric, scores: Sequence[Score]) -> dict[str, float]:
    """Return the means of the parts of a metric whose parts are on the scale of its score."""
    if not isinstance(metric, Aligning):
        return {}
    return {name: mean_of_known([score.parts[name] for score in scores]) for name in scores[0].parts}


def read_unrelated_texts() -> list[str]:
    """Return the texts that come with monge, no two of which are about the same thing."""
    texts: list[str] = json.loads(files("monge.metrics").joinpath("unrelated_texts.json").read_text(encoding="utf-8"))
    return texts


def find_baseline(metric: Metric) -> Baseline | None:
    """Return the baseline that comes with monge for *metric* as it is set, or None."""
    return _read_shipped().get(str(_what_scales(str(metric.signature))))


def need_baseline(metric: Metric) -> Baseline:
    """Return the baseline that comes with monge, or measure one on the texts that do, once per process."""
    found = find_baseline(metric) or _MEASURED.get(metric.identity)
    if found is None:
        found = measure_baseline(metric)
        if metric.identity is not None:
            _MEASURED[metric.identity] = found
    return found


def find_scale(metric: Metric, *, measure: bool = False) -> Scale | None:
    """Return what unrelated texts and copies score by *metric*; None if that is not known and must not be measured.

    A rescaled metric has the ends 0 and 1.
    """
    if getattr(metric, "baseline", None) is not None:
        return Scale(0.0, 1.0)
    if not metric.spec.has_scale:  # a copy need not have more of it than other texts
        return None
    found = need_baseline(metric) if measure else find_baseline(metric)
    return None if found is None else found.scale


def describe_mismatch(baseline: Baseline, metric: Metric) -> str:
    """Return how the metric that a baseline was measured with differs from *metric*; corpus statistics may differ."""
    theirs, ours = (_what_scales(text) for text in (baseline.signature, str(metric.signature)))
    return ", ".join(f"{key}: {a} / {b}" for key, (a, b) in theirs.differences(ours).items())


def _what_scales(signature: str) -> Signature:
    """Return the fields of a signature that the ends of a scale depend on."""
    recipe = Signature.parse(signature).recipe().fields
    fields = {key: value for key, value in recipe.items() if key.rpartition(".")[2] not in _UNSCALED}
    weighting = {key: value.partition("(")[0] for key, value in fields.items() if key.endswith("weighting")}
    return Signature(fields | weighting)  # where the idf comes from may differ


@cache
def _read_shipped() -> dict[str, Baseline]:
    path = files("monge.metrics").joinpath(_SHIPPED)
    records = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    found = [Baseline.from_record(record) for record in records]
    return {str(_what_scales(baseline.signature)): baseline for baseline in found}
