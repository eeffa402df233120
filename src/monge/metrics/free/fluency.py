"""How probable a translation is under a language model, by itself or given a word-by-word translation."""

from __future__ import annotations

import dataclasses
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.crosslingual.glosses import GlossedWord, romanise
from monge.environment import Environment
from monge.lm import DEFAULT_LANGUAGE_MODEL, Continuation, LanguageModel, TokenProbabilities, load_language_model
from monge.lm import casing as lm_casing
from monge.lm.unigrams import WordFrequencies
from monge.metrics.base import ALGORITHM, MetricBase, check_needs
from monge.metrics.free.source import GlossingMetric, SourceReader
from monge.metrics.protocols import MetricSpec
from monge.metrics.specs import spec_named
from monge.scores import Score, Signature, WordShare, WordShares
from monge.text import Segment, word_spans
from monge.version import __version__

PROMPT = "Word-by-word translation: {gloss}\nFluent English translation: "
EMPTY = -20.0  # the score of an empty text: below any text that a model was seen to read
_INF = math.inf


@dataclass(frozen=True, eq=False)
class Reading:
    """How a language model reads texts: whether words' own frequencies are taken off, and whether case is restored."""

    model: LanguageModel
    frequencies: WordFrequencies | None
    recase: bool

    def read(self, texts: Sequence[str], prompts: Sequence[str]) -> list[TokenProbabilities]:
        """Return the log-probabilities of the tokens of *texts*, each after its prompt."""
        spelt = [self.model.restore_case(text) if self.recase else text for text in texts]
        pairs = [Continuation(text.strip(), prompt) for text, prompt in zip(spelt, prompts, strict=True)]
        return self.model.score(pairs)

    def score(self, text: str, found: TokenProbabilities, *, skip_first: bool) -> Score:
        """Return the mean over tokens of log p(token), minus log p(word) of every word where frequencies are given."""
        shares = self.share(text, found, skip_first=skip_first)
        if not len(found.values):
            return Score(EMPTY, {"log_probability": EMPTY, "tokens": 0.0}, notes=shares.notes)
        first = self._first(found, skip_first)
        counted = found.values[first:]
        parts = {"log_probability": float(counted.mean()), "tokens": float(len(counted))}
        if self.frequencies is not None:
            parts["unigram"] = parts["log_probability"] - shares.value
        return Score(shares.value, parts, notes=shares.notes)

    def share(self, text: str, found: TokenProbabilities, *, skip_first: bool) -> WordShares:
        """Return the score as a sum over the words of *text*."""
        notes = found.notes if text.strip() else (*found.notes, "empty hypothesis")
        if not len(found.values):
            return WordShares(EMPTY, (), EMPTY, notes)
        if skip_first and len(found.values) == 1:
            notes = (*notes, "one token: its probability at the beginning of a text counts")
        spans = word_spans(text) or [(0, len(text))]
        starts = [start for start, _ in spans]
        offset = len(text) - len(text.lstrip())
        first = self._first(found, skip_first)
        sums = np.zeros(len(spans))
        for (_, end), value in zip(found.spans[first:].tolist(), found.values[first:].tolist(), strict=True):
            sums[max(bisect_right(starts, max(end + offset - 1, 0)) - 1, 0)] += value
        if self.frequencies is not None:
            seen = int(found.spans[first - 1, 1]) + offset if first else 0
            for number, (start, end) in enumerate(spans):
                if start >= seen:
                    sums[number] -= self.frequencies.log_probability(text[start:end])
        return _divide(sums, spans, len(found.values) - first, notes)

    @staticmethod
    def _first(found: TokenProbabilities, skip_first: bool) -> int:
        return 1 if skip_first and len(found.values) > 1 else 0

    @property
    def fields(self) -> dict[str, str]:
        """What a signature says of it."""
        unigrams = "none" if self.frequencies is None else self.frequencies.identity.partition(",")[2]
        return {"lm": self.model.signature, "unigrams": unigrams, "case": "restored" if self.recase else "as-is"}

    @property
    def identity(self) -> str | None:
        if self.model.identity is None:
            return None
        frequencies = "" if self.frequencies is None else self.frequencies.identity
        return f"{self.model.identity}|{frequencies}|casing={lm_casing.ALGORITHM}"


def _divide(
    sums: NDArray[np.float64], spans: Sequence[tuple[int, int]], count: int, notes: tuple[str, ...]
) -> WordShares:
    shares = (sums / count).tolist()
    words = tuple(WordShare(start, end, value) for (start, end), value in zip(spans, shares, strict=True))
    return WordShares(math.fsum(shares), words, notes=notes)


def _identify(metric: MetricBase, *parts: str | None) -> str | None:
    return None if None in parts else "|".join(map(str, [metric.signature, f"metrics={ALGORITHM}", *parts]))


