"""A convolutional network over words (Kim 2014; Liu et al. 2017), which capsules are compared with.

Written once, for torch (training) and numpy (use), like network.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monge.errors import OptionError
from monge.learned.capsules.arrays import join, largest, sigmoid
from monge.learned.capsules.network import convolve


@dataclass(frozen=True)
class ConvolutionShape:
    """The sizes of a convolutional network.

    ``filters`` of each window slide along the words, one word at a time; of each the largest value counts in every one
    of ``chunks`` equal parts of a text (1: in the whole text, Kim 2014; more: dynamic max pooling, Liu et al. 2017).
    A layer of ``hidden`` units follows.
    """

    length: int = 100
    embedding: int = 50
    windows: tuple[int, ...] = (2, 4, 8)
    filters: int = 128
    chunks: int = 1
    hidden: int = 128

    def __post_init__(self) -> None:
        object.__setattr__(self, "windows", tuple(self.windows))  # a list, when read back
        for name in ("length", "embedding", "filters", "chunks", "hidden"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}={getattr(self, name)}: must be at least 1")
        if not self.windows or min(self.windows) < 1 or max(self.windows) > self.length:
            raise OptionError(f"windows={self.windows}: must be between 1 and {self.length}, the words of a text")
        places = self.length - max(self.windows) + 1
        if self.chunks > places:
            raise OptionError(f"chunks={self.chunks}: must be at most {places}, the places of the widest window")

    def sizes(self, outputs: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all parameters for *outputs* labels (0: answers), embeddings aside."""
        found: dict[str, tuple[int, ...]] = {}
        for window in self.windows:
            found[f"window{window}"] = (window, self.filters, self.embedding)
            found[f"window{window}_bias"] = (self.filters, 1)
        found["hidden"] = (self.hidden, len(self.windows) * self.filters * self.chunks)
        found["hidden_bias"] = (self.hidden,)
        if outputs:
            found |= {"output": (outputs, self.hidden), "output_bias": (outputs,)}
        return found

    def vectors(self, words: Any, weights: Mapping[str, Any]) -> Any:
        """Return the hidden layer (B, hidden) of texts whose word vectors are *words* (B, length, embedding)."""
        grid = words.swapaxes(1, 2)  # (B, embedding, length)
        pooled = join([part for w in self.windows for part in self._pool(convolve(grid, weights, w, stride=1))], axis=1)
        return pooled * (pooled > 0) @ weights["hidden"].T + weights["hidden_bias"]

    def _pool(self, features: Any) -> list[Any]:
        """Return the largest value of every filter (B, filters) in every chunk; ReLU may follow, it keeps the order."""
        edges = [features.shape[2] * i // self.chunks for i in range(self.chunks + 1)]
        return [largest(features[:, :, edges[i] : edges[i + 1]], 2) for i in range(self.chunks)]

    def probabilities(self, words: Any, weights: Mapping[str, Any]) -> Any:
        """Return the probability of every label (B, labels)."""
        vectors = self.vectors(words, weights)
        return sigmoid(vectors * (vectors > 0) @ weights["output"].T + weights["output_bias"])
