"""Source words against output words, through a bilingual dictionary and word vectors: a transport problem."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from monge import transport
from monge.clouds import PointCloud
from monge.crosslingual.glosses import GlossedWord, romanise, strip_accents
from monge.encoders import Encoder, load_encoder
from monge.environment import Environment
from monge.errors import OptionError
from monge.lm.unigrams import WordFrequencies
from monge.metrics.base import ALGORITHM, check_needs
from monge.metrics.free.source import GlossingMetric, SourceReader
from monge.metrics.protocols import MetricSpec
from monge.metrics.specs import spec_named
from monge.metrics.transport.linear import share_f_loss
from monge.metrics.transport.readout import PRECISION, RECALL, combine_f
from monge.scores import Alignment, LinearForm, Score, Signature
from monge.storage.identity import stated_identity
from monge.text import Segment, word_spans
from monge.transport import TransportProblem, solve_one_sided
from monge.version import __version__

Array = NDArray[np.float64]
Vectors = Mapping[str, Array]

_SPELLING = 0.6  # similarity of spelling from which two names may be the same
_INSIDE = 0.9  # similarity of a word to a gloss of several words that contains it
_SENSES_FOR_MASS = 3
_LEAST_KNOWN = 0.5  # of the source's words, below which the score is marked


@dataclass(frozen=True)
class CloudOptions:
    """How words are compared: *senses* per word, similarities below *threshold* count as none, weight α of recall,

    and the mass of a source word that the dictionary lacks, relative to the others.
    """

    senses: int = 8
    threshold: float = 0.4
    alpha: float = 0.3
    unknown: float = 0.3

    def __post_init__(self) -> None:
        good = self.senses >= 1 and 0 <= self.threshold < 1 and 0 <= self.alpha <= 1 and 0 <= self.unknown <= 1
        if not good:
            raise OptionError(
                f"senses={self.senses}, threshold={self.threshold}, alpha={self.alpha}, unknown={self.unknown}: senses "
                "must be at least 1, threshold in [0, 1), alpha and unknown in [0, 1]"
            )


@dataclass(frozen=True, eq=False)
class DictionaryCloud(GlossingMetric):
    """F of one-sided transports between output words and source words; the senses of a source word are alternatives.

    c_ij = 1 − max over the senses g of source word j of sim(word i, g), where sim = (cos − t) / (1 − t), at least 0;
    an exact match has sim 1, and names that no vector knows are compared by their spelling. Words have mass
    −log p(word) (of the first senses, for source words), so that frequent words count little.
    """

    spec: MetricSpec
    source: SourceReader
    encoder: Encoder
    frequencies: WordFrequencies
    options: CloudOptions

    @classmethod
    def load(
        cls,
        *,
        source_language: str = "",
        dictionary: str = "",
        encoder: str | Encoder = "glove",
        senses: int = 8,
        threshold: float = 0.4,
        alpha: float = 0.3,
        unknown: float = 0.3,
        environment: Environment | None = None,
    ) -> DictionaryCloud:
        """Build the metric; *dictionary* names the user's files (joined by ``;``), else those known are read."""
        options = CloudOptions(senses, threshold, alpha, unknown)
        reader = SourceReader.make(source_language, dictionary, environment)
        loaded = load_encoder(encoder, cache=True, environment=environment)
        return cls(spec_named("dictionary_cloud"), reader, loaded, WordFrequencies(), options)

    @property
    def signature(self) -> Signature:
        options = self.options
        return Signature(
            {
                "metric": "dictionary_cloud",
                **self.source.fields,
                "encoder": self.encoder.signature,
                "unigrams": self.frequencies.identity.partition(",")[2],
                "senses": str(options.senses),
                "threshold": repr(float(options.threshold)),
                "readout": f"f(alpha={options.alpha!r})",
                "unknown": repr(float(options.unknown)),
                "version": __version__,
            }
        )

    @property
    def identity(self) -> str | None:
        vectors, glosser = stated_identity(self.encoder), self.source.glosser
        if vectors is None or glosser is None:
            return None
        algorithms = f"transport={transport.ALGORITHM},metrics={ALGORITHM}"
        return f"{self.signature}|{vectors}|{glosser.identity}|{self.frequencies.identity}|{algorithms}"

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        return self.score_with_alignments(segments)

    def linear_form(self, score: Score) -> LinearForm:
        costs = [alignment.plan.transport_cost for alignment in score.alignments]
        return LinearForm(1.0, share_f_loss(costs[0], costs[1], alpha=self.options.alpha))

    def score_with_alignments(self, segments: Sequence[Segment]) -> list[Score]:
        check_needs(self.spec, segments)
        glosser = self.source.require("dictionary_cloud")
        glossed = [_words_only(glosser.gloss(segment.source or "")) for segment in segments]
        outputs = [_split(segment.hypothesis) for segment in segments]
        vectors = self._look_up(glossed, outputs)
        rows = zip(segments, outputs, glossed, strict=True)
        return [self._score(segment, output, words, vectors) for segment, output, words in rows]

    def _look_up(self, glossed: Sequence[Sequence[GlossedWord]], outputs: Sequence[Sequence[GlossedWord]]) -> Vectors:
        """Return the unit vector of every output word and gloss that the encoder knows."""
        senses = self.options.senses
        texts = dict.fromkeys(word.text.lower() for words in outputs for word in words)
        texts |= dict.fromkeys(gloss.lower() for words in glossed for word in words for gloss in word.glosses[:senses])
        names = list(texts)
        vectors: dict[str, Array] = {}
        for name, encoded in zip(names, self.encoder.encode(names, (0,)), strict=True):
            own = encoded.vectors[0][~encoded.special].astype(np.float64)
            whole = own.sum(axis=0) if len(own) else np.zeros(self.encoder.dimension)
            length = float(np.linalg.norm(whole))
            if length > 0:
                vectors[name] = whole / length
        return vectors

    def _score(
        self, segment: Segment, output: Sequence[GlossedWord], words: Sequence[GlossedWord], vectors: Vectors
    ) -> Score:
        notes = _notes(segment, output, words)
        if not output or not any(word.known for word in words):
            value = math.nan if words or output else 1.0  # two texts without a word are alike
            value = 0.0 if words and not output else value
            return Score(value, dict.fromkeys(("precision", "recall", "f"), value), notes=notes)
        left, right = (
            self._cloud(segment.hypothesis, output, vectors),
            self._cloud(segment.source or "", words, vectors),
        )
        cost = 1.0 - self._similarities(output, words, vectors)
        plans = {
            role: solve_one_sided(TransportProblem(cost, left.weights, right.weights, *rho))
            for role, rho in (("precision", PRECISION), ("recall", RECALL))
        }
        precision, recall = (1.0 - plan.transport_cost for plan in plans.values())
        value = float(combine_f(np.array([precision]), np.array([recall]), self.options.alpha)[0])
        alignments = tuple(Alignment(left, right, plan, role) for role, plan in plans.items())
        return Score(value, {"precision": precision, "recall": recall, "f": value}, alignments, None, notes)

    def _similarities(self, output: Sequence[GlossedWord], words: Sequence[GlossedWord], vectors: Vectors) -> Array:
        """Return (output words, source words) similarities between 0 and 1, the best over the senses."""
        threshold = self.options.threshold
        names = [word.text.lower() for word in output]
        zero = np.zeros(self.encoder.dimension)
        points = np.array([vectors.get(name, zero) for name in names])
        found = np.zeros((len(output), len(words)))
        for column, word in enumerate(words):
            senses = [gloss.lower() for gloss in word.glosses[: self.options.senses]]
            known = [vectors[gloss] for gloss in senses if gloss in vectors]
            if known:
                cosines = (points @ np.array(known).T).max(axis=1)
                found[:, column] = np.clip((cosines - threshold) / (1 - threshold), 0.0, 1.0)
            spelt = senses if word.how == "same" else [gloss for gloss in senses if gloss not in vectors]
            for row, name in enumerate(names):
                other = _match(name, senses, spelt if word.known else [romanise(word.text).lower()])
                found[row, column] = max(found[row, column], other)
        return found

    def _cloud(self, text: str, words: Sequence[GlossedWord], vectors: Vectors) -> PointCloud:
        masses = np.array([self._mass(word) for word in words])
        known = np.array([word.known for word in words])
        masses[~known] = self.options.unknown * masses[known].mean() if known.any() else 1.0
        zero = np.zeros(self.encoder.dimension)
        points = [vectors.get(word.glosses[0].lower(), zero) if word.known else zero for word in words]
        spans = np.array([(word.start, word.end) for word in words], dtype=np.int64)
        tokens = tuple(word.text for word in words)
        return PointCloud(np.array(points, dtype=np.float32), masses / masses.sum(), tokens, spans, text)

    def _mass(self, word: GlossedWord) -> float:
        """Return −log p of a word: of its first senses on average, of the rarest word of a sense."""
        infos = [
            max(-self.frequencies.log_probability(part) for part in gloss.split())
            for gloss in word.glosses[:_SENSES_FOR_MASS]
            if gloss.split()
        ]
        return sum(infos) / len(infos) if infos else 0.0


