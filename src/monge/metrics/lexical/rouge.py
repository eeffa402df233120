"""ROUGE-1, ROUGE-2 and ROUGE-L through rouge-score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from monge.errors import OptionError, suggest
from monge.metrics.base import ALGORITHM, MetricBase, check_needs, note_empty_texts
from monge.metrics.lexical.specs import lexical_spec
from monge.metrics.protocols import MetricSpec
from monge.scores import Score, Signature
from monge.text import Segment, word_spans
from monge.version import __version__

TOKENIZERS = ("rouge", "words")


@dataclass(frozen=True, eq=False)
class RougeMetric(MetricBase):
    """F1 of what hypothesis and reference share; of several references the best counts."""

    spec: MetricSpec
    scorer: Any
    kind: str
    stemmer: bool
    tokenize: str

    @property
    def signature(self) -> Signature:
        """The variant, stemming, tokenizer and version of rouge-score."""
        return Signature(
            {
                "metric": self.spec.name,
                "stem": "porter" if self.stemmer else "no",
                "tok": self.tokenize,
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
        results = [self.scorer.score(reference, segment.hypothesis)[self.kind] for reference in segment.references]
        best = max(range(len(results)), key=lambda k: results[k].fmeasure)
        chosen = results[best]
        parts = {"precision": float(chosen.precision), "recall": float(chosen.recall)}
        notes = note_empty_texts(segment) + self._note_unseen(segment)
        return Score(float(chosen.fmeasure), parts, reference_index=best, notes=notes)

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


def _make_rouge(name: str, kind: str, use_stemmer: bool, tokenize: str) -> RougeMetric:
    if tokenize not in TOKENIZERS:
        raise OptionError(f"tokenize={tokenize!r} is not one of {', '.join(TOKENIZERS)}{suggest(tokenize, TOKENIZERS)}")
    if tokenize == "words" and use_stemmer:
        raise OptionError("use_stemmer works with tokenize=rouge only")
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([kind], use_stemmer=use_stemmer, tokenizer=_Words() if tokenize == "words" else None)
    return RougeMetric(lexical_spec(name), scorer, kind, use_stemmer, tokenize)
