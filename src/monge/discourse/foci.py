"""Foci: what a text speaks of, each with all its mentions (Zhao, Strube and Eger 2022)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from monge.annotate import NOUNS, AnnotatedText
from monge.encoders import Encoder
from monge.encoders.unit import unit_vectors

_MOST_KNOWN = 100_000  # names looked up before: a service that runs for months must not keep them all

Foci = Mapping[str, tuple[int, ...]]
"""The numbers of the words that mention each focus, by its name, in order of first mention."""

FocusFinder = Callable[[AnnotatedText], Foci]


def find_nouns(text: AnnotatedText) -> dict[str, tuple[int, ...]]:
    """Return the nouns and proper nouns of a text by lemma, with the numbers of the words that mention them.

    A word without a letter or digit (a stray mark that was tagged as a noun) is not a focus.

    >>> from monge.annotate import load_annotator
    >>> text, = load_annotator(cache=False).annotate(["Boats sail. The boat sank near the coast."])
    >>> find_nouns(text)
    {'boat': (0, 4), 'coast': (8,)}
    """
    foci: dict[str, list[int]] = {}
    for number, (lemma, tag) in enumerate(zip(text.lemmas, text.tags, strict=True)):
        if tag in NOUNS and any(char.isalnum() for char in lemma):
            foci.setdefault(lemma, []).append(number)
    return {name: tuple(mentions) for name, mentions in foci.items()}


def find_lemma_surfaces(text: AnnotatedText) -> dict[str, tuple[int, ...]]:
    """Return foci as the released DiscoScore finds them: every word that is spelt as the lemma of a noun of the text.

    Plural mentions are lost, and words that are not nouns are mentions if they are spelt as one.

    >>> from monge.annotate import load_annotator
    >>> text, = load_annotator(cache=False).annotate(["Boats sail. The boat sank near the coast."])
    >>> find_lemma_surfaces(text)
    {'boat': (4,), 'coast': (8,)}
    """
    nouns = find_nouns(text)
    foci: dict[str, list[int]] = {}
    for number, word in enumerate(text.words):
        if word.lower() in nouns:
            foci.setdefault(word.lower(), []).append(number)
    return {name: tuple(mentions) for name, mentions in foci.items()}


class EntityFinder:
    """Finds semantic entities: foci of *find* whose static vectors are closer than *threshold* (see merge_entities)."""

    def __init__(self, vectors: Encoder, threshold: float, find: FocusFinder = find_nouns) -> None:
        self.vectors = vectors
        self.threshold = threshold
        self._find = find
        self._known: dict[str, NDArray[np.float64] | None] = {}

    def __call__(self, text: AnnotatedText) -> Foci:
        foci = self._find(text)
        return merge_entities(foci, self._look_up(list(foci)), self.threshold)

    def _look_up(self, names: list[str]) -> dict[str, NDArray[np.float64]]:
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        new = [name for name in names if name not in self._known]
        if new:
            for name, one in zip(new, self.vectors.encode(new, [self.vectors.layers - 1]), strict=True):
                rows = one.vectors[-1][~one.special].astype(np.float64)
                self._known[name] = rows.mean(axis=0) if len(rows) else None
        found = ((name, self._known[name]) for name in names)
        return {name: vector for name, vector in found if vector is not None}


def merge_entities(
    foci: Foci, vectors: Mapping[str, NDArray[np.floating]], threshold: float
) -> dict[str, tuple[int, ...]]:
    """Return semantic entities: foci whose vectors are close count as one.

    Two foci are joined if both have a vector and the cosine of the two is above *threshold*; an entity is a connected
    component of that graph. Its name is its members, sorted and joined by ``-``, so entities of two texts are the same
    only if they have the same members. Foci without a vector stay as they are.

    >>> vectors = {"boat": np.array([1.0, 0.1]), "ship": np.array([1.0, 0.0]), "coast": np.array([0.0, 1.0])}
    >>> merge_entities({"ship": (0,), "coast": (4,), "boat": (7, 9), "xyz": (8,)}, vectors, 0.8)
    {'boat-ship': (0, 7, 9), 'coast': (4,), 'xyz': (8,)}
    """
    names = list(foci)
    known = [i for i, name in enumerate(names) if name in vectors and np.any(vectors[name])]
    owner = list(range(len(names)))

    def root(i: int) -> int:
        while owner[i] != i:
            owner[i] = owner[owner[i]]
            i = owner[i]
        return i

    if len(known) > 1:
        rows = unit_vectors(np.array([vectors[names[i]] for i in known], dtype=np.float64))
        for a, b in np.argwhere(np.triu(rows @ rows.T > threshold, 1)).tolist():
            first, second = sorted((root(known[a]), root(known[b])))
            owner[second] = first
    groups: dict[int, list[int]] = {}
    for i in range(len(names)):
        groups.setdefault(root(i), []).append(i)
    return {
        "-".join(sorted(names[i] for i in members)): tuple(sorted(w for i in members for w in foci[names[i]]))
        for members in groups.values()
    }
