"""Transformer encoders: tokens, windows and batches around a backend that computes hidden states."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText
from monge.encoders.batching import cut_batches, run_batches
from monge.encoders.checkpoint import Checkpoint
from monge.encoders.layers import parse_layers
from monge.encoders.plan import TransformerPlan
from monge.encoders.tokenized import TokenizedText, check_texts, find_unknown_ids, marks_spaces
from monge.encoders.windows import Window, plan_windows
from monge.errors import InputError, OptionError

FloatArray = NDArray[np.float32]

ALGORITHM = 2  # raise it when tokens, windows, batches or unknown words are found otherwise
LONG_POLICIES = ("window", "truncate", "error")


class Backend(Protocol):
    """What computes hidden states.

    ``window`` is the most tokens a text may have, ``budget`` how many tokens make a good batch, ``workers`` how many
    calls may overlap.
    """

    layers: int
    dimension: int
    window: int | None
    budget: int
    workers: int

    def hidden_states(
        self, ids: NDArray[np.int64], lengths: NDArray[np.int32], layers: Sequence[int]
    ) -> list[FloatArray]:
        """Return the hidden states *layers*, each (B, S, d), of right-padded *ids* (B, S)."""
        ...


@dataclass(frozen=True)
class Piece:
    """Tokens of one text that go through the model together, special tokens included."""

    text: int
    ids: NDArray[np.int64]
    kept: slice  # of the piece
    target: slice  # of the text's tokens


# by identity and title; metrics that use the same model share its weights as long as one of them lives
_LOADED: WeakValueDictionary[tuple[str, str], TransformerEncoder] = WeakValueDictionary()
_LOADING = threading.Lock()


def load_transformer(plan: TransformerPlan) -> TransformerEncoder:
    """Return what *plan* describes: the encoder that is in use already, or a new one."""
    key = (plan.identity, plan.title)
    with _LOADING:
        encoder = _LOADED.get(key)
        if encoder is None:
            encoder = _LOADED[key] = _load(plan)
        return encoder


def _load(plan: TransformerPlan) -> TransformerEncoder:
    from monge.encoders.torch_backend import TorchBackend, load_tokenizer

    backend: Backend
    if plan.backend == "onnx":
        from monge.encoders.onnx.backend import OnnxBackend

        checkpoint = Checkpoint(plan.directory, dict(plan.config), plan.adapter)
        backend = OnnxBackend(checkpoint, device=plan.device, dtype=plan.dtype)
    else:
        backend = TorchBackend(plan.directory, device=plan.device, dtype=plan.dtype, adapter=plan.adapter)
    tokenizer = load_tokenizer(plan.directory)
    named = f"{plan.title}@{plan.weights[:8]}.{_reading_hash(tokenizer, plan.config)}"
    named += "" if plan.adapter is None else f"+{plan.adapter.digest[:8]}"
    signature = named + ("" if plan.dtype == "float32" else f"/{plan.dtype}")
    return TransformerEncoder(tokenizer, backend, signature=signature, identity=plan.identity, long=plan.long)


# what a config may say without changing a number
_REMARKS = ("_name_or_path", "architectures", "transformers_version", "torch_dtype", "dtype", "use_cache")


def _reading_hash(tokenizer: Any, config: Mapping[str, Any]) -> str:
    """Return four digits that name how texts are cut and weights are read: the same weights may be used otherwise."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    settings = {key: value for key, value in config.items() if key not in _REMARKS}
    content = tokenizer.to_str() + json.dumps(settings, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:4]


