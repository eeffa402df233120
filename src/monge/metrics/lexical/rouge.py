"""ROUGE-1, ROUGE-2, ROUGE-L and its summary-level variant through rouge-score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from monge.errors import OptionError, suggest
from monge.metrics.base import ALGORITHM, MetricBase, check_needs, note_empty_texts, score_of_nothing
from monge.metrics.lexical.specs import lexical_spec
from monge.metrics.protocols import MetricSpec
from monge.scores import Score, Signature
from monge.text import Segment, split_sentences, word_spans
from monge.version import __version__

TOKENIZERS = ("rouge", "words")
SPLITS = ("lines", "sentences")


@dataclass(frozen=True, eq=False)
class RougeMetric(MetricBase):
    """F1 of what hypothesis and reference share; of several references the best counts."""

    spec: MetricSpec
    scorer: Any
    kind: str
    stemmer: bool
    tokenize: str
    split: str = ""

    @property
    def signature(self) -> Signature:
        """The variant, stemming, tokenizer and version of rouge-score."""
        return Signature(
            {
                "metric": self.spec.name,
                "stem": "porter" if self.stemmer else "no",
                "tok": self.tokenize,
                **({"split": self.split} if self.split else {}),
                "references": "max",
                "library": f"rouge-score-{version('rouge-score')}",
                "version": __version__,
            }
        )

    @property
    def identity(self) -> str:
        return f"{self.signature}|metrics={ALGORITHM}|nltk-{version('nltk')}|regex-{version('regex')}"

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        """Return F1 with precision and recall as parts; the mean over segments is the score of a set."""
        check_needs(self.spec, segments)
        return [self._score(segment) for segment in segments]

    def _score(self, segment: Segment) -> Score:
        nothing = score_of_nothing(segment)
        if nothing is not None:
            return nothing
        hypothesis, *references = map(self._divide, (segment.hypothesis, *segment.references))
        results = [self.scorer.score(reference, hypothesis)[self.kind] for reference in references]
        best = max(range(len(results)), key=lambda k: results[k].fmeasure)
        chosen = results[best]
        parts = {"precision": float(chosen.precision), "recall": float(chosen.recall)}
        notes = note_empty_texts(segment) + self._note_unseen(segment) + self._note_undivided(segment)
        return Score(float(chosen.fmeasure), parts, reference_index=best, notes=notes)

    def _divide(self, text: str) -> str:
        """Return *text* with one sentence per line, if sentences are to be found."""
        return "\n".join(split_sentences(text)) if self.split == "sentences" else text

    def _note_undivided(self, segment: Segment) -> tuple[str, ...]:
        if self.split != "lines":
            return ()
        texts = (segment.hypothesis, *segment.references)
        joined = any("\n" not in text.strip() and len(split_sentences(text)) > 1 for text in texts)
        return ("several sentences on one line count as one sentence: use split=sentences",) if joined else ()

    def _note_unseen(self, segment: Segment) -> tuple[str, ...]:
        if self.tokenize != "rouge":
            return ()
        texts = (segment.hypothesis, *segment.references)
        unseen = any(text.strip() and not any(c.isascii() and c.isalnum() for c in text.lower()) for text in texts)
        return ("rouge-score's tokenizer sees only a-z and 0-9, none here: use tokenize=words",) if unseen else ()


class _Words:
    """rouge-score's tokenizer interface on our words, lower-cased: any language, punctuation left out."""

    def tokenize(self, text: str) -> list[str]:
        words = (text[start:end] for start, end in word_spans(text))
        return [word.lower() for word in words if any(char.isalnum() for char in word)]


def make_rouge1(*, use_stemmer: bool = False, tokenize: str = "rouge") -> RougeMetric:
    """ROUGE-1: F1 of shared words.

    ``tokenize`` is ``rouge`` (rouge-score's own: a-z and 0-9 only, English) or ``words`` (any language, no stemming).

    >>> make_rouge1().compute(["a cat sat"], ["the cat sat"])["scores"]
    [0.6666666666666666]
    """
    return _make_rouge("rouge1", "rouge1", use_stemmer, tokenize)


def make_rouge2(*, use_stemmer: bool = False, tokenize: str = "rouge") -> RougeMetric:
    """ROUGE-2: F1 of shared word bigrams; options as for rouge1."""
    return _make_rouge("rouge2", "rouge2", use_stemmer, tokenize)


def make_rougel(*, use_stemmer: bool = False, tokenize: str = "rouge") -> RougeMetric:
    """ROUGE-L: F1 of the longest common subsequence of words; options as for rouge1."""
    return _make_rouge("rougel", "rougeL", use_stemmer, tokenize)


def make_rougelsum(*, use_stemmer: bool = False, tokenize: str = "rouge", split: str = "lines") -> RougeMetric:
    """ROUGE-L of summaries (``rougeLsum``): the union of the subsequences that sentences share; options as for rouge1.

    ``split`` says what a sentence is: a line of the text (``lines``, as in rouge-score), or what our rules find
    (``sentences``).

    >>> make_rougelsum().compute(["c d\\na b"], ["a b\\nc d"])["scores"]
    [1.0]
    """
    if split not in SPLITS:
        raise OptionError(f"split={split!r} is not one of {', '.join(SPLITS)}{suggest(split, SPLITS)}")
    return _make_rouge("rougelsum", "rougeLsum", use_stemmer, tokenize, split)


def _make_rouge(name: str, kind: str, use_stemmer: bool, tokenize: str, split: str = "") -> RougeMetric:
    if tokenize not in TOKENIZERS:
        raise OptionError(f"tokenize={tokenize!r} is not one of {', '.join(TOKENIZERS)}{suggest(tokenize, TOKENIZERS)}")
    if tokenize == "words" and use_stemmer:
        raise OptionError("use_stemmer works with tokenize=rouge only")
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([kind], use_stemmer=use_stemmer, tokenizer=_Words() if tokenize == "words" else None)
    return RougeMetric(lexical_spec(name), scorer, kind, use_stemmer, tokenize, split)
