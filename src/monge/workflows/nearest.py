"""Finding the texts nearest to queries."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from monge.engine.journal import open_journal
from monge.environment import Environment
from monge.metrics.variants import MetricVariant
from monge.search.nearest import Search, find_nearest
from monge.text import Segment
from monge.workflows.inputs import require_transport, warn_of_language

_SAMPLE = 50  # texts of each side whose language is looked at


@dataclass(frozen=True)
class NearestRequest:
    """Queries, the texts to search, how many neighbours, the distance, and the language of the texts if known."""

    queries: Sequence[str]
    corpus: Sequence[str]
    k: int = 10
    metrics: tuple[MetricVariant, ...] = (MetricVariant("wmd", "wmd"),)
    progress: bool | None = None
    language: str = ""


def run_nearest(request: NearestRequest, *, environment: Environment | None = None) -> Search:
    """Return the neighbours of every query; an interrupted search goes on where it stopped."""
    environment = environment or Environment.read()
    loaded = [variant.load(environment) for variant in request.metrics]
    metric = require_transport(loaded, "nearest", "wmd")
    journal = open_journal(environment)
    search = find_nearest(
        metric, request.queries, request.corpus, k=request.k, journal=journal, progress=request.progress
    )
    texts = [Segment(text) for text in (*request.queries[:_SAMPLE], *request.corpus[:_SAMPLE])]
    return dataclasses.replace(search, warnings=warn_of_language([metric], [texts], request.language))