@dataclass(frozen=True, eq=False)
class Fluency(MetricBase):
    """Mean log-probability per token under a causal language model; with ``slor`` minus that of the words alone.

    The first token is not counted, as nothing is known before it (nor does Zhao et al. 2020, whose LM term this is).
    SLOR = (log p(text) − Σ log p(word)) / tokens (Kann et al. 2018) does not punish rare words.
    """

    spec: MetricSpec
    reading: Reading

    @classmethod
    def load(
        cls,
        *,
        lm: Any = DEFAULT_LANGUAGE_MODEL,
        slor: bool = False,
        recase: bool = True,
        device: str = "auto",
        environment: Environment | None = None,
    ) -> Fluency:
        """Build the metric; *recase* gives texts without any capital letter those that the model expects."""
        model = load_language_model(lm, device=device, environment=environment)
        spec = dataclasses.replace(spec_named("fluency"), bounds=(-_INF, _INF if slor else 0.0))
        return cls(spec, Reading(model, WordFrequencies() if slor else None, recase))

    @property
    def signature(self) -> Signature:
        return Signature({"metric": "fluency", **self.reading.fields, "first": "skipped", "version": __version__})

    @property
    def identity(self) -> str | None:
        return _identify(self, self.reading.identity)

    def language_models(self) -> tuple[LanguageModel, ...]:
        return (self.reading.model,)

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        texts = [segment.hypothesis for segment in segments]
        found = self.reading.read(texts, [""] * len(texts))
        return [self.reading.score(text, one, skip_first=True) for text, one in zip(texts, found, strict=True)]

    def share_words(self, segment: Segment) -> WordShares:
        """Return what every word of the hypothesis adds to its score."""
        (found,) = self.reading.read([segment.hypothesis], [""])
        return self.reading.share(segment.hypothesis, found, skip_first=True)


@dataclass(frozen=True, eq=False)
class GlossLm(GlossingMetric):
    """(log p(translation | word-by-word translation of the source) − Σ log p(word)) / tokens."""

    spec: MetricSpec
    reading: Reading
    source: SourceReader

    @classmethod
    def load(
        cls,
        *,
        source_language: str = "",
        dictionary: str = "",
        lm: Any = DEFAULT_LANGUAGE_MODEL,
        slor: bool = True,
        recase: bool = True,
        device: str = "auto",
        environment: Environment | None = None,
    ) -> GlossLm:
        """Build the metric; *dictionary* names the user's files (joined by ``;``), else those known are read."""
        reader = SourceReader.make(source_language, dictionary, environment)
        model = load_language_model(lm, device=device, environment=environment)
        spec = dataclasses.replace(spec_named("gloss_lm"), bounds=(-_INF, _INF if slor else 0.0))
        return cls(spec, Reading(model, WordFrequencies() if slor else None, recase), reader)

    @property
    def signature(self) -> Signature:
        return Signature(
            {"metric": "gloss_lm", **self.source.fields, **self.reading.fields, "prompt": "1", "version": __version__}
        )

    @property
    def identity(self) -> str | None:
        glosser = self.source.glosser
        return None if glosser is None else _identify(self, self.reading.identity, glosser.identity)

    def language_models(self) -> tuple[LanguageModel, ...]:
        return (self.reading.model,)

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        check_needs(self.spec, segments)
        texts = [segment.hypothesis for segment in segments]
        scores = [
            self.reading.score(text, one, skip_first=False)
            for text, one in zip(texts, self._read(segments), strict=True)
        ]
        empty = [not (segment.source or "").strip() for segment in segments]
        return [
            dataclasses.replace(score, notes=(*score.notes, "empty source")) if lacking else score
            for score, lacking in zip(scores, empty, strict=True)
        ]

    def share_words(self, segment: Segment) -> WordShares:
        """Return what every word of the hypothesis adds to its score."""
        check_needs(self.spec, [segment])
        return self.reading.share(segment.hypothesis, self._read([segment])[0], skip_first=False)

    def _read(self, segments: Sequence[Segment]) -> list[TokenProbabilities]:
        glosser = self.source.require("gloss_lm")
        prompts = [PROMPT.format(gloss=first_glosses(glosser.gloss(segment.source or ""))) for segment in segments]
        return self.reading.read([segment.hypothesis for segment in segments], prompts)


def first_glosses(words: Sequence[GlossedWord]) -> str:
    """Return a word-by-word translation: the first gloss of every word, unknown words in Latin letters.

    >>> first_glosses([GlossedWord("Haus", 0, 4, ("house", "home"), "form"), GlossedWord("ы", 5, 6, (), "")])
    'house y'
    """
    return " ".join(word.glosses[0] if word.glosses else romanise(word.text) for word in words)
