"""A text as a fast tokenizer sees it, before it has vectors."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText
from monge.encoders.unknown import unknown_share
from monge.errors import InputError
from monge.text import word_spans

ALGORITHM = 1  # raise it when the pieces of SentencePiece models get other spans or words
_UNKNOWN = ("[UNK]", "<unk>")  # what BERT-like and SentencePiece-like tokenizers put for what they cannot spell
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class TokenizedText:
    """Token ids and the fields of :class:`EncodedText`; ``before`` and ``after`` count special tokens at the ends."""

    text: str
    ids: NDArray[np.int64]
    tokens: tuple[str, ...]
    spans: NDArray[np.int64]
    special: NDArray[np.bool_]
    words: NDArray[np.int64]
    before: int
    after: int
    notes: tuple[str, ...] = ()
    unknown: float = 0.0

    @classmethod
    def of(cls, text: str, encoding: Any, unknown_ids: Collection[int]) -> TokenizedText:
        """Read the *encoding* of a text; *unknown_ids* are the ids of tokens that stand for unknown characters."""
        special = np.array(encoding.special_tokens_mask, dtype=bool)
        n = len(special)
        content = np.flatnonzero(~special)
        spans = np.array(encoding.offsets, dtype=np.int64).reshape(n, 2)
        spans[special] = 0
        unknown = [i for i, number in enumerate(encoding.ids) if number in unknown_ids]
        return cls(
            notes=(f"{len(unknown)} of {n} tokens unknown to the encoder",) if unknown else (),
            unknown=unknown_share(text, [encoding.offsets[i] for i in unknown]),
            text=text,
            ids=np.array(encoding.ids, dtype=np.int64),
            tokens=tuple(encoding.tokens),
            spans=spans,
            special=special,
            words=np.array([-1 if w is None else w for w in encoding.word_ids], dtype=np.int64),
            before=int(content[0]) if len(content) else n,
            after=n - 1 - int(content[-1]) if len(content) else 0,
        )

    @classmethod
    def of_pieces(cls, text: str, encoding: Any, unknown_ids: Collection[int]) -> TokenizedText:
        """Read the *encoding* of a SentencePiece tokenizer, which knows words by the spaces before them.

        Spaces do not part the words of Chinese or the punctuation from a word, so the words are those of
        ``word_spans``: a piece belongs to the word in which it begins. Spans leave out the space before a piece.
        """
        sheet = cls.of(text, encoding, unknown_ids)
        starts = np.array([start for start, _ in word_spans(text)], dtype=np.int64)
        spans = sheet.spans.copy()
        for row in np.flatnonzero(~sheet.special):
            start, end = spans[row]
            while start < end and text[start].isspace():
                start += 1
            spans[row, 0] = start
        words = np.searchsorted(starts, spans[:, 0], side="right") - 1
        return replace(sheet, spans=spans, words=np.where(sheet.special, -1, np.maximum(words, 0)))

    def noted(self, note: str) -> TokenizedText:
        return replace(self, notes=(*self.notes, note))

    def cut(self, room: int, note: str) -> TokenizedText:
        """Keep the special tokens and the first *room* others."""
        n = len(self.ids)
        keep = np.r_[0 : self.before + room, n - self.after : n]
        return replace(
            self.noted(note),
            ids=self.ids[keep],
            tokens=tuple(self.tokens[i] for i in keep),
            spans=self.spans[keep],
            special=self.special[keep],
            words=self.words[keep],
        )

    def finish(self, vectors: NDArray[np.float32]) -> EncodedText:
        return EncodedText(
            self.text, self.tokens, self.spans, vectors, self.special, self.words, self.notes, self.unknown
        )


def find_unknown_ids(tokenizer: Any) -> frozenset[int]:
    """Return the ids that a tokenizer may put for a text that it cannot spell: of the usual names, and its own.

    The ids, because the tokens of SentencePiece models show the characters that are unknown.
    """
    names = (*_UNKNOWN, getattr(tokenizer.model, "unk_token", None))
    found = (tokenizer.token_to_id(name) for name in names if name)
    return frozenset(number for number in found if number is not None)


def marks_spaces(tokenizer: Any) -> bool:
    """Whether a tokenizer knows words by the spaces before them, as SentencePiece models do."""
    return "Metaspace" in repr(tokenizer.pre_tokenizer)


def check_texts(texts: Sequence[str]) -> None:
    """Raise InputError for anything that is not text, or half of a surrogate pair."""
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"an encoder reads texts, not {type(text).__name__}: {text!r:.60}")
        if not text.isascii() and _SURROGATE.search(text):
            raise InputError(f"half of a surrogate pair (not a character) in the text {text[:60]!r}")
