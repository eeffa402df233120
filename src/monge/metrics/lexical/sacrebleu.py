"""BLEU, chrF, chrF++ and TER through sacrebleu, number for number."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.environment import Environment
from monge.errors import ModelError, OptionError, suggest
from monge.metrics.base import ALGORITHM, MetricBase, check_needs, note_empty_texts, score_of_nothing
from monge.metrics.lexical.specs import lexical_spec
from monge.metrics.protocols import MetricSpec
from monge.scores import Score, Signature
from monge.text import Segment, parse_language
from monge.version import __version__

_KEPT = 1 << 14  # segments whose counts are kept: TER takes long, and the corpus score asks again
REFERENCE_LENGTH = "reference_length"  # a part of scores
SMOOTH_METHODS = ("exp", "floor", "add-k", "none")
_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # sacrebleu's own choice when it knows the language


@dataclass(frozen=True, eq=False)
class SacrebleuMetric(MetricBase):
    """A metric of sacrebleu: ``sentence`` scores segments, ``corpus`` the whole set, ``parts`` names what is shown."""

    spec: MetricSpec
    sentence: Any
    corpus: Any
    parts: Callable[[Any], dict[str, float]]
    _counted: dict[bytes, tuple[float, ...]] = field(default_factory=dict, repr=False)

    @property
    def signature(self) -> Signature:
        """sacrebleu's own fields (but the number of references, which is the data's), with its version."""
        fields = {"metric": self.spec.name} | _signature_fields(self.corpus)
        of_segments = _signature_fields(self.sentence)
        if "eff" in fields and of_segments["eff"] != fields["eff"]:
            fields["eff"] = f"{fields['eff']}, segments {of_segments['eff']}"
        if getattr(self.corpus, "max_ngram_order", 4) != 4:  # sacrebleu leaves it out
            fields["n"] = str(self.corpus.max_ngram_order)
        if hasattr(self.corpus, "beta"):  # so does it with this
            fields["beta"] = str(self.corpus.beta)
        return Signature(fields | {"library": f"sacrebleu-{_sacrebleu().__version__}", "version": __version__})

    @property
    def identity(self) -> str:
        return f"{self.signature}|metrics={ALGORITHM}"

    def count_words(self, text: str) -> int:
        tokenizer = getattr(self.corpus, "tokenizer", None)
        return len(tokenizer(text).split()) if tokenizer else super().count_words(text)

    def score(self, segments: Sequence[Segment]) -> list[Score]:
        """Return sacrebleu's sentence score of each segment, against all of its references at once."""
        return [self._score(segment, row) for segment, row in zip(segments, self._statistics(segments), strict=True)]

    def aggregate(self, segments: Sequence[Segment], scores: Sequence[Score]) -> float:
        """Return sacrebleu's corpus score; the numbers of references may differ."""
        return self.score_of_sums(self.sum_statistics(segments)) if segments else float("nan")

    def sum_statistics(self, segments: Sequence[Segment]) -> list[float]:
        """Return the sums over *segments* that the corpus score is made of: those of parts of a set add up."""
        return [sum(column) for column in zip(*self._statistics(segments), strict=True)]

    def score_of_sums(self, sums: Sequence[float]) -> float:
        """Return sacrebleu's corpus score of summed statistics; NaN where there was nothing to count."""
        if not any(sums):
            return float("nan")
        return float(self.corpus._compute_score_from_stats(list(sums)).score)

    def parts_of_sums(self, sums: Sequence[float]) -> dict[str, float]:
        """Return the parts of the corpus score: for BLEU the precisions in percent and the brevity penalty."""
        return self.parts(self.corpus._compute_score_from_stats(list(sums)))

    def resample(self, segments: Sequence[Segment], draws: Iterable[NDArray[np.int64]]) -> list[float]:
        """Return the corpus score of each draw of segment numbers, with repetition."""
        rows = np.array(self._statistics(segments), dtype=np.float64)
        return [self.score_of_sums(list(np.bincount(draw, minlength=len(rows)) @ rows)) for draw in draws]

    def _score(self, segment: Segment, row: Sequence[float]) -> Score:
        nothing = score_of_nothing(segment)
        if nothing is not None:
            return nothing
        result = self.sentence._compute_score_from_stats(list(row))
        return Score(float(result.score), self.parts(result), notes=note_empty_texts(segment))

    def _statistics(self, segments: Sequence[Segment]) -> list[tuple[float, ...]]:
        """Return what sacrebleu counts in each segment; segment and corpus scores are made of the same."""
        check_needs(self.spec, segments)
        return [self._count(segment.hypothesis, segment.references) for segment in segments]

    def _count(self, hypothesis: str, references: tuple[str, ...]) -> tuple[float, ...]:
        key = hashlib.blake2b(repr((hypothesis, references)).encode(), digest_size=16).digest()  # no text is kept
        row = self._counted.get(key)
        if row is None:
            # sacrebleu's own way to resample (sacrebleu.significance); tests hold it against its public functions
            rows = self.corpus._extract_corpus_statistics([hypothesis], [[reference] for reference in references])
            row = tuple(rows[0])
            if len(self._counted) >= _KEPT:  # two threads may add at once
                self._counted.clear()
            self._counted[key] = row
        return row


