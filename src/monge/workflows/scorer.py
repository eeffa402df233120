"""Scoring the same metrics again and again, as in a training loop."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.base import bind_to
from monge.metrics.variants import OPTIONAL_OPTIONS, gather_notes, parse_variants
from monge.workflows.inputs import GivenReferences, GivenTexts, given_segments


class Scorer:
    """Metrics that are loaded once and return plain floats; nothing is kept on disk.

    Parameters
    ----------
    metrics
        Names as in ``monge.score``; ``LABEL:=NAME,option=value`` gives a value another name.
    prefix
        Put before every name of the result (``eval_``).
    environment
        Where models are kept, and whether they may be fetched.
    options
        Options of all metrics that have them.

    Raises
    ------
    MongeError
        For metrics and options that cannot be used.

    >>> scorer = Scorer(["chrf", "rougeL"], prefix="eval_")
    >>> scorer(["a b c"], ["a b c"])
    {'eval_chrf': 100.0, 'eval_rougeL': 1.0}
    """

    def __init__(
        self,
        metrics: str | Sequence[str],
        *,
        prefix: str = "",
        environment: Environment | None = None,
        **options: Any,
    ) -> None:
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        if not names:
            raise OptionError("metrics is empty: name at least one metric")
        variants = parse_variants(names, options, optional=OPTIONAL_OPTIONS)
        around = dataclasses.replace(environment or Environment.read(), cache=False)
        self._metrics = [(prefix + variant.label, variant.load(around)) for variant in variants]
        self.notes = gather_notes(variants)

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of every metric, by the name of its value; statistics of a corpus are not in it."""
        return {name: str(metric.signature) for name, metric in self._metrics}

    def __call__(
        self,
        predictions: GivenTexts,
        references: GivenReferences | None = None,
        sources: GivenTexts | None = None,
    ) -> dict[str, float]:
        """Return the score of the whole set by every metric, as floats that any logger takes."""
        segments = given_segments(predictions, references, sources)
        found = {}
        for name, metric in self._metrics:
            bound = bind_to(metric, segments)
            found[name] = float(bound.aggregate(segments, bound.score(segments)))
        return found

    def compute(
        self,
        predictions: GivenTexts,
        references: GivenReferences | None = None,
        sources: GivenTexts | None = None,
    ) -> dict[str, float]:
        """Return the same as calling the scorer; metrics of the package evaluate have a method of this name."""
        return self(predictions, references, sources)

    score = compute  # as BERTScorer calls it
