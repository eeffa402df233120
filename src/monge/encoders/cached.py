"""Never encode twice: hidden states kept on disk by encoder, layer and text."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import (
    EncodedText,
    Identified,
    IdentifiedEncoder,
    layer_names_of,
    pool_sentence,
    sentence_layer_of,
)
from monge.encoders.identity import maker_of
from monge.encoders.lazy import EncoderFacts, LazyEncoder
from monge.encoders.ragged import EncodedBatch
from monge.environment import CACHE_DTYPES
from monge.errors import ModelError, OptionError, suggest
from monge.storage.store import Store, make_label

ALGORITHM = 2  # raise it when what is stored for a text changes
_SHEET = "tokens"


class CachedEncoder:
    """An encoder in front of a store: a text is encoded only if it was never encoded before.

    The hidden states of every (text, layer) are stored by themselves under SHA-256(identity, layer, text), so that a
    metric with other layers finds those that it shares; tokens, spans, notes and the share of unknown words are stored
    once per text. When all
    are there, *encoder* is not called. *dtype* float16 halves the disk space at a relative error of 5e-4; since it
    changes scores, in the first run as in the second, it is part of the signature.

    Raises OptionError for an unknown *dtype* and for an encoder that does not say what computes its vectors.
    """

    def __init__(self, encoder: IdentifiedEncoder, store: Store, *, dtype: str = "float32") -> None:
        if dtype not in CACHE_DTYPES:
            raise OptionError(f"cache dtype {dtype!r}{suggest(dtype, CACHE_DTYPES)}: must be float32 or float16")
        if not isinstance(encoder, Identified):
            raise OptionError(f"{type(encoder).__name__} has no identity: its vectors cannot be stored")
        self.encoder = encoder
        self.store = store
        self._dtype = dtype
        self._prefix = f"cached={ALGORITHM}\0{self.identity}\0"
        self._label = make_label(self.signature, f"cached={ALGORITHM} {maker_of(self.identity)}".rstrip())

    @property
    def identity(self) -> str:
        return self.encoder.identity + ("" if self._dtype == "float32" else f" stored={self._dtype}")

    @property
    def signature(self) -> str:
        return self.encoder.signature + ("" if self._dtype == "float32" else f",cache={self._dtype}")

    @property
    def layers(self) -> int:
        return self.encoder.layers

    @property
    def dimension(self) -> int:
        return self.encoder.dimension

    @property
    def layer_names(self) -> tuple[str, ...]:
        return layer_names_of(self.encoder)

    @property
    def sentence_layer(self) -> int | None:
        return sentence_layer_of(self.encoder)

    def pool(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the encoder's own vector of a text, from the states of all its tokens in ``sentence_layer``."""
        return pool_sentence(self.encoder, vectors)

    def tokenize(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the tokens ``encode`` would return, without computing vectors."""
        keys = self._keys(texts, _SHEET)
        blobs = self.store.get(list(keys.values()))
        known = {text: _Sheet.unpack_tokens(blobs[key]) for text, key in keys.items() if key in blobs}
        missing = [text for text in keys if text not in known]
        if missing:
            known.update(zip(missing, self.encoder.tokenize(missing), strict=True))
        return [known[text] for text in texts]

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        """Return one EncodedText per text, with the hidden states *layers* (0 = embeddings; None = all)."""
        chosen = tuple(range(self.layers)) if layers is None else tuple(layers)
        if not all(0 <= layer < self.layers for layer in chosen) or not all(isinstance(text, str) for text in texts):
            return self.encoder.encode(texts, layers)  # which knows what to say
        keys = {layer: self._keys(texts, str(layer)) for layer in chosen}
        sheets = self._keys(texts, _SHEET)
        blobs = self.store.get([*sheets.values(), *(key for column in keys.values() for key in column.values())])
        known: dict[str, EncodedText] = {}
        for text, sheet in sheets.items():
            found = self._assemble(text, blobs.get(sheet), [blobs.get(keys[layer][text]) for layer in chosen])
            if found is not None:
                known[text] = found
        missing = [text for text in sheets if text not in known]
        if missing:
            fresh = [self._round(one) for one in self.encoder.encode(missing, chosen)]
            self.store.put(self._label, self._disassemble(fresh, sheets, [keys[layer] for layer in chosen]))
            known.update(zip(missing, fresh, strict=True))
        return [known[text] for text in texts]

    def encode_batch(self, texts: Sequence[str], layers: Sequence[int]) -> EncodedBatch:
        """Return different texts laid end to end; those that are stored are read without making an object of each."""
        chosen = tuple(layers)
        if len(set(texts)) != len(texts) or not all(0 <= layer < self.layers for layer in chosen):
            return EncodedBatch.of(self.encode(texts, chosen))
        columns = [list(self._keys(texts, str(layer)).values()) for layer in chosen]
        sheets = list(self._keys(texts, _SHEET).values())
        blobs = self.store.get([key for keys in zip(sheets, *columns, strict=True) for key in keys])
        if not all(key in blobs for keys in (sheets, *columns) for key in keys):
            return EncodedBatch.of(self.encode(texts, chosen))
        known = [_Sheet.split(blobs[key]) for key in sheets]
        counts = [len(numbers) // 16 for numbers, _ in known]
        numbers = np.frombuffer(b"".join(numbers for numbers, _ in known), dtype="<i4").reshape(-1, 4).astype(np.int64)
        joined = b"".join([blobs[key] for keys in columns for key in keys])
        width = -1 if joined else self.dimension  # named layers may be wider or narrower than the last
        vectors = np.frombuffer(joined, dtype=self._dtype).reshape(len(chosen), len(numbers), width)
        rest = [json.loads(data) for _, data in known]
        return EncodedBatch(
            texts,
            [tuple(tokens) for tokens, _, _ in rest],
            numbers[:, :2],
            vectors.astype(np.float32, copy=False),
            numbers[:, 3] != 0,
            numbers[:, 2],
            np.cumsum([0, *counts]),
            [tuple(notes) for _, notes, _ in rest],
            np.array([unknown for _, _, unknown in rest], dtype=np.float64),
        )

    def _keys(self, texts: Iterable[str], part: str) -> dict[str, bytes]:
        start = hashlib.sha256(f"{self._prefix}{part}\0".encode())
        keys: dict[str, bytes] = {}
        for text in texts:
            if text not in keys:
                digest = start.copy()
                digest.update(text.encode("utf-8", errors="surrogatepass"))
                keys[text] = digest.digest()
        return keys

    def _assemble(self, text: str, sheet: bytes | None, columns: Sequence[bytes | None]) -> EncodedText | None:
        if sheet is None or any(column is None for column in columns):
            return None
        known = _Sheet.unpack(sheet)
        rows = len(known.tokens)
        flat = [np.frombuffer(column or b"", dtype=self._dtype) for column in columns]
        states = [column.reshape(rows, len(column) // rows if rows else self.dimension) for column in flat]
        vectors = states[0][None] if len(states) == 1 else np.stack(states)
        return known.finish(text, vectors.astype(np.float32, copy=False))

    def _disassemble(
        self, encoded: Iterable[EncodedText], sheets: Mapping[str, bytes], columns: Sequence[Mapping[str, bytes]]
    ) -> dict[bytes, bytes]:
        blobs: dict[bytes, bytes] = {}
        for one in encoded:
            blobs[sheets[one.text]] = _Sheet.of(one).pack()
            for states, column in zip(one.vectors, columns, strict=True):
                blobs[column[one.text]] = states.astype(self._dtype).tobytes()
        return blobs

    def _round(self, encoded: EncodedText) -> EncodedText:
        """Return what reading back would give, so that a first run scores as every later one."""
        if self._dtype == "float32":
            return encoded
        with np.errstate(over="ignore"):
            rounded = encoded.vectors.astype(np.float16)
        if not np.isfinite(rounded).all():
            raise ModelError(f"float16 cannot hold the vectors of {self.encoder.signature}: cache them as float32")
        return dataclasses.replace(encoded, vectors=rounded.astype(np.float32))


class _Sheet(NamedTuple):
    """The tokens of a text, without vectors."""

    tokens: tuple[str, ...]
    spans: NDArray[np.int64]
    special: NDArray[np.bool_]
    words: NDArray[np.int64]
    notes: tuple[str, ...]
    unknown: float

    @classmethod
    def of(cls, encoded: EncodedText) -> _Sheet:
        return cls(encoded.tokens, encoded.spans, encoded.special, encoded.words, encoded.notes, encoded.unknown)

    def finish(self, text: str, vectors: NDArray[np.float32]) -> EncodedText:
        return EncodedText(text, self.tokens, self.spans, vectors, self.special, self.words, self.notes, self.unknown)

    def pack(self) -> bytes:
        numbers = np.column_stack([self.spans, self.words, self.special]).astype("<i4").tobytes()
        rest = json.dumps([self.tokens, self.notes, self.unknown]).encode("ascii")
        return len(numbers).to_bytes(4, "little") + numbers + rest

    @staticmethod
    def split(data: bytes) -> tuple[bytes, bytes]:
        """Return the numbers of the tokens, 16 bytes each, and the rest as JSON."""
        end = 4 + int.from_bytes(data[:4], "little")
        return data[4:end], data[end:]

    @classmethod
    def unpack_tokens(cls, data: bytes) -> tuple[str, ...]:
        return tuple(json.loads(cls.split(data)[1])[0])

    @classmethod
    def unpack(cls, data: bytes) -> _Sheet:
        packed, rest = cls.split(data)
        tokens, notes, unknown = json.loads(rest)
        numbers = np.frombuffer(packed, dtype="<i4").reshape(len(tokens), 4).astype(np.int64)
        return cls(tuple(tokens), numbers[:, :2], numbers[:, 3] != 0, numbers[:, 2], tuple(notes), unknown)


def load_cached(
    load: Callable[[], IdentifiedEncoder], *, identity: str, title: str, store: Store, dtype: str = "float32"
) -> CachedEncoder:
    """Return the encoder that *load* makes, behind the cache; it is loaded only once a text is not in the cache.

    *identity* and *title* decide which encoder *load* makes: its signature, layers and dimension are remembered under
    them, so that they are known without loading.
    """
    content = f"facts={ALGORITHM}\0{identity}\0{title}"
    key = hashlib.sha256(content.encode("utf-8", errors="surrogateescape")).digest()
    note = store.get([key]).get(key)
    if note is not None:
        return CachedEncoder(LazyEncoder(load, EncoderFacts(**json.loads(note))), store, dtype=dtype)
    encoder = load()
    facts = json.dumps(dataclasses.asdict(EncoderFacts.of(encoder))).encode()
    store.put(make_label("encoders known", f"cached={ALGORITHM}"), {key: facts})
    return CachedEncoder(encoder, store, dtype=dtype)
