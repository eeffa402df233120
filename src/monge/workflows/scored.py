"""What ``monge.score`` returns: the scores of texts by one metric, or by several."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.engine.records import bootstrap_interval
from monge.errors import OptionError
from monge.metrics.base import aggregate_parts, summarise_scores
from monge.metrics.baseline import find_scale
from monge.metrics.protocols import Metric
from monge.scores import Scale, Score
from monge.scores.display import Displayed
from monge.text import Segment

Array = NDArray[np.float64]


class ScoredTexts(Displayed, dict[str, Any]):
    """The scores of texts by one metric: attributes for people, a plain dict for programs.

    As a dict it has the keys ``score``, ``scores`` (a list), ``parts``, ``signature``, ``higher_is_better``, ``notes``
    where the score of the set is the mean over texts, ``mean``, and, where it is known what unrelated texts and copies
    score, ``scale``; ``json.dumps`` writes it as it is.
    """

    def __init__(
        self,
        label: str,
        metric: Metric,
        segments: Sequence[Segment],
        scores: Sequence[Score],
        notes: Sequence[str] = (),
    ) -> None:
        """Gather what a bound *metric* gave *segments*; *label* is its name in tables, *notes* concern all scores."""
        summary = summarise_scores(metric, segments, scores)
        if notes:
            summary["notes"] = summary["notes"] | {"score": [*notes, *summary["notes"].get("score", [])]}
        scale = find_scale(metric)
        known = {} if scale is None else {"scale": scale.record()}
        super().__init__(summary | known | {"parts": aggregate_parts(metric, segments, scores)})
        self.metric = label
        self.segments = tuple(segments)
        self._scores = tuple(scores)
        self._metric = metric

    @property
    def score(self) -> float:
        """The score of the whole set: the mean over texts, or the metric's own corpus score (BLEU)."""
        return float(self["score"])

    @property
    def scores(self) -> Array:
        """One score per text, in their order; NaN where there is none."""
        return np.array(self["scores"], dtype=np.float64)

    @property
    def parts(self) -> dict[str, float]:
        """What the score of the set consists of: precision, recall, f; BLEU's precisions and brevity penalty."""
        return dict(self["parts"])

    @property
    def segment_parts(self) -> dict[str, Array]:
        """The parts of every text's score, by name, each in the order of the texts."""
        names = dict.fromkeys(name for score in self._scores for name in score.parts)
        return {name: np.array([score.parts.get(name, math.nan) for score in self._scores]) for name in names}

    @property
    def scale(self) -> Scale | None:
        """What unrelated texts and copies score by this metric, where that is known: where ``score`` lies between."""
        return Scale(**self["scale"]) if "scale" in self else None

    @property
    def signature(self) -> str:
        """Everything that can change the numbers, in one line."""
        return str(self["signature"])

    @property
    def higher_is_better(self) -> bool | None:
        """The direction of the score."""
        direction: bool | None = self["higher_is_better"]
        return direction

    @property
    def notes(self) -> dict[str, list[str]]:
        """What was degraded: by the number of the text, and under ``score`` what concerns all."""
        return dict(self["notes"])

    @property
    def digits(self) -> int:
        """How many decimals tables show."""
        return self._metric.spec.digits

    def interval(self, level: float = 0.95, *, draws: int = 1000, seed: int = 12345) -> tuple[float, float]:
        """Return the percentile interval of ``score`` over texts drawn with repetition (bootstrap).

        NaN for fewer than two texts with a score.

        >>> import monge
        >>> low, high = monge.score(["a b c", "a x y"], ["a b c", "a b c"], metric="chrf").interval()
        >>> low < high
        True
        """
        if not 0 < level < 1:
            raise OptionError(f"level={level!r}: must be between 0 and 1")
        if not 1 <= draws <= 1_000_000:
            raise OptionError(f"draws={draws!r}: must be between 1 and 1,000,000")
        if not self._scores:
            return math.nan, math.nan
        return bootstrap_interval(self._metric, self.segments, self._scores, draws=draws, seed=seed, level=level)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per text: id, texts, score, parts and notes."""
        columns: dict[str, Any] = {**text_columns(self.segments), "score": self.scores}
        columns |= {name: values for name, values in self.segment_parts.items() if name not in columns}
        return make_frame({**columns, "notes": ["; ".join(score.notes) for score in self._scores]})

    def __repr__(self) -> str:
        return f"<{self.metric}: {self.score:.{self.digits}f}, {count_texts(len(self._scores))}>"


class ScoredMetrics(Displayed, Mapping[str, ScoredTexts]):
    """The scores of the same texts by several metrics, by label; attributes give a dict with one entry per metric."""

    def __init__(self, results: Sequence[ScoredTexts]) -> None:
        self._results = {result.metric: result for result in results}

    def __getitem__(self, metric: str) -> ScoredTexts:
        return self._results[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    @property
    def score(self) -> dict[str, float]:
        """The score of the whole set by every metric."""
        return {metric: result.score for metric, result in self.items()}

    @property
    def scores(self) -> dict[str, Array]:
        """One score per text by every metric."""
        return {metric: result.scores for metric, result in self.items()}

    @property
    def parts(self) -> dict[str, dict[str, float]]:
        """What every metric's score consists of."""
        return {metric: result.parts for metric, result in self.items()}

    @property
    def signature(self) -> dict[str, str]:
        """The signature of every metric's scores."""
        return {metric: result.signature for metric, result in self.items()}

    @property
    def notes(self) -> dict[str, dict[str, list[str]]]:
        """What was degraded, by metric."""
        return {metric: result.notes for metric, result in self.items()}

    def interval(self, level: float = 0.95, *, draws: int = 1000, seed: int = 12345) -> dict[str, tuple[float, float]]:
        """Return every metric's interval; see ``ScoredTexts.interval``."""
        return {metric: result.interval(level, draws=draws, seed=seed) for metric, result in self.items()}

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per text: id, texts and one column of scores per metric."""
        first = next(iter(self.values()))
        return make_frame({**text_columns(first.segments), **self.scores})

    def __repr__(self) -> str:
        shown = ", ".join(f"{metric}: {result.score:.{result.digits}f}" for metric, result in self.items())
        size = len(next(iter(self.values())).segments) if self else 0
        return f"<{shown}; {count_texts(size)}>"


def count_texts(number: int) -> str:
    """Return a number of texts in words: ``1 text``, ``2 texts``."""
    return f"{number} text" + ("" if number == 1 else "s")


def text_columns(segments: Sequence[Segment]) -> dict[str, list[Any]]:
    """Return the texts of *segments* as columns: id, hypothesis, and reference or source where there are any."""
    columns: dict[str, list[Any]] = {
        "id": [segment.id for segment in segments],
        "hypothesis": [segment.hypothesis for segment in segments],
    }
    if any(segment.references for segment in segments):
        single = all(len(segment.references) == 1 for segment in segments)
        columns["reference"] = [s.references[0] if single else list(s.references) for s in segments]
    if any(segment.source is not None for segment in segments):
        columns["source"] = [segment.source for segment in segments]
    return columns


def make_frame(columns: Mapping[str, Any]) -> Any:
    """Return columns as a pandas DataFrame; raises OptionError where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise OptionError("to_frame() needs pandas, which is not installed: pip install pandas") from None
    return pandas.DataFrame(dict(columns))