def _split(text: str) -> list[GlossedWord]:
    """Return the words of an output, each its own gloss."""
    spans = [(start, end) for start, end in word_spans(text) if any(char.isalnum() for char in text[start:end])]
    return [GlossedWord(text[start:end], start, end, (text[start:end],), "form") for start, end in spans]


def _words_only(words: Sequence[GlossedWord]) -> list[GlossedWord]:
    return [word for word in words if any(char.isalnum() for char in word.text)]


def _match(name: str, senses: Sequence[str], spelt: Sequence[str]) -> float:
    """Return 1 for an exact match, 0.9 inside a gloss of several words, else the similarity of spelling if high."""
    if name in senses:
        return 1.0
    best = _INSIDE if any(" " in gloss and name in gloss.split() for gloss in senses) else 0.0
    for gloss in spelt:
        similar = _similar_spelling(name, gloss)
        if similar > max(best, _SPELLING):
            best = similar
    return best


@lru_cache(maxsize=200_000)
def _bigrams(word: str) -> frozenset[str]:
    plain = f"^{strip_accents(word)}$"
    return frozenset(plain[i : i + 2] for i in range(len(plain) - 1))


def _similar_spelling(left: str, right: str) -> float:
    """Return Dice's coefficient of the letter pairs of two words, without accents."""
    one, two = _bigrams(left), _bigrams(right)
    return 2 * len(one & two) / (len(one) + len(two))


def _notes(segment: Segment, output: Sequence[GlossedWord], words: Sequence[GlossedWord]) -> tuple[str, ...]:
    notes = [] if segment.hypothesis.strip() else ["empty hypothesis"]
    if segment.hypothesis.strip() and not output:
        notes.append("the hypothesis has no word")
    if not (segment.source or "").strip():
        notes.append("empty source")
    unknown = [word.text for word in words if not word.known]
    if words and len(unknown) > (1 - _LEAST_KNOWN) * len(words):
        named = ", ".join(dict.fromkeys(unknown[:5]))
        notes.append(f"{len(unknown)} of {len(words)} source words are not in the dictionary: {named}")
    return tuple(notes)
