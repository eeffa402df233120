"""What a larger encoder thinks of pairs of texts: the targets of distillation, computed once and kept on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText, Encoder
from monge.encoders.identity import maker_of
from monge.encoders.layers import parse_layers
from monge.storage.identity import stated_identity
from monge.storage.store import Store, make_label

ALGORITHM = 1  # raise it when what is stored for a pair changes
_AT_ONCE = 64  # pairs between two writes: what an interrupted run keeps
Pair = tuple[str, str]  # hypothesis and reference


@dataclass(frozen=True, eq=False)
class Opinion:
    """What a teacher sees in a pair: similarities (n, m) of tokens in its middle layer, and the sentence cosine."""

    similarity: NDArray[np.float16]
    cosine: float


class Teacher:
    """An encoder that is asked about pairs; answers are kept in *store* (None: nowhere) by its identity and the texts.

    Tokens are compared in the ``middle`` layer, special ones left out; sentences by means of the last layer.
    """

    def __init__(self, encoder: Encoder, store: Store | None) -> None:
        self.encoder = encoder
        self.layers = (parse_layers("middle", encoder.layers)[0], encoder.layers - 1)
        identity = stated_identity(encoder)
        self._store = store if identity is not None else None
        self._start = hashlib.sha256(f"teacher={ALGORITHM}\0{identity}\0{self.layers}\0".encode())
        self._label = make_label(f"opinions of {encoder.signature}", maker_of(identity or ""))

    def ask(self, pairs: Sequence[Pair]) -> Iterator[Opinion]:
        """Yield one opinion per pair, in order; after every 64 pairs they are safe on disk."""
        for start in range(0, len(pairs), _AT_ONCE):
            yield from self._ask_some(pairs[start : start + _AT_ONCE])

    def _ask_some(self, pairs: Sequence[Pair]) -> list[Opinion]:
        keys = [self._key(pair) for pair in pairs]
        known = {} if self._store is None else {k: _unpack(blob) for k, blob in self._store.get(keys).items()}
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}
        if missing:
            texts = list(dict.fromkeys(text for pair in missing.values() for text in pair))
            encoded = dict(zip(texts, self.encoder.encode(texts, self.layers), strict=True))
            found = {key: _compare(*(encoded[text] for text in pair)) for key, pair in missing.items()}
            if self._store is not None:
                self._store.put(self._label, {key: _pack(opinion) for key, opinion in found.items()})
            known |= found
        return [known[key] for key in keys]

    def _key(self, pair: Pair) -> bytes:
        made = self._start.copy()
        made.update("\0".join(pair).encode("utf-8", errors="surrogatepass"))
        return made.digest()


def _compare(hypothesis: EncodedText, reference: EncodedText) -> Opinion:
    rows, columns = (_unit(text.vectors[0][~text.special]) for text in (hypothesis, reference))
    first, second = (_unit(text.vectors[1].mean(axis=0, keepdims=True))[0] for text in (hypothesis, reference))
    return Opinion((rows @ columns.T).astype(np.float16), float(first @ second))


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def _pack(opinion: Opinion) -> bytes:
    head = np.array(opinion.similarity.shape, dtype="<i4").tobytes() + np.array([opinion.cosine], dtype="<f4").tobytes()
    return head + opinion.similarity.astype("<f2").tobytes()


def _unpack(blob: bytes) -> Opinion:
    rows, columns = (int(size) for size in np.frombuffer(blob[:8], dtype="<i4"))
    similarity = np.frombuffer(blob[12:], dtype="<f2").reshape(rows, columns)
    return Opinion(similarity, float(np.frombuffer(blob[8:12], dtype="<f4")[0]))
