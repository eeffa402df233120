"""What a metric responds to: least squares of its scores on linguistic factors (Kaster, Zhao and Eger 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from monge.errors import InputError, ModelError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FactorRegression:
    """z(metric) = Σ coefficient · z(factor) + ε: coefficients, p-values, 95 % intervals, R² and the number of rows."""

    coefficients: Mapping[str, float]
    p_values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    r_squared: float
    instances: int

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "coefficients": dict(self.coefficients),
            "p_values": dict(self.p_values),
            "intervals": {name: list(bounds) for name, bounds in self.intervals.items()},
            "r_squared": self.r_squared,
            "instances": self.instances,
        }


def regress_on_factors(scores: ArrayLike, factors: Mapping[str, ArrayLike]) -> FactorRegression:
    """Fit a metric's scores by factors, every variable standardised (mean 0, deviation 1), with an intercept.

    Rows where the score or a factor is missing (NaN) are left out. Negate the scores of a distance first, so that a
    positive coefficient always means that more similar texts get better scores. Raises InputError if there are too few
    rows or a variable is constant, and ModelError if statsmodels is not installed.

    >>> x = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    >>> round(regress_on_factors(2 * x + 1, {"x": x}).coefficients["x"], 6)
    1.0
    """
    names = list(factors)
    table = np.column_stack([np.asarray(scores, dtype=np.float64), *(np.asarray(factors[n], float) for n in names)])
    table = table[np.isfinite(table).all(axis=1)]
    if len(table) <= len(names) + 1:
        raise InputError(f"{len(table)} complete rows are too few to fit {len(names)} factors")
    for name, column in zip(["the metric", *names], table.T, strict=True):
        if np.ptp(column) == 0:
            raise InputError(f"{name} is constant, so it cannot be used in a regression")
    try:
        import statsmodels.api as sm
    except ImportError:
        raise ModelError("regression needs the extra: pip install 'monge[explain]'") from None
    standard = (table - table.mean(0)) / table.std(0)
    fit = sm.OLS(standard[:, 0], sm.add_constant(standard[:, 1:])).fit()
    return FactorRegression(
        _by_name(names, fit.params[1:]),
        _by_name(names, fit.pvalues[1:]),
        {name: (float(low), float(high)) for name, (low, high) in zip(names, fit.conf_int()[1:], strict=True)},
        float(fit.rsquared),
        len(table),
    )


def _by_name(names: Sequence[str], values: Floats) -> dict[str, float]:
    return {name: float(value) for name, value in zip(names, values, strict=True)}
