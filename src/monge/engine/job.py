"""Scoring any number of segments with a constant amount of memory."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from monge.clouds import MARKED_SHARE
from monge.engine.chunks import Chunk
from monge.engine.executors import Executor, InlineExecutor
from monge.engine.journal import Journal
from monge.engine.records import bootstrap_half_width, count_notes, json_number, segment_record
from monge.engine.spool import ScoreSpool, SegmentSpool, spool_segments
from monge.metrics.base import bind_shared, bind_to, mean_parts, sign_scores
from monge.metrics.baseline import find_scale
from monge.metrics.protocols import Metric, Resamplable, Summable, SummableParts
from monge.scores import Scale, Score
from monge.text import Segment, iter_documents

_MANY = 100_000


@dataclass(frozen=True, eq=False)
class SystemScores:
    """The scores that one metric gives one system; segments and scores may stay on disk.

    ``metric`` is the label that tables show. ``reused`` segments were scored in an earlier run; ``notes`` counts the
    notes of the scores by kind. ``unknown`` is the mean share of the words that the encoder does not know. ``parts``
    are those of the score of the set (precision and recall, for example). ``scale`` is what unrelated texts and copies
    score, where that is known.
    """

    system: str
    metric: str
    score: float
    signature: str
    higher_is_better: bool
    segments: Sequence[Segment]
    scores: Sequence[Score]
    notes: Counter[str]
    digits: int = 4
    reused: int = 0
    half_width: float | None = None
    unknown: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    scale: Scale | None = None

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def marked(self) -> bool:
        """Whether so many words are unknown to the encoder that the score must be shown with a warning."""
        return self.unknown > MARKED_SHARE

    def summary(self) -> dict[str, object]:
        """Return everything but the segments as plain JSON values; a missing score is null."""
        interval = {} if self.half_width is None else {"confidence": json_number(self.half_width)}
        return {
            "system": self.system,
            "metric": self.metric,
            "score": json_number(self.score),
            **interval,
            **({"parts": {name: json_number(value) for name, value in self.parts.items()}} if self.parts else {}),
            "higher_is_better": self.higher_is_better,
            **({} if self.scale is None else {"scale": self.scale.record()}),
            "signature": self.signature,
            **({"unknown": self.unknown} if self.unknown else {}),
            **({"notes": dict(self.notes)} if self.notes else {}),
        }

    def records(self) -> Iterator[dict[str, object]]:
        """Yield every segment's score as plain JSON values."""
        for segment, score in zip(self.segments, self.scores, strict=True):
            yield segment_record(segment, score)


@dataclass(frozen=True)
class JobOptions:
    """Whether a job computes bootstrap intervals, their seed, and whether it shows progress (None: on a terminal).

    ``scale`` measures what unrelated texts and copies score by metrics for which that is not known.
    """

    confidence: bool = False
    seed: int = 12345
    progress: bool | None = None
    scale: bool = False


def score_job(
    metrics: Sequence[tuple[str, Metric]],
    systems: Sequence[SegmentSpool],
    *,
    journal: Journal,
    options: JobOptions,
    executor: Executor | None = None,
) -> list[SystemScores]:
    """Score every system with every labelled metric, chunk by chunk; chunks in the *journal* are not scored again.

    A metric that needs corpus statistics is bound to each system's own segments. If the process dies, the same call
    continues after the last chunk that was stored. A metric whose unit is the document scores the documents of a
    system. *executor* runs the chunks (default: in this process). Returns one result per metric and system, metric by
    metric.
    """
    runner = InlineExecutor() if executor is None else executor
    results = []
    for label, metric in metrics:
        units = [_units(metric, segments) for segments in systems]
        shared = share_statistics(metric, units)
        scale = find_scale(metric, measure=options.scale)
        with show_progress(label, sum(map(len, units)), options.progress) as bar:
            for segments in units:
                scored = _score_system(label, shared, segments, journal, options, runner, bar)
                results.append(dataclasses.replace(scored, scale=scale))
    return results


