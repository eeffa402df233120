"""mongescore and how fluent the text is by itself, as one score."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from monge.encoders import Encoder
from monge.environment import Environment
from monge.errors import OptionError
from monge.lm import DEFAULT_LANGUAGE_MODEL
from monge.metrics.composite import EnsembleMetric, make_ensemble
from monge.metrics.variants import MetricVariant

FLUENCY = 0.023  # per nat and token: a fifth of the spreads of the two on MLQE et-en, 0.2 · 0.15 / 1.3


def load_mongescore_fluent(
    *,
    encoder: str | Encoder = "mpnet",
    fluency: float = FLUENCY,
    lm: Any = DEFAULT_LANGUAGE_MODEL,
    environment: Environment | None = None,
) -> EnsembleMetric:
    """``mongescore`` + *fluency* · SLOR, both as they are, so that a score depends on one segment alone.

    SLOR is the score of ``fluency,slor=true`` under the language model *lm*: (log p(text) − Σ log p(word)) / tokens.
    Other settings of mongescore: ``composite,terms=mongescore,order=3 + 0.023*fluency,slor=true``.
    """
    if not 0 < fluency < math.inf:
        raise OptionError(f"fluency={fluency}: must be positive and finite")
    terms = [
        (1.0, MetricVariant("mongescore", "mongescore", {"encoder": encoder})),
        (float(fluency), MetricVariant("fluency", "fluency", {"lm": lm, "slor": True})),
    ]
    made = make_ensemble("mongescore_fluent", terms, "0/1 0/1", environment=environment)
    return dataclasses.replace(made, calibration="")
