"""What requests may ask for: metrics with their options, encoders and limits."""

from __future__ import annotations

import inspect
import math

from monge.metrics import MetricSpec, metric_options
from monge.metrics.option_texts import option_text
from monge.metrics.transport.settings import CHOICES
from monge.service import messages as m
from monge.service.pool import MetricPool
from monge.service.settings import SIZE_LIMITS, ServiceSettings
from monge.version import __version__


def answer_metrics(pool: MetricPool, settings: ServiceSettings) -> m.MetricsAnswer:
    """Return the metrics, encoders and limits of the service."""
    offered = pool.encoders()
    return m.MetricsAnswer(
        version=__version__,
        metrics=[_card(spec, options, pool.find_obstacle(spec)) for spec, options in pool.metrics()],
        encoders=offered,
        limits={name: getattr(settings, name) for name in (*SIZE_LIMITS, "seconds")},
    )


def _card(spec: MetricSpec, options: dict[str, inspect.Parameter], obstacle: str) -> m.MetricCard:
    encoder = metric_options(spec.name).get("encoder")
    return m.MetricCard(
        name=spec.name,
        family=spec.family,
        summary=spec.summary,
        needs=list(spec.needs),
        bounds=[None if math.isinf(bound) else bound for bound in spec.bounds],
        higher_is_better=spec.higher_is_better,
        symmetric=spec.symmetric,
        citation=spec.citation,
        encoder=None if encoder is None else str(encoder.default),
        available=not obstacle,
        reason=obstacle,
        alignment=spec.explains,
        options=[
            m.MetricOption(
                name=name,
                default=_default(parameter.default),
                choices=list(CHOICES.get(name, ())),
                meaning=_meaning(spec.name, name),
            )
            for name, parameter in options.items()
        ],
    )


def _meaning(metric: str, option: str) -> str:
    text = option_text(metric, option)
    return "" if text is None else text.meaning


def _default(value: object) -> m.OptionValue | None:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, bool | int | float | str) else None
