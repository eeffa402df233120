"""How a classifier or ranker is trained."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from monge.errors import OptionError, suggest
from monge.learned.capsules.convolution import ConvolutionShape
from monge.learned.capsules.model import MODELS
from monge.learned.capsules.network import CapsuleShape


@dataclass(frozen=True)
class CapsuleSettings:
    """How a classifier is trained; ``model`` is ``kde`` (NLP-Capsule), ``sabour``, ``cnn`` or ``linear`` (tf·idf).

    ``shape`` has the sizes of capsules, ``convolution`` those of ``cnn``. ``share`` of the training texts is used, the
    same first ones for all models. ``negatives`` labels that no text of a batch has are routed too, besides those that
    one has (partial routing). ``drop`` is the share of words that are left out in each step, so that texts are not
    memorised; the linear model reads all.
    """

    model: str = "kde"
    shape: CapsuleShape = field(default_factory=CapsuleShape)
    convolution: ConvolutionShape = field(default_factory=ConvolutionShape)
    vectors: str = "glove"
    words: int = 30_000
    epochs: int = 30
    batch: int = 32
    rate: float = 1e-3
    patience: int = 3
    negatives: int = 10
    drop: float = 0.3
    share: float = 1.0
    seed: int = 1
    device: str = "auto"

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise OptionError(f"model={self.model!r}{suggest(self.model, MODELS)}: must be one of {', '.join(MODELS)}")
        for name in ("words", "epochs", "batch"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}={getattr(self, name)}: must be at least 1")
        if self.negatives < 0:
            raise OptionError(f"negatives={self.negatives}: must not be negative")
        if not 0 <= self.drop < 1:
            raise OptionError(f"drop={self.drop}: must be at least 0 and below 1")
        if not 0 < self.share <= 1:
            raise OptionError(f"share={self.share}: must be above 0 and at most 1")
        if not 0 < self.rate < 1:
            raise OptionError(f"rate={self.rate}: must be between 0 and 1")

    def network(self, dimension: int) -> CapsuleShape | ConvolutionShape | None:
        """Return the sizes of the network on word vectors of this dimension (0: as given); None for ``linear``."""
        if self.model == "linear":
            return None
        if self.model == "cnn":
            return replace(self.convolution, embedding=dimension or self.convolution.embedding)
        return replace(self.shape, embedding=dimension or self.shape.embedding, routing=self.model)
