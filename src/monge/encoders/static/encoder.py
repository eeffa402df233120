"""One vector per word, whatever its context."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText
from monge.encoders.identity import compose_identity
from monge.encoders.static.files import VectorTable, load_vectors
from monge.encoders.static.hashed import hashed_vector
from monge.encoders.unknown import unknown_share
from monge.environment import Environment
from monge.errors import InputError, ModelError, OptionError, suggest
from monge.text import word_spans

ALGORITHM = 2  # raise it when a file is read otherwise, or a word is looked up otherwise
OutOfVocabulary = Literal["skip", "zero", "hash", "error"]
FoldCase = Literal["auto", "always", "never"]
_MOST_NAMED = 5  # unknown words in a note
_MOST_KNOWN = 200_000  # words looked up before: a service that runs for months must not keep them all
_NORM_SAMPLE = 1000


class _Token(NamedTuple):
    text: str
    span: tuple[int, int]
    word: int
    vector: NDArray[np.float32] | None  # None: unknown


@dataclass(frozen=True, eq=False)
class StaticEncoder:
    """Looks words up in a table of vectors.

    Words are those of ``word_spans``. A spelling is tried as it is, then lower-cased, then capitalised (``fold_case``
    "auto"; "always" tries the lower-cased alone, "never" the exact one), then with a straight apostrophe, with ``#``
    for digits (word2vec's news vectors) and, for repeated punctuation, as a single mark. A word with an apostrophe
    that is still unknown is parted if both parts are known (``boy's`` → ``boy`` ``'s``). fastText models compose
    the rest from n-grams. What remains is out of vocabulary: "skip" drops it, "zero" gives it a zero vector, "hash" a
    fixed pseudo-random one of average length, "error" refuses the text. The notes of the EncodedText report it, and
    ``unknown`` is its share, except that a word with a hashed vector of its own counts as known.
    """

    table: VectorTable
    oov: OutOfVocabulary = "skip"
    fold_case: FoldCase = "auto"
    limit: int | None = None
    _known: dict[str, NDArray[np.float32] | None] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        _check_choice("oov", self.oov, get_args(OutOfVocabulary))
        _check_choice("fold_case", self.fold_case, get_args(FoldCase))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        oov: OutOfVocabulary = "skip",
        fold_case: FoldCase = "auto",
        limit: int | None = None,
        environment: Environment | None = None,
    ) -> Self:
        """Open word vectors of any format that load_vectors knows; *limit* keeps the first so many words."""
        _check_choice("oov", oov, get_args(OutOfVocabulary))
        _check_choice("fold_case", fold_case, get_args(FoldCase))
        return cls(load_vectors(path, limit=limit, environment=environment), oov, fold_case, limit)

    @property
    def signature(self) -> str:
        """File name and hash of the vectors, and the policies."""
        limit = "" if self.limit is None else f",limit={self.limit}"
        return f"{self.table.name}@{self.table.digest[:8]},oov={self.oov},case={self.fold_case}{limit}"

    @property
    def identity(self) -> str:
        """The code, the full digest of the vectors, and the policies."""
        return compose_identity(
            "static",
            "regex",
            vectors=self.table.digest,
            oov=self.oov,
            fold_case=self.fold_case,
            limit=self.limit,
        )

    @property
    def layers(self) -> int:
        """One: a static vector has no layers."""
        return 1

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self.table.dimension

    def tokenize(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the tokens of each text that ``encode`` keeps."""
        return [tuple(token.text for token in self._keep(self._tokens(text))) for text in texts]

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        """Return vectors of shape (1, n, d) for each text."""
        for layer in layers or ():
            if layer not in (0, -1):
                raise OptionError(f"layer {layer}: static vectors have one layer, 0")
        return [self._encode(text, 1 if layers is None else len(layers)) for text in texts]

    def _encode(self, text: str, copies: int) -> EncodedText:
        found = self._tokens(text)
        unknown = [token for token in found if token.vector is None]
        tokens = self._keep(found)
        vectors = np.zeros((len(tokens), self.dimension), dtype=np.float32)
        for i, token in enumerate(tokens):
            vectors[i] = self._stand_in(token.text) if token.vector is None else token.vector
        return EncodedText(
            text,
            tuple(token.text for token in tokens),
            np.array([token.span for token in tokens], dtype=np.int64).reshape(-1, 2),
            np.repeat(vectors[None], copies, axis=0),
            np.zeros(len(tokens), dtype=np.bool_),
            np.array([token.word for token in tokens], dtype=np.int64),
            (_describe_unknown([token.text for token in unknown], len(found), self.oov),) if unknown else (),
            0.0 if self.oov == "hash" else unknown_share(text, [token.span for token in unknown]),
        )

    def _tokens(self, text: str) -> list[_Token]:
        """Return all tokens of a text; raises InputError for one without a vector if those are refused."""
        tokens = [
            token
            for word, (start, end) in enumerate(word_spans(text))
            for token in self._look_up(text[start:end], start, word)
        ]
        if self.oov == "error":
            for token in tokens:
                if token.vector is None:
                    named = f"{token.text!r} in {text[:60]!r}"
                    raise InputError(f"{named} is not among the words of {self.table.name} (oov=error)")
        return tokens

    def _keep(self, tokens: list[_Token]) -> list[_Token]:
        return [token for token in tokens if token.vector is not None] if self.oov == "skip" else tokens

    def _look_up(self, word: str, start: int, number: int) -> list[_Token]:
        vector = self._vector(word)
        if vector is None:
            for cut in _cuts(word):
                parts = (word[:cut], word[cut:])
                vectors = [self._vector(part) for part in parts]
                if all(found is not None for found in vectors):
                    spans = ((start, start + cut), (start + cut, start + len(word)))
                    return [_Token(*entry) for entry in zip(parts, spans, (number, number), vectors, strict=True)]
        return [_Token(word, (start, start + len(word)), number, vector)]

    def _vector(self, word: str) -> NDArray[np.float32] | None:
        try:
            return self._known[word]
        except KeyError:
            found = self._find(word)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[word] = found
        return found

    def _find(self, word: str) -> NDArray[np.float32] | None:
        for spelling in self._spellings(word):
            row = self.table.rows.get(spelling)
            if row is not None:
                composed = None if self.table.compose is None else self.table.compose(spelling)
                return self._checked(spelling, self.table.matrix[row] if composed is None else composed)
        if self.table.compose is None:
            return None
        spelling = word.lower() if self.fold_case == "always" else word
        composed = self.table.compose(spelling)
        return None if composed is None else self._checked(spelling, composed)

    def _spellings(self, word: str) -> Iterator[str]:
        folds: dict[FoldCase, tuple[Callable[[str], str], ...]] = {
            "auto": (str, str.lower, str.title),
            "always": (str.lower,),
            "never": (str,),
        }
        variants = [word, word.replace("’", "'")]
        if sum(char.isdigit() for char in word) > 1:
            variants.append(re.sub(r"\d", "#", word))
        if not word[0].isalnum():
            variants.append(word[0])
        return (fold(variant) for variant in dict.fromkeys(variants) for fold in folds[self.fold_case])

    def _checked(self, word: str, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        if not np.isfinite(vector).all():
            raise ModelError(f"{self.table.name}: NaN or infinity in the vector of {word!r}")
        return np.asarray(vector, dtype=np.float32)

    def _stand_in(self, word: str) -> NDArray[np.float32]:
        if self.oov != "hash":
            return np.zeros(self.dimension, dtype=np.float32)
        vector = hashed_vector(word, self.dimension)
        return (vector * (self._typical_norm / np.linalg.norm(vector))).astype(np.float32)

    @cached_property
    def _typical_norm(self) -> float:
        norms = np.linalg.norm(np.asarray(self.table.matrix[:_NORM_SAMPLE], dtype=np.float64), axis=1)
        return float(norms[norms > 0].mean()) if (norms > 0).any() else 1.0


def _cuts(word: str) -> list[int]:
    """Return where a word with an apostrophe may be parted: do|n't, boy|'s, l'|homme."""
    cuts = [len(word) - 3] if len(word) > 3 and word[-3:].lower() in ("n't", "n’t") else []
    marks = [i for i, char in enumerate(word) if char in "'’" and 0 < i < len(word) - 1]
    return cuts + marks + [i + 1 for i in marks]


def _describe_unknown(unknown: list[str], total: int, policy: str) -> str:
    names = list(dict.fromkeys(unknown))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    done = {"skip": "left out", "zero": "given zero vectors", "hash": "given hashed vectors"}[policy]
    return f"{len(unknown)} of {total} words unknown, {done}: {', '.join(names[:_MOST_NAMED])}{more}"


def _check_choice(option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise OptionError(f"{option}={value!r} is not one of {', '.join(known)}{suggest(value, known)}")
