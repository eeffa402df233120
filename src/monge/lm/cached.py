"""Never read a text twice: log-probabilities kept on disk by model, prompt and text."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from monge.encoders.identity import maker_of
from monge.lm.base import Continuation, LanguageModel, TokenProbabilities
from monge.storage.store import Store, make_label

ALGORITHM = 1  # raise it when what is stored for a text changes
_AT_ONCE = 64  # texts between two writes: what an interrupted run keeps


_NOTHING = TokenProbabilities("", (), np.zeros((0, 2), dtype=np.int64), np.zeros(0))  # of an empty text


class CachedLanguageModel:
    """A language model in front of a store: a text is read only if it was never read before.

    Results are stored under SHA-256(identity, prompt, text) after every 64 texts, longest texts first, so that an
    interrupted run continues where it stopped. A terminal sees the progress.
    """

    def __init__(self, model: LanguageModel, store: Store) -> None:
        self.model = model
        self._store = store
        self._start = hashlib.sha256(f"lm={ALGORITHM}\0{model.identity}\0".encode())
        self._label = make_label(f"probabilities of {model.signature}", maker_of(model.identity or ""))

    def __reduce__(self) -> tuple[Any, ...]:
        return CachedLanguageModel, (self.model, self._store)

    @property
    def signature(self) -> str:
        return self.model.signature

    @property
    def identity(self) -> str | None:
        return self.model.identity

    @property
    def languages(self) -> tuple[str, ...]:
        return self.model.languages

    def restore_case(self, text: str) -> str:
        """Return a text without capitals with those that the model expects; others unchanged."""
        return self.model.restore_case(text)

    def score(self, texts: Sequence[Continuation]) -> list[TokenProbabilities]:
        """Return the log-probabilities of the tokens of every text, in order."""
        keys = {one: self._key(one) for one in dict.fromkeys(texts) if one.text}
        blobs = self._store.get(list(keys.values()))
        known = {one: _unpack(one.text, blobs[key]) for one, key in keys.items() if key in blobs}
        missing = sorted((one for one in keys if one not in known), key=lambda one: -len(one.text) - len(one.prompt))
        for part in _show_progress([missing[i : i + _AT_ONCE] for i in range(0, len(missing), _AT_ONCE)]):
            fresh = dict(zip(part, self.model.score(part), strict=True))
            self._store.put(self._label, {keys[one]: _pack(found) for one, found in fresh.items()})
            known |= fresh
        return [known[one] if one.text else _NOTHING for one in texts]

    def _key(self, one: Continuation) -> bytes:
        digest = self._start.copy()
        prompt = one.prompt.encode("utf-8", errors="surrogatepass")
        digest.update(len(prompt).to_bytes(8, "little") + prompt)
        digest.update(one.text.encode("utf-8", errors="surrogatepass"))
        return digest.digest()


def _show_progress(parts: list[list[Continuation]]) -> Iterable[list[Continuation]]:
    if len(parts) < 2:
        yield from parts
        return
    from tqdm import tqdm

    with tqdm(
        desc="language model", total=sum(map(len, parts)), unit="text", file=sys.stderr, disable=None, leave=False
    ) as bar:
        for part in parts:
            yield part
            bar.update(len(part))


def _pack(found: TokenProbabilities) -> bytes:
    numbers = found.spans.astype("<i4").tobytes() + found.values.astype("<f8").tobytes()
    rest = json.dumps([found.tokens, found.notes]).encode("ascii")
    return len(found.tokens).to_bytes(4, "little") + numbers + rest


def _unpack(text: str, data: bytes) -> TokenProbabilities:
    count = int.from_bytes(data[:4], "little")
    middle, end = 4 + 8 * count, 4 + 16 * count
    tokens, notes = json.loads(data[end:])
    spans = np.frombuffer(data[4:middle], dtype="<i4").reshape(count, 2).astype(np.int64)
    values = np.frombuffer(data[middle:end], dtype="<f8").astype(np.float64)
    return TokenProbabilities(text, tuple(tokens), spans, values, tuple(notes))
