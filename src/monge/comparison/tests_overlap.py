"""Do tests agree? P(test j is significant | test i is significant) over many pairs of systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    return overlap_p_values({t.name: [pair.p_values[t.name] for pair in pairs] for t in TESTS}, alpha=alpha)


def overlap_p_values(p_values: Mapping[str, ArrayLike], *, alpha: float = 0.05) -> TestOverlap:
    """Return the overlap of tests from their p-values, by name and for the same pairs (P,).

    >>> overlap_p_values({"sign": [0.01, 0.2], "t": [0.01, 0.04]}).shares.tolist()
    [[0.5, 1.0], [0.5, 1.0]]
    """
    found = np.array([np.asarray(p, dtype=np.float64) <= alpha for p in p_values.values()], dtype=np.float64)
    both = found @ found.T
    own = np.diag(both).copy()
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = both / own[:, None]
    count = found.shape[1]
    np.fill_diagonal(shares, own / max(count, 1))
    return TestOverlap(tuple(p_values), shares, count)