def score_all(
    metric: Metric,
    segments: Iterable[Segment],
    *,
    journal: Journal,
    executor: Executor | None = None,
    report: Callable[[int], object] | None = None,
) -> list[Score]:
    """Return the score of every segment by a bound metric, from the *journal* where it has them.

    *report* is called with the number of segments after each chunk.
    """
    spool = segments if isinstance(segments, SegmentSpool) else spool_segments(segments)
    scores: list[Score] = []
    for chunk in (executor or InlineExecutor()).run(metric, spool, journal):
        scores += Chunk.unpack(chunk.packed).scores
        if report is not None:
            report(chunk.stop - chunk.start)
    return scores


def share_statistics(metric: Metric, systems: Sequence[SegmentSpool]) -> Metric:
    """Return the metric with the statistics that systems must share (relative λ), from the segments of all of them."""
    if metric.bound:
        return metric
    everything = systems[0]
    if len(systems) > 1:
        everything = spool_segments(segment for segments in systems for segment in segments)
    return bind_shared(metric, everything)


def _units(metric: Metric, segments: SegmentSpool) -> SegmentSpool:
    """Return what the metric scores: the segments, or the documents they make up."""
    if metric.spec.unit == "segment":
        return segments
    return spool_segments(iter_documents(segments), segments.system)


def _score_system(
    label: str,
    metric: Metric,
    segments: SegmentSpool,
    journal: Journal,
    options: JobOptions,
    executor: Executor,
    bar: Any,
) -> SystemScores:
    bound = bind_to(metric, _Watched(segments, label, options.progress))
    notes = Counter(dict.fromkeys(bound.binding_notes, len(segments)))
    scores, sums, reused, unknown = ScoreSpool(), list[float](), 0, 0.0
    for chunk in executor.run(bound, segments, journal):
        count = chunk.stop - chunk.start
        content = Chunk.unpack(chunk.packed)
        notes += count_notes(content.scores)
        unknown += sum(score.unknown for score in content.scores)
        if content.sums is not None:
            sums = [a + b for a, b in zip(sums, content.sums, strict=True)] if sums else content.sums
        scores.append(chunk.packed, count)
        reused += count if chunk.reused else 0
        bar.update(count)
    return SystemScores(
        segments.system,
        label,
        _aggregate(bound, segments, scores, sums),
        str(sign_scores(bound, segments)),
        bound.spec.higher_is_better,
        segments,
        scores,
        notes,
        bound.spec.digits,
        reused,
        bootstrap_half_width(bound, segments, scores, seed=options.seed) if options.confidence else None,
        unknown / len(segments) if len(segments) else 0.0,
        bound.parts_of_sums(sums) if isinstance(bound, SummableParts) and sums else mean_parts(scores),
    )


def _aggregate(metric: Metric, segments: SegmentSpool, scores: ScoreSpool, sums: Sequence[float]) -> float:
    if isinstance(metric, Summable):
        return metric.score_of_sums(sums)
    if isinstance(metric, Resamplable) and len(segments) > _MANY:  # NIST: neither a mean nor made of sums
        name = metric.spec.name
        print(f"monge: {name}: its corpus score needs all {len(segments)} segments in memory", file=sys.stderr)
    return metric.aggregate(segments, scores)


class _Watched(Sequence[Segment]):
    """Segments that show progress while they are read, if that takes more than two seconds."""

    def __init__(self, segments: SegmentSpool, name: str, show: bool | None) -> None:
        self._segments = segments
        self._name = name
        self._show = show

    def __len__(self) -> int:
        return len(self._segments)

    def __getitem__(self, index: Any) -> Any:
        return self._segments[index]

    def __iter__(self) -> Iterator[Segment]:
        with show_progress(f"{self._name}, corpus statistics", len(self), self._show, delay=2.0, leave=False) as bar:
            for segment in self._segments:
                yield segment
                bar.update()


def show_progress(
    name: str, total: int, show: bool | None, *, unit: str = " segments", delay: float = 0.0, leave: bool = True
) -> Any:
    """Return a progress bar on stderr with rate and time left; *show* None means: if stderr is a terminal."""
    from tqdm import tqdm

    hidden = not ((sys.stderr is not None and sys.stderr.isatty()) if show is None else show)
    return tqdm(total=total, desc=name, unit=unit, disable=hidden, file=sys.stderr, delay=delay, leave=leave)
