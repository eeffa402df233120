"""The switches of a transport metric, grouped as a text becomes a score."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from monge.clouds import WEIGHTINGS, CloudRecipe
from monge.encoders.base import DEFAULT_ENCODER
from monge.errors import OptionError, suggest
from monge.metrics.protocols import SIDES
from monge.text import parse_language
from monge.transport.ragged import CostName, RegulariserName

CHOICES: dict[str, tuple[str, ...]] = {
    "against": SIDES,
    "weighting": tuple(WEIGHTINGS),
    "reading": ("average", "literal"),
    "pooling": ("mean", "sum", "sentence"),
    "idf_from": ("references", "sides"),
    "cost": ("euclidean", "sqeuclidean", "cosine", "position"),
    "lambda_unit": ("absolute", "relative"),
    "regulariser": ("entropy", "kl"),
    "readout": ("f", "distance", "one_minus", "inverse"),
    "references": ("max", "mean", "joint"),
    "bag": ("all", "released"),
    "oov": ("skip", "zero", "hash", "error"),
    "fold_case": ("auto", "always", "never"),
    "long": ("window", "truncate", "error"),
}
_LARGEST_PENALTY = 1e8  # a larger finite one drowns in rounding


def check_choice(name: str, value: str) -> None:
    """Refuse a value of an option of CHOICES that is not one of them."""
    choices = CHOICES[name]
    if value not in choices:
        raise OptionError(f"{name}={value!r}{suggest(str(value), choices)}: must be one of {', '.join(choices)}")


@dataclass(frozen=True)
class EncoderChoice:
    """Which encoder, which of its layers, and how it runs; ``oov`` and ``fold_case`` are for static vectors."""

    name: str = DEFAULT_ENCODER
    layers: str = "last"
    long: str = "window"
    device: str = "auto"
    dtype: str = "float32"
    oov: str = "skip"
    fold_case: str = "auto"

    def __post_init__(self) -> None:
        for name in ("long", "oov", "fold_case"):
            check_choice(name, getattr(self, name))


@dataclass(frozen=True)
class IdfChoice:
    """Where document frequencies come from: counted in the references, or in each side; or read from ``file``."""

    source: str = "references"
    file: str = ""

    def __post_init__(self) -> None:
        check_choice("idf_from", self.source)


@dataclass(frozen=True)
class TransportChoice:
    """The transport problem: cost C, order p of (Σ P·C^p)^(1/p), penalties λ_c and λ_r, and smoothing ε.

    With ``lambda_unit`` relative, finite λ are multiples of the encoder's typical cost.
    """

    cost: CostName = "cosine"
    order: float = 1.0
    lambda_c: float = math.inf
    lambda_r: float = math.inf
    lambda_unit: str = "absolute"
    epsilon: float = 0.0
    regulariser: RegulariserName = "entropy"

    def __post_init__(self) -> None:
        for name in ("cost", "lambda_unit", "regulariser"):
            check_choice(name, getattr(self, name))
        for name in ("lambda_c", "lambda_r", "epsilon", "order"):
            value = _read_amount(name, getattr(self, name))
            object.__setattr__(self, name, value)
            if name.startswith("lambda") and _LARGEST_PENALTY < value < math.inf:
                raise OptionError(f"{name}={value:g}: beyond {_LARGEST_PENALTY:g} write inf, which has the same effect")
        if not 0 < self.order <= 64:
            raise OptionError(f"order={self.order}: must be positive and at most 64")
        if self.epsilon == math.inf:
            raise OptionError("epsilon=inf: must be finite")

    @property
    def relative(self) -> bool:
        """Whether finite λ are multiples of the encoder's typical cost."""
        return self.lambda_unit == "relative" and any(0 < v < math.inf for v in (self.lambda_c, self.lambda_r))


@dataclass(frozen=True)
class ReadoutChoice:
    """How transport costs become a score: ``kind``, F's ``alpha``, several references, and a file to rescale by.

    ``lean`` is how strongly F leans to the side of the shorter text (``readout.py:lean_alpha``).
    ``drop_flows`` is the share of the flows, the smallest ones, that are left out of the cost.
    """

    kind: str = "distance"
    alpha: float = 0.5
    lean: float = 0.0
    references: str = "mean"
    baseline: str = ""
    drop_flows: float = 0.0

    def __post_init__(self) -> None:
        check_choice("readout", self.kind)
        check_choice("references", self.references)
        object.__setattr__(self, "alpha", _read_amount("alpha", self.alpha))
        if self.alpha > 1:
            raise OptionError(f"alpha={self.alpha}: must be between 0 and 1")
        object.__setattr__(self, "lean", _read_amount("lean", self.lean))
        object.__setattr__(self, "drop_flows", _read_amount("drop_flows", self.drop_flows))
        if self.drop_flows >= 1:
            raise OptionError(f"drop_flows={self.drop_flows}: must be at least 0 and below 1")


@dataclass(frozen=True)
class TransportSettings:
    """Everything that makes one transport metric differ from another.

    ``against`` is the side that a hypothesis is compared with. Its texts go through the same encoder, unless
    ``against_encoder`` (and ``against_layers``) name another for them. ``remap`` is a file of ``monge align``, or the
    name of a built-in map (``layer``, ``batch8``), that vectors of both sides pass through. ``truecase`` names the
    language model whose vocabulary gives capitals to hypotheses (and references) that have none. ``language`` is that
    of the hypotheses; English is assumed where none is given.
    """

    encoder: EncoderChoice = field(default_factory=EncoderChoice)
    against: str = "references"
    against_encoder: str = ""
    against_layers: str = ""
    remap: str = ""
    truecase: str = ""
    cloud: CloudRecipe = field(default_factory=CloudRecipe)
    idf: IdfChoice = field(default_factory=IdfChoice)
    transport: TransportChoice = field(default_factory=TransportChoice)
    readout: ReadoutChoice = field(default_factory=ReadoutChoice)
    language: str = ""

    def __post_init__(self) -> None:
        check_choice("against", self.against)
        check_choice("weighting", self.cloud.weighting)
        check_choice("pooling", self.cloud.pooling)
        if self.language:
            parse_language(self.language)
        if self.readout.references == "joint" and self.transport.cost == "position":
            raise OptionError("references=joint with cost=position: positions in several references cannot be compared")
        if self.readout.drop_flows and self.transport.order != 1:
            raise OptionError("drop_flows leaves flows out of a cost of order 1: it cannot be combined with order")
        if self.idf.file and self.cloud.weighting == "uniform":
            raise OptionError("idf statistics are given but weighting=uniform: add weighting=idf (or another idf)")


def _read_amount(name: str, value: object) -> float:
    """Return a number of at least 0 as a float, so that 2 and 2.0 have one signature."""
    if not isinstance(value, int | float) or not value >= 0:
        raise OptionError(f"{name}={value}: must not be negative or NaN")
    return float(value)
