"""Static word vectors and vectors of words in context, joined into one (Echizen'ya, Araki and Hovy)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText, Encoder
from monge.encoders.context import ContextEncoder
from monge.encoders.identity import compose_identity
from monge.encoders.unit import unit_vectors
from monge.encoders.unknown import unknown_share
from monge.errors import OptionError, suggest
from monge.storage.identity import stated_identity
from monge.text import word_spans

ALGORITHM = 1  # raise it when a vector changes
Join = Literal["auto", "sum", "direct"]
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JoinedEncoder:
    """r = (1 − α)·s + α·c of the vector s of a word and its context vector c, both scaled to length 1 first.

    With ``join`` "sum" both must have the same length. "direct" puts them side by side, ((1 − α)·s, α·c), which is
    their sum where the two spaces have nothing in common; "auto" adds where that is possible. ``normalise`` False
    leaves lengths as they are. A word that only one of the two knows has that vector alone; one that neither knows has
    none (zero). With several seeds, the joined vectors of all of them, at length 1, are put side by side.
    """

    static: Encoder
    context: ContextEncoder
    alpha: float = 0.1
    join: Join = "auto"
    normalise: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise OptionError(f"alpha={self.alpha}: must be between 0 and 1")
        if self.join not in get_args(Join):
            near = suggest(str(self.join), get_args(Join))
            raise OptionError(f"join={self.join!r}{near}: must be one of {', '.join(get_args(Join))}")
        ours, theirs = self.static.dimension, self.context.size
        if self.join == "sum" and ours != theirs:
            raise OptionError(
                f"join=sum: vectors of {ours} dimensions and context vectors of {theirs} cannot be added; use "
                f"join=direct, or train the context with --dimension {ours}"
            )

    @property
    def adds(self) -> bool:
        """Whether the two vectors are added up, not put side by side."""
        return self.join != "direct" and self.static.dimension == self.context.size

    @property
    def signature(self) -> str:
        """Both encoders and how they are joined."""
        how = f"alpha={float(self.alpha)!r},join={'sum' if self.adds else 'direct'}"
        return f"{self.static.signature}+{self.context.signature},{how}{'' if self.normalise else ',raw'}"

    @property
    def identity(self) -> str | None:
        """The code, both encoders and how they are joined; None if the first does not say what computes it."""
        own = stated_identity(self.static)
        if own is None:
            return None
        made = compose_identity("joined", "numpy", alpha=float(self.alpha), adds=self.adds, normalise=self.normalise)
        return f"{made} + {own} + {self.context.identity}"

    @property
    def layers(self) -> int:
        """One: the last of the first encoder, joined with the context."""
        return 1

    @property
    def dimension(self) -> int:
        """The length of a joined vector."""
        own = self.static.dimension
        return (own if self.adds else own + self.context.size) * len(self.context.seeds)

    def tokenize(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the tokens of the first encoder."""
        return self.static.tokenize(texts)

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        """Return vectors of shape (1, n, d) for each text."""
        for layer in layers or ():
            if layer not in (0, -1):
                raise OptionError(f"layer {layer}: joined vectors have one layer, 0")
        copies = 1 if layers is None else len(layers)
        encoded = self.static.encode(texts, [self.static.layers - 1])
        pairs = zip(encoded, self.context.states(texts), strict=True)
        return [self._join_text(one, states, copies) for one, states in pairs]

    def _join_text(self, encoded: EncodedText, states: Array, copies: int) -> EncodedText:
        tokens = _spread(encoded, states)
        joined = np.concatenate([self._join(encoded.vectors[0], own) for own in tokens], axis=-1)
        lost = ~joined.any(axis=-1) & ~encoded.special
        spans = [(int(a), int(b)) for (a, b), is_lost in zip(encoded.spans, lost, strict=True) if is_lost]
        named = ", ".join(dict.fromkeys(encoded.text[a:b] for a, b in spans[:5]))
        notes = (f"{len(spans)} of {len(encoded.tokens)} words known to neither vectors nor context: {named}",)
        return replace(
            encoded,
            vectors=np.repeat(joined[None].astype(np.float32), copies, axis=0),
            notes=notes if spans else (),
            unknown=unknown_share(encoded.text, spans),
        )

    def _join(self, static: NDArray[np.float32], context: Array) -> Array:
        """Return the joined vectors (n, d) of the tokens of one text and one seed, at length 1."""
        one = (unit_vectors(static) if self.normalise else static).astype(np.float64)
        two = unit_vectors(context) if self.normalise else context
        has_one, has_two = static.any(axis=-1, keepdims=True), context.any(axis=-1, keepdims=True)
        one = np.where(has_two, (1 - self.alpha) * one, one)
        two = np.where(has_one, self.alpha * two, two)
        return unit_vectors(one + two if self.adds else np.concatenate([one, two], axis=-1))


def _spread(encoded: EncodedText, states: Array) -> Array:
    """Return the states (seeds, tokens, size) of the words that the tokens belong to; zero for special tokens."""
    starts = np.array([start for start, _ in word_spans(encoded.text)], dtype=np.int64)
    if not len(starts):
        return np.zeros((states.shape[0], len(encoded.tokens), states.shape[2]))
    words = np.maximum(np.searchsorted(starts, encoded.spans[:, 0], side="right") - 1, 0)
    return np.where(encoded.special[None, :, None], 0.0, states[:, words])
