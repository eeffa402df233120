"""Local explanations for any metric: leave words out and see how the score changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from monge.errors import InputError, OptionError
from monge.metrics.base import sign_scores
from monge.metrics.protocols import Metric, WordSharing
from monge.scores.direction import require_direction
from monge.scores.display import Displayed
from monge.text import Segment, word_spans
from monge.wording import count_noun

Side = Literal["hypothesis", "reference", "source"]
Mask = NDArray[np.bool_]
MOST_WORDS = 400  # every word needs at least one more score, so longer texts would take too long


MOST_ORDERS = 10_000  # random orders; more take hours and change no digit shown


@dataclass(frozen=True)
class WordEffect:
    """A word at characters ``start:end``; ``effect`` is what its presence adds to the score."""

    text: str
    start: int
    end: int
    effect: float


@dataclass(frozen=True, repr=False)
class LocalExplanation(Displayed):
    """What each word of one text contributes to a score.

    By ``shapley``, value = base + Σ effects, with base the score of the text without any word. By ``lime``, effects and
    base are coefficients and intercept of a linear model, which add up to the score approximately. Effects by
    ``occlusion`` do not add up: each is the difference that leaving out one word makes; base is None. By
    ``shares`` the metric itself says what every word adds, exactly.
    """

    metric: str
    signature: str
    method: str
    side: Side
    text: str
    value: float
    higher_is_better: bool | None
    base: float | None
    words: tuple[WordEffect, ...]
    evaluations: int
    notes: tuple[str, ...] = ()

    def suspicion(self) -> NDArray[np.float64]:
        """Return how much each word harms the score (n,): the higher, the more it looks like an error.

        Raises OptionError for a metric without a direction.
        """
        require_direction(self.metric, self.higher_is_better)
        effects = np.array([word.effect for word in self.words])
        return -effects if self.higher_is_better else effects

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        return asdict(self)

    def with_note(self, note: str) -> LocalExplanation:
        """Return the same explanation with one more note."""
        return replace(self, notes=(*self.notes, note))

    def __repr__(self) -> str:
        return f"<{self.metric}: {self.value:.4f}, explained by {count_noun(len(self.words), 'word')} ({self.method})>"


def occlude_words(metric: Metric, segment: Segment, *, side: Side = "hypothesis") -> LocalExplanation:
    """Leave out one word at a time: effect = score(all words) − score(all but this one) (Zeiler and Fergus 2014).

    *side* is the text whose words are left out. Raises InputError if that text is missing, has no words or too many, or
    if the metric has no score for one of the variants.

    >>> from monge.metrics import load_metric
    >>> explanation = occlude_words(load_metric("rouge1"), Segment("a red boat", ("a blue boat",)))
    >>> [(word.text, round(word.effect, 3)) for word in explanation.words]
    [('a', 0.267), ('red', -0.133), ('boat', 0.267)]
    """
    variants = occlusion_variants(segment, side=side)
    values = [score.value for score in metric.score(variants)]
    return explain_occlusion(metric, segment, values, side=side)


def occlusion_variants(segment: Segment, *, side: Side = "hypothesis") -> list[Segment]:
    """Return the segment unchanged, then once without each word of *side*; ``explain_occlusion`` takes their scores."""
    game = WordGame(segment, side)
    count = len(game.spans)
    return [segment, *(game.keep(np.arange(count) != i) for i in range(count))]


def explain_occlusion(
    metric: Metric, segment: Segment, values: Sequence[float], *, side: Side = "hypothesis"
) -> LocalExplanation:
    """Return the explanation that follows from *values*, the scores of ``occlusion_variants``."""
    game = WordGame(segment, side)
    game.check(metric, values)
    effects = [values[0] - without for without in values[1:]]
    return game.explanation(metric, "occlusion", effects, (values[0], None), len(values))


def sample_shapley(
    metric: Metric, segment: Segment, *, side: Side = "hypothesis", orders: int = 32, seed: int = 12345
) -> LocalExplanation:
    """Add the words one by one in random orders: effect = mean gain when it is added (Štrumbelj and Kononenko 2010).

    Every order is also used backwards, which reduces the noise. The effects sum to score(all words) − score(no word)
    exactly, whatever the number of *orders* (from 2 to ``MOST_ORDERS``, otherwise OptionError). Raises InputError as
    ``occlude_words`` does.

    >>> from monge.metrics import load_metric
    >>> explanation = sample_shapley(load_metric("rouge1"), Segment("a red boat", ("a blue boat",)), orders=4)
    >>> bool(abs(explanation.base + sum(w.effect for w in explanation.words) - explanation.value) < 1e-12)
    True
    """
    if not 2 <= orders <= MOST_ORDERS:
        raise OptionError(f"orders={orders}: must be at least 2 and at most {MOST_ORDERS:,}")
    game = WordGame(segment, side)
    count = len(game.spans)
    rng = np.random.default_rng(seed)
    forward = [rng.permutation(count) for _ in range((orders + 1) // 2)]
    played = [order for permutation in forward for order in (permutation, permutation[::-1])]
    variants = [game.keep(mask) for order in played for mask in _growing(order, count)]
    unique = list(dict.fromkeys(variants))  # equal texts are scored once
    known = {v: score.value for v, score in zip(unique, metric.score(unique), strict=True)}
    game.check(metric, list(known.values()))
    reached = np.array([known[variant] for variant in variants]).reshape(len(played), count + 1)
    gains = np.zeros(count)
    for order, values in zip(played, reached, strict=True):
        gains[order] += np.diff(values)
    ends = float(reached[0, -1]), float(reached[0, 0])
    return game.explanation(metric, "shapley", (gains / len(played)).tolist(), ends, len(unique))


def explain_by_shares(metric: Metric, segment: Segment) -> LocalExplanation:
    """Take a score apart that is a sum over words: exact, and in one evaluation.

    Raises OptionError if the metric is not ``WordSharing``, and InputError if it has no score for the segment.
    """
    if not isinstance(metric, WordSharing):
        raise OptionError(f"{metric.spec.name} is not a sum over words; explain it by occlusion or shapley")
    shares, text = metric.share_words(segment), segment.hypothesis
    if not np.isfinite(shares.value):
        why = "; ".join(shares.notes) or "it is not a number"
        raise InputError(f"{metric.spec.name} has no score for this text, so there is nothing to explain ({why})")
    words = tuple(WordEffect(text[one.start : one.end], one.start, one.end, one.value) for one in shares.words)
    return LocalExplanation(
        metric.spec.name, str(sign_scores(metric, [segment])), "shares", "hypothesis", text, shares.value,
        metric.spec.higher_is_better, shares.base, words, 1, shares.notes,
    )  # fmt: skip


def _growing(order: NDArray[np.int64], count: int) -> Iterable[Mask]:
    mask = np.zeros(count, dtype=np.bool_)
    yield mask.copy()
    for word in order:
        mask[word] = True
        yield mask.copy()


class WordGame:
    """Variants of a segment in which only some words of one text are present."""

    def __init__(self, segment: Segment, side: Side) -> None:
        self.segment, self.side = segment, side
        self.text = self._own_text()
        self.spans = word_spans(self.text)
        if not self.spans:
            raise InputError(f"the {side} has no word to leave out")
        if len(self.spans) > MOST_WORDS:
            raise InputError(f"the {side} has {len(self.spans)} words; at most {MOST_WORDS} can be left out in turn")

    def _own_text(self) -> str:
        if self.side == "source":
            if self.segment.source is None:
                raise InputError("the segment has no source, so none of its words can be left out")
            return self.segment.source
        if self.side == "hypothesis":
            return self.segment.hypothesis
        if len(self.segment.references) != 1:
            count = len(self.segment.references)
            raise InputError(f"words of a reference can be left out only if there is one reference, not {count}")
        return self.segment.references[0]

    def keep(self, mask: Mask) -> Segment:
        """Return the segment with only the words of the mask; what lies between two words goes with the second."""
        pieces, reached = [], 0
        for (_, end), kept in zip(self.spans, mask, strict=True):
            if kept:
                pieces.append(self.text[reached:end])
            reached = end
        text = "".join(pieces).strip()
        if self.side == "reference":
            return replace(self.segment, references=(text,))
        if self.side == "source":
            return replace(self.segment, source=text)
        return replace(self.segment, hypothesis=text)

    def check(self, metric: Metric, values: Sequence[float]) -> None:
        """Raise InputError if one of the variants has no score."""
        if not np.isfinite(values).all():
            raise InputError(f"{metric.spec.name} has no score for the {self.side} without some of its words")

    def explanation(
        self, metric: Metric, method: str, effects: Sequence[float], ends: tuple[float, float | None], count: int
    ) -> LocalExplanation:
        """Return the explanation; *ends* are the scores of the whole text and of the text without any word."""
        words = tuple(
            WordEffect(self.text[start:end], start, end, float(effect))
            for (start, end), effect in zip(self.spans, effects, strict=True)
        )
        return LocalExplanation(
            metric.spec.name, str(sign_scores(metric, [self.segment])), method, self.side, self.text, float(ends[0]),
            metric.spec.higher_is_better, ends[1], words, count,
        )  # fmt: skip