class TransformerEncoder:
    """An :class:`~monge.encoders.base.Encoder` over a fast tokenizer and a :class:`Backend`.

    *long* says what happens to a text of more tokens than the model takes: ``window`` encodes overlapping windows and
    takes each token from the window in which it is most central, ``truncate`` drops the rest, ``error`` raises. The
    notes report the first two. Equal texts are encoded once. *identity* says what computes the vectors
    (:class:`~monge.encoders.base.Identified`).
    """

    def __init__(
        self, tokenizer: Any, backend: Backend, *, signature: str, identity: str, long: str = "window"
    ) -> None:
        if long not in LONG_POLICIES:
            raise OptionError(f"long must be one of {', '.join(LONG_POLICIES)}, not {long!r}")
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._unknown_ids = find_unknown_ids(tokenizer)
        self._sheet = TokenizedText.of_pieces if marks_spaces(tokenizer) else TokenizedText.of
        self._backend = backend
        self._long = long
        self._identity = identity
        self._signature = signature if long == "window" else f"{signature}/long-{long}"

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def signature(self) -> str:
        return self._signature

    @property
    def layers(self) -> int:
        return self._backend.layers

    @property
    def dimension(self) -> int:
        return self._backend.dimension

    def tokenize(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the tokens ``encode`` would return, special ones included, without computing vectors."""
        unique = list(dict.fromkeys(texts))
        tokens = {e.text: e.tokens for e in (self._read(t, e)[0] for t, e in self._encodings(unique))}
        return [tokens[text] for text in texts]

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        """Return one EncodedText per text, with the hidden states *layers* (0 = embeddings; None = all)."""
        chosen = parse_layers("all" if layers is None else layers, self.layers)
        unique = list(dict.fromkeys(texts))
        sheets: list[TokenizedText] = []
        pieces: list[Piece] = []
        for number, (text, encoding) in enumerate(self._encodings(unique)):
            sheet, cuts = self._read(text, encoding)
            sheets.append(sheet)
            pieces += self._cut(number, sheet, cuts)
        vectors = [np.empty((len(chosen), len(s.tokens), self.dimension), dtype=np.float32) for s in sheets]
        self._compute(pieces, chosen, vectors)
        encoded = {s.text: s.finish(v) for s, v in zip(sheets, vectors, strict=True)}
        return [encoded[text] for text in texts]

    def _compute(self, pieces: list[Piece], layers: tuple[int, ...], vectors: list[FloatArray]) -> None:
        def work(batch: list[int]) -> None:
            lengths = np.array([len(pieces[i].ids) for i in batch], dtype=np.int32)
            ids = np.zeros((len(batch), int(lengths.max())), dtype=np.int64)
            for row, i in enumerate(batch):
                ids[row, : lengths[row]] = pieces[i].ids
            for number, states in enumerate(self._backend.hidden_states(ids, lengths, layers)):
                for row, i in enumerate(batch):
                    vectors[pieces[i].text][number, pieces[i].target] = states[row, pieces[i].kept]

        batches = cut_batches([len(piece.ids) for piece in pieces], budget=self._backend.budget)
        run_batches(work, batches, workers=self._backend.workers)

    def _encodings(self, texts: list[str]) -> list[tuple[str, Any]]:
        check_texts(texts)
        return list(zip(texts, self._tokenizer.encode_batch(texts), strict=True))

    def _read(self, text: str, encoding: Any) -> tuple[TokenizedText, tuple[Window, ...]]:
        """Turn a tokenizer's encoding into a sheet of tokens and the windows to run, after the *long* policy."""
        sheet = self._sheet(text, encoding, self._unknown_ids)
        count = len(sheet.ids) - sheet.before - sheet.after
        window = self._backend.window
        room = count if window is None else window - sheet.before - sheet.after
        if count <= room:
            return sheet, plan_windows(count, max(count, 1))
        if self._long == "error":
            start = f"{text[:60]}…" if len(text) > 60 else text
            raise InputError(f"the text {start!r} has {count} tokens; {self._signature} takes {room} at most")
        if self._long == "truncate":
            return sheet.cut(room, f"cut at {room} of {count} tokens"), plan_windows(room, room)
        windows = plan_windows(count, room)
        return sheet.noted(f"encoded in {len(windows)} windows"), windows

    @staticmethod
    def _cut(number: int, sheet: TokenizedText, windows: tuple[Window, ...]) -> list[Piece]:
        before, end = sheet.before, len(sheet.ids) - sheet.after
        pieces = []
        for k, w in enumerate(windows):
            ids = np.concatenate([sheet.ids[:before], sheet.ids[before + w.start : before + w.stop], sheet.ids[end:]])
            first, last = k == 0, k == len(windows) - 1
            kept = slice(
                0 if first else before + w.keep_start - w.start, len(ids) if last else before + w.keep_stop - w.start
            )
            target = slice(0 if first else before + w.keep_start, len(sheet.ids) if last else before + w.keep_stop)
            pieces.append(Piece(number, ids, kept, target))
        return pieces
