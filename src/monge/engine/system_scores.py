"""What a job returns: the scores that one metric gives one system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from monge.clouds import MARKED_SHARE
from monge.engine.records import json_number, segment_record
from monge.scores import Scale, Score
from monge.text import Segment


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
