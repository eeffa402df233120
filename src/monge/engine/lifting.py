"""Metrics of segments lifted to documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from monge.engine.spool import SegmentSpool, spool_segments
from monge.errors import OptionError
from monge.metrics.base import mean_of_known, mean_parts
from monge.scores import Score
from monge.text import Segment, iter_documents
from monge.text.documents import group_documents

Lifting = Literal["", "mean", "whole"]
"""How a metric of segments scores documents: not at all, the mean over their segments, or the whole text at once."""


def check_lifting(name: str) -> None:
    """Raise OptionError if there is no lifting called *name*."""
    if name not in get_args(Lifting):
        raise OptionError(f"documents={name!r}: must be mean, whole or empty")


def list_units(unit: str, lifting: Lifting, segments: SegmentSpool) -> SegmentSpool:
    """Return what a metric scores: the segments, or the documents they make up."""
    if unit == "segment" and lifting != "whole":
        return segments
    return spool_segments(iter_documents(segments), segments.system)


def average_documents(segments: SegmentSpool, scores: Sequence[Score]) -> tuple[SegmentSpool, list[Score]]:
    """Return the documents that *segments* make up and the score of each: every segment counts the same."""
    groups = group_documents(segments)
    means = [average_scores([scores[number] for number in group]) for group in groups]
    return spool_segments(iter_documents(segments), segments.system), means


def average_scores(scores: Sequence[Score]) -> Score:
    """Return the score of a document from those of its segments: the mean of those that have one.

    >>> found = average_scores([Score(0.25), Score(float("nan"), notes=("empty hypothesis",)), Score(0.75)])
    >>> found.value, found.notes
    (0.5, ('empty hypothesis', '1 of 3 segments have no score and were left out'))
    """
    notes = list(dict.fromkeys(note for score in scores for note in score.notes))
    missing = sum(score.value != score.value for score in scores)
    if missing and missing < len(scores):
        notes.append(f"{missing} of {len(scores)} segments have no score and were left out")
    return Score(
        mean_of_known([score.value for score in scores]),
        mean_parts(scores),
        notes=tuple(notes),
        unknown=sum(score.unknown for score in scores) / len(scores),
    )


def name_no_document(systems: Sequence[Sequence[Segment]], lifting: Lifting) -> tuple[str, ...]:
    """Return a warning if documents are asked for and no segment names its document."""
    if not lifting or any(segment.document for segments in systems for segment in segments):
        return ()
    return ("no text names its document, so every segment is a document: --docids FILE gives one id per line",)
