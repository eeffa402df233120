"""A text as a fast tokenizer sees it, before it has vectors."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText
from monge.encoders.unknown import unknown_share

_UNKNOWN = ("[UNK]", "<unk>")  # what BERT-like and SentencePiece-like tokenizers put for what they cannot spell


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
    def of(cls, text: str, encoding: Any, unknown_tokens: Collection[str]) -> TokenizedText:
        special = np.array(encoding.special_tokens_mask, dtype=bool)
        n = len(special)
        content = np.flatnonzero(~special)
        spans = np.array(encoding.offsets, dtype=np.int64).reshape(n, 2)
        spans[special] = 0
        unknown = [i for i, token in enumerate(encoding.tokens) if token in unknown_tokens]
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


def find_unknown_tokens(tokenizer: Any) -> frozenset[str]:
    """Return what a tokenizer may put for a text that it cannot spell: the usual names, and the one it declares."""
    declared = getattr(tokenizer.model, "unk_token", None)
    return frozenset(_UNKNOWN) | ({declared} if declared else set())
