"""Vectors from a hash of the token: an encoder without weights, for tests."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText
from monge.encoders.identity import compose_identity
from monge.errors import OptionError
from monge.text import word_spans

ALGORITHM = 1  # raise it when a vector changes
_CLS, _SEP = "[CLS]", "[SEP]"
_NEIGHBOUR_SHARE = 0.25  # how much of each neighbour a layer takes in: enough to be contextual, too little to blur


@dataclass(frozen=True)
class HashedEncoder:
    """A deterministic stand-in for a contextual encoder: it knows no meaning and is for tests only.

    Layer 0 of a token is a standard normal vector seeded by blake2b(seed, token), lower-cased. Layer l > 0 is
    ``(1 - 2s)·h[i] + s·h[i-1] + s·h[i+1] + noise(token, l)/4`` of layer l-1 with s = 1/4, so equal tokens in different
    contexts differ, mildly. ``special`` adds [CLS] and [SEP].

    >>> encoded = HashedEncoder(dimension=8).encode(["A boy runs."])[0]
    >>> encoded.tokens, encoded.vectors.shape
    (('A', 'boy', 'runs', '.'), (3, 4, 8))
    """

    dimension: int = 64
    layers: int = 3
    seed: int = 0
    special: bool = False

    def __post_init__(self) -> None:
        if self.dimension < 1 or self.layers < 1:
            raise OptionError(f"dimension and layers must be at least 1, not {self.dimension} and {self.layers}")

    @property
    def signature(self) -> str:
        """``hashed`` with every setting that changes a vector."""
        special = "-special" if self.special else ""
        return f"hashed-{self.dimension}d-{self.layers}l-seed{self.seed}{special}"

    @property
    def identity(self) -> str:
        """The code and every setting; numpy's random streams may differ between its versions."""
        return compose_identity(
            "hashed",
            "numpy",
            "regex",
            dimension=self.dimension,
            layers=self.layers,
            seed=self.seed,
            special=self.special,
        )

    def tokenize(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the words of each text, with [CLS] and [SEP] around them if asked for."""
        return [tuple(token for token, _, _ in self._tokens(text)) for text in texts]

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        """Return the hidden states *layers* (None = all; negative counts from the last) of every text."""
        chosen = range(self.layers) if layers is None else layers
        for layer in chosen:
            if not -self.layers <= layer < self.layers:
                raise OptionError(f"layer {layer} is not among the {self.layers} layers of {self.signature}")
        return [self._encode(text, list(chosen)) for text in texts]

    def _encode(self, text: str, layers: list[int]) -> EncodedText:
        rows = self._tokens(text)
        tokens = tuple(token for token, _, _ in rows)
        special = np.array([is_special for _, _, is_special in rows], dtype=np.bool_)
        return EncodedText(
            text,
            tokens,
            np.array([span for _, span, _ in rows], dtype=np.int64).reshape(-1, 2),
            self._hidden_states(tokens)[layers],
            special,
            np.where(special, -1, np.cumsum(~special) - 1).astype(np.int64),
        )

    def _tokens(self, text: str) -> list[tuple[str, tuple[int, int], bool]]:
        words = [(text[start:end], (start, end), False) for start, end in word_spans(text)]
        if not self.special:
            return words
        return [(_CLS, (0, 0), True), *words, (_SEP, (len(text), len(text)), True)]

    def _hidden_states(self, tokens: tuple[str, ...]) -> NDArray[np.float32]:
        states = np.zeros((self.layers, len(tokens), self.dimension), dtype=np.float64)
        states[0] = self._noise(tokens, 0)
        for layer in range(1, self.layers):
            below = states[layer - 1]
            states[layer] = (1 - 2 * _NEIGHBOUR_SHARE) * below + self._noise(tokens, layer) / 4
            states[layer, 1:] += _NEIGHBOUR_SHARE * below[:-1]
            states[layer, :-1] += _NEIGHBOUR_SHARE * below[1:]
        return states.astype(np.float32)

    def _noise(self, tokens: tuple[str, ...], layer: int) -> NDArray[np.float64]:
        rows = [_draw(token.casefold(), self.dimension, self.seed, layer) for token in tokens]
        return np.array(rows, dtype=np.float64).reshape(-1, self.dimension)


def hashed_vector(token: str, dimension: int, *, seed: int = 0, layer: int = 0) -> NDArray[np.float64]:
    """Return a standard normal vector (dimension,) that depends on nothing but the arguments; case is ignored.

    >>> bool((hashed_vector("Boy", 4) == hashed_vector("boy", 4)).all())
    True
    """
    return _draw(token.casefold(), dimension, seed, layer).copy()


@lru_cache(maxsize=1 << 14)  # most of a text is words that came before, and drawing takes longer than all else
def _draw(token: str, dimension: int, seed: int, layer: int) -> NDArray[np.float64]:
    key = f"{seed}\x1f{layer}\x1f{token}".encode("utf-8", errors="surrogatepass")
    digest = hashlib.blake2b(key, digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little"))).standard_normal(dimension)
