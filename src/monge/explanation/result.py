"""What an explanation is: words, flows, and the sum of their contributions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from monge.scores.display import Displayed
from monge.wording import count_noun

Array = NDArray[np.float64]

SMALLEST_FLOW = 1e-9  # flows below this share of all mass and of all contributions are rounding errors
FEW_WORDS = 5  # costs between fewer words than this say little about what is far
TAKEN = 0.75  # share of what two words could exchange from which they count as counterparts
COSINE_FAR = 0.8  # the cost 1 - cos between unrelated words, roughly, for those texts


@dataclass(frozen=True)
class Word:
    """A word at characters ``start:end`` of its text (a special token has an empty span).

    ``mass`` is its share of the text's mass, ``contribution`` what it adds to the score. ``unmoved`` is mass that an
    unbalanced plan did not move: an addition for a hypothesis word, an omission for a reference word; it is negative
    where the plan moved more mass than the word has.
    """

    text: str
    start: int
    end: int
    mass: float
    contribution: float
    unmoved: float = 0.0


@dataclass(frozen=True)
class ExplainedText:
    """A text and those of its words that the metric compared; filtered words are not among them."""

    text: str
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Flow:
    """Mass that moves from a hypothesis word to a reference word (by number), its cost per unit, its contribution."""

    hypothesis: int
    reference: int
    mass: float
    cost: float
    contribution: float


@dataclass(frozen=True, eq=False)
class ExplainedPlan:
    """One plan between words, all (n, m): mass moved, cost per unit (mean over tokens), contributions to the score.

    ``charged`` are the shares of a contribution that count as the hypothesis word's and as the reference word's.
    """

    role: str
    mass: Array
    cost: Array
    contributions: Array
    charged: tuple[float, float] = (0.5, 0.5)

    def flows(self) -> Iterator[Flow]:
        """Yield the flows that carry mass or contribute to the score, in the order of hypothesis words."""
        effects = np.abs(self.contributions)
        real = (self.mass > SMALLEST_FLOW * self.mass.sum()) | (effects > SMALLEST_FLOW * effects.sum())
        for i, j in np.argwhere(real).tolist():
            values = (float(matrix[i, j]) for matrix in (self.mass, self.cost, self.contributions))
            yield Flow(i, j, *values)


@dataclass(frozen=True, eq=False)
class ExplainedPair:
    """The hypothesis and one reference (index None: all references joined), with the plans that compare them.

    ``against`` says what the second text is: "reference", or "source".
    """

    reference_index: int | None
    hypothesis: ExplainedText
    reference: ExplainedText
    plans: tuple[ExplainedPlan, ...]
    against: str = "reference"

    @property
    def sides(self) -> tuple[ExplainedText, ExplainedText]:
        """Both texts, the hypothesis first."""
        return self.hypothesis, self.reference

    @cached_property
    def far(self) -> float:
        """The cost that counts as far: the 90 % quantile of the costs between words of the two texts.

        Texts of a few words say little about that; theirs is at least 0.8, which is far for cosine costs.
        """
        cost = np.mean([plan.cost for plan in self.plans], axis=0)
        places = [[i for i, word in enumerate(side.words) if word.end > word.start] or [0] for side in self.sides]
        high = float(np.quantile(cost[np.ix_(*places)], 0.9))
        high = max(high, COSINE_FAR) if min(map(len, places)) < FEW_WORDS else high
        return high if high > 1e-9 else 1.0

    def strain(self, side: int) -> Array:
        """Return the mean cost of the flows charged to each word of a side, as a share of ``far`` (1: a far word).

        It does not depend on the other words of the texts: words of a nearly perfect match stay near 0.
        """
        spent = sum(plan.charged[side] * (plan.mass * plan.cost).sum(1 - side) for plan in self.plans)
        share = sum(plan.charged[side] for plan in self.plans)
        masses = share * np.array([word.mass for word in self.sides[side].words])
        mean: Array = np.divide(spent, masses, out=np.zeros(len(masses)), where=masses > 1e-12)
        return mean / self.far

    def mismatch(self, side: int) -> Array:
        """Return how far each word of a side is from its nearest counterpart, on the scale of ``strain``.

        Two words are counterparts if at least three quarters of the mass that could move between them does. The rest
        of a word's strain is mass that its counterpart has no room for: in a short text every word has a larger share
        of the mass. A plan that keeps one marginal only has no such rest, nor has a word without a counterpart.
        """
        found = np.full(len(self.sides[side].words), np.inf)
        masses = [np.array([word.mass for word in text.words]) for text in self.sides]
        room = np.minimum.outer(*masses)
        for plan in self.plans:
            if min(plan.charged) > 0:
                cost = np.where((plan.mass >= TAKEN * room) & (room > 1e-12), plan.cost, np.inf)
                found = np.minimum(found, cost.min(1 - side) / self.far)
        nearest: Array = np.minimum(found, self.strain(side))
        return nearest


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Displayed):
    """An explained score: value = base + Σ terms + Σ contributions of all words of all pairs.

    ``base`` is the score of a perfect match; ``terms`` are named parts that belong to no single word (a word-order
    penalty).
    """

    metric: str
    signature: str
    value: float
    higher_is_better: bool | None
    base: float
    terms: Mapping[str, float]
    pairs: tuple[ExplainedPair, ...]
    parts: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """The sum of base, terms and contributions; equals ``value``."""
        words = (
            word.contribution
            for pair in self.pairs
            for side in (pair.hypothesis, pair.reference)
            for word in side.words
        )
        return math.fsum([self.base, *self.terms.values(), *words])

    def hypothesis_words(self) -> tuple[Word, ...]:
        """Return the words of the hypothesis, contributions summed over all references, unmoved mass averaged."""
        sides = [pair.hypothesis.words for pair in self.pairs]
        return tuple(
            Word(
                same[0].text,
                same[0].start,
                same[0].end,
                same[0].mass,
                math.fsum(word.contribution for word in same),
                math.fsum(word.unmoved for word in same) / len(same),
            )
            for same in zip(*sides, strict=True)
        )

    def __repr__(self) -> str:
        words = sum(len(side.words) for pair in self.pairs for side in (pair.hypothesis, pair.reference))
        return f"<{self.metric}: {self.value:.4f}, explained by {count_noun(words, 'word')}>"

    def record(self, *, costs: bool = True) -> dict[str, object]:
        """Return plain JSON values, with the *costs* of all pairs of words if wanted; offsets count code points."""
        return {
            "metric": self.metric,
            "value": self.value,
            "higher_is_better": self.higher_is_better,
            "base": self.base,
            "terms": dict(self.terms),
            "parts": dict(self.parts),
            "pairs": [_pair_record(pair, costs) for pair in self.pairs],
            "notes": list(self.notes),
            "signature": self.signature,
        }


def _pair_record(pair: ExplainedPair, costs: bool) -> dict[str, object]:
    return {
        "reference_index": pair.reference_index,
        "against": pair.against,
        "hypothesis": asdict(pair.hypothesis),
        "reference": asdict(pair.reference),
        "plans": [
            {
                "role": plan.role,
                "charged": dict(zip(("hypothesis", "reference"), plan.charged, strict=True)),
                **({"cost": plan.cost.tolist()} if costs else {}),
                "flows": [asdict(flow) for flow in plan.flows()],
            }
            for plan in pair.plans
        ],
    }
