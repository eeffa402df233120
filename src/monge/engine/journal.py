"""The store of scores, by which an interrupted job continues and a repeated job reads instead of computing."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from monge.engine.chunks import Chunk
from monge.environment import Environment
from monge.metrics.base import check_needs
from monge.metrics.protocols import Composite, Metric, Summable
from monge.storage.identity import stated_identity
from monge.storage.store import Store, make_label
from monge.text import Segment
from monge.version import __version__

SCORES_BYTES = 512 << 20
ALGORITHM = 2  # raise it when what is stored for a chunk changes on purpose
MAKER = f"monge={__version__},journal={ALGORITHM}"  # scores of another maker are never used


class Journal:
    """Finished chunks of scores, by what was scored and how.

    The key is a digest of the metric's identity (settings, weights, versions of libraries, numbers of algorithms) and
    the segments, that is, of everything that can change a score. Scores of a metric without an identity, such as one
    of another package, are not stored. The parts of a composite metric are stored separately, so that metrics with the
    same parts share their scores. Without a store (None) everything is computed.
    """

    def __init__(self, store: Store | None) -> None:
        self._store = store

    def score(self, metric: Metric, segments: Sequence[Segment], records: bytes) -> tuple[bytes, bool]:
        """Return the packed chunk of *segments*, and whether it was stored before; *records* are their bytes."""
        found = self.find(metric, records)
        if found is not None:
            return found, True
        packed = self._compute(metric, segments, records).pack()
        self.keep(metric, records, packed)
        return packed, False

    def _compute(self, metric: Metric, segments: Sequence[Segment], records: bytes) -> Chunk:
        if isinstance(metric, Composite):
            check_needs(metric.spec, segments)
            parts = [Chunk.unpack(self.score(part, segments, records)[0]).scores for part in metric.parts]
            return Chunk(metric.combine(parts), None)
        sums = metric.sum_statistics(segments) if isinstance(metric, Summable) else None
        return Chunk(metric.score(segments), sums)

    def find(self, metric: Metric, content: bytes) -> bytes | None:
        """Return what was kept for *metric* and *content*, or None."""
        key = self._key(metric, content)
        if self._store is None or key is None:
            return None
        return self._store.get([key]).get(key)

    def keep(self, metric: Metric, content: bytes, packed: bytes) -> None:
        """Keep *packed* for *metric* and *content*."""
        key = self._key(metric, content)
        if self._store is not None and key is not None:
            self._store.put(make_label(f"scores of {metric.spec.name}", MAKER), {key: packed})

    def _key(self, metric: Metric, content: bytes) -> bytes | None:
        identity = stated_identity(metric)
        if identity is None:
            return None
        digest = hashlib.sha256(f"{MAKER}\0{identity}\0".encode("utf-8", "surrogatepass"))
        digest.update(content)
        return digest.digest()


def open_journal(environment: Environment) -> Journal:
    """Return the journal of *environment*; with the cache off it stores nothing."""
    return Journal(open_score_store(environment.cache_directory / "scores") if environment.cache else None)


@cache
def open_score_store(directory: Path) -> Store:
    """Return the store of scores in *directory*; one per process."""
    return Store(directory, most=SCORES_BYTES)
