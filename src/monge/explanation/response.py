"""What metrics respond to, from a table: every column of scores regressed on the columns of linguistic factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from monge.errors import InputError
from monge.explanation.regression import FactorRegression, regress_on_factors

FACTORS: dict[str, str] = {
    "SEM": "meaning, as people judged it",
    "SYN": "syntax: 1 − edit distance of the dependency trees, normalised",
    "LEX": "words: BLEU-1 of the output against the reference, or against a translation of the source",
    "MOR": "morphology: cosine of word vectors in which words of equal features were moved closer",
    "CLB": "cross-lingual bias: the metric's own score of the source beside a translation of it",
}


@dataclass(frozen=True)
class MetricResponse:
    """One metric's regression; ``plain`` is the same without CLB, where CLB is among the factors."""

    metric: str
    regression: FactorRegression
    plain: FactorRegression | None = None

    def record(self) -> dict[str, object]:
        """Return plain JSON values."""
        without = {"without_CLB": self.plain.record()} if self.plain is not None else {}
        return {"metric": self.metric, **self.regression.record(), **without}


def measure_response(scores: ArrayLike, factors: Mapping[str, ArrayLike], *, metric: str) -> MetricResponse:
    """Regress one metric's scores on *factors*; with CLB among them, also without it, so that its share is seen.

    >>> x, y = [0.0, 1.0, 2.0, 3.0, 5.0], [1.0, 0.0, 1.0, 0.0, 0.5]
    >>> round(measure_response(x, {"SEM": x, "CLB": y}, metric="m").regression.coefficients["SEM"], 6)
    1.0
    """
    regression = regress_on_factors(scores, factors)
    rest = {name: values for name, values in factors.items() if name != "CLB"}
    plain = regress_on_factors(scores, rest) if "CLB" in factors and rest else None
    return MetricResponse(metric, regression, plain)


def respond_to_table(
    columns: Mapping[str, ArrayLike], *, metrics: Sequence[str] = (), factors: Sequence[str] = ()
) -> list[MetricResponse]:
    """Return the regression of every metric of a table that holds factors and scores.

    Parameters
    ----------
    columns
        Numbers by name. SEM, SYN, LEX, MOR and CLB (any case) are factors; ``CLB:METRIC`` is the factor CLB of one
        metric. The others are scores of metrics, higher = better.
    metrics, factors
        The columns to use; all of them if none is named.

    Raises
    ------
    InputError
        If there is no factor, no metric, or a column that was named does not exist.
    """
    known = {name.upper(): name for name in columns if name.upper() in FACTORS}
    chosen = [name.upper() for name in factors] or [name for name in FACTORS if name in known]
    own_bias = {name.partition(":")[2]: name for name in columns if name.upper().startswith("CLB:")}
    missing = next((name for name in chosen if name not in known and not (name == "CLB" and own_bias)), None)
    if missing is not None or not chosen:
        raise InputError(f"the table has no factor {missing or 'SEM, SYN, LEX, MOR or CLB'} among {', '.join(columns)}")
    taken = {*known.values(), *own_bias.values()}
    names = list(metrics) or [name for name in columns if name not in taken]
    for name in names:
        if name not in columns:
            raise InputError(f"the table has no scores {name!r}; it has {', '.join(columns)}")
    if not names:
        raise InputError("the table has factors but no scores of a metric")
    use_bias = not factors or "CLB" in chosen
    responses = []
    for name in names:
        own = {factor: columns[known[factor]] for factor in chosen if factor in known}
        if use_bias and name in own_bias:
            own["CLB"] = columns[own_bias[name]]
        responses.append(measure_response(columns[name], own, metric=name))
    return responses
