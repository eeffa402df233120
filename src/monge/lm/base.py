"""What a language model is, and what it returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from monge.errors import ModelError


class Continuation(NamedTuple):
    """A text, and the *prompt* that stands before it (empty: the text begins a document)."""

    text: str
    prompt: str = ""


@dataclass(frozen=True, eq=False)
class TokenProbabilities:
    """The natural logarithm of every token's probability, given the prompt and the tokens before it.

    ``spans`` (n, 2) are character offsets into ``text``; ``values`` (n,) are at most 0. ``notes`` say what was
    degraded (a text cut at the model's window).
    """

    text: str
    tokens: tuple[str, ...]
    spans: NDArray[np.int64]
    values: NDArray[np.float64]
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        n = len(self.tokens)
        if self.spans.shape != (n, 2) or self.values.shape != (n,):
            raise ModelError(f"{n} tokens need {n} spans and {n} log-probabilities")
        if not np.isfinite(self.values).all():
            raise ModelError(f"a log-probability of {self.text[:60]!r} is not a number")

    @property
    def mean(self) -> float:
        """The mean log-probability per token; NaN for a text without tokens."""
        return float(self.values.mean()) if len(self.values) else float("nan")


@runtime_checkable
class LanguageModel(Protocol):
    """Anything that gives texts probabilities.

    ``signature`` names the model and the hash of its weights. ``identity`` is readable text that changes whenever a
    probability could (as for encoders); None means that nothing may be stored. ``languages`` are the codes of the
    languages it was made for, empty if unknown.
    """

    @property
    def signature(self) -> str: ...
    @property
    def identity(self) -> str | None: ...
    @property
    def languages(self) -> tuple[str, ...]: ...

    def score(self, texts: Sequence[Continuation]) -> list[TokenProbabilities]:
        """Return the log-probabilities of the tokens of every text, in order."""
        ...

    def restore_case(self, text: str) -> str:
        """Return a text without capitals with those that the model expects; others unchanged. No character moves."""
        ...
