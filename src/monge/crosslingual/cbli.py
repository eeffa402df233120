"""Contextual bilingual lexicon induction, simulated in the plane (chapter 10 of Zhao's thesis).

Twenty words have their places in [−5, 5]²; an occurrence of a word lies around its place. The other language is a
transformed copy. A map is fitted on some occurrences and judged on others, whose places may have moved by ε.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.induction import nearness
from monge.errors import OptionError

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
TRANSFORMS = ("word", "rigid")
_HALF = 5.0  # places are drawn from [−5, 5]²


@dataclass(frozen=True)
class CbliSetting:
    """One kind of simulated language pair.

    ``occurrences`` (k) per word; ``turns`` (t): the other language is made by t steps, rotations and translations in
    turn; ``transform`` says whether a translation moves every ``word`` by its own vector (the languages are not
    isometric) or all alike (``rigid``); ``spread`` is the standard deviation of occurrences, ``reach`` the largest
    translation in each direction. The chapter does not give the size of translations.

    The chapter speaks of alternating rotations and translations; taken literally, any number of them is one rigid
    motion, which a rotation after centring undoes exactly. ``word`` is what makes languages differ in shape.
    """

    words: int = 20
    occurrences: int = 100
    turns: int = 5
    transform: str = "word"
    spread: float = 1.0
    reach: float = 5.0

    def __post_init__(self) -> None:
        if self.transform not in TRANSFORMS:
            raise OptionError(f"transform={self.transform!r}: must be word or rigid")
        if self.words < 2 or self.occurrences < 1 or self.turns < 1 or self.words * self.occurrences < 20:
            raise OptionError(
                f"{self.words} words with {self.occurrences} occurrences and t={self.turns}: at least 2 words, "
                "1 occurrence, 1 step and 20 points are needed"
            )
        if self.spread <= 0 or self.reach < 0:
            raise OptionError(f"spread={self.spread}, reach={self.reach}: sizes must not be negative")


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Points (n, 2) of both languages, row by row the same occurrence, and the number of its word."""

    source: Array
    target: Array
    labels: Labels


@dataclass(frozen=True, eq=False)
class SimulatedPair:
    """Two languages: the places of words, and for each step a rotation (2, 2) and translations (words, 2)."""

    setting: CbliSetting
    places: Array
    rotations: Array
    translations: Array

    @classmethod
    def draw(cls, setting: CbliSetting, seed: int) -> SimulatedPair:
        """Return a pair of languages, always the same for a seed."""
        generator = np.random.default_rng(seed)
        places = generator.uniform(-_HALF, _HALF, (setting.words, 2))
        angles = generator.uniform(0, 2 * np.pi, setting.turns)
        rows = [[np.cos(angles), np.sin(angles)], [-np.sin(angles), np.cos(angles)]]
        moves = generator.uniform(-setting.reach, setting.reach, (setting.turns, setting.words, 2))
        if setting.transform == "rigid":
            moves = np.repeat(moves[:, :1], setting.words, axis=1)
        return cls(setting, places, np.moveaxis(np.array(rows), 2, 0), moves)

    def sample(self, seed: int, epsilon: float = 0.0) -> Occurrences:
        """Return occurrences around the places, moved by *epsilon* in both directions."""
        setting = self.setting
        labels = np.repeat(np.arange(setting.words), setting.occurrences)
        noise = np.random.default_rng([seed, 1]).standard_normal((len(labels), 2))
        points = self.places[labels] + epsilon + setting.spread * noise
        return Occurrences(points, self.translate(points, labels), labels)

    def translate(self, points: Array, labels: Labels) -> Array:
        """Return the occurrences in the other language: a rotation, a translation, a rotation …"""
        for step in range(self.setting.turns):
            points = points + self.translations[step][labels] if step % 2 else points @ self.rotations[step]
        return points


def cbli_precision(mapped: Array, target: Array, labels: Labels) -> tuple[float, float]:
    """Return how often the nearest target point is the occurrence itself, and how often it has the same word.

    >>> points = np.array([[0.0, 0], [1, 0], [9, 9]])
    >>> cbli_precision(points[[1, 0, 2]], points, np.array([0, 0, 1]))
    (0.3333333333333333, 1.0)
    """
    nearest = nearness(mapped, target).argmax(axis=1)
    own = float((nearest == np.arange(len(mapped))).mean())
    return own, float((labels[nearest] == labels).mean())
