"""Never encode twice: hidden states kept on disk by encoder, layer and text."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

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
from monge.encoders.joining import Joining
from monge.encoders.lazy import EncoderFacts, LazyEncoder
from monge.encoders.ragged import EncodedBatch
from monge.encoders.sheets import Sheet, Sheets
from monge.environment import CACHE_DTYPES
from monge.errors import ModelError, OptionError, suggest
from monge.storage.gather import LaidBlobs
from monge.storage.store import Store, make_label

ALGORITHM = 2  # raise it when what is stored for a text changes
_SHEET = "tokens"


class CachedEncoder:
    """An encoder in front of a store: a text is encoded only if it was never encoded before.

    The hidden states of every (text, layer) are stored by themselves under SHA-256(identity, layer, text), so that a
    metric with other layers finds those that it shares; tokens, spans, notes and the share of unknown words are stored
    once per text. When all are there, *encoder* is not called. What a metric makes of the layers of a text alone (their
    power means, the vector of the whole text) is stored as well; the tokens of a text that is read as one vector are
    not. *dtype* float16 halves the disk space at a relative error of 5e-4; since it changes scores, in the first run as
    in the second, it is part of the signature.

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
        known = {text: Sheet.unpack_tokens(blobs[key]) for text, key in keys.items() if key in blobs}
        missing = [text for text in keys if text not in known]
        if missing:
            known.update(zip(missing, self.encoder.tokenize(missing), strict=True))
        return [known[text] for text in texts]

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        """Return one EncodedText per text, with the hidden states *layers* (0 = embeddings; None = all)."""
        chosen = tuple(range(self.layers)) if layers is None else tuple(layers)
        if not all(0 <= layer < self.layers for layer in chosen) or not all(isinstance(text, str) for text in texts):
            return self.encoder.encode(texts, layers)  # which knows what to say
        return self._encode(texts, chosen, chosen)

    def _encode(self, texts: Sequence[str], chosen: tuple[int, ...], kept: Collection[int]) -> list[EncodedText]:
        """Return the texts encoded; of those that are new, the layers *kept* are stored."""
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
            columns = [keys[layer] if layer in kept else None for layer in chosen]
            self.store.put(self._label, self._disassemble(fresh, sheets, columns))
            known.update(zip(missing, fresh, strict=True))
        return [known[text] for text in texts]

    def encode_batch(
        self, texts: Sequence[str], layers: Sequence[int], kept: Collection[int] | None = None
    ) -> EncodedBatch:
        """Return different texts laid end to end; those that are stored are read without making an object of each.

        Of texts that are new, only the layers *kept* are stored (None: all of them).
        """
        stored = self.read_batch(texts, layers)
        if stored is not None:
            return stored
        if kept is None or not all(0 <= layer < self.layers for layer in layers):
            return EncodedBatch.of(self.encode(texts, layers))
        return EncodedBatch.of(self._encode(texts, tuple(layers), kept))

    def read_batch(self, texts: Sequence[str], layers: Sequence[int]) -> EncodedBatch | None:
        """Return different texts laid end to end, if all of them are stored."""
        if len(set(texts)) != len(texts) or not all(0 <= layer < self.layers for layer in layers):
            return None
        laid = self.store.gather(self._list_keys(texts, [*map(str, layers), _SHEET]))
        return None if laid is None else self._lay_out(texts, laid, len(layers))

    def read_joined(self, texts: Sequence[str], layers: Sequence[int], joining: Joining) -> EncodedBatch | None:
        """Return different texts with joined vectors, if all of them are stored."""
        if len(set(texts)) != len(texts) or self._dtype != "float32":
            return None
        laid = self.store.gather(self._list_keys(texts, [_name_joined(layers, joining), _SHEET]))
        if laid is None or not laid.starts[len(texts)]:
            return None
        batch, vectors = self._lay_out(texts, laid, 0), laid.data[: laid.starts[len(texts)]].view(np.float32)
        rows = int((np.diff(batch.offsets) > 0).sum()) if joining.per_text else len(batch.spans)
        return joining.restore(batch, vectors.reshape(rows, -1))

    def keep_joined(
        self, batch: EncodedBatch, vectors: NDArray[np.float32], layers: Sequence[int], joining: Joining
    ) -> None:
        """Store the joined *vectors* of the texts of *batch*; with float16, which was chosen to save space, nothing."""
        if self._dtype != "float32":
            return
        counts = np.diff(batch.offsets)
        ends = np.cumsum(counts > 0 if joining.per_text else counts)[:-1]
        keys = self._keys(batch.texts, _name_joined(layers, joining)).values()
        blobs = {key: rows.tobytes() for key, rows in zip(keys, np.split(vectors, ends), strict=True)}
        self.store.put(self._label, blobs)

    def _lay_out(self, texts: Sequence[str], laid: LaidBlobs, layers: int) -> EncodedBatch:
        """Return the texts from their vectors, layer by layer, followed by the sheets at the end."""
        first = len(laid.starts) - 1 - len(texts)
        bounds = laid.starts[first:] - laid.starts[first]
        sheets = Sheets.read(laid.data[laid.starts[first] :], bounds)
        end = int(laid.starts[layers * len(texts)])
        width = -1 if end else self.dimension  # named layers may be wider or narrower than the last
        vectors = laid.data[:end].view(self._dtype).reshape(layers, len(sheets.numbers), width)
        return EncodedBatch(
            texts,
            sheets.tokens,
            sheets.numbers[:, :2],
            vectors.astype(np.float32, copy=False),
            sheets.numbers[:, 3] != 0,
            sheets.numbers[:, 2],
            np.concatenate([[0], np.cumsum(sheets.counts)]),
            sheets.notes,
            sheets.unknown,
        )

    def _keys(self, texts: Iterable[str], part: str) -> dict[str, bytes]:
        different = list(dict.fromkeys(texts))
        return dict(zip(different, self._list_keys(different, [part]), strict=True))

    def _list_keys(self, texts: Sequence[str], parts: Sequence[str]) -> list[bytes]:
        """Return the keys of the first part of every text, then of the second part …"""
        contents = [text.encode("utf-8", errors="surrogatepass") for text in texts]
        keys = []
        for part in parts:
            begin = hashlib.sha256(f"{self._prefix}{part}\0".encode()).copy
            for content in contents:
                digest = begin()
                digest.update(content)
                keys.append(digest.digest())
        return keys

    def _assemble(self, text: str, sheet: bytes | None, columns: Sequence[bytes | None]) -> EncodedText | None:
        if sheet is None or any(column is None for column in columns):
            return None
        known = Sheet.unpack(sheet)
        rows = len(known.tokens)
        flat = [np.frombuffer(column or b"", dtype=self._dtype) for column in columns]
        states = [column.reshape(rows, len(column) // rows if rows else self.dimension) for column in flat]
        vectors = states[0][None] if len(states) == 1 else np.stack(states)
        return known.finish(text, vectors.astype(np.float32, copy=False))

    def _disassemble(
        self, encoded: Iterable[EncodedText], sheets: Mapping[str, bytes], columns: Sequence[Mapping[str, bytes] | None]
    ) -> dict[bytes, bytes]:
        blobs: dict[bytes, bytes] = {}
        for one in encoded:
            blobs[sheets[one.text]] = Sheet.of(one).pack()
            for states, column in zip(one.vectors, columns, strict=True):
                if column is not None:
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


def _name_joined(layers: Sequence[int], joining: Joining) -> str:
    return f"{','.join(map(str, layers))} {joining.name}"


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
