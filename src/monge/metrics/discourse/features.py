"""Features of documents: repetition, links between sentences, chains, and the controls of discourse metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from monge.discourse import (
    Foci,
    chain_share,
    connectivity,
    find_chains,
    link_sentences,
    match_chains,
    mean_out_degree,
    mean_repetition,
    repetition_rate,
)
from monge.encoders import Encoder
from monge.environment import Environment
from monge.metrics.base import mean_of_known
from monge.metrics.discourse.base import DiscourseMetric
from monge.metrics.discourse.reader import ReadDocument, ReaderOptions
from monge.metrics.discourse.specs import discourse_spec
from monge.scores import Score

Array = NDArray[np.float64]
NO_FOCUS = "the hypothesis has no focus (noun)"
NO_SENTENCE = "the hypothesis has no sentence"


@dataclass(frozen=True, eq=False)
class TextFeature(DiscourseMetric[float]):
    """A number of the hypothesis alone; ``missing`` says why it may be undefined."""

    measure: Callable[[ReadDocument], float]
    missing: str
    own: Mapping[str, str]

    @property
    def settings(self) -> Mapping[str, str]:
        return self.own

    def reduce(self, document: ReadDocument) -> float:
        return self.measure(document)

    def score_readings(self, hypothesis: float, references: Sequence[float]) -> Score:
        return Score(hypothesis, notes=() if math.isfinite(hypothesis) else (self.missing,))


@dataclass(frozen=True, eq=False)
class ChainMetric(DiscourseMetric[dict[str, frozenset[int]]]):
    """Lexical chains of hypothesis and reference that run through the same sentences; the best reference counts."""

    @property
    def settings(self) -> Mapping[str, str]:
        return {"references": "max"}

    def reduce(self, document: ReadDocument) -> dict[str, frozenset[int]]:
        return find_chains(document.foci, document.annotated.sentences)

    def score_readings(
        self, hypothesis: dict[str, frozenset[int]], references: Sequence[dict[str, frozenset[int]]]
    ) -> Score:
        values = [match_chains(hypothesis, reference) for reference in references]
        notes = () if hypothesis else ("the hypothesis has no chain: its score is zero",)
        return Score(float(max(values)), {"chains": float(len(hypothesis))}, notes=notes)


@dataclass(frozen=True, eq=False)
class NounRecall(DiscourseMetric[frozenset[str]]):
    """The share of the foci of a reference that the hypothesis mentions; the mean over references."""

    @property
    def settings(self) -> Mapping[str, str]:
        return {"references": "mean"}

    def reduce(self, document: ReadDocument) -> frozenset[str]:
        return frozenset(document.foci)

    def score_readings(self, hypothesis: frozenset[str], references: Sequence[frozenset[str]]) -> Score:
        shares = [len(hypothesis & own) / len(own) if own else math.nan for own in references]
        value = mean_of_known(shares)
        return Score(value, notes=() if math.isfinite(value) else ("no reference has a focus (noun)",))


def _links(document: ReadDocument, weighted: bool) -> Array:
    words = document.annotated
    return link_sentences(document.foci, words.sentences, words.sentence_count, weighted=weighted)


# functions with names, so that metrics can be sent to other processes


def _measure_foci(document: ReadDocument, measure: Callable[[Foci], float]) -> float:
    return measure(document.foci)


def _measure_graph(document: ReadDocument, measure: Callable[[Array], float], weighted: bool) -> float:
    return measure(_links(document, weighted))


def _load_feature(
    name: str,
    measure: Callable[[ReadDocument], float],
    options: ReaderOptions,
    environment: Environment | None,
    missing: str = NO_FOCUS,
    **own: str,
) -> TextFeature:
    return TextFeature(discourse_spec(name), options.make(environment=environment), measure, missing, own)


def load_rc(*, annotator: str = "", language: str = "en", environment: Environment | None = None) -> TextFeature:
    """Return RC: mentions of repeated nouns per distinct noun."""
    options = ReaderOptions(annotator, language)
    return _load_feature("rc", partial(_measure_foci, measure=repetition_rate), options, environment)


def load_lc(*, annotator: str = "", language: str = "en", environment: Environment | None = None) -> TextFeature:
    """Return LC: the share of nouns that are repeated."""
    options = ReaderOptions(annotator, language)
    return _load_feature("lc", partial(_measure_foci, measure=chain_share), options, environment)


def load_entity_graph(
    *, weighted: bool = False, annotator: str = "", language: str = "en", environment: Environment | None = None
) -> TextFeature:
    """Return the entity graph's mean out-degree: links between sentences that share a noun."""
    return _load_graph("entity_graph", weighted, ReaderOptions(annotator, language), environment)


