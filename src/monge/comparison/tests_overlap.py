"""Do tests agree? P(test j is significant | test i is significant) over many pairs of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monge.comparison.compare import PairResult
from monge.comparison.significance import TESTS

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TestOverlap:
    """``shares`` (T, T): the diagonal is the share of pairs that a test finds significant, [i, j] P(j | i).

    NaN where test i finds nothing. ``pairs`` is the number of pairs of systems.
    """

    __test__ = False  # not a test case, whatever its name

    tests: tuple[str, ...]
    shares: Floats
    pairs: int

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        cells = [[float(v) if np.isfinite(v) else None for v in row] for row in self.shares]
        return {"tests": list(self.tests), "pairs": self.pairs, "shares": cells}


def overlap_tests(pairs: Sequence[PairResult], *, alpha: float = 0.05) -> TestOverlap:
    """Count over *pairs* (of one comparison or of many) how often tests agree (chapter 11 of Zhao's thesis, figure 6).

    Uncorrected p-values are used, so that the number of pairs does not matter.
    """
    names = tuple(test.name for test in TESTS)
    found = np.array([[pair.p_values[name] <= alpha for name in names] for pair in pairs], dtype=np.float64)
    found = found.reshape(len(pairs), len(names))
    both = found.T @ found
    own = np.diag(both).copy()
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = both / own[:, None]
    np.fill_diagonal(shares, own / max(len(pairs), 1))
    return TestOverlap(names, shares, len(pairs))