@dataclass(frozen=True, eq=False)
class MeasuredChrf(SacrebleuMetric):
    """chrF that also tells how long the reference that decided a score is: ``reference_length``.

    In characters, without white space.
    """

    @property
    def identity(self) -> str:
        return f"{super().identity}|{REFERENCE_LENGTH}"

    def _score(self, segment: Segment, row: Sequence[float]) -> Score:
        score = super()._score(segment, row)
        return replace(score, parts={REFERENCE_LENGTH: float(row[1])})  # of unigrams: hypothesis, reference, matches


def make_bleu(
    *,
    tokenize: str = "auto",
    lowercase: bool = False,
    smooth_method: str = "exp",
    n: int = 4,
    language: str = "en",
    environment: Environment | None = None,
) -> SacrebleuMetric:
    """BLEU, 0 to 100: geometric mean of the clipped n-gram precisions (up to *n*) times the brevity penalty.

    Segments are scored as ``sacrebleu.sentence_bleu`` does (effective order), the set as ``corpus_bleu``. The tokenizer
    is the one that sacrebleu takes for the *language* (13a; zh, ja-mecab and ko-mecab for Chinese, Japanese, Korean).

    >>> round(make_bleu().compute(["the cat sat on a mat"], ["the cat sat on the mat"])["score"], 2)
    53.73
    """
    _check_choice("smooth_method", smooth_method, SMOOTH_METHODS)
    if not 1 <= n <= 20:
        raise OptionError(f"n must be from 1 to 20, not {n}")
    chosen = choose_tokenizer(tokenize, language)
    _check_offline(chosen, environment)
    options: dict[str, Any] = {"tokenize": chosen, "lowercase": lowercase, "smooth_method": smooth_method}
    options |= {"max_ngram_order": n}
    sentence, corpus = (_make_scorer(**options, effective_order=effective) for effective in (True, False))
    return SacrebleuMetric(lexical_spec("bleu"), sentence, corpus, _bleu_parts)


def make_chrf(
    *, char_order: int = 6, word_order: int = 0, beta: int = 2, lowercase: bool = False, whitespace: bool = False
) -> SacrebleuMetric:
    """chrF, 0 to 100: F_beta of character n-grams up to *char_order* and word n-grams up to *word_order*.

    >>> round(make_chrf().compute(["the cat sat on a mat"], ["the cat sat on the mat"])["score"], 2)
    65.98
    """
    return _make_chrf("chrf", char_order, word_order, beta, lowercase=lowercase, whitespace=whitespace)


def make_measured_chrf() -> MeasuredChrf:
    """chrF as by default, with the length of references; a part of mongescore.

    >>> score = make_measured_chrf().score([Segment("a cat", ("the cat", "the cat that sat"))])[0]
    >>> round(score.value, 2), score.parts
    (31.25, {'reference_length': 6.0})
    """
    chrf = make_chrf()
    return MeasuredChrf(chrf.spec, chrf.sentence, chrf.corpus, chrf.parts)


def make_chrfpp(
    *, char_order: int = 6, word_order: int = 2, beta: int = 2, lowercase: bool = False, whitespace: bool = False
) -> SacrebleuMetric:
    """chrF++: chrF with word unigrams and bigrams."""
    return _make_chrf("chrfpp", char_order, word_order, beta, lowercase=lowercase, whitespace=whitespace)


def make_ter(
    *, normalized: bool = False, no_punct: bool = False, asian_support: bool = False, case_sensitive: bool = False
) -> SacrebleuMetric:
    """TER, from 0 up, in percent: the fewest edits (block shifts count one) a word of the average reference."""
    from monge.metrics.lexical.shifts import QuickTer

    scorer = QuickTer(
        normalized=normalized, no_punct=no_punct, asian_support=asian_support, case_sensitive=case_sensitive
    )
    return SacrebleuMetric(lexical_spec("ter"), scorer, scorer, _ter_parts)


