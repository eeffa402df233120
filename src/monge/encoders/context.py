"""Words in context: the states of a recurrent network that ``monge train context`` trained, computed with numpy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from monge.encoders.base import EncodedText
from monge.encoders.identity import compose_identity
from monge.encoders.unit import unit_vectors
from monge.encoders.unknown import unknown_share
from monge.errors import InputError, OptionError
from monge.storage.artifact import Artifact
from monge.text import word_spans

ALGORITHM = 1  # raise it when a vector changes
KIND = "context"
PARTS = ("embedding", "input", "recurrent", "bias")
UNKNOWN = 0  # row of the words that are not in the vocabulary
_AT_ONCE = 64  # texts that are read side by side
_MOST_NAMED = 5
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContextEncoder:
    """The encoder of an LSTM encoder–decoder: one vector per word, which depends on the words before it.

    ``artifact`` holds the networks of one or several seeds. A vector is made of the states of all seeds, each scaled
    to length 1 and put side by side, so that the cosine of two words is the mean of the seeds' cosines. A word that
    the network was not trained on is read as ``<unk>`` and has no vector of its own (zero).
    """

    artifact: Artifact

    def __post_init__(self) -> None:
        settings, arrays = self.artifact.settings, self.artifact.arrays
        d, rows = settings["dimension"], len(settings["vocabulary"]) + 1
        shapes = {"embedding": (rows, d), "input": (4 * d, d), "recurrent": (4 * d, d), "bias": (4 * d,)}
        for seed in settings["seeds"]:
            for part, shape in shapes.items():
                array = arrays.get(f"{seed}.{part}")
                if array is None or array.shape != shape or not np.isfinite(array).all():
                    raise InputError(f"{self.artifact.path}: {part} of seed {seed} is missing or has the wrong form")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that ``monge train context`` wrote; raises InputError or OptionError for any other."""
        return cls(Artifact.load(path, kind=KIND))

    @property
    def signature(self) -> str:
        """``context`` with the dimension, the seeds and the hash of the networks."""
        return f"context-{self.size}d-{len(self.seeds)}s@{self.artifact.digest[:8]}"

    @property
    def identity(self) -> str:
        """The code and the full digest of the networks."""
        return compose_identity("context", "numpy", "regex", network=self.artifact.digest)

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds whose networks are used together."""
        return tuple(self.artifact.settings["seeds"])

    @property
    def size(self) -> int:
        """The length of the state of one network."""
        return int(self.artifact.settings["dimension"])

    @property
    def layers(self) -> int:
        """One."""
        return 1

    @property
    def dimension(self) -> int:
        """The length of a vector: that of a state, times the number of seeds."""
        return self.size * len(self.seeds)

    def tokenize(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the words of each text."""
        return [tuple(text[start:end] for start, end in word_spans(text)) for text in texts]

    def encode(self, texts: Sequence[str], layers: Sequence[int] | None = None) -> list[EncodedText]:
        """Return vectors of shape (1, n, d) for each text."""
        for layer in layers or ():
            if layer not in (0, -1):
                raise OptionError(f"layer {layer}: {self.signature} has one layer, 0")
        copies = 1 if layers is None else len(layers)
        pairs = zip(texts, self.states(texts), strict=True)
        return [self._encode(text, states, copies) for text, states in pairs]

    def states(self, texts: Sequence[str]) -> list[Array]:
        """Return the states (seeds, n, size) of the words of every text; zero for words that are not known."""
        rows = [self._rows(text) for text in texts]
        found = [np.zeros((len(self.seeds), len(own), self.size)) for own in rows]
        order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
        for start in range(0, len(order), _AT_ONCE):
            chosen = order[start : start + _AT_ONCE]
            for k, seed in enumerate(self.seeds):
                read = read_sequences([rows[i] for i in chosen], *self._networks[seed])
                for i, states in zip(chosen, read, strict=True):
                    found[i][k] = np.where(rows[i][:, None] == UNKNOWN, 0.0, states)
        return found

    @cached_property
    def _networks(self) -> dict[int, list[Array]]:
        arrays = self.artifact.arrays
        return {seed: [arrays[f"{seed}.{part}"].astype(np.float64) for part in PARTS] for seed in self.seeds}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.artifact.settings["vocabulary"], start=1)}

    def _rows(self, text: str) -> NDArray[np.int64]:
        found = [self._numbers.get(fold_word(text[start:end]), UNKNOWN) for start, end in word_spans(text)]
        return np.array(found, dtype=np.int64)

    def _encode(self, text: str, states: Array, copies: int) -> EncodedText:
        spans = word_spans(text)
        words = tuple(text[start:end] for start, end in spans)
        known = self._rows(text) != UNKNOWN
        vectors = np.concatenate(list(unit_vectors(states)), axis=-1).reshape(len(words), self.dimension)
        unknown = [span for span, is_known in zip(spans, known, strict=True) if not is_known]
        notes = (_describe_unknown([text[a:b] for a, b in unknown], len(words)),) if unknown else ()
        return EncodedText(
            text,
            words,
            np.array(spans, dtype=np.int64).reshape(-1, 2),
            np.repeat(vectors[None].astype(np.float32), copies, axis=0),
            np.zeros(len(words), dtype=np.bool_),
            np.arange(len(words), dtype=np.int64),
            notes,
            unknown_share(text, unknown),
        )


def fold_word(word: str) -> str:
    """Return a word as it is in a vocabulary."""
    return word.lower()


def read_sequences(
    rows: Sequence[NDArray[np.int64]], embedding: Array, weights: Array, recurrent: Array, bias: Array
) -> list[Array]:
    """Return the states (n, d) of an LSTM that reads sequences of embedding rows, the longest sequence first.

    Gates are in the order input, forget, cell, output: c ← σ(f)·c + σ(i)·tanh(g), h ← σ(o)·tanh(c) (Hochreiter and
    Schmidhuber 1997, as in torch). *weights* (4d, d) and *recurrent* (4d, d) act on the word and on the last state.
    """
    size = recurrent.shape[1]
    lengths = np.array([len(own) for own in rows], dtype=np.int64)
    states = [np.zeros((n, size)) for n in lengths]
    hidden, cell = np.zeros((len(rows), size)), np.zeros((len(rows), size))
    for place in range(int(lengths.max(initial=0))):
        active = int((lengths > place).sum())
        words = embedding[[own[place] for own in rows[:active]]]
        gates = words @ weights.T + hidden[:active] @ recurrent.T + bias
        enter, forget, new, leave = np.split(gates, 4, axis=1)
        cell[:active] = _sigmoid(forget) * cell[:active] + _sigmoid(enter) * np.tanh(new)
        hidden[:active] = _sigmoid(leave) * np.tanh(cell[:active])
        for i in range(active):
            states[i][place] = hidden[i]
    return states


def _sigmoid(values: Array) -> Array:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * values)))


def _describe_unknown(unknown: list[str], total: int) -> str:
    names = list(dict.fromkeys(unknown))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{len(unknown)} of {total} words not in the references of the context: {', '.join(names[:5])}{more}"
