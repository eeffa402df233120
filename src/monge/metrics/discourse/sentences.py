"""DS-Sent: sentence vectors, each joined with those of the sentences that speak of the same things."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge import transport
from monge.discourse import link_sentences
from monge.encoders import EncodedText, Encoder
from monge.encoders.base import DEFAULT_ENCODER
from monge.encoders.unit import unit_vectors
from monge.environment import Environment
from monge.errors import OptionError, suggest
from monge.metrics.discourse.base import DiscourseMetric, average_references
from monge.metrics.discourse.reader import ReadDocument, ReaderOptions
from monge.metrics.discourse.specs import discourse_spec
from monge.metrics.transport.readout import PRECISION, RECALL
from monge.scores import Score
from monge.transport import RaggedClouds, TransportSetting, solve_pairs

Array = NDArray[np.float64]
ALGORITHM = 2  # of this metric alone: 2 has no score for texts that are read letter by letter
ALIGNMENTS = ("pool", "greedy", "optimal")
NO_SENTENCE = "neither text has a sentence with tokens"
SPELT = "the encoder reads both texts letter by letter, and means of letters are alike in all texts"
_LEAST_WORD = 3  # characters; shorter words say nothing about how a script is read
_LEAST_LETTERS = 1.5  # per piece: English has 3 to 5, German in an English vocabulary 2.5, Greek 1.3
_IDEOGRAPHS = ("\u2e80", "\u9fff")  # Han and kana, of which one character says much


@dataclass(frozen=True, eq=False)
class SentenceReading:
    """The rows of Ŝ (sentences, d), and whether the encoder reads the text letter by letter."""

    rows: Array
    spelt: bool


@dataclass(frozen=True, eq=False)
class SentenceMetric(DiscourseMetric[SentenceReading]):
    """DS-Sent = cos(g_h, g_r), g = [min; mean; max; sum] of the rows of Ŝ = (A + I) S (Zhao et al. 2022, eq. 3).

    S has one row per sentence, the mean of its token vectors in the context of the document; A links sentences that
    share foci (``monge.discourse.link_sentences``). ``align`` greedy or optimal compare the rows of Ŝ by transport
    instead of pooling them: the F of greedy matching, or 1 − the earth mover's distance, both with cosines.
    """

    graph: bool
    weighted: bool
    normalise: bool
    align: str

    @property
    def settings(self) -> Mapping[str, str]:
        kind = ("weighted" if self.weighted else "unweighted") if self.graph else "none"
        rows = "unit" if self.normalise else "raw"
        return {"graph": kind, "rows": rows, "align": self.align, "references": "mean"}

    @property
    def identity(self) -> str | None:
        stated = super().identity
        return None if stated is None else f"{stated},transport={transport.ALGORITHM},sentences={ALGORITHM}"

    def reduce(self, document: ReadDocument) -> SentenceReading:
        """Return Ŝ; sentences without a token of the encoder are left out."""
        encoded, annotated = document.encoded, document.annotated
        assert encoded is not None
        rows, known = _average_sentences(
            self.reader.join_layers(encoded), encoded, annotated.spans, annotated.sentences
        )
        if self.graph and len(rows):
            links = link_sentences(document.foci, annotated.sentences, annotated.sentence_count, weighted=self.weighted)
            rows = rows + links[np.ix_(known, known)] @ rows
        return SentenceReading(unit_vectors(rows) if self.normalise else rows, is_spelt(encoded))

    def score_readings(self, hypothesis: SentenceReading, references: Sequence[SentenceReading]) -> Score:
        if hypothesis.spelt and all(reference.spelt for reference in references):
            return Score(math.nan, notes=(SPELT,))
        values = [self._compare(hypothesis.rows, reference.rows) for reference in references]
        value, notes = average_references(values, NO_SENTENCE)
        if len(hypothesis.rows) == 1:
            notes = (*notes, "the hypothesis has one sentence: there is no graph")
        return Score(value, notes=notes)

    def _compare(self, hypothesis: Array, reference: Array) -> float:
        if not len(hypothesis) and not len(reference):
            return math.nan
        if not len(hypothesis) or not len(reference):
            return 0.0  # saying nothing has nothing in common with anything
        if self.align == "pool":
            first, second = unit_vectors(np.array([_pool(hypothesis), _pool(reference)]))
            return float(np.clip(first @ second, -1, 1))
        return _align(hypothesis, reference, self.align)


def is_spelt(encoded: EncodedText) -> bool:
    """Return whether words of three and more characters, if they are most of a text, have fewer than 1.5 per piece.

    An encoder without a script in its vocabulary reads it so, and the means of such pieces are alike whatever is said.
    """
    kept = np.flatnonzero(~encoded.special & (encoded.words >= 0))
    _, first, pieces = np.unique(encoded.words[kept], return_index=True, return_counts=True)
    spans = encoded.spans[kept]
    starts, ends = spans[first, 0], spans[first + pieces - 1, 1]
    opening = [encoded.text[start : start + 1] for start in starts]
    alphabetic = np.array([not _IDEOGRAPHS[0] <= char <= _IDEOGRAPHS[1] for char in opening], dtype=np.bool_)
    letters = ends - starts
    counted = (letters >= _LEAST_WORD) & alphabetic
    own, total = letters[counted].sum(), pieces[counted].sum()
    return bool(own > letters.sum() / 2 and own / total < _LEAST_LETTERS)


def _average_sentences(
    tokens: Array, encoded: EncodedText, words: NDArray[np.int64], sentences: NDArray[np.int64]
) -> tuple[Array, list[int]]:
    """Return the mean token vector of every sentence that has a token, and the numbers of these sentences."""
    kept = np.flatnonzero(~encoded.special)
    if not len(words) or not len(kept):
        return np.zeros((0, tokens.shape[1])), []
    # a token belongs to the sentence of the last word that starts before the token ends
    owner = np.searchsorted(words[:, 0], encoded.spans[kept, 1], side="left") - 1
    of_token = sentences[np.maximum(owner, 0)]
    known = np.unique(of_token)
    return np.array([tokens[kept[of_token == number]].mean(axis=0) for number in known]), known.tolist()


def _pool(rows: Array) -> Array:
    return np.concatenate([rows.min(axis=0), rows.mean(axis=0), rows.max(axis=0), rows.sum(axis=0)])


def _align(hypothesis: Array, reference: Array, how: str) -> float:
    """Compare sentence vectors, all of the same mass, by the transport core; a row of zeros is far from all others."""
    clouds = RaggedClouds.from_clouds(
        [hypothesis, reference], [np.full(len(rows), 1 / len(rows)) for rows in (hypothesis, reference)]
    )

    def cost(rho_a: float, rho_b: float) -> float:
        setting = TransportSetting(cost="cosine", rho_a=rho_a, rho_b=rho_b)
        return float(solve_pairs(clouds, clouds, [(0, 1)], setting).costs[0])

    if how == "optimal":
        return 1 - cost(math.inf, math.inf)
    precision, recall = 1 - cost(*PRECISION), 1 - cost(*RECALL)
    return 2 * precision * recall / (precision + recall) if precision > 0 and recall > 0 else 0.0


def load_ds_sent(
    *,
    encoder: str | Encoder = DEFAULT_ENCODER,
    layers: str = "middle",
    graph: bool = True,
    weighted: bool = True,
    normalise: bool = True,
    align: str = "pool",
    focus: str = "noun",
    threshold: float = 0.5,
    vectors: str | Encoder = "glove",
    annotator: str = "",
    language: str = "en",
    environment: Environment | None = None,
) -> SentenceMetric:
    """Return DS-Sent; *weighted* is the variant -W of the thesis, *graph* False its ablation without the graph."""
    if align not in ALIGNMENTS:
        raise OptionError(f"align={align!r}{suggest(align, ALIGNMENTS)}: must be one of {', '.join(ALIGNMENTS)}")
    options = ReaderOptions(annotator, language, focus, threshold, vectors)
    reader = options.make(encoder=encoder, layers=layers, environment=environment)
    return SentenceMetric(discourse_spec("ds_sent"), reader, graph, weighted, normalise, align)