def choose_tokenizer(tokenize: str, language: str) -> str:
    """Return *tokenize*, or for ``auto`` the tokenizer that sacrebleu takes for a target language.

    >>> choose_tokenizer("auto", "zh-TW"), choose_tokenizer("auto", "en-zh"), choose_tokenizer("char", "zh")
    ('zh', 'zh', 'char')
    """
    known = parse_language(language)
    return _TOKENIZERS.get(known, "13a") if tokenize == "auto" else tokenize


def make_tokenizer(
    tokenize: str, *, lowercase: bool = False, environment: Environment | None = None
) -> Callable[[str], list[str]]:
    """Return a function from text to tokens by one of sacrebleu's tokenizers (13a, intl, zh, char, none …)."""
    _check_offline(tokenize, environment)
    split = _make_scorer(tokenize=tokenize).tokenizer
    return lambda text: str(split((text.lower() if lowercase else text).rstrip())).split()


def _make_scorer(*, tokenize: str, **options: Any) -> Any:
    """Return sacrebleu's BLEU; ``force`` only silences its guess that a text was tokenised already."""
    _check_choice("tokenize", tokenize, list(_sacrebleu().BLEU.TOKENIZERS))
    try:
        return _sacrebleu().BLEU(tokenize=tokenize, force=True, **options)
    except (RuntimeError, ImportError, OSError) as error:
        get = f"pip install 'sacrebleu[{tokenize[:2]}]', or " if tokenize.endswith("-mecab") else ""
        if isinstance(error, ImportError) and tokenizer_model(tokenize) is not None:
            get = "pip install sentencepiece, or "
        reason = _first_line(error).rstrip(":")
        raise ModelError(
            f"sacrebleu's tokenizer {tokenize!r} cannot be used: {reason} ({get}choose tokenize=char)"
        ) from error


def tokenizer_model(tokenize: str) -> Path | None:
    """Return where sacrebleu keeps the model of a tokenizer, which it downloads when needed; None if it has none.

    >>> tokenizer_model("13a") is None, tokenizer_model("flores200") is None
    (True, False)
    """
    from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
    from sacrebleu.utils import SACREBLEU_DIR

    if tokenize not in SPM_MODELS:
        return None
    return Path(SACREBLEU_DIR) / "models" / SPM_MODELS[tokenize]["url"].rpartition("/")[2]


def _check_offline(tokenize: str, environment: Environment | None) -> None:
    """Refuse a tokenizer whose model sacrebleu would download although the network must not be used."""
    if (Environment.read() if environment is None else environment).offline:
        model = tokenizer_model(tokenize)
        if model is not None and not model.exists():
            raise ModelError(f"sacrebleu's tokenizer {tokenize!r} needs a model that is not here, and this is offline")


def _make_chrf(
    name: str, char_order: int, word_order: int, beta: int, *, lowercase: bool, whitespace: bool
) -> SacrebleuMetric:
    for option, value, least in (("char_order", char_order, 1), ("word_order", word_order, 0), ("beta", beta, 1)):
        if not least <= value <= 100:
            raise OptionError(f"{option} must be from {least} to 100, not {value}")
    scorer = _sacrebleu().CHRF(
        char_order=char_order, word_order=word_order, beta=beta, lowercase=lowercase, whitespace=whitespace
    )
    return SacrebleuMetric(lexical_spec(name), scorer, scorer, _no_parts)


def _signature_fields(scorer: Any) -> dict[str, str]:
    """Return sacrebleu's own signature fields, without its version and the number of references."""
    probe = copy.copy(scorer)
    probe.num_refs = 1  # sacrebleu knows it only after scoring, and asks for it
    words = {True: "yes", False: "no"}
    return {
        key: words[value] if isinstance(value, bool) else str(value)
        for key, value in probe.get_signature().info.items()
        if value is not None and key not in ("version", "nrefs")
    }


def _bleu_parts(result: Any) -> dict[str, float]:
    parts = {f"precision{n}": float(value) for n, value in enumerate(result.precisions, start=1)}
    return parts | {"brevity_penalty": float(result.bp)}


def _ter_parts(result: Any) -> dict[str, float]:
    return {"edits": float(result.num_edits), REFERENCE_LENGTH: float(result.ref_length)}


def _no_parts(result: Any) -> dict[str, float]:
    return {}


def _check_choice(option: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise OptionError(f"{option}={value!r} is not one of {', '.join(known)}{suggest(value, known)}")


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    return lines[0] if lines else type(error).__name__


def _sacrebleu() -> Any:
    import sacrebleu

    return sacrebleu
