"""The one-call form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from monge.metrics import load_metric


def score(
    hypotheses: Sequence[str],
    references: Sequence[str | Sequence[str]] | None = None,
    *,
    metric: str = "bertscore",
    sources: Sequence[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Score texts with a metric by name.

    Returns a plain dict: ``mean`` (the score of the whole set), ``scores`` (one a text), ``signature``,
    ``higher_is_better`` and ``notes``. A reference may be a text or a list of texts.

    >>> score(["a b c"], ["a b c"], metric="ter")["scores"]
    [0.0]
    """
    return load_metric(metric, **options).compute(predictions=hypotheses, references=references, sources=sources)
