"""RIBES, NIST and METEOR through nltk."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.base import ALGORITHM, MetricBase, check_needs, note_empty_texts, score_of_nothing
from monge.metrics.lexical.sacrebleu import choose_tokenizer, make_tokenizer
from monge.metrics.lexical.specs import lexical_spec
from monge.metrics.protocols import MetricSpec
from monge.scores import Score, Signature
from monge.text import Segment
from monge.version import __version__

Tokens = list[str]


@dataclass(frozen=True, eq=False)
class NltkMetric(MetricBase):
    """A metric of nltk on tokens: ``sentence`` scores (references, hypothesis) and returns the value and notes."""

    spec: MetricSpec
    tokenize: Callable[[str], Tokens]
    sentence: Callable[[list[Tokens], Tokens], tuple[float, tuple[str, ...]]]
    settings: Mapping[str, str]
    data: str = field(default="", kw_only=True)  # digest of the data that the metric reads

    @property
    def signature(self) -> Signature:
        """The settings, and the version of nltk."""
        library = {"library": f"nltk-{version('nltk')}", "version": __version__}
        return Signature({"metric": self.spec.name, **self.settings} | library)

    @property
    def identity(self) -> str:
        return f"{self.signature}|metrics={ALGORITHM}|sacrebleu-{version('sacrebleu')}|{self.data}"

    def count_words(self, text: str) -> int:
        return len(self.tokenize(text))

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        """Return nltk's sentence score against all references; an empty text scores 0."""
        check_needs(self.spec, segments)
        return [self._score(segment) for segment in segments]

    def _score(self, segment: Segment) -> Score:
        nothing = score_of_nothing(segment)
        if nothing is not None:
            return nothing
        references, hypothesis = self._tokens(segment)
        empty = note_empty_texts(segment)
        if not any(references) or not hypothesis:
            return Score(0.0, notes=empty or ("no token",))
        value, notes = self.sentence(references, hypothesis)
        return Score(float(value), notes=empty + notes)

    def _tokens(self, segment: Segment) -> tuple[list[Tokens], Tokens]:
        return [self.tokenize(reference) for reference in segment.references], self.tokenize(segment.hypothesis)


@dataclass(frozen=True, eq=False)
class CorpusNltkMetric(NltkMetric):
    """A metric of nltk whose ``corpus`` score of (references, hypotheses) is not the mean over segments (NIST)."""

    corpus: Callable[[list[list[Tokens]], list[Tokens]], float]

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        """Return nltk's corpus score."""
        check_needs(self.spec, segments)
        return self._score_corpus([self._tokens(segment) for segment in segments])

    def resample(self, segments: Sequence[Segment], draws: Iterable[NDArray[np.int64]]) -> list[float]:
        """Return the corpus score of each draw of segment numbers (with repetition)."""
        pairs = [self._tokens(segment) for segment in segments]
        return [self._score_corpus([pairs[i] for i in draw.tolist() if pairs[i][0]]) for draw in draws]

    def _score_corpus(self, pairs: Sequence[tuple[list[Tokens], Tokens]]) -> float:
        return self.corpus([references for references, _ in pairs], [hypothesis for _, hypothesis in pairs])


def make_ribes(
    *,
    tokenize: str = "auto",
    lowercase: bool = False,
    alpha: float = 0.25,
    beta: float = 0.10,
    language: str = "en",
    environment: Environment | None = None,
) -> NltkMetric:
    """RIBES, 0 to 1: normalised Kendall's τ of the aligned words × precision^alpha × brevity^beta; best reference.

    >>> round(make_ribes().compute(["he read the book"], ["the book he read"])["score"], 3)
    0.333
    """
    _check_weight(alpha=alpha, beta=beta)
    tokenize = choose_tokenizer(tokenize, language)
    from nltk.translate import ribes_score

    def sentence(references: list[Tokens], hypothesis: Tokens) -> tuple[float, tuple[str, ...]]:
        longest = max(map(len, [*references, hypothesis]))
        if longest > getattr(ribes_score, "MAX_ALIGNMENT_LEN", math.inf):
            return math.nan, (f"no score: {longest} words are more than nltk's RIBES aligns",)
        return ribes_score.sentence_ribes(references, hypothesis, alpha, beta), ()

    settings = _settings(tokenize, lowercase) | {"alpha": repr(float(alpha)), "beta": repr(float(beta))}
    return NltkMetric(
        lexical_spec("ribes"),
        make_tokenizer(tokenize, lowercase=lowercase, environment=environment),
        sentence,
        settings,
    )


