"""What connects two languages: fitted maps of vectors, word alignment, and bilingual dictionaries."""

from monge.crosslingual.fit import METHODS, VectorPairs, fit_remap
from monge.crosslingual.fitted import FittedRemap

__all__ = ["METHODS", "FittedRemap", "VectorPairs", "fit_remap"]
