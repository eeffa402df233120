"""Finding the texts nearest to queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from monge.engine.journal import open_journal
from monge.environment import Environment
from monge.metrics.variants import MetricVariant
from monge.search.nearest import Search, find_nearest
from monge.workflows.inputs import require_transport


@dataclass(frozen=True)
class NearestRequest:
    """Queries, the texts to search, how many neighbours, and the distance."""

    queries: Sequence[str]
    corpus: Sequence[str]
    k: int = 10
    metrics: tuple[MetricVariant, ...] = (MetricVariant("wmd", "wmd"),)
    progress: bool | None = None
    environment: Environment = field(default_factory=Environment.read)


def run_nearest(request: NearestRequest) -> Search:
    """Return the neighbours of every query; an interrupted search goes on where it stopped."""
    loaded = [variant.load(request.environment) for variant in request.metrics]
    metric = require_transport(loaded, "nearest", "wmd")
    journal = open_journal(request.environment)
    return find_nearest(
        metric, request.queries, request.corpus, k=request.k, journal=journal, progress=request.progress
    )
