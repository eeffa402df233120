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
from monge.engine.executors import Executor, InlineExecutor, report_lost
from monge.engine.journal import Journal
from monge.engine.lifting import Lifting, average_documents, check_lifting, list_units
from monge.engine.recipes import Work
from monge.engine.records import (
    NoteTally,
    bootstrap_half_width,
    bootstrap_mean,
    count_notes,
    json_number,
    segment_record,
)
from monge.engine.spool import ScoreSpool, SegmentSpool, spool_segments
from monge.engine.tasks import Scored
from monge.errors import OptionError
from monge.metrics.base import mean_of_known, mean_parts, sign_scores
from monge.metrics.baseline import find_scale
from monge.metrics.protocols import Metric, Resamplable, Summable, SummableParts
from monge.scores import Scale, Score
from monge.text import Segment

_MANY = 100_000


@dataclass(frozen=True, eq=False)
class SystemScores:
    """The scores that one metric gives one system; segments and scores may stay on disk.

    ``metric`` is the label that tables show. ``reused`` segments were scored in an earlier run; ``notes`` counts the
    notes of the scores by kind. ``unknown`` is the mean share of the words that the encoder does not know. ``parts``
    are those of the score of the set (precision and recall, for example). ``unit`` is what one score belongs to,
    ``scale`` what unrelated texts and copies score, where that is known. ``warning`` says that the encoder was not made
    for the language of the texts. ``bootstrap`` holds the draws and the seed of ``half_width``.
    """

    system: str
    metric: str
    score: float
    signature: str
    higher_is_better: bool | None
    segments: Sequence[Segment]
    scores: Sequence[Score]
    notes: Counter[str]
    digits: int = 4
    reused: int = 0
    half_width: float | None = None  # of the interval; NaN if one was asked for and there is none
    unknown: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    unit: str = "segment"
    scale: Scale | None = None
    warning: str = ""
    bootstrap: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def marked(self) -> bool:
        """Whether the encoder knows so few words, or not the language, that the score must be shown with a warning."""
        return self.unknown > MARKED_SHARE or bool(self.warning)

    def summary(self) -> dict[str, object]:
        """Return everything but the segments as plain JSON values; a missing score is null."""
        interval = (
            {}
            if self.half_width is None
            else {"confidence": json_number(self.half_width), "bootstrap": dict(self.bootstrap)}
        )
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
            **({"warning": self.warning} if self.warning else {}),
            **({"notes": dict(self.notes)} if self.notes else {}),
        }

    def records(self) -> Iterator[dict[str, object]]:
        """Yield every segment's score as plain JSON values."""
        for segment, score in zip(self.segments, self.scores, strict=True):
            yield segment_record(segment, score)


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


class WatchedSpool(SegmentSpool):
    """Segments that show progress while they are read one by one, if that takes more than two seconds."""

    def __init__(self, segments: SegmentSpool, name: str, show: bool | None) -> None:
        self.system = segments.system
        self.records = segments.records
        self._name = name
        self._show = show

    def __iter__(self) -> Iterator[Segment]:
        with show_progress(self._name, len(self), self._show, delay=2.0, leave=False) as bar:
            for segment in super().__iter__():
                yield segment
                bar.update()


def show_progress(
    name: str, total: int, show: bool | None, *, unit: str = " segments", delay: float = 0.0, leave: bool = True
) -> Any:
    """Return a progress bar on stderr with rate and time left; *show* None means: if stderr is a terminal."""
    from tqdm import tqdm

    hidden = not ((sys.stderr is not None and sys.stderr.isatty()) if show is None else show)
    return tqdm(total=total, desc=name, unit=unit, disable=hidden, file=sys.stderr, delay=delay, leave=leave)
