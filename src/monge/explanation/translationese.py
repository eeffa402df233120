"""Whether a metric without references prefers bad translations that copy the source to good ones.

For a source x, a human translation y* and a bad one ỹ made from the same words, d(ỹ, y*; x) = m(x, ỹ) − m(x, y*). A
metric that knows what a translation is has d < 0 (Zhao et al. 2020, section 5).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.glosses import Glosser, romanise
from monge.errors import InputError, OptionError, suggest
from monge.explanation.stress import Rate
from monge.metrics.base import bind_to
from monge.metrics.protocols import Metric
from monge.text import Segment, word_spans

Array = NDArray[np.float64]
Rewrite = Callable[[Segment, Glosser, random.Random], str]

_MATCHED = 3  # letters of a common beginning that make two words the same: house, houses


def shuffle_words(segment: Segment, glosser: Glosser, rng: random.Random) -> str:
    """Return the words of the reference in random order."""
    words = _words(segment.references[0])
    rng.shuffle(words)
    return " ".join(words)


def follow_source(segment: Segment, glosser: Glosser, rng: random.Random) -> str:
    """Return the words of the reference in the order of the source words whose glosses they match.

    A word that matches none stays behind the word before it.
    """
    glosses = [[gloss.lower().split() for gloss in word.glosses] for word in glosser.gloss(segment.source or "")]
    places: list[float] = []
    for word in _words(segment.references[0]):
        found = [
            i
            for i, senses in enumerate(glosses)
            if any(_same(word.lower(), part) for sense in senses for part in sense)
        ]
        last = places[-1] if places else -1.0
        places.append(min(found, key=lambda i: abs(i - last)) if found else last)
    words = _words(segment.references[0])
    return " ".join(words[i] for i in sorted(range(len(words)), key=lambda i: (places[i], i)))


def translate_words(segment: Segment, glosser: Glosser, rng: random.Random) -> str:
    """Return the first gloss of every source word in the order of the source; words not found are kept."""
    words = glosser.gloss(segment.source or "")
    return " ".join(word.glosses[0] if word.glosses else romanise(word.text) for word in words)


REWRITES: Mapping[str, Rewrite] = {
    "shuffled": shuffle_words,
    "source-ordered": follow_source,
    "word-by-word": translate_words,
}


@dataclass(frozen=True, eq=False)
class Preferences:
    """d = m(x, bad) − m(x, human), turned so that higher is better, for one kind of bad translation of one set."""

    part: str
    kind: str
    metric: str
    differences: Array

    @property
    def rate(self) -> Rate:
        """How often the bad translation was preferred; for ``word-by-word`` this is the published W2W."""
        known = self.differences[np.isfinite(self.differences)]
        return Rate(int((known > 0).sum()), int((known == 0).sum()), len(known))

    def record(self) -> dict[str, object]:
        """Return plain JSON values, with a histogram of d."""
        known = self.differences[np.isfinite(self.differences)]
        counts, edges = np.histogram(known, bins=20) if len(known) else (np.zeros(0, dtype=int), np.zeros(0))
        return {
            "set": self.part,
            "kind": self.kind,
            "metric": self.metric,
            "preferred": self.rate.record(),
            "median": float(np.median(known)) if len(known) else None,
            "histogram": {"counts": counts.tolist(), "edges": edges.tolist()},
        }


def measure_preferences(
    metric: Metric,
    segments: Sequence[Segment],
    glosser: Glosser,
    *,
    kinds: Sequence[str] = tuple(REWRITES),
    label: str = "",
    seed: int = 12345,
) -> list[Preferences]:
    """Compare *kinds* of bad translations with the human one (the first reference), for one set of *segments*.

    Raises OptionError for a metric that needs references or an unknown kind, and InputError if a segment lacks source
    or reference.
    """
    for kind in kinds:
        if kind not in REWRITES:
            raise OptionError(
                f"no kind of translation {kind!r}{suggest(kind, REWRITES)}; there are {', '.join(REWRITES)}"
            )
    if "references" in metric.spec.needs:
        raise OptionError(
            f"{metric.spec.name} compares with references, so a human translation would be compared with itself; "
            "give a metric without references"
        )
    for number, segment in enumerate(segments, start=1):
        if not segment.references or segment.source is None:
            lacking = "source" if segment.source is None else "reference"
            raise InputError(f"segment {segment.id or number} has no {lacking}, which the comparison needs")
    bound = bind_to(metric, segments)
    rng = random.Random(seed)
    sign = 1.0 if metric.spec.higher_is_better else -1.0
    good = _values(bound, [replace(segment, hypothesis=segment.references[0]) for segment in segments])
    found = []
    for kind in kinds:
        bad = _values(bound, [replace(s, hypothesis=REWRITES[kind](s, glosser, rng)) for s in segments])
        found.append(Preferences("", kind, label or metric.spec.name, sign * (bad - good)))
    return found


def _values(metric: Metric, segments: Sequence[Segment]) -> Array:
    return np.array([score.value if math.isfinite(score.value) else np.nan for score in metric.score(segments)])


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in word_spans(text)]


def _same(word: str, gloss: str) -> bool:
    """Whether two words are equal, or one is the other with an ending."""
    short, long = sorted((word, gloss), key=len)
    return word == gloss or (len(short) > _MATCHED and long.startswith(short) and len(long) - len(short) <= _MATCHED)
