"""The network of NLP-Capsule, written once: the same code runs on torch tensors (training) and numpy arrays (use).

Only operators that both kinds of arrays share are used, so that what is trained is what is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monge.errors import OptionError, suggest
from monge.learned.capsules.arrays import detach, exp, join, largest, log

AXES = ("embedding", "time")
ROUTINGS = ("kde", "sabour")
_TINY = 1e-9


@dataclass(frozen=True)
class CapsuleShape:
    """The sizes and switches of a network.

    ``axis`` is what filters slide along: the ``embedding`` dimension, each filter spanning all words of a text (the
    paper and its code), or ``time``, spanning the whole embedding (the usual convolution). ``routing``: adaptive
    ``kde`` routing, or that of ``sabour`` et al. (2017).
    """

    length: int = 100
    embedding: int = 50
    windows: tuple[int, ...] = (2, 4, 8)
    filters: int = 32
    capsule: int = 16
    compressed: int = 128
    axis: str = "embedding"
    routing: str = "kde"
    rounds: int = 8
    epsilon: float = 0.05

    def __post_init__(self) -> None:
        object.__setattr__(self, "windows", tuple(self.windows))  # a list, when read back
        for name, value, known in (("axis", self.axis, AXES), ("routing", self.routing, ROUTINGS)):
            if value not in known:
                raise OptionError(f"{name}={value!r}{suggest(value, known)}: must be one of {', '.join(known)}")
        for name in ("length", "embedding", "filters", "capsule", "compressed", "rounds"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}={getattr(self, name)}: must be at least 1")
        if not self.windows or min(self.windows) < 1 or max(self.windows) > self.slid:
            raise OptionError(f"windows={self.windows}: must be between 1 and {self.slid}, what they slide along")

    @property
    def slid(self) -> int:
        """The length of what filters slide along."""
        return self.embedding if self.axis == "embedding" else self.length

    @property
    def spanned(self) -> int:
        """The size of what every filter spans."""
        return self.length if self.axis == "embedding" else self.embedding

    @property
    def places(self) -> int:
        """How many places all windows have together, with a stride of 2."""
        return sum((self.slid - window) // 2 + 1 for window in self.windows)

    def sizes(self, outputs: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all parameters for *outputs* labels (0: answers, one capsule), embeddings aside."""
        convolutions = {f"window{w}": (w, self.filters, self.spanned) for w in self.windows}
        biases = {f"window{w}_bias": (self.filters, 1) for w in self.windows}
        width = self.capsule * self.filters
        return {
            **convolutions,
            **biases,
            "primary": (width, self.filters),
            "primary_bias": (width, 1),
            "compress": (self.filters * self.places, self.compressed),
            "vote": (self.compressed, max(1, outputs), self.capsule, self.capsule),
        }

    def probabilities(self, words: Any, weights: Mapping[str, Any], labels: Any = None) -> Any:
        """Return the probability of every label (B, labels), or of the chosen *labels*: the length of its capsule."""
        capsules = output_capsules(words, weights, self, labels)
        return (((capsules * capsules).sum(axis=1) + 1e-12) ** 0.5).T

    def vectors(self, words: Any, weights: Mapping[str, Any]) -> Any:
        """Return the only capsule of every text (B, capsule)."""
        return output_capsules(words, weights, self)[0].T


def squash(vectors: Any, axis: int, softness: float = 0.5) -> Any:
    """Return x·‖x‖ / (s + ‖x‖²): the direction stays, the length goes below 1 (s = 0.5 in the released code)."""
    squared = (vectors * vectors).sum(axis=axis, keepdims=True)
    return vectors * (squared + _TINY) ** 0.5 / (softness + squared)


