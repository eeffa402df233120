"""Finding the texts nearest to queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


def run_nearest(request: NearestRequest, *, environment: Environment | None = None) -> Search:
    """Return the neighbours of every query; an interrupted search goes on where it stopped."""
    environment = environment or Environment.read()
    loaded = [variant.load(environment) for variant in request.metrics]
    metric = require_transport(loaded, "nearest", "wmd")
    journal = open_journal(environment)
    return find_nearest(
        metric, request.queries, request.corpus, k=request.k, journal=journal, progress=request.progress
    )
