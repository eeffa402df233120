"""Scores of systems on kinds of instances (short and long, common and rare words), and how well words are kept.

The kinds are those of compare-mt (Neubig et al. 2019, compare-mt: A Tool for Holistic Comparison of Language
Generation Systems, NAACL demo).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from monge.comparison.compare import Comparison
from monge.comparison.significance import sign_p_value
from monge.errors import InputError
from monge.text import Segment, word_spans

Ints = NDArray[np.intp]
LENGTHS = (10, 20, 30, 40, 50, 60)  # words of the reference at which buckets begin
FREQUENCIES = (1, 2, 3, 4, 5, 10, 100, 1000)  # occurrences in all references
KINDS = ("length", "frequency", "words", "type")


@dataclass(frozen=True)
class Bucket:
    """One bucket: its name, how many instances (or words) it holds, and one value per system; NaN if there is none.

    ``ahead`` is the system with the best value; ``p_value`` the sign test between it and the next (None for words).
    """

    name: str
    count: int
    values: tuple[float, ...]
    ahead: str
    p_value: float | None = None


@dataclass(frozen=True)
class Buckets:
    """Buckets of one kind, with the systems that their values belong to."""

    kind: str
    systems: tuple[str, ...]
    buckets: tuple[Bucket, ...]


def bucket_instances(comparison: Comparison, kind: str, names: Sequence[str], order: Sequence[str] = ()) -> Buckets:
    """Return the mean score of every system in each bucket; *names* says in which bucket each instance is.

    *order* is that of the buckets (default: as they first appear). Systems come best first.

    >>> from monge.comparison.compare import compare_systems
    >>> from monge.scores import ScoreTable
    >>> table = ScoreTable(("A", "B"), tuple("abcd"), [[1, 2, 3, 4], [0, 1, 4, 5]])
    >>> made = bucket_instances(compare_systems(table), "type", ["news", "news", "chat", "chat"])
    >>> [(one.name, one.count, one.ahead) for one in made.buckets]
    [('news', 2, 'A'), ('chat', 2, 'B')]
    """
    table = comparison.table
    if len(names) != len(table.segments):
        raise InputError(f"{len(names)} names of buckets for {len(table.segments)} instances")
    systems = tuple(comparison.order)
    rows = [table.systems.index(name) for name in systems]
    given = np.array(names)
    made = []
    for name in order or list(dict.fromkeys(names)):
        inside = given == name
        if inside.any():
            made.append(_bucket(comparison, systems, rows, name, np.flatnonzero(inside)))
    return Buckets(kind, systems, tuple(made))


def _bucket(comparison: Comparison, systems: Sequence[str], rows: Sequence[int], name: str, places: Ints) -> Bucket:
    values = comparison.table.values[rows][:, places]
    counted = np.count_nonzero(~np.isnan(values), axis=1)
    means = np.where(counted > 0, np.nansum(values, axis=1) / np.maximum(counted, 1), np.nan)
    turned = np.nan_to_num(means if comparison.table.higher_is_better else -means, nan=-np.inf)
    best, second = np.argsort(-turned, kind="stable")[:2]
    differences = comparison.scores.values[rows[best], places] - comparison.scores.values[rows[second], places]
    wins, losses = (int(np.count_nonzero(sign * differences > comparison.scores.tie_margin)) for sign in (1, -1))
    p_value = float(sign_p_value(np.array([wins]), np.array([losses]))[0])
    return Bucket(name, len(places), tuple(map(float, means)), systems[int(best)], p_value)


def name_lengths(segments: Sequence[Segment]) -> tuple[list[str], list[str]]:
    """Return the bucket of each segment by the words of its first reference, and all buckets in order."""
    order = [
        f"< {LENGTHS[0]} words",
        *(f"{a}–{b - 1}" for a, b in pairwise(LENGTHS)),
        f"≥ {LENGTHS[-1]}",
    ]
    return [order[bisect_right(LENGTHS, len(words_of(_reference(one))))] for one in segments], order


def name_rarities(segments: Sequence[Segment]) -> tuple[list[str], list[str]]:
    """Return the bucket of each segment by the frequency of the rarest word of its reference, and all in order."""
    frequency = count_words(segments)
    order = _frequency_names()
    rarest = [min((frequency[word] for word in words_of(_reference(one))), default=1) for one in segments]
    return [order[bisect_right(FREQUENCIES, count) - 1] for count in rarest], order


def bucket_words(systems: Mapping[str, Sequence[Segment]]) -> Buckets:
    """Return, for words of each frequency in the references, F1 of the words that a system keeps.

    A word counts as kept as often as it is in both output and first reference of a segment (clipped counts, as in
    compare-mt's word accuracies): F1 = 2 · kept / (in outputs + in references).
    """
    frequency = count_words(next(iter(systems.values())))
    order = _frequency_names()
    values, counts = [], [0] * len(order)
    for segments in systems.values():
        kept, total = [0] * len(order), [0] * len(order)
        counts = [0] * len(order)
        for one in segments:
            ours, theirs = Counter(words_of(one.hypothesis)), Counter(words_of(_reference(one)))
            for word in ours.keys() | theirs.keys():
                place = bisect_right(FREQUENCIES, max(frequency[word], 1)) - 1
                kept[place] += min(ours[word], theirs[word])
                total[place] += ours[word] + theirs[word]
                counts[place] += theirs[word]
        values.append([2 * k / t if t else float("nan") for k, t in zip(kept, total, strict=True)])
    names = tuple(systems)
    made = [
        Bucket(name, counts[k], column, names[int(np.nanargmax(column))])
        for k, name in enumerate(order)
        if counts[k] and not np.isnan(column := tuple(row[k] for row in values)).all()
    ]
    return Buckets("words", names, tuple(made))


def count_words(segments: Sequence[Segment]) -> Counter[str]:
    """Return how often each word is in the first references."""
    return Counter(word for one in segments for word in words_of(_reference(one)))


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, punctuation left out."""
    words = (text[start:end].lower() for start, end in word_spans(text))
    return [word for word in words if any(map(str.isalnum, word))]


def _reference(segment: Segment) -> str:
    return segment.references[0] if segment.references else segment.source or ""


def _frequency_names() -> list[str]:
    pairs = pairwise(FREQUENCIES)
    return [*(str(a) if b == a + 1 else f"{a}–{b - 1}" for a, b in pairs), f"≥ {FREQUENCIES[-1]}"]
