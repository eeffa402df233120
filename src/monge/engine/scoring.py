"""Running metrics over the systems of a test set."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from monge.errors import InputError
from monge.metrics import Metric
from monge.scores import Score, ScoreTable
from monge.text import Segment, TestSet


@dataclass(frozen=True, eq=False)
class SystemScores:
    """What one metric says of one system: the score of the whole, and of every segment."""

    system: str
    metric: str
    score: float
    signature: str
    higher_is_better: bool
    segments: tuple[Segment, ...]
    scores: tuple[Score, ...]
    half_width: float | None = None

    def record(self) -> dict[str, object]:
        """Return plain JSON values; a missing score is null."""
        interval = {} if self.half_width is None else {"confidence": json_number(self.half_width)}
        return {
            "system": self.system,
            "metric": self.metric,
            "score": json_number(self.score),
            **interval,
            "higher_is_better": self.higher_is_better,
            "signature": self.signature,
            "segments": [
                segment_record(segment, score) for segment, score in zip(self.segments, self.scores, strict=True)
            ],
        }


def segment_record(segment: Segment, score: Score) -> dict[str, object]:
    """Return one segment's score as plain JSON values; parts and notes only where there are any."""
    record: dict[str, object] = {"id": segment.id, "score": json_number(score.value)}
    if len(score.parts) > 1:
        record["parts"] = {name: json_number(value) for name, value in score.parts.items()}
    if score.reference_index is not None and len(segment.references) > 1:
        record["reference"] = score.reference_index
    if score.notes:
        record["notes"] = list(score.notes)
    return record


def score_systems(
    metric: Metric, test_set: TestSet, *, confidence: bool = False, seed: int = 12345
) -> list[SystemScores]:
    """Score every system; a metric that needs corpus statistics is fitted on each system's own segments.

    With *confidence* each result has the half width of the 95 % bootstrap interval of its score.
    """
    if not test_set.segments:
        raise InputError("there is nothing to score")
    results = []
    metric = metric if metric.fitted else metric.fit_shared(test_set.segments)
    for system, segments in test_set.by_system().items():
        fitted = metric if metric.fitted else metric.fit(segments)
        scores = fitted.score(segments)
        results.append(
            SystemScores(
                system,
                fitted.spec.name,
                fitted.aggregate(segments, scores),
                str(fitted.signature),
                fitted.spec.higher_is_better,
                tuple(segments),
                tuple(scores),
                bootstrap_half_width(fitted, segments, scores, seed=seed) if confidence else None,
            )
        )
    return results


def bootstrap_half_width(
    metric: Metric, segments: Sequence[Segment], scores: Sequence[Score], *, draws: int = 1000, seed: int = 12345
) -> float:
    """Return half the width of the 95 % percentile interval of the score over resampled segments.

    A metric whose score of a set is not a mean (BLEU) gives its own resamples by ``resample(segments, indices)``. The
    draws are made one by one, because all at once they outgrow the memory.
    """
    generator = np.random.default_rng(seed)
    indices = (generator.integers(0, len(scores), size=len(scores)) for _ in range(draws))
    resample = getattr(metric, "resample", None)
    if resample is not None:
        values = list(resample(segments, indices))
    else:
        known = np.array([score.value for score in scores])
        values = [float(np.nanmean(known[draw])) for draw in indices]
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(high - low) / 2


def count_notes(scores: Iterable[Score]) -> Counter[str]:
    """Return how many scores carry each note; details after a colon's second part are dropped so that they group."""
    return Counter(note for score in scores for note in dict.fromkeys(_kind(note) for note in score.notes))


def _kind(note: str) -> str:
    """Drop what is particular to one text, so that notes of one kind are counted together."""
    side, _, rest = note.partition(": ")
    head = "".join(char for char in rest.split(":")[0] if not char.isdigit()).strip()
    return f"{side}: {' '.join(head.split())}" if rest else note


def make_table(results: Sequence[SystemScores]) -> ScoreTable:
    """Return one metric's results as a table of systems × segments; segments must carry the same ids."""
    ids = tuple(segment.id for segment in results[0].segments)
    for result in results:
        if tuple(segment.id for segment in result.segments) != ids:
            raise InputError(f"systems {results[0].system!r} and {result.system!r} do not hold the same segments")
    return ScoreTable(
        tuple(result.system for result in results),
        ids,
        np.array([[score.value for score in result.scores] for result in results]),
        results[0].signature,
        results[0].higher_is_better,
    )


def json_number(value: float) -> float | None:
    """Return a number as JSON has it: NaN is null."""
    return None if math.isnan(value) else float(value)
