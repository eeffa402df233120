"""Texts encoded a moment ago, kept in memory: in a service, references and outputs come again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from monge.encoders.base import EncodedText, IdentifiedEncoder
from monge.encoders.layers import parse_layers
from monge.encoders.lazy import EncoderFacts, LazyEncoder

_OVERHEAD = 2_000  # bytes of an encoded text besides its vectors, and its place here


class RecentEncoder(LazyEncoder):
    """An encoder that keeps its last results, up to *most* bytes; those not used for longest are dropped.

    Nothing is written to disk. Several threads may use it; a text that two of them ask for at the same moment may be
    encoded twice.

    >>> from monge.encoders.static.hashed import HashedEncoder
    >>> encoder = RecentEncoder(HashedEncoder(), most=100_000)
    >>> first, second = (encoder.encode(["a text"], [0])[0] for _ in range(2))
    >>> first is second
    True
    """

    def __init__(self, encoder: IdentifiedEncoder, *, most: int) -> None:
        super().__init__(lambda: encoder, EncoderFacts.of(encoder))
        self._most = most
        self._size = 0
        self._kept: OrderedDict[tuple[str, tuple[int, ...]], EncodedText] = OrderedDict()
        self._lock = threading.Lock()

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        """Return one EncodedText per text, with the hidden states *layers* (0 = embeddings; None = all)."""
        chosen = tuple(parse_layers("all" if layers is None else layers, self.layers))
        found = self._find(texts, chosen)
        absent = [text for text in dict.fromkeys(texts) if text not in found]
        if absent:
            made = super().encode(absent, chosen)
            self._keep(made, chosen)
            found |= zip(absent, made, strict=True)
        return [found[text] for text in texts]

    def _find(self, texts: Sequence[str], layers: tuple[int, ...]) -> dict[str, EncodedText]:
        found: dict[str, EncodedText] = {}
        with self._lock:
            for text in texts:
                encoded = self._kept.get((text, layers))
                if encoded is not None:
                    self._kept.move_to_end((text, layers))
                    found[text] = encoded
        return found

    def _keep(self, encoded: Sequence[EncodedText], layers: tuple[int, ...]) -> None:
        with self._lock:
            for one in encoded:
                dropped = self._kept.pop((one.text, layers), None)
                self._size -= _bytes_of(dropped)
                self._kept[one.text, layers] = one
                self._size += _bytes_of(one)
            while self._size > self._most:
                _, oldest = self._kept.popitem(last=False)
                self._size -= _bytes_of(oldest)


def _bytes_of(encoded: EncodedText | None) -> int:
    return 0 if encoded is None else encoded.vectors.nbytes + _OVERHEAD