def load_lexical_graph(
    *,
    weighted: bool = False,
    threshold: float = 0.7,
    vectors: str | Encoder = "glove",
    annotator: str = "",
    language: str = "en",
    environment: Environment | None = None,
) -> TextFeature:
    """Return the same after nouns with similar static vectors were joined."""
    options = ReaderOptions(annotator, language, "entity", threshold, vectors)
    return _load_graph("lexical_graph", weighted, options, environment)


def _load_graph(name: str, weighted: bool, options: ReaderOptions, environment: Environment | None) -> TextFeature:
    kind = "weighted" if weighted else "unweighted"
    return _load_feature(
        name,
        partial(_measure_graph, measure=mean_out_degree, weighted=weighted),
        options,
        environment,
        NO_SENTENCE,
        graph=kind,
    )


def load_lexical_chain(
    *,
    focus: str = "noun",
    threshold: float = 0.7,
    vectors: str | Encoder = "glove",
    annotator: str = "",
    language: str = "en",
    environment: Environment | None = None,
) -> ChainMetric:
    """Return the overlap of the lexical chains of hypothesis and reference."""
    options = ReaderOptions(annotator, language, focus, threshold, vectors)
    return ChainMetric(discourse_spec("lexical_chain"), options.make(environment=environment))


def load_freq(
    *,
    focus: str = "noun",
    threshold: float = 0.8,
    vectors: str | Encoder = "glove",
    annotator: str = "",
    language: str = "en",
    environment: Environment | None = None,
) -> TextFeature:
    """Return FREQ: how often repeated foci are mentioned."""
    options = ReaderOptions(annotator, language, focus, threshold, vectors)
    return _load_feature("freq", partial(_measure_foci, measure=mean_repetition), options, environment)


def load_conn(
    *,
    weighted: bool = False,
    focus: str = "noun",
    threshold: float = 0.8,
    vectors: str | Encoder = "glove",
    annotator: str = "",
    language: str = "en",
    environment: Environment | None = None,
) -> TextFeature:
    """Return CONN: the mean weight of the links between any two sentences."""
    kind = "weighted" if weighted else "unweighted"
    options = ReaderOptions(annotator, language, focus, threshold, vectors)
    return _load_feature(
        "conn",
        partial(_measure_graph, measure=connectivity, weighted=weighted),
        options,
        environment,
        NO_SENTENCE,
        graph=kind,
    )


def load_noun_recall(
    *, annotator: str = "", language: str = "en", environment: Environment | None = None
) -> NounRecall:
    """Return the control: which share of the reference's nouns the hypothesis mentions."""
    options = ReaderOptions(annotator, language)
    return NounRecall(discourse_spec("noun_recall"), options.make(environment=environment))


def load_length(*, annotator: str = "", language: str = "en", environment: Environment | None = None) -> TextFeature:
    """Return the control: the number of words of the hypothesis, without punctuation."""
    options = ReaderOptions(annotator, language)
    return _load_feature("length", _count_words, options, environment)


def _count_words(document: ReadDocument) -> float:
    return float(sum(any(char.isalnum() for char in word) for word in document.annotated.words))