def output_capsules(words: Any, weights: Mapping[str, Any], shape: CapsuleShape, labels: Any = None) -> Any:
    """Return the capsules (outputs, d, B) of texts whose word vectors are *words* (B, length, embedding).

    *labels* chooses outputs (partial routing: those of a batch while training); None takes all.
    """
    grid = words if shape.axis == "embedding" else words.swapaxes(1, 2)  # (B, spanned, slid)
    features = join([convolve(grid, weights, window) for window in shape.windows], axis=2)
    features = features * (features > 0)
    capsules = weights["primary"] @ features + weights["primary_bias"]  # (B, capsule · filters, places)
    count = len(words)
    capsules = squash(capsules.reshape(count, shape.capsule, shape.filters * shape.places), axis=1)
    compressed = capsules @ weights["compress"]  # (B, capsule, compressed)
    inputs = compressed.swapaxes(0, 2)  # (compressed, capsule, B)
    vote = weights["vote"] if labels is None else weights["vote"][:, labels]
    outputs = vote.shape[1]
    votes = vote.reshape(shape.compressed, outputs * shape.capsule, shape.capsule) @ inputs
    votes = votes.reshape(shape.compressed, outputs, shape.capsule, count)
    couplings = route(detach(votes), shape)  # gradients pass through the last weighted sum alone
    return squash((couplings[:, :, None] * votes).sum(axis=0), axis=1)


def convolve(grid: Any, weights: Mapping[str, Any], window: int, *, stride: int = 2) -> Any:
    """Return a convolution (B, filters, places) of a grid (B, spanned, slid), as a sum over the cells of the window."""
    filters = weights[f"window{window}"]
    last = (grid.shape[2] - window) // stride * stride + 1
    parts = [filters[k] @ grid[:, :, k : k + last : stride] for k in range(window)]
    return sum(parts[1:], parts[0]) + weights[f"window{window}_bias"]


def route(votes: Any, shape: CapsuleShape) -> Any:
    """Return the couplings (inputs, outputs, B) by which votes (inputs, outputs, d, B) are added up."""
    return _route_kde(votes, shape) if shape.routing == "kde" else _route_sabour(votes)


def _route_kde(votes: Any, shape: CapsuleShape) -> Any:
    """Adaptive KDE routing: c_ij ∝ softmax_j(b_ij), normalised over i; b_ij grows by the kernel k(‖u − v_j‖²).

    k is Epanechnikov's, max(0, 1 − x), of squashed votes. The softmax is leaky: a vote may go to no output. A text is
    done when log Σ c·k changes by less than ε; each by itself, so that it does not matter which texts are routed with
    it (the released code stops whole batches).
    """
    logits = votes[:, :, 0] * 0
    squared = (votes * votes).sum(axis=2)
    scale = (squared + _TINY) ** 0.5 / (0.5 + squared)  # a squashed vote is scale · vote
    last = logits[0, 0] * 0
    final = logits
    waiting = last == 0
    for _ in range(shape.rounds):
        shares = _leaky_softmax(logits)
        couplings = shares / (shares.sum(axis=0) + _TINY)
        outputs = squash((couplings[:, :, None] * votes).sum(axis=0), axis=1)
        inner = scale * (votes * outputs).sum(axis=2)
        kernel = 1 - (scale * scale * squared + (outputs * outputs).sum(axis=1) - 2 * inner)
        kernel = kernel * (kernel > 0)
        agreement = log((couplings * kernel).sum(axis=0).sum(axis=0) + _TINY)
        final = couplings * waiting + final * ~waiting
        waiting = waiting & (abs(agreement - last) >= shape.epsilon)
        if not waiting.any():
            break
        last, logits = agreement, logits + kernel
    return final


def _route_sabour(votes: Any) -> Any:
    """Dynamic routing (Sabour et al. 2017): three rounds, logits grow by the inner product of vote and output."""
    logits = votes[:, :, 0] * 0
    for left in (2, 1, 0):
        couplings = _softmax(logits)
        if left:
            outputs = squash((couplings[:, :, None] * votes).sum(axis=0), axis=1, softness=1.0)
            logits = logits + (votes * outputs).sum(axis=2)
    return couplings


def _softmax(logits: Any) -> Any:
    grown = exp(logits - largest(logits, 1, keep=True))
    return grown / grown.sum(axis=1, keepdims=True)


def _leaky_softmax(logits: Any) -> Any:
    """Return a softmax over outputs and one more with logit 0, which takes what fits nowhere."""
    top = largest(logits, 1, keep=True)
    top = top * (top > 0)
    grown = exp(logits - top)
    return grown / (grown.sum(axis=1, keepdims=True) + exp(-top))