def make_nist(
    *,
    tokenize: str = "auto",
    lowercase: bool = True,
    n: int = 5,
    language: str = "en",
    environment: Environment | None = None,
) -> CorpusNltkMetric:
    """NIST, from 0 up: sum over n-gram orders of the information-weighted precision × length penalty.

    As in mteval, case is ignored unless ``lowercase=False``. The information of an n-gram comes from the references
    at hand: those of the set in ``aggregate``, those of the one segment in ``score``.
    """
    if n < 1:
        raise OptionError(f"n must be at least 1, not {n}")
    tokenize = choose_tokenizer(tokenize, language)
    from nltk.translate.nist_score import corpus_nist

    def corpus(references: list[list[Tokens]], hypotheses: list[Tokens]) -> float:
        order = min(n, max(map(len, hypotheses), default=0))  # nltk divides by zero where no n-gram is that long
        known = any(reference for group in references for reference in group)
        return float(corpus_nist(references, hypotheses, order)) if order and known else 0.0

    def sentence(references: list[Tokens], hypothesis: Tokens) -> tuple[float, tuple[str, ...]]:
        return corpus([references], [hypothesis]), ()

    settings = _settings(tokenize, lowercase) | {"n": str(n)}
    return CorpusNltkMetric(
        lexical_spec("nist"),
        make_tokenizer(tokenize, lowercase=lowercase, environment=environment),
        sentence,
        settings,
        corpus,
    )


def make_meteor(
    *,
    tokenize: str = "13a",
    wordnet: str = "auto",
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
    environment: Environment | None = None,
) -> NltkMetric:
    """METEOR (2007), 0 to 1: F_alpha of words matched exactly, by stem or by synonym × (1 − gamma·fragmentation^beta).

    English. ``wordnet`` is a folder of WordNet's database files, ``auto`` (nltk's data, else the system's WordNet, such
    as Debian's wordnet-base) or ``none``: exact and stem matches only, which is another metric by its signature.
    """
    _check_weight(alpha=alpha, beta=beta, gamma=gamma)
    for name, value in (("alpha", alpha), ("gamma", gamma)):
        if value > 1:
            raise OptionError(f"{name}={value}: must be at most 1")
    from nltk.translate.meteor_score import meteor_score

    from monge.metrics.lexical.wordnet import find_wordnet

    source = find_wordnet(wordnet)

    def sentence(references: list[Tokens], hypothesis: Tokens) -> tuple[float, tuple[str, ...]]:
        options: dict[str, Any] = {"wordnet": source, "alpha": alpha, "beta": beta, "gamma": gamma}
        return meteor_score(references, hypothesis, **options), ()

    settings = _settings(tokenize, True) | {
        "alpha": repr(float(alpha)),
        "beta": repr(float(beta)),
        "gamma": repr(float(gamma)),
    }
    settings |= {"synonyms": source.name}
    split = make_tokenizer(tokenize, environment=environment)
    return NltkMetric(lexical_spec("meteor"), split, sentence, settings, data=source.digest)


def _check_weight(**values: float) -> None:
    for name, value in values.items():
        if not 0 <= value < math.inf:
            raise OptionError(f"{name}={value}: must be a number of at least 0")


def _settings(tokenize: str, lowercase: bool) -> dict[str, str]:
    return {"tok": tokenize, "case": "lc" if lowercase else "mixed"}
