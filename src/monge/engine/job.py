"""Scoring any number of segments in memory that does not grow with them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from monge.engine.journal import Chunk, Journal, ScoreSpool
from monge.engine.scoring import bootstrap_half_width, count_notes, json_number, segment_record
from monge.engine.spool import SegmentSpool, join_spools
from monge.engine.view import SegmentView
from monge.metrics import Metric
from monge.metrics.base import fit_on
from monge.metrics.protocols import SummableMetric
from monge.storage.store import Store
from monge.text import Segment

CHUNK_SEGMENTS = 1000  # scored at once: enough to fill the encoder's batches
CHUNK_BYTES = 400_000  # of text, so that long texts make short chunks
_MANY = 100_000


@dataclass(frozen=True, eq=False)
class SystemResult:
    """What one metric says of one system; segments and scores stay on disk.

    ``reused`` segments were scored in an earlier run; ``notes`` counts the notes of the scores by kind.
    """

    system: str
    metric: str
    score: float
    signature: str
    higher_is_better: bool
    segments: SegmentSpool
    scores: ScoreSpool
    notes: Counter[str]
    reused: int
    half_width: float | None = None

    def __len__(self) -> int:
        return len(self.scores)

    def summary(self) -> dict[str, object]:
        """Return everything but the segments as plain JSON values; a missing score is null."""
        interval = {} if self.half_width is None else {"confidence": json_number(self.half_width)}
        return {
            "system": self.system,
            "metric": self.metric,
            "score": json_number(self.score),
            **interval,
            "higher_is_better": self.higher_is_better,
            "signature": self.signature,
            **({"notes": dict(self.notes)} if self.notes else {}),
        }

    def records(self) -> Iterator[dict[str, object]]:
        """Yield every segment's score as plain JSON values."""
        for segment, score in zip(self.segments, self.scores, strict=True):
            yield segment_record(segment, score)


@dataclass(frozen=True)
class JobOptions:
    """How a job is run: bootstrap intervals or not, and what is shown (``progress`` None: if stderr is a terminal)."""

    confidence: bool = False
    seed: int = 12345
    progress: bool | None = None


def score_job(
    metrics: Sequence[Metric], systems: Sequence[SegmentSpool], *, store: Store | None, options: JobOptions
) -> list[SystemResult]:
    """Score every system with every metric, chunk by chunk; chunks that *store* holds are not scored again.

    A metric that needs corpus statistics is fitted on each system's own segments. Whatever part of the job is done
    when the process dies need not be done again: the same call goes on from there.
    """
    results = []
    total = sum(map(len, systems))
    for metric in share_metrics(metrics, systems):
        with show_progress(metric.spec.name, total, options.progress) as bar:
            for segments in systems:
                results.append(_score_system(metric, segments, store, options, bar))
    return results


def share_metrics(metrics: Sequence[Metric], systems: Sequence[SegmentSpool]) -> list[Metric]:
    """Bind what the metrics must share between systems (relative λ) to the segments of all systems."""
    if all(metric.fitted for metric in metrics):
        return list(metrics)
    everything = join_spools(systems) if len(systems) > 1 else systems[0]
    return [metric if metric.fitted else metric.fit_shared(everything) for metric in metrics]


def _score_system(
    metric: Metric, segments: SegmentSpool, store: Store | None, options: JobOptions, bar: Any
) -> SystemResult:
    fitted, learnt = fit_on(metric, _Watched(segments, metric.spec.name, options.progress))
    journal = Journal(fitted, store)
    scores, notes, sums, reused = ScoreSpool(), Counter(dict.fromkeys(learnt, len(segments))), list[float](), 0
    for start, stop in segments.records.chunks(records=CHUNK_SEGMENTS, size=CHUNK_BYTES):
        content = segments.records.read_joined(start, stop)
        packed = journal.find(content)
        if packed is None:
            packed = _score_chunk(fitted, segments[start:stop]).pack()
            journal.keep(content, packed)
        else:
            reused += stop - start
        chunk = Chunk.unpack(packed)
        notes += count_notes(chunk.scores)
        if chunk.sums is not None:
            sums = [a + b for a, b in zip(sums, chunk.sums, strict=True)] if sums else chunk.sums
        scores.append(packed, stop - start)
        bar.update(stop - start)
    return SystemResult(
        segments.system,
        fitted.spec.name,
        _aggregate(fitted, segments, scores, sums),
        str(fitted.signature),
        fitted.spec.higher_is_better,
        segments,
        scores,
        notes,
        reused,
        bootstrap_half_width(fitted, segments, scores, seed=options.seed) if options.confidence else None,
    )


def _score_chunk(metric: Metric, segments: Sequence[Any]) -> Chunk:
    sums = metric.sum_statistics(segments) if isinstance(metric, SummableMetric) else None
    return Chunk(metric.score(segments), sums)


def _aggregate(metric: Metric, segments: SegmentSpool, scores: ScoreSpool, sums: Sequence[float]) -> float:
    if isinstance(metric, SummableMetric):
        return metric.score_of_sums(sums)
    if getattr(metric, "corpus", None) is not None and len(segments) > _MANY:  # NIST
        name = metric.spec.name
        print(f"monge: {name}: its corpus score holds all {len(segments)} segments in memory", file=sys.stderr)
    return metric.aggregate(segments, scores)


class _Watched(SegmentView):
    """Segments that show how far reading them all has come, should it take more than two seconds."""

    def __init__(self, segments: SegmentSpool, name: str, show: bool | None) -> None:
        super().__init__(segments)
        self._name = name
        self._show = show

    def __iter__(self) -> Iterator[Segment]:
        with show_progress(f"{self._name}, corpus statistics", len(self), self._show, delay=2.0, leave=False) as bar:
            for segment in self._segments:
                yield segment
                bar.update()


def show_progress(
    name: str, total: int, show: bool | None, *, unit: str = " segments", delay: float = 0.0, leave: bool = True
) -> Any:
    """Return a bar on stderr with rate and time left; *show* None: if stderr is a terminal."""
    from tqdm import tqdm

    hidden = not ((sys.stderr is not None and sys.stderr.isatty()) if show is None else show)
    return tqdm(total=total, desc=name, unit=unit, disable=hidden, file=sys.stderr, delay=delay, leave=leave)
