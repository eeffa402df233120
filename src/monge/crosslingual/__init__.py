"""Putting the vectors of two languages into one space: fitted maps, word alignment, and how well they do."""

from monge.crosslingual.fit import METHODS, VectorPairs, fit_remap
from monge.crosslingual.fitted import FittedRemap

__all__ = ["METHODS", "FittedRemap", "VectorPairs", "fit_remap"]
