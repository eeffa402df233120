"""The switches of a transport metric, by name."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monge.clouds import WEIGHTINGS, CloudRecipe, parse_filters
from monge.encoders.layers import parse_aggregation
from monge.errors import OptionError, suggest
from monge.metrics.base import read_language
from monge.transport.ragged import CostName, RegulariserName

CHOICES: dict[str, tuple[str, ...]] = {
    "weighting": tuple(WEIGHTINGS),
    "pooling": ("mean", "sum"),
    "idf_from": ("references", "sides"),
    "cost": ("euclidean", "sqeuclidean", "cosine", "position"),
    "lambda_unit": ("absolute", "relative"),
    "regulariser": ("entropy", "kl"),
    "readout": ("f", "distance", "one_minus", "inverse"),
    "references": ("max", "mean", "joint"),
    "oov": ("skip", "zero", "hash", "error"),
    "fold_case": ("auto", "always", "never"),
    "long": ("window", "truncate", "error"),
}


def check_choice(name: str, value: str) -> None:
    """Refuse a value of an option of CHOICES that is none of them."""
    choices = CHOICES[name]
    if value not in choices:
        raise OptionError(f"{name}={value!r}{suggest(str(value), choices)}: must be one of {', '.join(choices)}")


_LARGEST = 1e8  # a larger finite penalty drowns in rounding


@dataclass(frozen=True)
class TransportSettings:
    """Everything that makes one transport metric differ from another.

    encoder, layers, aggregation, normalise_layers, normalise_points, drop, mute, ngram, pooling make the points;
    weighting, idf_from, idf make the masses; cost, order, lambda_c, lambda_r, lambda_unit, epsilon, regulariser the
    transport; readout, alpha, references, baseline the score.
    """

    encoder: str = "minilm"
    layers: str = "last"
    aggregation: str = "single"
    normalise_layers: bool = False
    normalise_points: bool = False
    drop: str = "special"
    mute: str = "none"
    ngram: int = 1
    pooling: str = "mean"
    weighting: str = "uniform"
    idf_from: str = "references"
    idf: str = ""  # file of fitted statistics; empty = fit on what is scored
    cost: CostName = "cosine"
    order: float = 1.0  # p of (Σ P·C^p)^(1/p): above 1, far words weigh more
    lambda_c: float = math.inf
    lambda_r: float = math.inf
    lambda_unit: str = "absolute"
    epsilon: float = 0.0
    regulariser: RegulariserName = "entropy"
    readout: str = "distance"
    alpha: float = 0.5
    references: str = "mean"
    baseline: str = ""  # file made by `monge calibrate`; empty = no rescaling
    language: str = "en"
    oov: str = "skip"  # words without a vector, for static encoders: skip, zero, hash or error
    fold_case: str = "auto"  # case folding of static encoders: auto, always or never
    long: str = "window"
    device: str = "auto"
    dtype: str = "float32"

    def __post_init__(self) -> None:
        for name in CHOICES:
            check_choice(name, getattr(self, name))
        if not isinstance(self.ngram, int) or isinstance(self.ngram, bool) or self.ngram < 0:
            raise OptionError(f"ngram={self.ngram}: must be 1 or more, or 0 for the whole text")
        for name in ("lambda_c", "lambda_r", "epsilon", "order", "alpha"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not value >= 0:
                raise OptionError(f"{name}={value}: must not be negative or NaN")
            object.__setattr__(self, name, float(value))  # so that 2 and 2.0 have one signature
            if name.startswith("lambda") and _LARGEST < value < math.inf:
                raise OptionError(f"{name}={value:g}: beyond {_LARGEST:g} write inf, which it is in double precision")
        if not 0 < self.order <= 64:
            raise OptionError(f"order={self.order}: must be positive and at most 64")
        if not 0 <= self.alpha <= 1:
            raise OptionError(f"alpha={self.alpha}: must be between 0 and 1")
        if self.epsilon == math.inf:
            raise OptionError("epsilon=inf: must be finite")
        if self.references == "joint" and self.cost == "position":
            raise OptionError("references=joint with cost=position: places in several references cannot be compared")
        if self.idf and self.weighting == "uniform":
            raise OptionError("idf statistics are given but weighting=uniform: add weighting=idf (or another idf)")
        read_language(self.language)
        parse_filters(self.drop), parse_filters(self.mute), parse_aggregation(self.aggregation)

    def replace(self, options: Mapping[str, Any]) -> TransportSettings:
        """Return these settings with *options* changed; an unknown name is an error that offers the nearest."""
        known = {field.name for field in dataclasses.fields(self)}
        for name in options:
            if name not in known:
                raise OptionError(f"no option {name!r}{suggest(name, known)}")
        return dataclasses.replace(self, **options)

    @property
    def relative(self) -> bool:
        """Whether finite λ are multiples of the encoder's typical cost."""
        return self.lambda_unit == "relative" and any(0 < v < math.inf for v in (self.lambda_c, self.lambda_r))

    @property
    def recipe(self) -> CloudRecipe:
        """How this metric makes clouds."""
        return CloudRecipe(
            aggregation=self.aggregation,
            normalise_layers=self.normalise_layers,
            normalise_points=self.normalise_points,
            drop=parse_filters(self.drop),
            mute=parse_filters(self.mute),
            weighting=self.weighting,
            ngram=self.ngram,
            pooling_mean=self.pooling == "mean",
        )
