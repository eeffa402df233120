"""Baselines that count words and n-grams: CIDEr, JS-n, WER and PER."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Self

import numpy as np
from numpy.typing import NDArray

from monge.environment import Environment
from monge.errors import OptionError, UnboundMetricError
from monge.metrics.base import ALGORITHM, MetricBase, check_needs, note_empty_texts, score_of_nothing
from monge.metrics.lexical.edits import count_edits, count_moves
from monge.metrics.lexical.sacrebleu import choose_tokenizer, make_tokenizer
from monge.metrics.lexical.specs import lexical_spec
from monge.metrics.protocols import MetricSpec
from monge.scores import Score, Signature
from monge.text import Segment, list_references
from monge.version import __version__

Tokens = list[str]
Gram = tuple[str, ...]
_LENGTH_DEVIATION = 6.0  # σ of CIDEr-D's length penalty
_MOST_ORDER = 20


@dataclass(frozen=True, eq=False)
class CountMetric(MetricBase):
    """What the metrics of this file share: a tokenizer and the settings of the signature."""

    spec: MetricSpec
    tokenize: Callable[[str], Tokens]
    settings: Mapping[str, str]

    @property
    def signature(self) -> Signature:
        """The settings and the version of the library whose tokenizer is used."""
        library = {"library": f"sacrebleu-{version('sacrebleu')}", "version": __version__}
        return Signature({"metric": self.spec.name, **self.settings} | library)

    @property
    def identity(self) -> str:
        return f"{self.signature}|metrics={ALGORITHM}"

    def count_words(self, text: str) -> int:
        return len(self.tokenize(text))

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        """Return one score per segment; notes report empty texts."""
        check_needs(self.spec, segments)
        return [score_of_nothing(segment) or self._score_tokens(segment) for segment in segments]

    def _score_tokens(self, segment: Segment) -> Score:
        raise NotImplementedError

    def _split(self, segment: Segment) -> tuple[Tokens, list[Tokens]]:
        return self.tokenize(segment.hypothesis), [self.tokenize(reference) for reference in list_references(segment)]


@dataclass(frozen=True, eq=False)
class DocumentFrequencies:
    """In how many of ``size`` sets of references each n-gram occurs, and a digest of that."""

    counts: Mapping[Gram, int]
    size: int

    @property
    def digest(self) -> str:
        """Return a SHA-256 over all n-grams and their numbers."""
        lines = sorted("\x1f".join(gram) + f"\x1e{count}" for gram, count in self.counts.items())
        return hashlib.sha256("\n".join([str(self.size), *lines]).encode("utf-8", "surrogatepass")).hexdigest()

    def weigh(self, grams: Counter[Gram]) -> dict[Gram, float]:
        """Return count × log(size / max(1, document frequency)) of every n-gram."""
        level = math.log(max(self.size, 1))
        return {gram: count * (level - math.log(max(1, self.counts.get(gram, 0)))) for gram, count in grams.items()}


@dataclass(frozen=True, eq=False)
class CiderMetric(CountMetric):
    """CIDEr or CIDEr-D; document frequencies are bound from the references of a corpus."""

    order: int
    clipped: bool
    frequencies: DocumentFrequencies | None = None

    @property
    def signature(self) -> Signature:
        fields = dict(super().signature.fields)
        known = {} if self.frequencies is None else {"idf": self.frequencies.digest[:12]}
        return Signature(fields | known)

    @property
    def identity(self) -> str:
        whole = self.frequencies.digest if self.frequencies is not None else ""
        return f"{super().identity}|{whole}"

    @property
    def bound(self) -> bool:
        return self.frequencies is not None

    @property
    def binding_notes(self) -> tuple[str, ...]:
        few = self.frequencies is not None and self.frequencies.size < 2
        return ("one set of references gives every n-gram the weight 0, so CIDEr is 0: score more segments",) * few

    def bind(self, corpus: Sequence[Segment]) -> Self:
        """Count in how many sets of references of *corpus* each n-gram occurs."""
        counts: Counter[Gram] = Counter()
        for segment in corpus:
            own: set[Gram] = set()
            for reference in segment.references:
                own.update(*(list_grams(self.tokenize(reference), n) for n in range(1, self.order + 1)))
            counts.update(own)
        return replace(self, frequencies=DocumentFrequencies(counts, len(corpus)))

    def _score_tokens(self, segment: Segment) -> Score:
        if self.frequencies is None:
            raise UnboundMetricError("cider weighs n-grams by a corpus: bind it to segments first")
        hypothesis, references = self._split(segment)
        values = [self._compare(self.frequencies, hypothesis, reference) for reference in references]
        return Score(math.fsum(values) / len(values), notes=note_empty_texts(segment))

    def _compare(self, known: DocumentFrequencies, hypothesis: Tokens, reference: Tokens) -> float:
        total = 0.0
        for n in range(1, self.order + 1):
            mine, theirs = (known.weigh(Counter(list_grams(t, n))) for t in (hypothesis, reference))
            scale = math.sqrt(math.fsum(v * v for v in mine.values()) * math.fsum(v * v for v in theirs.values()))
            if scale > 0:
                used = {gram: min(v, theirs.get(gram, 0.0)) for gram, v in mine.items()} if self.clipped else mine
                total += math.fsum(v * theirs.get(gram, 0.0) for gram, v in used.items()) / scale
        gap = len(hypothesis) - len(reference)
        penalty = math.exp(-(gap**2) / (2 * _LENGTH_DEVIATION**2)) if self.clipped else 1.0
        return 10.0 * penalty * total / self.order


@dataclass(frozen=True, eq=False)
class DivergenceMetric(CountMetric):
    """Jensen–Shannon divergence of the n-gram distributions of a text and of all its references together."""

    order: int

    def _score_tokens(self, segment: Segment) -> Score:
        hypothesis, references = self._split(segment)
        notes = note_empty_texts(segment)
        longest = max(map(len, references))
        if not hypothesis or not longest:
            return Score(1.0, notes=notes or ("no token",))
        order = min(self.order, len(hypothesis), longest)
        if order < self.order:
            notes = (*notes, f"a text has fewer than {self.order} words: {order}-grams are compared")
        pooled: Counter[Gram] = Counter()
        for reference in references:
            pooled.update(list_grams(reference, order))
        return Score(diverge(Counter(list_grams(hypothesis, order)), pooled), notes=notes)


@dataclass(frozen=True, eq=False)
class ErrorRate(CountMetric):
    """Edits per reference word, of the closest reference; the score of a set is total edits over total words."""

    count_edits: Callable[[Tokens, Tokens], int]

    def _score_tokens(self, segment: Segment) -> Score:
        edits, length = self._closest(segment)
        notes = note_empty_texts(segment)
        if not length:
            return Score(math.nan if edits else 0.0, notes=notes or ("no token in the reference",))
        return Score(edits / length, {"edits": float(edits), "reference_length": float(length)}, notes=notes)

    def _closest(self, segment: Segment) -> tuple[int, int]:
        hypothesis, references = self._split(segment)
        pairs = [(self.count_edits(hypothesis, reference), len(reference)) for reference in references]
        return min(pairs, key=lambda pair: pair[0] / pair[1] if pair[1] else math.inf)

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        """Return the edits of all segments per reference word."""
        return self.score_of_sums(self.sum_statistics(segments)) if segments else math.nan

    def sum_statistics(self, segments: Sequence[Segment]) -> list[float]:
        """Return edits and reference words of *segments*."""
        check_needs(self.spec, segments)
        rows = [self._closest(segment) for segment in segments]
        return [float(sum(edits for edits, _ in rows)), float(sum(length for _, length in rows))]

    def score_of_sums(self, sums: Sequence[float]) -> float:
        """Return edits per word; NaN where there is no word."""
        return sums[0] / sums[1] if sums[1] else math.nan

    def resample(self, segments: Sequence[Segment], draws: Iterable[NDArray[np.int64]]) -> list[float]:
        """Return the score of each draw of segment numbers, with repetition."""
        rows = np.array([self._closest(segment) for segment in segments], dtype=np.float64)
        return [self.score_of_sums((np.bincount(draw, minlength=len(rows)) @ rows).tolist()) for draw in draws]


def list_grams(tokens: Tokens, n: int) -> list[Gram]:
    """Return the n-grams of *tokens*, with repetition.

    >>> list_grams(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


def diverge(first: Counter[Gram], second: Counter[Gram]) -> float:
    """Return ½ KL(P‖M) + ½ KL(Q‖M) with M = (P + Q)/2, in bits: 0 = equal, 1 = nothing in common (Lin 1991).

    >>> diverge(Counter({("a",): 1}), Counter({("a",): 1, ("b",): 1})).__round__(4)
    0.3113
    """
    one, other = first.total(), second.total()
    terms = []
    for gram in first.keys() | second.keys():
        p, q = first[gram] / one, second[gram] / other
        middle = (p + q) / 2
        terms += [0.5 * share * math.log2(share / middle) for share in (p, q) if share > 0]
    return min(1.0, max(0.0, math.fsum(terms)))


def make_cider(
    *,
    n: int = 4,
    released: bool = False,
    tokenize: str = "auto",
    lowercase: bool = True,
    language: str = "en",
    environment: Environment | None = None,
) -> CiderMetric:
    """CIDEr, 0 to 10: cosine of tf·idf-weighted n-gram counts, averaged over n ≤ *n* and references, × 10.

    ``released=True`` is CIDEr-D of the authors' code: counts clipped at the reference's, and a length penalty.

    >>> metric = make_cider()
    >>> metric.compute(["a red boat", "two dogs"], ["a red boat", "some cats"])["scores"]
    [7.5, 0.0]
    """
    check_order(n)
    settings, split = _prepare(tokenize, lowercase, language, environment)
    settings |= {"n": str(n), "variant": "cider-d" if released else "cider"}
    return CiderMetric(lexical_spec("cider"), split, settings, n, released)


def make_js(
    *,
    n: int = 2,
    tokenize: str = "auto",
    lowercase: bool = True,
    language: str = "en",
    environment: Environment | None = None,
) -> DivergenceMetric:
    """JS-n, 0 to 1, lower is better: Jensen–Shannon divergence of n-gram distributions, references pooled.

    >>> make_js(n=1).compute(["a b", "c"], ["b a", "d"])["scores"]
    [0.0, 1.0]
    """
    check_order(n)
    settings, split = _prepare(tokenize, lowercase, language, environment)
    return DivergenceMetric(lexical_spec("js"), split, settings | {"n": str(n)}, n)


def make_wer(
    *, tokenize: str = "auto", lowercase: bool = False, language: str = "en", environment: Environment | None = None
) -> ErrorRate:
    """WER, from 0 up: insertions, deletions and substitutions per word of the closest reference.

    >>> make_wer().compute(["the cat sat"], ["a cat sat down"])["score"]
    0.5
    """
    settings, split = _prepare(tokenize, lowercase, language, environment)
    return ErrorRate(lexical_spec("wer"), split, settings, count_edits)


def make_per(
    *, tokenize: str = "auto", lowercase: bool = False, language: str = "en", environment: Environment | None = None
) -> ErrorRate:
    """PER, from 0 up: WER that ignores the order of words.

    >>> make_per().compute(["sat cat the"], ["the cat sat"])["score"]
    0.0
    """
    settings, split = _prepare(tokenize, lowercase, language, environment)
    return ErrorRate(lexical_spec("per"), split, settings, count_moves)


def check_order(n: int) -> None:
    """Raise OptionError for an n-gram order that cannot be used."""
    if not 1 <= n <= _MOST_ORDER:
        raise OptionError(f"n must be from 1 to {_MOST_ORDER}, not {n}")


def _prepare(
    tokenize: str, lowercase: bool, language: str, environment: Environment | None
) -> tuple[dict[str, str], Callable[[str], Tokens]]:
    chosen = choose_tokenizer(tokenize, language)
    split = make_tokenizer(chosen, lowercase=lowercase, environment=environment)
    return {"tok": chosen, "case": "lc" if lowercase else "mixed"}, split
