"""Putting the vectors of two languages into one space: fitted maps, word alignment, and how well they do."""

from monge.crosslingual.fit import METHODS, Sample, fit_remap
from monge.crosslingual.fitted import FittedRemap
from monge.crosslingual.maps import (
    BatchNormalisation,
    Chain,
    LayerNormalisation,
    Linear,
    Shift,
    Standardise,
    UnitLength,
)
from monge.crosslingual.maps import WithoutDirection as WithoutDirection

__all__ = [
    "METHODS",
    "BatchNormalisation",
    "Chain",
    "FittedRemap",
    "LayerNormalisation",
    "Linear",
    "Sample",
    "Shift",
    "Standardise",
    "UnitLength",
    "WithoutDirection",
    "fit_remap",
]
