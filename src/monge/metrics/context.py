"""WE_WPI with words in context, and its forerunner that adds the cosine of contexts."""

from __future__ import annotations

import dataclasses
import os
from typing import cast

from monge.encoders import Encoder, load_encoder
from monge.encoders.context import ContextEncoder
from monge.encoders.joined import Join, JoinedEncoder
from monge.environment import Environment
from monge.errors import OptionError
from monge.metrics.composite import EnsembleMetric, Member
from monge.metrics.protocols import Metric
from monge.metrics.specs import spec_named
from monge.metrics.transport.metric import TransportMetric
from monge.metrics.transport.presets import PRESETS
from monge.metrics.variants import MetricVariant

NO_VECTORS = "none"


def load_we_wpi_context(
    *,
    encoder: str | Encoder = "glove",
    context: str = "",
    alpha: float = 0.1,
    join: str = "auto",
    normalise: bool = True,
    references: str = "max",
    language: str = "",
    environment: Environment | None = None,
) -> TransportMetric:
    """WE_WPI on static vectors joined with those of *context*, a file of ``monge train context``.

    *encoder* ``none`` takes the context alone, for languages without vectors. *alpha* is the share of the context,
    *join* how the two become one vector (:class:`~monge.encoders.joined.JoinedEncoder`).
    """
    words = _load_context("we_wpi_context", context)
    chosen: Encoder = words
    if encoder != NO_VECTORS:
        static = load_encoder(encoder, cache=True, oov="zero", environment=environment)
        chosen = JoinedEncoder(static, words, alpha, cast("Join", join), normalise)
    metric = PRESETS["we_wpi"](encoder=chosen, references=references, language=language, environment=environment)
    return dataclasses.replace(metric, spec=spec_named("we_wpi_context"))


def load_we_wpi_attention(
    *,
    encoder: str | Encoder = "glove",
    context: str = "",
    references: str = "max",
    language: str = "",
    environment: Environment | None = None,
) -> EnsembleMetric:
    """The mean of WE_WPI on static vectors and of the cosine of the two contexts.

    The context of a text is the mean of the context vectors of its words. *encoder* ``none`` takes the cosine alone.
    """
    words = _load_context("we_wpi_attention", context)
    shared = {"references": references, "language": language}
    metrics: dict[str, Metric] = {}
    if encoder != NO_VECTORS:
        metrics["we_wpi"] = PRESETS["we_wpi"](encoder=encoder, environment=environment, **shared)
    metrics["cosine"] = PRESETS["cosine"](encoder=words, environment=environment, **shared)
    members = tuple(
        Member(metric, MetricVariant(name, name, {}), 1 / len(metrics), 0.0, 1.0) for name, metric in metrics.items()
    )
    return EnsembleMetric(spec_named("we_wpi_attention"), members, "")


def _load_context(metric: str, path: str) -> ContextEncoder:
    if not path:
        raise OptionError(f"{metric} needs context=FILE; `monge train context REF SOURCE --output FILE` makes it")
    return ContextEncoder.load(os.path.expanduser(path))
