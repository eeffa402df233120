"""From parallel texts or a dictionary to pairs of vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.criteria import SpaceQuality, measure_space
from monge.crosslingual.fit import LEAST_PAIRS, VectorPairs
from monge.crosslingual.maps import Chain
from monge.crosslingual.vectors import SENTENCE, TextVectors, VectorSpace
from monge.crosslingual.words import align_words
from monge.errors import InputError, OptionError, suggest
from monge.wording import count_noun

Array = NDArray[np.float64]
ORIGINS = ("words", "sentences", "dictionary")
_MOST_VECTORS = 60_000  # of all tokens of a language: enough for means and variances, few enough for the memory


@dataclass(frozen=True)
class Parallel:
    """Texts of two languages that translate each other, or the entries of a dictionary (``origin`` dictionary).

    ``origin`` says what a pair of vectors is made of: aligned ``words`` in context, whole ``sentences``, or entries of
    a ``dictionary`` by themselves. Raises InputError unless both sides have the same number of texts.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    origin: str = "words"

    def __post_init__(self) -> None:
        if self.origin not in ORIGINS:
            raise OptionError(f"pairs from {self.origin!r}{suggest(self.origin, ORIGINS)}: must be words or sentences")
        if len(self.source) != len(self.target):
            raise InputError(f"{len(self.source)} source texts and {len(self.target)} target texts are not parallel")

    def check(self) -> None:
        """Raise InputError for texts that no map can be fitted on: too few, or mostly identical."""
        if len(self.source) < LEAST_PAIRS:
            raise InputError(
                f"{count_noun(len(self.source), 'pair')} of texts: too few to fit a map (at least {LEAST_PAIRS})"
            )
        same = sum(one.strip() == other.strip() for one, other in zip(self.source, self.target, strict=True))
        if same > len(self.source) / 2:
            raise InputError(
                f"{same} of {len(self.source)} pairs are identical: source and target must be translations"
            )

    @property
    def digest(self) -> str:
        """The SHA-256 of the texts."""
        return hashlib.sha256("\0".join([*self.source, "", *self.target]).encode()).hexdigest()

    def part(self, rows: Sequence[int]) -> Parallel:
        """Return the pairs with these numbers."""
        return Parallel(tuple(self.source[i] for i in rows), tuple(self.target[i] for i in rows), self.origin)


def collect_sample(parallel: Parallel, space: VectorSpace) -> VectorPairs:
    """Encode the texts and return the pairs of vectors to fit on, and the vectors of all tokens of each language.

    At most 60,000 of either are kept, spread evenly over the texts.
    """
    left, right = _Rows(), _Rows()
    left_tokens, right_tokens = _Rows(), _Rows()
    for one, two in zip(space.read(parallel.source), space.read(parallel.target), strict=True):
        if parallel.origin == "words" and space.unit != SENTENCE:
            links = align_words(one.words, two.words)
            left.add(one.words[[i for i, _ in links]])
            right.add(two.words[[j for _, j in links]])
        else:
            left.add(one.whole[None])
            right.add(two.whole[None])
        left_tokens.add(one.tokens)
        right_tokens.add(two.tokens)
    if space.unit == SENTENCE:
        return VectorPairs(left.array(), right.array())
    return VectorPairs(left.array(), right.array(), left_tokens.array(), right_tokens.array())


class _Rows:
    """Rows that are added in order; when they become too many, every second one is kept from then on."""

    def __init__(self) -> None:
        self._rows: list[NDArray[np.float32]] = []
        self._step = 1
        self._seen = 0

    def add(self, rows: Array) -> None:
        places = np.arange(self._seen, self._seen + len(rows))
        self._seen += len(rows)
        self._rows += list(rows[places % self._step == 0].astype(np.float32))
        if len(self._rows) > 2 * _MOST_VECTORS:
            self._rows = self._rows[::2]
            self._step *= 2

    def array(self) -> Array:
        step = -(-len(self._rows) // _MOST_VECTORS) or 1
        return np.array(self._rows[::step], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The vectors of parallel texts that a map is judged on; ``links`` are the aligned words of each pair."""

    source: tuple[TextVectors, ...]
    target: tuple[TextVectors, ...]
    links: tuple[tuple[tuple[int, int], ...], ...]

    @classmethod
    def read(cls, parallel: Parallel, space: VectorSpace) -> HeldOut:
        """Encode both sides and align their words, in the space as it is, where maps are fitted on words."""
        source, target = tuple(space.read(parallel.source)), tuple(space.read(parallel.target))
        aligned = parallel.origin == "words" and space.unit != SENTENCE
        pairs = zip(source, target, strict=True)
        return cls(source, target, tuple(tuple(align_words(a.words, b.words)) if aligned else () for a, b in pairs))

    def measure(self, source: Chain, target: Chain, *, unit: str) -> SpaceQuality:
        """Return the quality of the space after a map of each language."""
        sides = ((self.source, source), (self.target, target))
        texts = tuple(np.array([_whole(one, chain, unit) for one in side]) for side, chain in sides)
        rows = list(zip(self.source, self.target, self.links, strict=True))
        words = None
        if any(self.links):
            left = [one.words[i] for one, _, own in rows for i, _ in own]
            right = [two.words[j] for _, two, own in rows for _, j in own]
            words = (source.transform(np.array(left)), target.transform(np.array(right)))
        return measure_space((texts[0], texts[1]), words)


def _whole(one: TextVectors, chain: Chain, unit: str) -> Array:
    """Return the vector of a text after a map: its mapped sentence vector, or the mean of its mapped tokens."""
    if unit == SENTENCE or not len(one.tokens):
        return np.asarray(chain.transform(one.whole[None])[0])
    return np.asarray(chain.transform(one.tokens).mean(axis=0))
