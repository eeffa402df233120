"""Scoring any number of segments with a constant amount of memory."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from monge.engine.chunks import Chunk
from monge.engine.executors import Executor, InlineExecutor, report_lost
from monge.engine.journal import Journal
from monge.engine.lifting import Lifting, average_documents, check_lifting, list_units
from monge.engine.progress import WatchedSpool, show_progress
from monge.engine.recipes import Work
from monge.engine.records import (
    NoteTally,
    bootstrap_half_width,
    bootstrap_mean,
    count_notes,
)
from monge.engine.spool import ScoreSpool, SegmentSpool, spool_segments
from monge.engine.system_scores import SystemScores
from monge.engine.tasks import Scored
from monge.errors import OptionError
from monge.metrics.base import mean_of_known, mean_parts, sign_scores
from monge.metrics.baseline import find_scale
from monge.metrics.protocols import Metric, Resamplable, Summable, SummableParts
from monge.scores import Score
from monge.text import Segment

_MANY = 100_000


@dataclass(frozen=True)
class JobOptions:
    """Whether a job computes bootstrap intervals, their seed, and whether it shows progress (None: on a terminal).

    ``scale`` measures what unrelated texts and copies score by metrics for which that is not known. ``documents`` lifts
    metrics of segments to documents. ``draws`` is how often the bootstrap draws. Raises OptionError for values outside
    their range.
    """

    confidence: bool = False
    seed: int = 12345
    progress: bool | None = None
    scale: bool = False
    documents: Lifting = ""
    draws: int = 1000

    def __post_init__(self) -> None:
        check_lifting(self.documents)
        if not 1 <= self.draws <= 1_000_000:
            raise OptionError(f"draws={self.draws!r}: must be between 1 and 1,000,000")

    @property
    def bootstrap(self) -> dict[str, int]:
        """What the intervals depend on besides the scores; nothing if none are computed."""
        return {"draws": self.draws, "seed": self.seed} if self.confidence else {}


def score_job(
    metrics: Sequence[Work | tuple[str, Metric]],
    systems: Sequence[SegmentSpool],
    *,
    journal: Journal,
    options: JobOptions,
    executor: Executor | None = None,
) -> list[SystemScores]:
    """Score every system with every labelled metric, chunk by chunk; chunks in the *journal* are not scored again.

    A metric that needs corpus statistics is bound to each system's own segments. If the process dies, the same call
    continues after the last chunk that was stored. A metric whose unit is the document scores the documents of a
    system; ``options.documents`` lifts the others to documents. All metrics score a chunk before the next one is begun,
    so that a text is encoded once for all of them. *executor* runs the chunks (default: in this process). Returns one
    result per metric and system, metric by metric.
    """
    runner = InlineExecutor() if executor is None else executor
    works = [Work(*metric) for metric in metrics]
    tallies = {}
    for unit in dict.fromkeys(work.metric.spec.unit for work in works):
        own = [(number, work) for number, work in enumerate(works) if work.metric.spec.unit == unit]
        units = [list_units(unit, options.documents, segments) for segments in systems]
        shared = [(number, share_statistics(work, units, runner)) for number, work in own]
        name = ", ".join(work.label for _, work in own)
        with show_progress(name, len(own) * sum(map(len, units)), options.progress) as bar:
            for place, segments in enumerate(units):
                bound = [_bind(work, segments, options, runner) for _, work in shared]
                for (number, _), tally in zip(own, _score_system(bound, segments, journal, runner, bar), strict=True):
                    tallies[number, place] = tally
    scales = [None if _is_whole(work, options) else find_scale(work.metric, measure=options.scale) for work in works]
    return [dataclasses.replace(tallies[key].finish(options), scale=scales[key[0]]) for key in sorted(tallies)]


def _is_whole(work: Work, options: JobOptions) -> bool:
    """Whether a metric of segments scores whole documents, for which its scale was not measured."""
    return options.documents == "whole" and work.metric.spec.unit == "segment"


def score_all(
    metric: Metric,
    segments: Iterable[Segment],
    *,
    journal: Journal,
    executor: Executor | None = None,
) -> list[Score]:
    """Return the score of every segment by a bound metric, from the *journal* where it has them."""
    return score_works([Work(metric.spec.name, metric)], segments, journal=journal, executor=executor)[0]


def score_works(
    works: Sequence[Work],
    segments: Iterable[Segment],
    *,
    journal: Journal,
    executor: Executor | None = None,
    report_chunk: Callable[[int], None] | None = None,
) -> list[list[Score]]:
    """Return, for every bound metric, the score of every segment, from the *journal* where it has them.

    *report_chunk* is called with the number of segments that are done.
    """
    spool = segments if isinstance(segments, SegmentSpool) else spool_segments(segments)
    found: list[list[Score]] = [[] for _ in works]
    for chunk in (executor or InlineExecutor()).run(works, spool, journal):
        report_lost(chunk, works, spool)
        for own, scored in zip(found, chunk.scored, strict=True):
            own += Chunk.unpack(scored.packed).scores
        if report_chunk is not None:
            report_chunk(chunk.stop)
    return found


def share_statistics(work: Work, systems: Sequence[SegmentSpool], executor: Executor) -> Work:
    """Return the metric with the statistics that systems must share (relative λ), from the segments of all of them."""
    if work.metric.bound:
        return work
    everything = systems[0]
    if len(systems) > 1:
        everything = spool_segments(segment for segments in systems for segment in segments)
    return work.rebound(executor.bind(work, everything, shared=True))


def _bind(work: Work, segments: SegmentSpool, options: JobOptions, executor: Executor) -> Work:
    if work.metric.bound:
        return work
    watched = WatchedSpool(segments, f"{work.label}, corpus statistics", options.progress)
    return work.rebound(executor.bind(work, watched))


@dataclass(eq=False)
class _Tally:
    """The scores of one system by one metric, as chunk after chunk comes in."""

    label: str
    metric: Metric
    segments: SegmentSpool
    scores: ScoreSpool = field(default_factory=ScoreSpool)
    notes: NoteTally = field(default_factory=NoteTally)
    sums: list[float] = field(default_factory=list)
    reused: int = 0
    unknown: float = 0.0

    def add(self, scored: Scored) -> None:
        content = Chunk.unpack(scored.packed)
        self.notes.add(content.scores)
        self.unknown += sum(score.unknown for score in content.scores)
        if content.sums is not None:
            self.sums = [a + b for a, b in zip(self.sums, content.sums, strict=True)] if self.sums else content.sums
        self.scores.append(scored.packed, len(content.scores))
        self.reused += len(content.scores) if scored.reused else 0

    def finish(self, options: JobOptions) -> SystemScores:
        if options.documents == "mean" and self.metric.spec.unit == "segment":
            return self._finish_documents(options)
        metric, segments = self.metric, self.segments
        lifted = options.documents == "whole" and metric.spec.unit == "segment"
        drawn = options.bootstrap
        width = bootstrap_half_width(metric, segments, self.scores, **drawn) if drawn else None
        return SystemScores(
            segments.system,
            self.label,
            _aggregate(metric, segments, self.scores, self.sums),
            f"{sign_scores(metric, segments)}{'|documents:whole' if lifted else ''}",
            metric.spec.higher_is_better,
            segments,
            self.scores,
            Counter(dict.fromkeys(metric.binding_notes, len(segments))) + self.notes.count(),
            metric.spec.digits,
            self.reused,
            width,
            self.unknown / len(segments) if len(segments) else 0.0,
            metric.parts_of_sums(self.sums)
            if isinstance(metric, SummableParts) and self.sums
            else mean_parts(self.scores),
            "document" if lifted else metric.spec.unit,
            bootstrap=drawn,
        )

    def _finish_documents(self, options: JobOptions) -> SystemScores:
        """Return the mean scores of the documents; that of the system is their mean."""
        plain = self.finish(dataclasses.replace(options, documents="", confidence=False))
        documents, scores = average_documents(self.segments, list(self.scores))
        values = [score.value for score in scores]
        return dataclasses.replace(
            plain,
            score=mean_of_known(values),
            signature=f"{plain.signature}|documents:mean",
            segments=documents,
            scores=scores,
            notes=Counter(dict.fromkeys(self.metric.binding_notes, len(scores))) + count_notes(scores),
            half_width=bootstrap_mean(values, **options.bootstrap) if options.confidence else None,
            bootstrap=options.bootstrap,
            parts=mean_parts(scores),
            unit="document",
        )


def _score_system(
    works: Sequence[Work], segments: SegmentSpool, journal: Journal, executor: Executor, bar: Any
) -> list[_Tally]:
    tallies = [_Tally(work.label, work.metric, segments) for work in works]
    for chunk in executor.run(works, segments, journal):
        report_lost(chunk, works, segments)
        for tally, scored in zip(tallies, chunk.scored, strict=True):
            tally.add(scored)
        bar.update((chunk.stop - chunk.start) * len(works))
    return tallies


def _aggregate(metric: Metric, segments: SegmentSpool, scores: ScoreSpool, sums: Sequence[float]) -> float:
    if isinstance(metric, Summable):
        return metric.score_of_sums(sums)
    if isinstance(metric, Resamplable) and len(segments) > _MANY:  # NIST: neither a mean nor made of sums
        name = metric.spec.name
        print(f"monge: {name}: its corpus score needs all {len(segments)} segments in memory", file=sys.stderr)
    return metric.aggregate(segments, scores)
