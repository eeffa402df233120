"""Llama-like language models from a GGUF file, on onnxruntime, without torch."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from monge.encoders.batching import available_cores, cut_batches, run_batches
from monge.encoders.onnx.session import OnnxSession
from monge.errors import InputError
from monge.lm.base import Continuation, TokenProbabilities
from monge.lm.bpe import build_tokenizer
from monge.lm.casing import CaseRestorer
from monge.lm.gguf import GgufFile
from monge.lm.llama import LlamaShape, decoder_graph, head_graph, rotary_tables

ALGORITHM = 1  # raise it when tokens, windows or the graph change a probability
WINDOW = 1024  # tokens that are read at once: attention takes memory with their square
_BUDGET = 256  # tokens of a batch: more leave the processor's caches
_ROWS = 256  # logits that are in memory at once: each is a row of the vocabulary's length

_PARTS = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")


@dataclass(frozen=True)
class _Piece:
    """Token ids that are read at once; those from ``first`` on are scored, and belong to ``target`` of the text."""

    text: int
    ids: NDArray[np.int64]
    first: int
    target: slice


class LlamaModel:
    """A :class:`~monge.lm.base.LanguageModel` over a GGUF file.

    Every text begins after the token that separates documents, so that its first token has a probability too. Texts of
    more than 1,024 tokens are read in windows that overlap by half, which their notes report.
    """

    def __init__(self, path: Path, *, signature: str, identity: str, languages: tuple[str, ...] = ()) -> None:
        self._path = path
        self._file = GgufFile(path)
        self._shape = LlamaShape.of(self._file)
        self._tokenizer = build_tokenizer(self._file)
        self._casing = CaseRestorer(self._tokenizer)
        self._start = int(self._file.metadata.get("tokenizer.ggml.unknown_token_id", 0))  # <|endoftext|>
        self._window = min(WINDOW, self._shape.window)
        self._cos, self._sin = rotary_tables(self._shape, self._window)
        self._signature = signature
        self._identity = identity
        self._languages = languages
        self._sessions: list[OnnxSession] = []
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        facts = {"signature": self._signature, "identity": self._identity, "languages": self._languages}
        return partial(LlamaModel, self._path, **facts), ()  # type: ignore[arg-type]

    @property
    def signature(self) -> str:
        return self._signature

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def languages(self) -> tuple[str, ...]:
        return self._languages

    def restore_case(self, text: str) -> str:
        """Return a text without capitals with those that the vocabulary prefers; others unchanged."""
        return self._casing.restore(text)

    def score(self, texts: Sequence[Continuation]) -> list[TokenProbabilities]:
        """Return the log-probabilities of the tokens of every text, in order."""
        unique = list(dict.fromkeys(texts))
        sheets = [self._tokenize(one) for one in unique]
        pieces = [piece for number, sheet in enumerate(sheets) for piece in self._cut(number, sheet)]
        values = [np.zeros(len(sheet.ids)) for sheet in sheets]
        self._compute(pieces, values)
        found = {
            one: TokenProbabilities(one.text, sheet.tokens, sheet.spans, own, sheet.notes(self._window))
            for one, sheet, own in zip(unique, sheets, values, strict=True)
        }
        return [found[one] for one in texts]

    def _tokenize(self, one: Continuation) -> _Sheet:
        """Cut prompt and text on their own; a blank at the end of the prompt belongs to the text's first token."""
        for text in one:
            if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
                raise InputError(f"half of a surrogate pair (not a character) in the text {text[:60]!r}")
        blank = one.prompt.endswith(" ") and bool(one.text)
        before = self._tokenizer.encode(one.prompt[:-1] if blank else one.prompt, add_special_tokens=False)
        encoding = self._tokenizer.encode(" " * blank + one.text, add_special_tokens=False)
        spans = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
        return _Sheet(
            np.array([self._start, *before.ids], dtype=np.int64),
            np.array(encoding.ids, dtype=np.int64),
            tuple(encoding.tokens),
            np.maximum(spans - blank, 0),
        )

    def _cut(self, number: int, sheet: _Sheet) -> list[_Piece]:
        ids = np.concatenate([sheet.prompt, sheet.ids])
        offset, pieces, done = len(sheet.prompt), [], len(sheet.prompt)
        start = 0
        while done < len(ids):
            if done > start + self._window - 1:
                start = done - self._window // 2
            stop = min(start + self._window, len(ids))
            pieces.append(_Piece(number, ids[start:stop], done - start, slice(done - offset, stop - offset)))
            done = stop
        return pieces

    def _compute(self, pieces: list[_Piece], values: list[NDArray[np.float64]]) -> None:
        layers, head, words = self._open() if pieces else ([], None, np.zeros((0, 0), dtype=np.float32))

        def work(batch: list[int]) -> None:
            assert head is not None
            own = [pieces[i] for i in batch]
            longest = max(len(piece.ids) for piece in own) - 1
            ids = np.zeros((len(own), longest), dtype=np.int64)  # the last token of a piece predicts nothing
            for row, piece in enumerate(own):
                ids[row, : len(piece.ids) - 1] = piece.ids[:-1]
            inputs = {
                "positions": np.broadcast_to(np.arange(longest), ids.shape).copy(),
                "cos": self._cos,
                "sin": self._sin,
            }
            state = words[ids]
            for layer in layers:
                state = layer.run(inputs | {"state": state})
            wanted = np.concatenate([state[row, p.first - 1 : len(p.ids) - 1] for row, p in enumerate(own)])
            picked = _pick(head, wanted, np.concatenate([piece.ids[piece.first :] for piece in own]))
            ends = np.cumsum([len(piece.ids) - piece.first for piece in own])
            for piece, part in zip(own, np.split(picked, ends[:-1]), strict=True):
                values[piece.text][piece.target] = part

        batches = cut_batches([len(piece.ids) for piece in pieces], budget=_BUDGET)
        run_batches(work, batches, workers=available_cores())

    def _open(self) -> tuple[list[OnnxSession], OnnxSession, NDArray[np.float32]]:
        with self._lock:
            if not self._sessions:
                graph, file = decoder_graph(self._shape), self._file
                layers = [
                    OnnxSession(graph, {part: file.read(f"blk.{i}.{part}.weight") for part in _PARTS})
                    for i in range(self._shape.layers)
                ]
                self._words = file.read("token_embd.weight")
                output = file.read("output.weight") if "output.weight" in file else self._words
                weights = {"output_norm": file.read("output_norm.weight"), "output": output}
                self._sessions = [*layers, OnnxSession(head_graph(self._shape), weights)]
            return self._sessions[:-1], self._sessions[-1], self._words


@dataclass(frozen=True)
class _Sheet:
    """The ids of a prompt (which the separator of documents begins) and of a text, with its tokens and spans."""

    prompt: NDArray[np.int64]
    ids: NDArray[np.int64]
    tokens: tuple[str, ...]
    spans: NDArray[np.int64]

    def notes(self, window: int) -> tuple[str, ...]:
        count = len(self.prompt) + len(self.ids)
        return () if count <= window else (f"read by the language model in windows of {window} of {count} tokens",)


def _pick(head: Any, state: NDArray[np.float32], targets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return log softmax(logits)[target] for every row of *state*."""
    picked = np.empty(len(targets))
    for start in range(0, len(targets), _ROWS):
        rows = slice(start, start + _ROWS)
        logits = head.run({"state": np.ascontiguousarray(state[rows])})
        own = logits[np.arange(len(logits)), targets[rows]]
        peak = logits.max(axis=1)
        logits -= peak[:, None]
        np.exp(logits, out=logits)
        picked[rows] = own.astype(np.float64) - peak - np.log(logits.sum(axis=1, dtype=np.float64))
    return np.minimum(picked, 0.0)
